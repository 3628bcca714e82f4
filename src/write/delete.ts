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
 * Deletes the cells that fulfil a condition: those that were written until now, or until `at`. They stay in their files, and
 * are seen by who opens the array at a moment before; the open array that is given sees them too, `TileArray.reopen` does not.
 *
 * As in every engine, **cells whose value is null go too** where the condition looks at a nullable attribute: a delete keeps which
 * cells stay, and a null fulfils no comparison. A delete that no cell can fulfil, since an enumeration lacks the value, writes
 * nothing.
 *
 * Fails with `ConditionError` for a condition that means nothing; with `WriteError` for dense arrays, for formats before 16,
 * for what engines could not read the array after, or would take for something else – tests of null, comparisons of bytes and of
 * UTF-16 and the like, of `char` cells of one size with more than one character, attributes that are younger than some of
 * the cells, all of which would be gone – and for conditions that hold for every cell;
 * with `InvalidOption`, `StorageError` or `CodecError`, and `FormatError`, `ChecksumMismatch` or `DecryptionFailed` for enumerations
 * that cannot be read. Format: `delete_commit_file.md`.
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
