/**
 * Replaces the codes of enumerated attributes by the values of their enumerations.
 */
import * as Effect from "effect/Effect"
import type { Codecs } from "../../../platform/codecs/service.ts"
import type { Storage } from "../../../platform/storage/service.ts"
import type { ResultTooLarge } from "../../array/open/errors.ts"
import { type AnyTileArray, type EnumerationError, enumerations } from "../../array/tile_array.ts"
import type { Column } from "./column.ts"
import { resolveEnumeration } from "./resolve_enumeration.ts"

/**
 * Returns the columns of a result with enumeration codes replaced by their values; other columns are returned
 * unchanged. Loads each enumeration once. A code outside its enumeration becomes null. Fails with `ResultTooLarge` if
 * the values of one column need more than `maxBytes` (default: 4 GiB), and with the errors of `TileArray.enumerations`.
 *
 * ```ts
 * import { Cells, layerDefault, Sparse, TileArray } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 *
 * const program = Effect.gen(function* () {
 *   const quakes = yield* TileArray.open("tests/support/quakes")
 *   const { columns } = yield* Sparse.read(quakes, { select: ["scale", "depth"] })
 *   const { scale, depth } = yield* Cells.resolveAll(quakes, columns)
 *   return [Cells.texts(scale), depth === columns.depth]
 * })
 * assertEquals(await Effect.runPromise(Effect.provide(program, layerDefault)), [["ml", "mw", "mw"], true])
 * ```
 */
export const resolveColumns = (
  array: AnyTileArray,
  columns: Readonly<Record<string, Column>>,
  maxBytes?: number,
): Effect.Effect<Record<string, Column>, EnumerationError | ResultTooLarge, Storage | Codecs> =>
  Effect.gen(function* () {
    const requested = new Set<string>()
    for (const { enumeration } of Object.values(columns)) if (enumeration !== undefined) requested.add(enumeration)
    const loaded = requested.size === 0 ? [] : yield* enumerations(array, requested)
    const byName = new Map(loaded.map((enumeration) => [enumeration.name, enumeration]))
    const out: Record<string, Column> = Object.create(null)
    for (const [name, column] of Object.entries(columns)) {
      const enumeration = column.enumeration === undefined ? undefined : byName.get(column.enumeration)
      out[name] = enumeration === undefined ? column : yield* resolveEnumeration(column, enumeration, maxBytes)
    }
    return out
  })
