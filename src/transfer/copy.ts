/**
 * Arrays that are written again: whatever wrote the one that is read, of whatever age, the other is new.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { Codecs } from "../../platform/codecs.ts"
import type { Storage } from "../../platform/storage.ts"
import { CURRENT_VERSION, Since } from "../../schema/version.ts"
import { formatVersionRefusal } from "../array/check_format_version.ts"
import { type CreateError, createLike, type CreateOptions } from "../array/create.ts"
import { type EnumerationError, loadEnumerations } from "../array/enumerations.ts"
import { InvalidOption } from "../array/errors.ts"
import { type AnyTileArray, handleOf, openedOf } from "../array/handle.ts"
import { loadMetadata, type MetadataError } from "../array/metadata.ts"
import { accessOf, openArray, type OpenedArray, type OpenError } from "../array/open.ts"
import { join } from "../array/listing.ts"
import { attemptOptions, checkNames, refusing } from "../array/open_options.ts"
import { putMetadata, type PutMetadataError } from "../array/put_metadata.ts"
import { hasTodaysOrder } from "../fragment/cell_order.ts"
import { cellCount } from "../fragment/fragment.ts"
import { attemptSelection, type ReadError } from "../query/read_error.ts"
import { DEFAULT_MEMORY } from "../query/budget.ts"
import type { RegionInput } from "../query/selection.ts"
import { streamDense } from "../query/stream_dense.ts"
import { streamSparse } from "../query/stream_sparse.ts"
import type { CellWriter } from "../write/cell_writer.ts"
import { openDenseWriter } from "../write/dense_writer.ts"
import { openSparseWriter } from "../write/sparse_writer.ts"
import type { WriteFailure, WriteProgress, Written } from "../write/written.ts"
import { copiedSchema, selectedAttributes } from "./copied_schema.ts"
import { removedOnFailure } from "./made_array.ts"
import { writtenBoxes } from "./written_boxes.ts"

/** How an array is copied. */
export interface CopyOptions extends Omit<CreateOptions, "key"> {
  /** The AES-256-GCM key of the copy, or `null` for one that is not encrypted. Default: the key of the array, if it has one. */
  readonly key?: Uint8Array | null
  /** The attributes that are copied. Default: all; dimensions always are. */
  readonly select?: ReadonlyArray<string>
  /** The cells that are copied, as ranges by dimension. Default: all. */
  readonly region?: RegionInput
  /** Whether metadata are copied too. Default: true. */
  readonly metadata?: boolean
  /** Bytes of memory that reading may take. Default: 256 MiB. */
  readonly memory?: number
  /** Is told from time to time how far the copy is. */
  readonly onProgress?: (progress: CopyProgress) => void
}

/** How far a copy is. */
export interface CopyProgress extends WriteProgress {
  /** How many cells there are at most. */
  readonly expected: number
}

/** What was copied. */
export interface Copied extends Written {
  /** The copy. */
  readonly uri: string
  /** Its format version. */
  readonly formatVersion: number
  /** How many entries of metadata. */
  readonly metadata: number
}

/** What copying can fail with. */
export type CopyError =
  | OpenError
  | ReadError
  | EnumerationError
  | MetadataError
  | CreateError
  | WriteFailure
  | PutMetadataError

const OPTIONS: ReadonlyArray<string> = [
  "select",
  "region",
  "metadata",
  "memory",
  "onProgress",
  "formatVersion",
  "at",
  "key",
] satisfies ReadonlyArray<keyof CopyOptions>

const everything = { time: undefined, onProgress: undefined, checks: { anyValue: true } } as const

/** Writes batches one after the other, and commits them. */
const writeAll = <E, R>(
  writer: CellWriter<Readonly<Record<string, unknown>>>,
  batches: Stream.Stream<{ readonly columns: Readonly<Record<string, unknown>> }, E, R>,
): Effect.Effect<Written, E | WriteFailure, R> =>
  Effect.zipRight(Stream.runForEach(batches, ({ columns }) => writer.write(columns)), writer.commit)

/** Whether cells that are read in global order can be written as they come. */
const keepOrder = ({ fragments }: OpenedArray, { schema }: OpenedArray): boolean =>
  [schema.version, ...fragments.map(({ version }) => version)].every((version) => hasTodaysOrder(schema, version))

/** Copies cells into an array that was just made. */
const copyCells = (
  source: OpenedArray,
  target: OpenedArray,
  select: ReadonlyArray<string>,
  { region = {}, memory, at, onProgress }: CopyOptions,
): Effect.Effect<Written, ReadError | WriteFailure, Storage | Codecs> =>
  Effect.scoped(Effect.gen(function* () {
    const moment = at === undefined ? undefined : Number(at)
    const time = moment === undefined ? undefined : [moment, moment] as const
    const reading = memory === undefined ? {} : { memory }
    const told = (expected: number) => ({
      ...everything,
      time,
      maxFragmentSize: Infinity,
      onProgress: onProgress === undefined
        ? undefined
        : (progress: WriteProgress) => onProgress({ ...progress, expected }),
    })
    if (source.schema.arrayType === "sparse") {
      const expected = source.fragments.reduce((sum, fragment) => sum + cellCount(fragment), 0)
      const order = keepOrder(source, target) ? "global" : "unordered"
      const writing = { order, duplicates: "refuse", memory: memory ?? DEFAULT_MEMORY, distinct: true } as const
      const writer = yield* openSparseWriter(target, { ...told(expected), ...writing })
      const names = [...source.schema.dimensions.map((d) => d.name), ...select]
      return yield* writeAll(writer, streamSparse(source, { ...reading, order, region, select: names }))
    }
    // older arrays cannot commit several fragments at once
    const { boxes, cells } = yield* writtenBoxes(source, region, target.schema.version >= Since.folders)
    const writer = yield* openDenseWriter(target, boxes, { ...told(cells), order: "global" })
    const batches = Stream.flatMap(
      Stream.fromIterable(boxes),
      (region) => streamDense(source, { ...reading, order: "global", region, select }),
    )
    return yield* writeAll(writer, batches)
  }))

/**
 * Copies an array: makes another with the same schema, cells and metadata, of the current format or the one that is asked.
 * What is read is the array as it was opened: a time of it, of any format version, with its key. The copy has every cell
 * once, and no history.
 *
 * Cells are streamed in the global order, so that memory is bounded whatever the size. They are not decided anew: what other
 * engines let pass is let pass. Lossy filters (`webp`) lose again what they lose.
 *
 * Fails with `AlreadyExists` if there is something at `target`, with `SchemaError` if no array of that format version can be
 * so, with `InvalidOption` for metadata in a format that has none, with what opening and reading fail with, and with
 * `WriteError`, `StorageError` or `CodecError`. Whatever it fails with, or when it is interrupted, the target is not there.
 *
 * ```ts
 * import { Dense, layerDefault, TileArray } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 *
 * const program = Effect.gen(function* () {
 *   const weather = yield* TileArray.open("tests/golden/demo/weather", { at: 1709539200000 })
 *   const { cells } = yield* TileArray.copy(weather, "mem://weather", { select: ["temperature"], formatVersion: 21 })
 *   return [cells, (yield* Dense.read(yield* TileArray.open("mem://weather"))).shape]
 * })
 * assertEquals(await Effect.runPromise(Effect.provide(program, layerDefault)), [28, [7, 4]])
 * ```
 */
export const copy = (
  source: AnyTileArray | string,
  target: string,
  options: CopyOptions = {},
): Effect.Effect<Copied, CopyError, Storage | Codecs> =>
  Effect.gen(function* () {
    yield* attemptOptions(() => checkNames(options, OPTIONS, refusing(target)))
    const opened = typeof source === "string" ? yield* openArray(source) : openedOf(source)
    return yield* Effect.scoped(copyOpened(opened, target, options))
  })

const copyOpened = (
  source: OpenedArray,
  target: string,
  options: CopyOptions,
): Effect.Effect<Copied, CopyError, Storage | Codecs | Scope.Scope> =>
  Effect.gen(function* () {
    const { at, formatVersion, memory } = options
    const key = options.key === undefined ? source.key : options.key ?? undefined
    const creating = given({ at, key, formatVersion })
    const attributes = yield* attemptSelection(() => selectedAttributes(source, options.select))
    const schema = copiedSchema(source.schema, yield* loadEnumerations(source), attributes)
    const metadata = options.metadata === false
      ? []
      : yield* loadMetadata(source.uri, source.time, yield* accessOf(source))
    const version = formatVersion ?? CURRENT_VERSION
    if (metadata.length > 0 && version < Since.metadata && formatVersionRefusal(version) === undefined) {
      const reason =
        `there are ${metadata.length} entries of metadata, which arrays have from format ${Since.metadata} ` +
        `on; leave them out with metadata: false`
      return yield* Effect.fail(new InvalidOption({ uri: target, option: "formatVersion", reason }))
    }
    const made = yield* removedOnFailure(createLike(target, schema, creating))
    const written = yield* copyCells(source, made, attributes, options)
    if (metadata.length > 0) yield* putMetadata(handleOf(made), metadata, given({ at }))
    for (const { relative, uri } of schema.dimensionLabels) {
      // those that lie elsewhere stay there
      if (!relative) continue
      const label = yield* openArray(join(source.uri, uri), { ...source.time, ...given({ key: source.key }) })
      yield* copyOpened(label, join(made.uri, uri), { ...given({ at, formatVersion, memory }), key: key ?? null })
    }
    return { ...written, uri: made.uri, formatVersion: made.schema.version, metadata: metadata.length }
  })

/** Options that are given, without those that are not. */
const given = <A extends object>(options: A): Partial<A> =>
  Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as Partial<A>
