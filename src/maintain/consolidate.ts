/**
 * Combines many small files of an array into few.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import { traced } from "../../platform/observability/spans.ts"
import type { Codecs } from "../../platform/codecs/service.ts"
import type { EncryptionKey } from "../../platform/keys.ts"
import type { Storage } from "../../platform/storage/service.ts"
import { loadLatestSchema } from "../array/open/latest_schema.ts"
import { type AnyTileArray, openedOf } from "../array/open/handle.ts"
import { accessOf } from "../array/open/open.ts"
import { attemptOptions, checkKey, checkNames, checkUri, millis, refusing } from "../array/open/open_options.ts"
import { Since } from "../../schema/version/version.ts"
import { consolidateCommits } from "./commits/consolidate_commits.ts"
import { type ConsolidateFilesError, type ConsolidateResult, unchanged } from "./directory/result.ts"
import { consolidateFragmentMetadata } from "./metadata/consolidate_footers.ts"
import { consolidateMetadataFiles } from "./metadata/consolidate_metadata.ts"

export type { ConsolidateResult } from "./directory/result.ts"
export type { MaintenanceReason } from "./directory/maintenance_error.ts"

/** What is combined. */
export type ConsolidateMode = "fragment_meta" | "commits" | "array_meta"

/** Options of a consolidation. */
export interface ConsolidateOptions {
  /** What is combined. */
  readonly mode: ConsolidateMode
  /** With mode `array_meta`: the files of writes from this time on. Default: all. */
  readonly start?: number | bigint | Date
  /** With mode `array_meta`: the files of writes up to this time. Default: all. */
  readonly end?: number | bigint | Date
  /** The AES-256-GCM key of an encrypted array: 32 bytes. An array opened with its key needs none. */
  readonly key?: EncryptionKey | Uint8Array
}

/** Errors of a consolidation. */
export type ConsolidateError = ConsolidateFilesError

const OPTIONS: ReadonlyArray<string> = ["mode", "start", "end", "key"] satisfies ReadonlyArray<keyof ConsolidateOptions>

const MODES: ReadonlyArray<string> = ["fragment_meta", "commits", "array_meta"] satisfies ReadonlyArray<ConsolidateMode>

/**
 * Combines files of an array, which then opens and reads with fewer requests; what readers see does not change. The
 * combined files stay until `TileArray.vacuum` removes them. A second call with the same input changes nothing.
 *
 * - `fragment_meta`: the ends of all fragments' metadata in one file; opening takes one read for them.
 * - `commits`: all commits in one file; from format 12 on.
 * - `array_meta`: all entries of the array's metadata, or those of a time range, in one file.
 *
 * Fails with `MaintenanceError` if the result would change what readers see, or if the format version does not support
 * it; with `ArrayNotFound`, `InvalidOption`, `NotFound` or `StorageError`, and with `FormatError`, `CodecError`,
 * `ChecksumMismatch` or `DecryptionFailed` for unreadable files.
 *
 * ```ts
 * import { ArraySchema, Attr, Dim, layerMemory, layerNative, Metadata, TileArray } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 * import * as Layer from "effect/Layer"
 *
 * const Line = ArraySchema.dense({ dims: { x: Dim.int32([1, 8], { tile: 4 }) }, attrs: { a: Attr.int32() } })
 * const program = Effect.gen(function* () {
 *   const line = yield* TileArray.create("mem://line", Line)
 *   yield* TileArray.putMetadata(line, { title: "A line" })
 *   yield* TileArray.putMetadata(line, { unit: "m" })
 *   const { inputs, written } = yield* TileArray.consolidate(line, { mode: "array_meta" })
 *   const values = Metadata.values(yield* TileArray.metadata(yield* TileArray.reopen(line)))
 *   return [inputs.length, written.length, values.get("unit")]
 * })
 * const result = await Effect.runPromise(Effect.provide(program, Layer.merge(layerMemory, layerNative)))
 * assertEquals(result, [2, 1, "m"])
 * ```
 */
export const consolidate = (
  array: AnyTileArray | string,
  options: ConsolidateOptions,
): Effect.Effect<ConsolidateResult, ConsolidateError, Storage | Codecs> =>
  Effect.gen(function* () {
    const opened = typeof array === "string" ? undefined : openedOf(array)
    const { uri, time, key, mode } = yield* attemptOptions(() => {
      const refuse = refusing(opened?.uri ?? array)
      const uri = checkUri(opened?.uri ?? array, refuse)
      checkNames(options, OPTIONS, refuse)
      if (!MODES.includes(options.mode)) refuse("mode", `it is one of ${MODES.join(", ")}`, options.mode)
      const start = millis("start", options.start, refuse) ?? 0
      const end = millis("end", options.end, refuse) ?? Number.MAX_SAFE_INTEGER
      if (start > end) refuse("start", "it is later than end; exchange them")
      return { uri, time: { start, end }, key: checkKey(options.key, refuse) ?? opened?.key, mode: options.mode }
    })
    switch (mode) {
      case "fragment_meta":
        return yield* consolidateFragmentMetadata(uri, key)
      case "commits":
        return yield* consolidateCommits(uri, key)
      case "array_meta": {
        const { schema: { version } } = yield* loadLatestSchema(uri, key)
        if (version < Since.metadata) return unchanged
        const access = yield* accessOf({ key, verifyChecksums: true })
        return yield* consolidateMetadataFiles({ uri, access, version, time })
      }
    }
  }).pipe(traced("TileArray.consolidate", array))
