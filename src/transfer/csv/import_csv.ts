/**
 * Imports CSV into new arrays, with given datatypes or with those inferred from the first rows, and into existing
 * arrays.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import { attempt, failOn } from "../../../platform/attempt.ts"
import { shownValue } from "../../../platform/errors.ts"
import { traced } from "../../../platform/observability/spans.ts"
import type { Codecs } from "../../../platform/codecs/service.ts"
import type { CsvRow } from "./csv_rows.ts"
import { Storage } from "../../../platform/storage/service.ts"
import { runSteps, withTurns } from "../../../platform/host/event_loop_turns.ts"
import { redactUri } from "../../../schema/errors/redact.ts"
import { datatypes } from "../../../schema/array/datatype.ts"
import { SchemaError } from "../../schema_builder/schema_error.ts"
import { checkSchemaRules } from "../../schema_builder/check_rules.ts"
import type { CreateOptions } from "../../array/create/create.ts"
import { formatVersionRefusal } from "../../array/create/check_format_version.ts"
import { InvalidOption } from "../../array/open/errors.ts"
import { type AnyTileArray, openedOf } from "../../array/open/handle.ts"
import { openArray } from "../../array/open/open.ts"
import {
  attemptOptions,
  checkCallback,
  checkFlag,
  checkKey,
  checkNameList,
  checkNames,
  checkRecord,
  checkUri,
  millis,
  placeOf,
  refuseFor,
} from "../../array/open/open_options.ts"
import { loadTarget } from "../target.ts"
import type { Steps } from "../../kernel/steps.ts"
import { byteCountOf, choiceOf, DEFAULT_WRITE_MEMORY } from "../../write/options/write_options.ts"
import { type CsvInput, openCsv, sourceChanged } from "./csv_input.ts"
import { csvSchema, type CsvSchemaOptions } from "./csv_schema.ts"
import { openTable, readRows } from "./csv_table.ts"
import { type ColumnType, columnTypeOf, type CsvType, inferTypeSteps } from "./csv_types.ts"
import { fillNewArray } from "../fill_array.ts"
import { traceInput } from "../passed_input.ts"
import { TARGET_OPTIONS, type TargetOptions } from "../target.ts"
import { type CsvImportError, type CsvOptions, type CsvProgress, type ImportResult, writeTable } from "./write_csv.ts"

/** Options of an import into a new array. */
export interface CsvCreateOptions
  extends CsvOptions, CsvSchemaOptions, TargetOptions, Pick<CreateOptions, "key" | "formatVersion"> {
  /** Datatypes by column; a question mark marks nullable columns. Default: inferred from the first rows. */
  readonly types?: Readonly<Record<string, CsvType>>
}

/** Number of rows from which datatypes are inferred. */
const SAMPLE_ROWS = 10_000
const definedOptions = <A extends object>(options: A): Partial<A> =>
  Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as Partial<A>

/** Validates the options of all imports. */
const checkOptions = (uri: string, options: CsvOptions, more: ReadonlyArray<string>) =>
  attemptOptions(() => {
    const refuse = refuseFor(uri)
    checkNames(
      options,
      ["columns", "delimiter", "null", "at", "duplicates", "memory", "onProgress", ...more],
      refuse,
    )
    const { delimiter } = options
    checkNameList("columns", options.columns, refuse)
    checkCallback("onProgress", options.onProgress, refuse)
    choiceOf("duplicates", options.duplicates, ["refuse", "first"], refuse)
    if (options.null !== undefined && typeof options.null !== "string") {
      refuse("null", `${shownValue(options.null)} is invalid; expected text`, options.null)
    }
    if (
      delimiter !== undefined &&
      (typeof delimiter !== "string" || delimiter.length !== 1 || '"\r\n\ufeff'.includes(delimiter))
    ) {
      refuse(
        "delimiter",
        `${shownValue(delimiter)} is invalid; expected one character that is not a quote or line ending`,
        delimiter,
      )
    }
    const at = millis("at", options.at, refuse)
    return {
      time: at === undefined ? undefined : [at, at] as const,
      memory: byteCountOf("memory", options.memory, DEFAULT_WRITE_MEMORY, refuse),
    }
  })

const isTile = (item: unknown): boolean =>
  (typeof item === "number" || typeof item === "bigint" || typeof item === "string") && Number(item) > 0

/** Validates the form of the options of the new array. Whether they fit the columns is checked later. */
const checkCreate = (uri: string, options: CsvCreateOptions) =>
  attemptOptions(() => {
    const refuse = refuseFor(uri)
    const { capacity, filters, formatVersion } = options
    checkUri(uri, refuse)
    checkKey(options.key, refuse)
    checkRecord("types", options.types, "the name of a datatype", (item) => typeof item === "string", refuse)
    choiceOf("arrayType", options.arrayType, ["dense", "sparse"], refuse)
    checkNameList("dims", options.dims, refuse)
    checkRecord("tile", options.tile, "a number above 0", isTile, refuse)
    checkRecord(
      "domain",
      options.domain,
      "a pair [low, high]",
      (item) => Array.isArray(item) && item.length === 2,
      refuse,
    )
    if (filters !== undefined && !Array.isArray(filters)) {
      refuse("filters", `${shownValue(filters)} is invalid; expected a list of filters`, filters)
    }
    checkRecord("columnFilters", options.columnFilters, "a list of filters", Array.isArray, refuse)
    choiceOf("order", options.order, ["row-major", "col-major", "hilbert"], refuse)
    if (capacity !== undefined && !(Number.isSafeInteger(capacity) && capacity > 0)) {
      refuse("capacity", `${shownValue(capacity)} is invalid; expected a whole number above 0`, capacity)
    }
    for (const flag of ["allowsDuplicates", "overwrite", "resume"] as const) checkFlag(flag, options[flag], refuse)
    const refusal = formatVersion === undefined ? undefined : formatVersionRefusal(formatVersion)
    if (refusal !== undefined) refuse("formatVersion", refusal, formatVersion)
  })

/** Returns the datatypes of columns: from the options, or from the first rows. */
const typesOf = (
  uri: string,
  names: ReadonlyArray<string>,
  rows: ReadonlyArray<CsvRow>,
  { types = {}, dims = [] }: CsvCreateOptions,
): Effect.Effect<ReadonlyMap<string, ColumnType>, InvalidOption> => {
  const check = attemptOptions(() => {
    const refuse = refuseFor(uri)
    const existing = new Set(names)
    for (const [name, type] of Object.entries(types)) {
      if (!existing.has(name)) {
        refuse(
          "types",
          `there is no column ${JSON.stringify(name)}; there are ${names.map((n) => JSON.stringify(n)).join(", ")}`,
          name,
          { accepted: names },
        )
      }
      if (!datatypes.includes(columnTypeOf(type).type)) {
        refuse(
          "types",
          `${JSON.stringify(type)}, of ${JSON.stringify(name)}, is not a datatype; expected one of ${
            datatypes.join(", ")
          }`,
          type,
          { accepted: datatypes },
        )
      }
    }
  })
  const infer = function* (): Steps<ReadonlyMap<string, ColumnType>> {
    // skip invalid rows, which are reported when they are written
    const complete = rows.slice(0, SAMPLE_ROWS).filter((row) => row.length === names.length)
    const coordinates = new Set(dims)
    const columns = new Map<string, ColumnType>()
    for (const [column, name] of names.entries()) {
      if (Object.hasOwn(types, name)) {
        columns.set(name, columnTypeOf(types[name]))
        continue
      }
      const { type, nullable } = yield* inferTypeSteps(complete, column)
      // coordinates are not nullable; a null coordinate is reported when it is written
      columns.set(name, { type, nullable: nullable && !coordinates.has(name) })
      yield
    }
    return columns
  }
  return Effect.zipRight(check, runSteps(infer))
}

/**
 * Creates an array from CSV and writes all rows to it. The rows become visible together, when the last one is written.
 *
 * The datatypes of columns come from `types`; otherwise each is the first of these that fits the first 10,000 rows:
 * `int64`, `uint64`, `float64`, `bool`, `datetime_ms` (or finer, if the dates are), `string_utf8`; nullable if a cell
 * of the column is empty. Numbers with leading zeros or a plus sign are texts, since they are codes; so are integers
 * that would lose digits. Empty cells are null if the column is nullable, and empty texts otherwise; `""` is always an
 * empty text. Text coordinates are ASCII.
 *
 * Rows are written as they arrive, in bounded memory. Dense arrays have a dimension `row`, or the dimensions in `dims`,
 * whose columns contain the coordinates; rows should then be sorted by these dimensions, as for `Dense.writeRows`.
 *
 * The target is a new or an empty folder. The schema is stored last: until then the array cannot be opened, even if the
 * process is killed. The next call at that target fails with `AlreadyExists` and describes the state, continues the
 * same import (`resume`), or replaces it (`overwrite`, also for complete arrays).
 *
 * Fails with `CsvError`, which names the row and the column, with `SchemaError`, `InvalidOption` or `AlreadyExists`,
 * and with `NotFound`, `StorageError`, `CodecError` or `WriteError`. If it fails or is interrupted, exactly the files
 * that it created are removed.
 *
 * ```ts
 * import { Cells, Csv, layerMemory, layerNative, Sparse, TileArray } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 * import * as Layer from "effect/Layer"
 * import * as Stream from "effect/Stream"
 *
 * const text = "place,lat,lon,at\nTōhoku,38.3,142.4,2011-03-11T05:46:24Z\nValdivia,-38.1,-73.4,1960-05-22\n"
 * const program = Effect.gen(function* () {
 *   yield* Csv.create("mem://quakes", Stream.make(text), { arrayType: "sparse", dims: ["lat", "lon"] })
 *   const { columns } = yield* Sparse.read(yield* TileArray.open("mem://quakes"))
 *   return [Cells.texts(columns.place), columns.at.type, [...columns.lat.values]]
 * })
 * const found = await Effect.runPromise(Effect.provide(program, Layer.merge(layerMemory, layerNative)))
 * assertEquals(found, [["Valdivia", "Tōhoku"], "datetime_ms", [-38.1, 38.3]])
 * ```
 */
export const createCsv = <E = never, R = never>(
  uri: string,
  input: CsvInput<E, R>,
  options: CsvCreateOptions = {},
): Effect.Effect<ImportResult, E | CsvImportError, R | Storage | Codecs> =>
  withTurns(Effect.scoped(Effect.gen(function* () {
    const request = yield* checkOptions(uri, options, [
      "types",
      "arrayType",
      "dims",
      "tile",
      "domain",
      "filters",
      "columnFilters",
      "order",
      "capacity",
      "allowsDuplicates",
      "key",
      "formatVersion",
      ...TARGET_OPTIONS,
    ])
    yield* checkCreate(uri, options)
    const { at, key, formatVersion, overwrite, resume, columns, delimiter, duplicates } = options
    const size = typeof input === "string" ? yield* Effect.flatMap(Storage, (storage) => storage.size(input)) : 0
    const reading = progressOf(options)
    const expected = resume === true ? (yield* loadTarget(yield* placeOf(uri)))?.input : undefined
    const trace = traceInput(expected)
    const source = yield* openCsv(input, options, reading.read, trace)
    const table = yield* openTable(source, options.columns)
    const rows = yield* readRows(source, SAMPLE_ROWS, table.rows)
    const types = yield* typesOf(uri, table.names, rows, options)
    const schema = yield* attempt(() => {
      const made = csvSchema(types, options, refuseFor(uri))
      checkSchemaRules(made)
      return made
    }, failOn(SchemaError, InvalidOption))
    const { array, written } = yield* fillNewArray<E | CsvImportError, R | Storage | Codecs>({
      uri,
      schema,
      creating: definedOptions({ at, key, formatVersion }),
      target: definedOptions({ overwrite, resume }),
      operation: "import",
      source: typeof input === "string" ? input : "a stream",
      input: {
        // without the signature: a renewed signature leads to the same file
        source: typeof input === "string" ? redactUri(input) : null,
        size,
        columns,
        delimiter,
        duplicates,
        null: options.null,
      },
      // cells with the same timestamp are compared with all others, but the cells of an earlier process are not in
      // memory
      keepsFragments: at === undefined || schema.allowsDuplicates,
    }, {
      cells: (array, checkpoints) =>
        // close the scope, which removes uncommitted fragments, before the folders around them are removed
        Effect.scoped(writeTable(array, { ...table, rows }, options, { ...request, checkpoints }, reading.written)),
      rest: () => Effect.void,
      input: {
        expected,
        passed: trace.passed,
        check: expected === undefined ? Effect.void : Effect.gen(function* () {
          while ((yield* source.next) !== undefined);
          if (trace.bytes() !== expected.bytes) yield* Effect.fail(sourceChanged(source.name))
        }),
      },
    })
    return { ...written, uri: array.uri }
  }))).pipe(traced("Csv.create", uri))

/** Combines the progress of reading files and writing rows. */
const progressOf = ({ onProgress }: CsvOptions) => {
  let progress: CsvProgress = { rows: 0, bytesRead: 0, bytes: 0 }
  const report = (changes: Partial<CsvProgress>): void => {
    progress = { ...progress, ...changes }
    onProgress?.(progress)
  }
  return {
    read: (bytesRead: number, bytes: number) => report({ bytesRead, bytes }),
    written: (rows: number) => report({ rows }),
  }
}

/**
 * Appends the rows of a CSV to an existing array, by field names. Columns are required for all dimensions and
 * attributes, except nullable attributes, whose cells are then null. In a dense array with one dimension and no column
 * of its name, rows follow the last existing row. Cells of enumerated attributes are enumeration values.
 *
 * Rows are written as they arrive, and become visible together, when the last one is written. Fails as {@link
 * createCsv} does, and as `TileArray.open` if `array` is a URI; the array is then unchanged. Fails with `Conflict` if
 * another write has added the same rows since the array was opened.
 *
 * ```ts
 * import { Csv, Dense, layerMemory, layerNative, TileArray } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 * import * as Layer from "effect/Layer"
 * import * as Stream from "effect/Stream"
 *
 * const program = Effect.gen(function* () {
 *   yield* Csv.create("mem://log", Stream.make("level;text\n1;began\n"), { delimiter: ";" })
 *   yield* Csv.append("mem://log", Stream.make("2,ended\n"), { columns: ["level", "text"] })
 *   return (yield* Dense.read(yield* TileArray.open("mem://log"))).columns.level.values
 * })
 * const levels = await Effect.runPromise(Effect.provide(program, Layer.merge(layerMemory, layerNative)))
 * assertEquals(levels, BigInt64Array.of(1n, 2n))
 * ```
 */
export const appendCsv = <E = never, R = never>(
  array: AnyTileArray | string,
  input: CsvInput<E, R>,
  options: CsvOptions = {},
): Effect.Effect<ImportResult, E | CsvImportError, R | Storage | Codecs> =>
  withTurns(Effect.scoped(Effect.gen(function* () {
    const uri = typeof array === "string" ? array : array.uri
    const request = yield* checkOptions(uri, options, [])
    const opened = typeof array === "string" ? yield* openArray(array) : openedOf(array)
    const reading = progressOf(options)
    const source = yield* openCsv(input, options, reading.read)
    const table = yield* openTable(source, options.columns)
    return yield* writeTable(opened, table, options, request, reading.written)
  }))).pipe(traced("Csv.append", array))
