/**
 * Moves arrays and groups.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import { traced } from "../../platform/observability/spans.ts"
import type { Codecs } from "../../platform/codecs/service.ts"
import { Storage } from "../../platform/storage/service.ts"
import { attemptOptions, checkNames, refuseFor } from "../array/open/open_options.ts"
import { checkTransfer, type CopyObjectError, type CopyObjectOptions, copyToNewFolder, renameMembers } from "./copy.ts"
import { removeListedFiles } from "./remove_files.ts"

/** Result of a move. */
export interface MoveResult {
  /** Whether the folder was renamed, which is atomic; otherwise its files were copied and then removed. */
  readonly renamed: boolean
  /** Number of copied files; 0 if the folder was renamed. */
  readonly files: number
  /** Their size in bytes. */
  readonly bytes: number
}

/** Errors of moves. */
export type MoveError = CopyObjectError

/**
 * Moves an array or a group to a new place. In local folders this is a rename, which is atomic and takes no time. In
 * other storages, and between storages, all files are copied, the copy becomes visible, and then exactly the copied
 * files are removed from the source. If copying fails or is interrupted, the source is unchanged and the copied files
 * are removed; if the removal fails, the target is complete and `Objects.remove` removes the rest of the source.
 *
 * A group moves with everything in its folder, and absolute URIs of members inside the folder become relative. Members
 * elsewhere stay in their places. Groups elsewhere that name a moved object by an absolute URI keep the old URI: change
 * them with `Group.changeMembers`. Move only objects without writers: an array that is open for reading or writing keeps
 * its old URI.
 *
 * Fails as {@link copyObject} does.
 *
 * ```ts
 * import { ArraySchema, Attr, Dim, layerMemory, layerNative, Objects, TileArray } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 * import * as Layer from "effect/Layer"
 *
 * const program = Effect.gen(function* () {
 *   const schema = ArraySchema.dense({ dims: { x: Dim.int32([1, 4]) }, attrs: { a: Attr.int32() } })
 *   yield* TileArray.create("mem://old", schema)
 *   const { renamed, files } = yield* Objects.move("mem://old", "mem://new")
 *   return [renamed, files, yield* TileArray.exists("mem://old"), yield* TileArray.exists("mem://new")]
 * })
 * const result = await Effect.runPromise(Effect.provide(program, Layer.merge(layerMemory, layerNative)))
 * assertEquals(result, [false, 1, false, true])
 * ```
 */
export const moveObject = (
  from: string,
  to: string,
  options: CopyObjectOptions = {},
): Effect.Effect<MoveResult, MoveError, Storage | Codecs> =>
  Effect.gen(function* () {
    yield* attemptOptions(() =>
      checkNames(options, ["onProgress"] satisfies Array<keyof CopyObjectOptions>, refuseFor(to))
    )
    const storage = yield* Storage
    const [source, target] = yield* checkTransfer(from, to, "moving")
    const isRenamed = storage.moveFolder === undefined ? false : yield* storage.moveFolder(source, target)
    if (isRenamed) {
      yield* renameMembers(source, target)
      return { renamed: true, files: 0, bytes: 0 }
    }
    let progress = { files: 0, bytes: 0 }
    const copied = yield* copyToNewFolder(source, target, ({ size }) => {
      progress = { files: progress.files + 1, bytes: progress.bytes + (size ?? 0) }
      options.onProgress?.(progress)
    })
    yield* removeListedFiles(source, copied)
    return { renamed: false, ...progress }
  }).pipe(traced("Objects.move", to))
