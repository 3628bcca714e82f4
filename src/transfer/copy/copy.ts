/**
 * Copies arrays: reads an array of any format version and writes its cells to a new array.
 *
 * @module
 */
import type { ByteSize } from "../../../platform/byte_size.ts"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { traced } from "../../../platform/observability/spans.ts"
import type { EncryptionKey } from "../../../platform/keys.ts"
import type { Codecs } from "../../../platform/codecs/service.ts"
import type { Storage } from "../../../platform/storage/service.ts"
import { withTurns } from "../../../platform/host/event_loop_turns.ts"
import { redactUri } from "../../../schema/errors/redact.ts"
import { ARRAY_SCHEMA_FILE } from "../../../schema/name/array_paths.ts"
import { CURRENT_VERSION, Since } from "../../../schema/version/version.ts"
import { formatVersionRefusal } from "../../array/create/check_format_version.ts"
import type { ArraySchema } from "../../schema_builder/schema_value.ts"
import { type CreateOptions, newArray } from "../../array/create/create.ts"
import { type EnumerationError, loadEnumerations } from "../../array/enumeration/enumerations.ts"
import { InvalidOption } from "../../array/open/errors.ts"
import { type AnyTileArray, handleOf, openedOf } from "../../array/open/handle.ts"
import { openInnerLabels } from "../../array/create/label_array.ts"
import { loadMetadata, type MetadataError, type MetadataItem } from "../../array/metadata/metadata.ts"
import { accessOf, openArray, type OpenedArray, type OpenError } from "../../array/open/open.ts"
import { loadDirectory, schemaFiles } from "../../array/open/directory.ts"
import { join, listArray } from "../../array/open/listing.ts"
import {
  attemptOptions,
  checkCallback,
  checkFlag,
  checkKey,
  checkNameList,
  checkNames,
  checkUri,
  millis,
  placeOf,
  refuseFor,
} from "../../array/open/open_options.ts"
import { putMetadata, type PutMetadataError } from "../../array/metadata/put_metadata.ts"
import { hasCurrentOrder } from "../../fragment/cell_order.ts"
import { cellCount } from "../../fragment/fragment.ts"
import { attemptSelection, type ReadError } from "../../query/options/read_error.ts"
import { DEFAULT_STREAM_MEMORY } from "../../query/options/memory_budget.ts"
import type { RegionInput } from "../../query/selection/selection.ts"
import { isObject } from "../../query/request/resolve_query.ts"
import { byteCountOf, choiceOf } from "../../write/options/write_options.ts"
import { streamDense } from "../../query/request/dense_request.ts"
import { streamSparse } from "../../query/request/sparse_request.ts"
import type { CellWriter } from "../../write/fragment/cell_writer.ts"
import type { Checkpoints } from "../../write/fragment/checkpoints.ts"
import { openDenseWriter } from "../../write/dense/dense_writer.ts"
import { openSparseWriter } from "../../write/sparse/sparse_writer.ts"
import type { WriteFailure, WriteProgress, WriteResult } from "../../write/result/write_result.ts"
import { copiedSchema, selectedAttributes } from "./copied_schema.ts"
import { type FillError, fillNewArray } from "../fill_array.ts"
import type { TargetOptions } from "../target.ts"
import { writtenBoxes } from "./written_boxes.ts"

/** Options of a copy. */
export interface CopyOptions extends Omit<CreateOptions, "key">, TargetOptions {
  /**
   * The AES-256-GCM key of the copy, or `null` for an unencrypted copy. Default: the key of the source, if it is
   * encrypted.
   */
  readonly key?: EncryptionKey | Uint8Array | null
  /** Attributes to copy; all dimensions are always copied. Default: all. */
  readonly select?: ReadonlyArray<string>
  /** The cells to copy, as ranges by dimension. Default: all. */
  readonly region?: RegionInput
  /**
   * Starts a new fragment when the current one reaches this size in bytes, if the format allows several. A resumed copy
   * does not repeat finished fragments. Default: 1 GiB.
   */
  readonly maxFragmentSize?: ByteSize
  /**
   * Handling of a sparse array without duplicates in which one fragment contains several cells with equal coordinates,
   * since engines can write without duplicate checks: `keep` copies all to an array that allows duplicates; `first` and
   * `last` copy only the first or the last one, in stored order. Default: the copy fails with `WriteError`.
   */
  readonly duplicates?: "keep" | "first" | "last"
  /** Copies the metadata too. Default: true. */
  readonly metadata?: boolean
  /** Memory budget for reading, in bytes. Default: 256 MiB. */
  readonly memory?: ByteSize
  /** Called from time to time with the progress of the copy. */
  readonly onProgress?: (progress: CopyProgress) => void
}

/** Progress of a copy. */
export interface CopyProgress extends WriteProgress {
  /** Maximum number of cells to copy. */
  readonly expected: number
}

/** Result of a copy. */
export interface CopyResult extends WriteResult {
  /** URI of the copy. */
  readonly uri: string
  /** Format version of the copy. */
  readonly formatVersion: number
  /** Number of copied metadata entries. */
  readonly metadata: number
}

/** Errors of a copy. */
export type CopyError =
  | OpenError
  | ReadError
  | EnumerationError
  | MetadataError
  | FillError
  | WriteFailure
  | PutMetadataError

const OPTIONS: ReadonlyArray<string> = [
  "overwrite",
  "resume",
  "select",
  "region",
  "maxFragmentSize",
  "duplicates",
  "metadata",
  "memory",
  "onProgress",
  "formatVersion",
  "at",
  "key",
] satisfies ReadonlyArray<keyof CopyOptions>

/** Options with times in milliseconds and sizes in bytes. */
type CheckedOptions = Omit<CopyOptions, "at" | "memory" | "maxFragmentSize"> & {
  readonly at?: number
  readonly memory?: number
  readonly maxFragmentSize?: number
}

/** Checks the form of the options before anything is read. */
const checkOptions = (target: string, options: CopyOptions): Effect.Effect<CheckedOptions, InvalidOption> =>
  attemptOptions(() => {
    const refuse = refuseFor(target)
    checkUri(target, refuse)
    checkNames(options, OPTIONS, refuse)
    const at = millis("at", options.at, refuse)
    if (options.key !== null) checkKey(options.key, refuse)
    checkNameList("select", options.select, refuse)
    const { region, formatVersion } = options
    if (region !== undefined && !isObject(region)) refuse("region", "it is an object: { x: [1, 5] }", region)
    const bytesOf = (option: "memory" | "maxFragmentSize"): number | undefined =>
      options[option] === undefined ? undefined : byteCountOf(option, options[option], 1, refuse)
    const sizes = { memory: bytesOf("memory"), maxFragmentSize: bytesOf("maxFragmentSize") }
    for (const flag of ["metadata", "overwrite", "resume"] as const) checkFlag(flag, options[flag], refuse)
    choiceOf("duplicates", options.duplicates, ["keep", "first", "last"], refuse)
    checkCallback("onProgress", options.onProgress, refuse)
    const refusal = formatVersion === undefined ? undefined : formatVersionRefusal(formatVersion)
    if (refusal !== undefined) refuse("formatVersion", refusal, formatVersion)
    return { ...options, ...definedOptions({ at, ...sizes }) } as CheckedOptions
  })

/** Default of the option `maxFragmentSize`, in bytes. */
const DEFAULT_FRAGMENT_SIZE = 2 ** 30

const everything = { time: undefined, onProgress: undefined, checks: { anyValue: true } } as const

/** Writes batches in sequence, and commits them. */
const writeAll = <E, R>(
  writer: CellWriter<Readonly<Record<string, unknown>>>,
  batches: Stream.Stream<{ readonly columns: Readonly<Record<string, unknown>> }, E, R>,
): Effect.Effect<WriteResult, E | WriteFailure, R> =>
  Effect.zipRight(Stream.runForEach(batches, ({ columns }) => writer.write(columns)), writer.commit)

/** Returns whether cells that are read in global order can be written in that order. */
const keepOrder = ({ fragments }: OpenedArray, { schema }: OpenedArray): boolean =>
  [schema.version, ...fragments.map(({ version }) => version)].every((version) => hasCurrentOrder(schema, version))

/** Copies cells into an array without cells. */
const copyCells = (
  source: OpenedArray,
  target: OpenedArray,
  select: ReadonlyArray<string>,
  { region = {}, memory, at, maxFragmentSize = DEFAULT_FRAGMENT_SIZE, duplicates, onProgress }: CheckedOptions,
  checkpoints?: Checkpoints,
): Effect.Effect<WriteResult, ReadError | WriteFailure, Storage | Codecs> =>
  Effect.scoped(Effect.gen(function* () {
    const time = at === undefined ? undefined : [at, at] as const
    const reading = memory === undefined ? {} : { memory }
    // arrays of older formats cannot commit several fragments together
    const several = target.schema.version >= Since.folders
    const writing = (expected: number) => ({
      ...everything,
      time,
      maxFragmentSize: several ? maxFragmentSize : Infinity,
      checkpoints,
      onProgress: onProgress === undefined
        ? undefined
        : (progress: WriteProgress) => onProgress({ ...progress, expected }),
    })
    if (source.schema.arrayType === "sparse") {
      const expected = source.fragments.reduce((sum, fragment) => sum + cellCount(fragment), 0)
      const order = keepOrder(source, target) ? "global" : "unordered"
      const sorting = { order, duplicates: "refuse", memory: memory ?? DEFAULT_STREAM_MEMORY, distinct: true } as const
      const writer = yield* openSparseWriter(target, { ...writing(expected), ...sorting })
      const repeats = duplicates === "keep" ? "all" : duplicates
      const names = [...source.schema.dimensions.map((d) => d.name), ...select]
      return yield* writeAll(writer, streamSparse(source, { ...reading, order, region, select: names, repeats }))
    }
    const { boxes, cells } = yield* writtenBoxes(source, region, several)
    const writer = yield* openDenseWriter(target, boxes, { ...writing(cells), order: "global" })
    const batches = Stream.flatMap(
      Stream.fromIterable(boxes),
      (region) => streamDense(source, { ...reading, order: "global", region, select }),
    )
    return yield* writeAll(writer, batches)
  }))

/**
 * Copies an array: creates another one with the same schema, cells and metadata, in the current format version or the
 * requested one. The source is the array as it was opened: at its time, of any format version, with its key. The copy
 * contains each cell once, without older versions.
 *
 * Cells are streamed in global order, so memory is bounded for any size. Values are not validated again: values that
 * other engines accept are copied. Lossy filters (`webp`) lose information again.
 *
 * A fragment of an array without duplicates may contain a cell several times if an engine wrote it without duplicate
 * checks. `duplicates` decides which of these cells are copied; without it, the copy fails.
 *
 * The target is a new or an empty folder. The schema is stored last: until then the copy cannot be opened, even if the
 * process is killed. The next call at that target fails with `AlreadyExists` and describes the state, continues
 * (`resume`), or replaces it (`overwrite`, also for complete arrays).
 *
 * Fails with `AlreadyExists` if the target exists, with `SchemaError` if the schema is invalid in that format version,
 * with `InvalidOption` for metadata in a format without metadata, with the errors of opening and reading, and with
 * `WriteError`, `StorageError` or `CodecError`. If it fails or is interrupted, exactly the files that it created are
 * removed.
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
): Effect.Effect<CopyResult, CopyError, Storage | Codecs> =>
  withTurns(Effect.gen(function* () {
    const checked = yield* checkOptions(target, options)
    const opened = typeof source === "string" ? yield* openArray(source) : openedOf(source)
    return yield* copyOpened(opened, target, checked)
  })).pipe(traced("TileArray.copy", target))

/** The selected parts of an array, and the schema of the copy. */
interface CopyPlan {
  readonly attributes: ReadonlyArray<string>
  readonly schema: ArraySchema
  readonly creating: CreateOptions
  readonly metadata: ReadonlyArray<MetadataItem>
  /** Label arrays, by their paths in the array. */
  readonly labels: ReadonlyArray<readonly [path: string, label: OpenedArray]>
}

const planCopy = (
  source: OpenedArray,
  target: string,
  options: CheckedOptions,
): Effect.Effect<CopyPlan, CopyError, Storage | Codecs> =>
  Effect.gen(function* () {
    const { at, formatVersion, duplicates } = options
    const { arrayType, allowsDuplicates } = source.schema
    if (duplicates !== undefined && (arrayType === "dense" || (allowsDuplicates && duplicates !== "keep"))) {
      const detail = arrayType === "dense"
        ? "the array is dense and contains each cell once; omit the option"
        : "the array allows duplicates, and all its cells are copied; omit the option"
      return yield* Effect.fail(new InvalidOption({ uri: target, option: "duplicates", reason: "Conflict", detail }))
    }
    const key = options.key === undefined ? source.key : options.key ?? undefined
    const attributes = yield* attemptSelection(() => selectedAttributes(source, options.select))
    const copied = copiedSchema(source.schema, yield* loadEnumerations(source), attributes)
    const schema = options.duplicates === "keep" ? { ...copied, allowsDuplicates: true } : copied
    const metadata = options.metadata === false
      ? []
      : yield* loadMetadata(source.uri, source.time, yield* accessOf(source))
    const version = formatVersion ?? CURRENT_VERSION
    if (metadata.length > 0 && version < Since.metadata && formatVersionRefusal(version) === undefined) {
      const detail =
        `there are ${metadata.length} entries of metadata, which arrays have from format ${Since.metadata} on`
      const hint = { _tag: "OmitMetadata" } as const
      return yield* Effect.fail(
        new InvalidOption({ uri: target, option: "formatVersion", reason: "Conflict", detail, hint }),
      )
    }
    // opens labels before anything is created, since their paths are used in the target
    const labels = yield* openInnerLabels(source)
    return { attributes, schema, creating: definedOptions({ at, key, formatVersion }), metadata, labels }
  })

/** Copies the metadata and the label arrays. */
const copyRest = (
  array: OpenedArray,
  { metadata, labels }: CopyPlan,
  { at, formatVersion, memory }: CheckedOptions,
): Effect.Effect<void, CopyError, Storage | Codecs> =>
  Effect.gen(function* () {
    if (metadata.length > 0) yield* putMetadata(handleOf(array), metadata, definedOptions({ at }))
    for (const [path, label] of labels) {
      yield* copyLabel(label, join(array.uri, path), {
        ...definedOptions({ at, formatVersion, memory }),
        key: array.key ?? null,
      })
    }
  })

/** Copies the array of a label into a new array that is not complete yet. */
const copyLabel = (
  source: OpenedArray,
  target: string,
  options: CheckedOptions,
): Effect.Effect<void, CopyError, Storage | Codecs> =>
  Effect.gen(function* () {
    const plan = yield* planCopy(source, target, options)
    const made = yield* newArray(target, plan.schema, plan.creating)
    const array = openedOf(made.array)
    yield* made.createFolders
    yield* copyCells(source, array, plan.attributes, options)
    yield* copyRest(array, plan, options)
    yield* made.storeSchema
  })

/**
 * Checks that an array is not copied over itself: it would lose all cells that are not copied yet if the program is
 * killed. Since a path can be spelled in many ways and can contain links, arrays are compared by the names of their
 * files, which only copies of the files have in common.
 */
const checkNotItself = (source: OpenedArray, target: string): Effect.Effect<void, CopyError, Storage> =>
  Effect.gen(function* () {
    const listing = yield* listArray(yield* placeOf(target))
    const isNamed = source.schemaName !== ARRAY_SCHEMA_FILE
    const names = isNamed
      ? schemaFiles(listing).map(({ name }) => name.name)
      : (yield* loadDirectory(listing)).fragments.map(({ name }) => name.name)
    const item = new Set(isNamed ? [source.schemaName] : source.fragments.map(({ name }) => name.name))
    const isItself = listing.uri === source.uri || names.some((name) => item.has(name))
    const detail = "the target is the array that is copied; choose another one"
    if (isItself) {
      yield* Effect.fail(new InvalidOption({ uri: target, option: "overwrite", reason: "Conflict", detail }))
    }
  })

/**
 * Returns everything that determines the cells of an open array. Its time range is included only if it excludes cells
 * of some fragment.
 */
const contentOf = ({ uri, schemaName, fragments, deletes, time: { start, end } }: OpenedArray) => {
  const names = fragments.map(({ name }) => name)
  return [
    // without the signature: a renewed signature leads to the same array
    redactUri(uri),
    schemaName,
    names.map(({ name }) => name),
    deletes.map(({ name }) => name),
    names.some((name) => name.start < start) ? start : null,
    names.some((name) => name.end > end) ? end : null,
  ]
}

const copyOpened = (
  source: OpenedArray,
  target: string,
  options: CheckedOptions,
): Effect.Effect<CopyResult, CopyError, Storage | Codecs> =>
  Effect.gen(function* () {
    const plan = yield* planCopy(source, target, options)
    if (options.overwrite === true) yield* checkNotItself(source, target)
    const { region, select, metadata, maxFragmentSize, memory, duplicates, overwrite, resume } = options
    const filled = yield* fillNewArray({
      uri: target,
      schema: plan.schema,
      creating: plan.creating,
      target: definedOptions({ overwrite, resume }),
      operation: "copy",
      source: source.uri,
      input: {
        array: contentOf(source),
        labels: plan.labels.map(([path, label]) => [path, contentOf(label)]),
        metadata: plan.metadata,
        options: { region, select, metadata, maxFragmentSize, memory, duplicates },
      },
      keepsFragments: true,
    }, {
      cells: (array, checkpoints) => copyCells(source, array, plan.attributes, options, checkpoints),
      rest: (array) => copyRest(array, plan, options),
    })
    const { uri, schema } = filled.array
    return { ...filled.written, uri, formatVersion: schema.version, metadata: plan.metadata.length }
  })

/** Returns options without those that are undefined. */
const definedOptions = <A extends object>(options: A): Partial<A> =>
  Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as Partial<A>
