/**
 * Results as rows: one object per cell, decoded through an Effect Schema.
 */
import { type InvalidOption, invalidOption, unknownOption } from "../../../platform/errors.ts"
import * as Either from "effect/Either"
import * as Effect from "effect/Effect"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import type { Codecs } from "../../../platform/codecs/service.ts"
import type { Storage } from "../../../platform/storage/service.ts"
import { isInteger, sizeOf } from "../../../schema/array/datatype.ts"
import { type EnumerationError, loadEnumerations } from "../../array/enumeration/enumerations.ts"
import { isList, isNumber, rowFieldsOf } from "../../row/row_fields.ts"
import { type AnyTileArray, openedOf } from "../../array/open/handle.ts"
import { type CellValue, length, valueReader, values } from "./cell_values.ts"
import type { Column } from "./column.ts"
import { enumerationColumn } from "./resolve_enumeration.ts"
import { type RowError, rowErrorOf } from "../../row/row_error.ts"
import type { TimeForm } from "./typed_columns.ts"

/** Input of row decoding: a result of `Dense.read` or `Sparse.read`, or a batch. */
export interface RowSource {
  /** Columns with their names and datatypes. */
  readonly fields: Readonly<Record<string, Column>>
  /** The array that the columns were read from; it provides the enumerations. */
  readonly array: AnyTileArray
}

/** A cell as an object: the values of its fields by name; nulls are null. */
export type Row = Readonly<Record<string, CellValue>>

/** Options of row decoding. */
export interface RowOptions {
  /** Form of datetimes. Default: `date`. NaT becomes null, except in the form `bigint`. */
  readonly time?: TimeForm
}

/** Errors of row decoding. */
export type RowsError = RowError | EnumerationError | InvalidOption

/** Values of loaded enumerations, by name. */
type Known = ReadonlyMap<string, ReadonlyArray<CellValue>>
type LoadedValues = Map<string, ReadonlyArray<CellValue>>

/** Loads the enumerations of the columns that are not loaded yet. */
const loadValues = (
  source: RowSource,
  existing: LoadedValues,
): Effect.Effect<void, EnumerationError, Storage | Codecs> => {
  const names = new Set<string>()
  for (const { enumeration } of Object.values(source.fields)) {
    if (enumeration !== undefined && !existing.has(enumeration)) names.add(enumeration)
  }
  if (names.size === 0) return Effect.void
  return Effect.map(loadEnumerations(openedOf(source.array), names), (loaded) => {
    for (const enumeration of loaded) existing.set(enumeration.name, values(enumerationColumn(enumeration)))
  })
}

/**
 * Returns a function that reads cells of a column as values. Codes become enumeration values, and invalid codes become
 * null.
 */
export const rowReader = (
  column: Column,
  loaded: Known,
  time: TimeForm,
  number: boolean,
): (index: number) => CellValue | boolean => {
  const all = column.enumeration === undefined ? undefined : loaded.get(column.enumeration)
  const read = valueReader(column, time)
  if (number && all === undefined && column.cellValNum === 1 && isInteger(column.type) && sizeOf(column.type) === 8) {
    return (i) => {
      const value = read(i)
      // bigints that a number cannot represent exactly reach the schema as bigints
      return typeof value === "bigint" && Number.isSafeInteger(Number(value)) ? Number(value) : value
    }
  }
  if (all === undefined && column.type === "bool" && column.cellValNum === 1) {
    return (i) => {
      const bit = read(i)
      return bit === null ? null : bit !== 0
    }
  }
  if (all === undefined) return read
  return (i) => {
    const code = read(i)
    return code === null ? null : all[Number(code)] ?? null
  }
}

type RowValue = CellValue | boolean | ReadonlyArray<number | bigint | boolean>

/** Reads cells of several values as lists of numbers, bigints or booleans. */
const listReader =
  (column: Column, read: (index: number) => RowValue, number: boolean) => (index: number): RowValue => {
    const value = read(index)
    if (!ArrayBuffer.isView(value)) return value
    return Array.from(
      value as unknown as Iterable<number | bigint>,
      (one) => column.type === "bool" ? one !== 0 : number && Number.isSafeInteger(Number(one)) ? Number(one) : one,
    )
  }

const timeForms: ReadonlyArray<unknown> = ["bigint", "date", "datetime"] satisfies Array<TimeForm>

/** Returns the error if options are invalid, for rows of the array at `uri`. */
const checkRowOptions = (uri: string, options: RowOptions): InvalidOption | undefined => {
  const unknown = Object.keys(options).find((name) => name !== "time")
  if (unknown !== undefined) return unknownOption(uri, unknown, ["time"])
  const { time } = options
  if (time === undefined || timeForms.includes(time)) return undefined
  return invalidOption(uri, "time", 'it is "bigint", "date" or "datetime"', time, {
    accepted: ["bigint", "date", "datetime"],
  })
}

const decodeFrom = <A, I, R>(
  source: RowSource,
  schema: Schema.Schema<A, I, R>,
  options: RowOptions,
  loaded: LoadedValues,
  first: number,
): Effect.Effect<Array<A>, RowsError, R | Storage | Codecs> => {
  const invalid = checkRowOptions(source.array.uri, options)
  if (invalid !== undefined) return Effect.fail(invalid)
  return Effect.flatMap(loadValues(source, loaded), () =>
    Effect.suspend(() => {
      const fields = Object.entries(source.fields)
      const names = fields.map(([name]) => name)
      const requested = rowFieldsOf(schema) ?? []
      const numbers = new Set(requested.filter(isNumber).map(({ name }) => name))
      // omit the nulls of optional fields that do not accept null
      const leftOut = new Set(requested.flatMap((field) => field.optional && !field.nullable ? [field.name] : []))
      const lists = new Set(requested.filter(isList).map(({ name }) => name))
      const readers = fields.map(([name, column]) => {
        const read = rowReader(column, loaded, options.time ?? "date", numbers.has(name))
        return lists.has(name) ? listReader(column, read, numbers.has(name)) : read
      })
      const count = fields.length === 0 ? 0 : length(fields[0][1])
      const decode = ParseResult.decodeUnknown(schema)
      const rows: Array<A> = new Array(count)
      const refused = (row: number, issue: ParseResult.ParseIssue) => rowErrorOf(source.array.uri, first + row, issue)
      // decode in a plain loop as long as rows decode synchronously; continue as an Effect if a row needs a service or
      // time
      const run = (from: number): Effect.Effect<Array<A>, RowError, R> => {
        for (let i = from; i < count; i++) {
          const row: Record<string, RowValue> = {}
          for (let f = 0; f < names.length; f++) {
            const value = readers[f](i)
            if (value !== null || !leftOut.has(names[f])) row[names[f]] = value
          }
          const decoded = decode(row)
          if (!Either.isEither(decoded)) {
            return Effect.flatMap(Effect.mapError(decoded, (issue) => refused(i, issue)), (value) => {
              rows[i] = value
              return run(i + 1)
            })
          }
          const either = decoded as Either.Either<A, ParseResult.ParseIssue>
          if (Either.isLeft(either)) return Effect.fail(refused(i, either.left))
          rows[i] = either.right
        }
        return Effect.succeed(rows)
      }
      return run(0)
    }))
}

/**
 * Returns the cells of a result as rows: objects with the selected fields by name, decoded through `schema`. Numbers
 * stay numbers; 64-bit integers are bigint (or number, if the schema expects one); bools are boolean; text is string;
 * datetimes are `Date` (or the form in `time`); cells of several values and bytes are typed arrays (or lists, if the
 * schema expects them); enumeration codes become their values; null is null, and is omitted for optional fields that do
 * not accept null.
 *
 * Each row allocates an object: for arithmetic over many cells, use the columns. Fails with `RowError` at the first row
 * that the schema rejects, and with the errors of `TileArray.enumerations`.
 *
 * ```ts
 * import { layerDefault, Sparse, TileArray } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 * import * as Schema from "effect/Schema"
 *
 * const Quake = Schema.Struct({ place: Schema.String, time: Schema.DateFromSelf, scale: Schema.Literal("mw", "ml") })
 * const program = TileArray.open("tests/support/quakes").pipe(
 *   Effect.flatMap((quakes) => Sparse.read(quakes, { region: { lon: [140, 180] } })),
 *   Effect.flatMap((result) => Sparse.decodeRows(result, Quake)),
 * )
 * assertEquals(await Effect.runPromise(Effect.provide(program, layerDefault)), [
 *   { place: "Tōhoku", time: new Date("2011-03-11T05:46:24Z"), scale: "mw" },
 * ])
 * ```
 */
export const decodeRows = <A, I, R>(
  source: RowSource,
  schema: Schema.Schema<A, I, R>,
  options: RowOptions = {},
): Effect.Effect<ReadonlyArray<A>, RowsError, R | Storage | Codecs> =>
  Effect.suspend(() => decodeFrom(source, schema, options, new Map(), 0))

/**
 * Returns the cells of a result as rows without a Schema: objects with the selected fields by name, with the values
 * that {@link decodeRows} passes to its schema. Fails with `InvalidOption`, and with the errors of
 * `TileArray.enumerations`.
 *
 * ```ts
 * import { layerDefault, Sparse, TileArray } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 *
 * const program = TileArray.open("tests/support/quakes").pipe(
 *   Effect.flatMap((quakes) => Sparse.read(quakes, { select: ["place", "scale"], region: { lon: [140, 180] } })),
 *   Effect.flatMap(Sparse.toRows),
 * )
 * assertEquals(await Effect.runPromise(Effect.provide(program, layerDefault)), [{ place: "Tōhoku", scale: "mw" }])
 * ```
 */
export const toRows = (
  source: RowSource,
  options: RowOptions = {},
): Effect.Effect<ReadonlyArray<Row>, Exclude<RowsError, RowError>, Storage | Codecs> =>
  Effect.suspend(() =>
    decodeFrom(source, Schema.Unknown as Schema.Schema<Row, unknown>, options, new Map(), 0) as Effect.Effect<
      ReadonlyArray<Row>,
      // the schema accepts every row
      Exclude<RowsError, RowError>,
      Storage | Codecs
    >
  )

/**
 * Converts a stream of results to a stream of rows, as {@link decodeRows} returns them; each enumeration is loaded
 * once. An Effect is a stream of one element, so a read can be piped directly.
 *
 * ```ts
 * import { layerDefault, Sparse, TileArray } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 * import * as Chunk from "effect/Chunk"
 * import * as Effect from "effect/Effect"
 * import * as Schema from "effect/Schema"
 * import * as Stream from "effect/Stream"
 *
 * class Quake extends Schema.Class<Quake>("Quake")({ lat: Schema.Number, place: Schema.NonEmptyString }) {}
 *
 * const northern = TileArray.open("tests/support/quakes").pipe(
 *   Effect.flatMap((quakes) => Sparse.read(quakes, { select: ["lat", "place"] })),
 *   Sparse.rows(Quake), // Stream<Quake, …>
 *   Stream.filter((quake) => quake.lat > 38),
 *   Stream.runCollect,
 * )
 * const found = await Effect.runPromise(Effect.provide(northern, layerDefault))
 * assertEquals(Chunk.toReadonlyArray(found).map((quake) => quake.place), ["Tōhoku"])
 * ```
 */
export const rows = <A, I, R>(
  schema: Schema.Schema<A, I, R>,
  options: RowOptions = {},
): <E, R2>(results: Stream.Stream<RowSource, E, R2>) => Stream.Stream<A, E | RowsError, R | R2 | Storage | Codecs> =>
(results) =>
  Stream.suspend(() => {
    const loaded: LoadedValues = new Map()
    let first = 0
    return Stream.flattenIterables(
      Stream.mapEffect(results, (source) =>
        Effect.tap(decodeFrom(source, schema, options, loaded, first), (rows) => {
          first += rows.length
        })),
    )
  })
