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

/** When cells are deleted. */
export type DeleteOptions = Pick<WriteOptions, "at">

/**
 * Deletes the cells that satisfy a condition: cells written until now, or until `at`. They remain in their files, and
 * arrays opened at an earlier time still contain them; the open array that is passed in does, too, and
 * `TileArray.reopen` does not.
 *
 * As in every engine, **null cells are deleted too** if the condition uses a nullable attribute: a delete decides which
 * cells remain, and a null satisfies no comparison. A delete that no cell can satisfy, since an enumeration lacks the
 * value, writes nothing.
 *
 * Fails with `ConditionError` for an invalid condition; with `WriteError` for dense arrays, for formats before 16, for
 * conditions that engines could not read afterwards or would understand differently – tests of null, comparisons of
 * bytes and of UTF-16 and similar types, of fixed-size `char` cells with more than one character, of attributes that
 * were added after some of the cells, which would all be deleted – and for conditions that select every cell; with
 * `InvalidOption`, `StorageError` or `CodecError`, and `FormatError`, `ChecksumMismatch` or `DecryptionFailed` for
 * unreadable enumerations. Format: `delete_commit_file.md`.
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
