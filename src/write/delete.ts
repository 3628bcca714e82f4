/**
 * Sparse arrays: delete cells.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import { traced } from "../../platform/observability/spans.ts"
import type { Codecs } from "../../platform/codecs/service.ts"
import type { Storage } from "../../platform/storage/service.ts"
import type { ArraySchema } from "../schema_builder/schema_value.ts"
import { openedOf, type TileArray } from "../array/open/handle.ts"
import type { Condition } from "../condition/condition_tree.ts"
import type { TermsIn } from "../condition/typed_terms.ts"
import { deleteCells, type DeleteFailure, type DeleteResult } from "./delete/delete_cells.ts"
import { checkWrite, type WriteOptions } from "./options/write_options.ts"

export type { DeleteFailure, DeleteResult } from "./delete/delete_cells.ts"

/** Options of a delete. */
export type DeleteOptions = Pick<WriteOptions, "at">

/**
 * Deletes the cells that satisfy a condition and were written until now, or until `at`. The cells remain in their
 * files: arrays opened at an earlier time still contain them, and so does the open array that is passed in. Use
 * `TileArray.reopen` to get an array without them.
 *
 * As in every engine, **null cells are deleted too** if the condition uses a nullable attribute: a delete decides which
 * cells remain, and a null satisfies no comparison. If no cell can satisfy the condition, since an enumeration lacks
 * the value, nothing is written.
 *
 * Fails with `ConditionError` for an invalid condition, and with `WriteError` for dense arrays, for formats before 16,
 * and for conditions that select every cell. Conditions that engines could not read afterwards, or would understand
 * differently, fail with `WriteError` too: tests of null; comparisons of bytes, of UTF-16 and similar types, and of
 * fixed-size `char` cells with more than one character; comparisons of attributes that were added after some of the
 * cells, which would all be deleted. Fails with `InvalidOption`, `StorageError` or `CodecError`, and with
 * `FormatError`, `ChecksumMismatch` or `DecryptionFailed` for unreadable enumerations. Format: `delete_commit_file.md`.
 *
 * ```ts
 * import { ArraySchema, Attr, Dim, layerMemory, layerNative, Sparse, TileArray } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 * import * as Layer from "effect/Layer"
 *
 * const Points = ArraySchema.sparse({ dims: { x: Dim.uint32([0, 9999], { tile: 100 }) }, attrs: { n: Attr.uint8() } })
 * const program = Effect.gen(function* () {
 *   const points = yield* TileArray.create("mem://points", Points)
 *   yield* Sparse.write(points, { x: Uint32Array.of(1, 2, 3), n: Uint8Array.of(10, 20, 30) })
 *   yield* Sparse.delete(yield* TileArray.reopen(points), "n >= 20")
 *   return yield* Sparse.read(yield* TileArray.reopen(points))
 * })
 * const { columns } = await Effect.runPromise(Effect.provide(program, Layer.merge(layerMemory, layerNative)))
 * assertEquals([...columns.x], [1])
 * ```
 */
const remove = <S extends ArraySchema<"sparse"> | undefined>(
  array: TileArray<S>,
  where: Condition<TermsIn<S>> | string,
  options: DeleteOptions = {},
): Effect.Effect<DeleteResult, DeleteFailure, Storage | Codecs> =>
  Effect.flatMap(
    checkWrite(array, "sparse", options, [], () => ({})),
    ({ time }) => deleteCells(openedOf(array), where, time),
  ).pipe(traced("Sparse.delete", array))
export { remove as delete }
