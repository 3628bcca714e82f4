/**
 * Verifies the files of arrays.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { Codecs } from "../../platform/codecs/service.ts"
import type { StorageError } from "../../platform/errors.ts"
import type { EncryptionKey } from "../../platform/keys.ts"
import { tracedStream } from "../../platform/observability/spans.ts"
import type { Storage } from "../../platform/storage/service.ts"
import { accessOf, noArray } from "../array/open/open.ts"
import { isArray } from "../array/open/directory.ts"
import type { ArrayNotFound, InvalidOption } from "../array/open/errors.ts"
import { type AnyTileArray, openedOf } from "../array/open/handle.ts"
import { join } from "../array/open/listing.ts"
import { attemptOptions, checkFlag, checkKey, checkNames, checkUri, refuseFor } from "../array/open/open_options.ts"
import type { DecryptionFailed } from "../filter/part/errors.ts"
import { checkCommits, type CommittedFragment } from "./check_commits.ts"
import { checkFooters } from "./check_footers.ts"
import { checkFragment, type FragmentContext } from "./check_fragment.ts"
import { checkMetadata } from "./check_metadata.ts"
import { checkFileNames } from "./check_names.ts"
import { checkSchemas } from "./check_schemas.ts"
import { checkTiles } from "./check_tiles.ts"
import { checkVacuums } from "./check_vacuums.ts"
import type { Finding } from "./finding.ts"
import { Findings } from "./findings.ts"
import { listFolders } from "./folders.ts"

export { Finding, type FindingCheck, type FindingSeverity } from "./finding.ts"

/** Options of a verification. */
export interface VerifyOptions {
  /** Reads metadata and the sizes of files, but no tiles. Default: false. */
  readonly quick?: boolean
  /** The key of an encrypted array. Default: the key of the open array. */
  readonly key?: EncryptionKey | Uint8Array
}

/** Errors of a verification. Other errors become findings. */
export type VerifyError = InvalidOption | ArrayNotFound | DecryptionFailed | StorageError

const OPTIONS: ReadonlyArray<string> = ["quick", "key"] satisfies ReadonlyArray<keyof VerifyOptions>

/** Number of fragments that are checked concurrently. */
const FRAGMENT_CONCURRENCY = 4

/** An array to verify. */
interface Target {
  readonly uri: string
  /** Path of the array inside the verified array, with a slash at the end; empty for the verified array. */
  readonly prefix: string
  readonly quick: boolean
  readonly key: EncryptionKey | undefined
}

const fragmentFindings = (
  { prefix, quick }: Target,
  root: string,
  context: FragmentContext,
  enumerationSizes: ReadonlyMap<string, number>,
  committed: CommittedFragment,
): Stream.Stream<Finding, never, Storage> =>
  Stream.unwrap(Effect.gen(function* () {
    const findings = new Findings(root, prefix)
    const loaded = yield* checkFragment(context, committed, findings)
    const first = Stream.fromIterable(findings.take())
    if (quick || loaded === undefined) return first
    const { access } = context
    const source = { ...loaded, uri: root, prefix, folder: committed.path, access, enumerationSizes }
    return Stream.concat(first, checkTiles(source))
  }))

/** Returns the findings of one array, and of the label arrays inside it. `root` is the URI of the verified array. */
const arrayFindings = (
  target: Target,
  root: string,
): Stream.Stream<Finding, ArrayNotFound | DecryptionFailed | StorageError, Storage | Codecs> =>
  Stream.unwrap(Effect.gen(function* () {
    const { uri, prefix, key } = target
    const folders = yield* listFolders(uri)
    if (!isArray(folders)) return yield* Effect.fail(noArray(folders))
    const access = yield* accessOf({ key, verifyChecksums: true })
    const findings = new Findings(root, prefix)
    const { byName, newest, enumerationSizes } = yield* checkSchemas(folders, access, key, findings)
    checkFileNames(folders, findings)
    const commits = yield* checkCommits(folders, access, byName, findings)
    yield* checkVacuums(folders, commits, findings)
    yield* checkMetadata(folders, access, findings)
    const footers = yield* checkFooters(folders, commits, access, findings)
    const context: FragmentContext = { access, schemas: byName, newest, footers }
    // label arrays have no labels of their own
    const labels = prefix === "" ? newest?.dimensionLabels ?? [] : []
    return Stream.fromIterable(findings.take()).pipe(
      Stream.concat(Stream.flatMap(
        Stream.fromIterable(commits.fragments),
        (committed) => fragmentFindings(target, root, context, enumerationSizes, committed),
        { concurrency: FRAGMENT_CONCURRENCY },
      )),
      Stream.concat(Stream.flatMap(Stream.fromIterable(labels), ({ uri: path, relative, name }) => {
        if (!relative) return Stream.empty
        const inner = arrayFindings({ ...target, uri: join(uri, path), prefix: `${path}/` }, root)
        return Stream.catchAll(inner, (error) => {
          const reported = new Findings(root, "")
          reported.add("Label", { path, field: name }, `${path}: the array of the label ${name}: ${error.message}`)
          return Stream.fromIterable(reported.take())
        })
      })),
    )
  }))

/**
 * Verifies the files of an array and returns the problems: names, commits, schemas, metadata, the metadata of all
 * fragments at all times, and – unless `quick` is true – every tile: filters, checksums, statistics, MBRs, the order of
 * cells, duplicates, enumeration codes. Damaged files become findings, and the other files are still checked.
 *
 * Nothing is changed. The stream checks several fragments concurrently, in batches of tiles of a few megabytes. Fails
 * with `ArrayNotFound`, with `DecryptionFailed` if the key is missing or wrong, with `InvalidOption`, and with
 * `StorageError` if the array cannot be listed.
 *
 * ```ts
 * import { ArraySchema, Attr, Dim, layerMemory, layerNative, Sparse, StorageService, TileArray } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 * import * as Layer from "effect/Layer"
 * import * as Stream from "effect/Stream"
 *
 * const Log = ArraySchema.sparse({ dims: { x: Dim.uint32([0, 9]) }, attrs: { n: Attr.uint8() } })
 * const program = Effect.gen(function* () {
 *   const log = yield* TileArray.create("mem://log", Log)
 *   yield* Sparse.write(log, { x: Uint32Array.of(1), n: Uint8Array.of(7) })
 *   const before = yield* Stream.runCollect(TileArray.verify(log))
 *   yield* (yield* StorageService).write("mem://log/notes.txt", Uint8Array.of(1))
 *   const after = yield* Stream.runCollect(TileArray.verify(log))
 *   return [...before, ...after].map(({ severity, check }) => `${severity} ${check}`)
 * })
 * const layer = Layer.merge(layerMemory, layerNative)
 * assertEquals(await Effect.runPromise(Effect.provide(program, layer)), ["info UnknownFile"])
 * ```
 */
export const verify = (
  array: AnyTileArray | string,
  options: VerifyOptions = {},
): Stream.Stream<Finding, VerifyError, Storage | Codecs> =>
  Stream.unwrap(Effect.map(
    attemptOptions(() => {
      const opened = typeof array === "string" ? undefined : openedOf(array as AnyTileArray)
      const refuse = refuseFor(opened?.uri ?? array)
      const uri = checkUri(opened?.uri ?? array, refuse)
      checkNames(options, OPTIONS, refuse)
      checkFlag("quick", options.quick, refuse)
      return { uri, quick: options.quick === true, key: checkKey(options.key, refuse) ?? opened?.key }
    }),
    ({ uri, quick, key }) => arrayFindings({ uri, prefix: "", quick, key }, uri),
  )).pipe(tracedStream("TileArray.verify", array))
