/**
 * Deletes, applied as the engine applies them: after the newest cell of each place was chosen, and so that a null makes a
 * cell go too (the stored condition says which cells stay, and nothing compares with null).
 */
import * as Effect from "effect/Effect"
import { Storage } from "../../platform/storage.ts"
import { decode } from "../../schema/binary/mod.ts"
import { DeleteCondition } from "../../schema/commit/delete_condition.ts"
import type { ConditionNode } from "../../schema/condition_ast.ts"
import { FormatError } from "../../schema/errors.ts"
import { ProcessedConditions } from "../../schema/fragment/processed_conditions.ts"
import type { DeleteEntry } from "../array/directory.ts"
import type { OpenedArray } from "../array/open.ts"
import type { ResultTooLarge } from "../array/errors.ts"
import { fieldsOf } from "../fragment/field.ts"
import type { Fragment } from "../fragment/fragment.ts"
import type { ReadTilesError } from "../fragment/read_tiles.ts"
import { loadSections } from "../fragment/sections.ts"
import { attemptTile } from "../tile/attempt.ts"
import { openGenericTile, type TileAccess } from "../tile/generic_tile.ts"
import type { Column } from "./column.ts"
import { conditionFields, evaluate } from "./condition.ts"
import { type Cells, gatherColumns } from "./gather.ts"

const loadCondition = (
  access: TileAccess,
  entry: DeleteEntry,
): Effect.Effect<ConditionNode, ReadTilesError, Storage> =>
  Effect.gen(function* () {
    const storage = yield* Storage
    const file = entry.bytes ?? (yield* Effect.catchTag(storage.read(entry.uri), "NotFound", () => {
      const reason =
        "the delete condition is not there any more; a vacuum may just have removed it: open the array again"
      return Effect.fail(new FormatError({ uri: entry.uri, path: "", offset: 0, version: 0, reason }))
    }))
    return yield* attemptTile(() => {
      const tile = openGenericTile(access, entry.uri, file)
      const condition = decode(DeleteCondition, tile.bytes, tile.version, entry.uri)
      if (!isWhole(condition)) {
        const reason = "a negation of nothing, or of several conditions"
        throw new FormatError({ uri: entry.uri, path: "condition", offset: 0, version: tile.version, reason })
      }
      return condition
    })
  })

/** Whether every negation has its one condition. */
const isWhole = (node: ConditionNode): boolean =>
  node.kind === "value" || ((node.op !== "not" || node.children.length === 1) && node.children.every(isWhole))

/** The delete conditions that were carried out when a fragment was consolidated. */
const processed = (
  access: TileAccess,
  fragment: Fragment,
): Effect.Effect<ReadonlySet<string>, ReadTilesError, Storage> =>
  Effect.gen(function* () {
    const { metadata } = fragment
    if (metadata.kind === "legacy" || metadata.footer.processedConditionsOffset === 0) return new Set<string>()
    const [tile] = yield* loadSections(access, metadata.sections, [metadata.footer.processedConditionsOffset])
    return yield* attemptTile(() =>
      new Set(decode(ProcessedConditions, tile.bytes, fragment.version, metadata.sections.uri))
    )
  })

/** The numbers of the cells that no delete removed. `times` say when each cell was written. */
export const applyDeletes = (
  access: TileAccess,
  array: OpenedArray,
  cells: Cells,
  times: Float64Array,
): Effect.Effect<Uint32Array, ReadTilesError | ResultTooLarge, Storage> =>
  Effect.gen(function* () {
    const n = cells.tileOf.length
    const keep = new Uint8Array(n).fill(1)
    const conditions = yield* Effect.forEach(
      array.deletes,
      (entry) => Effect.map(loadCondition(access, entry), (condition) => ({ entry, condition })),
      { concurrency: 8 },
    )
    const involved = [...new Set(cells.tiles.map((t) => t.fragment))]
    const done = new Map(
      yield* Effect.forEach(involved, (f) =>
        Effect.map(processed(access, array.fragments[f]), (names) => [f, names] as const), { concurrency: 8 }),
    )
    const { byName } = fieldsOf(array.schema)
    const columns = new Map<string, Column>()
    for (const { entry, condition } of conditions) {
      for (const name of conditionFields(condition)) {
        if (columns.has(name)) {
          continue
        }
        const field = byName.get(name)
        if (field === undefined) {
          return yield* Effect.fail(
            new FormatError({
              uri: entry.uri,
              path: "condition",
              offset: 0,
              version: array.schema.version,
              reason: `the delete condition names ${JSON.stringify(name)}, which the array does not have`,
            }),
          )
        }
        columns.set(name, (yield* gatherColumns(access, array, [field], cells))[0])
      }
      const stays = evaluate(condition, columns, n)
      const applies = cells.tiles.map(({ fragment }) =>
        done.get(fragment)!.has(entry.name) ? 0 : 1
      )
      for (let i = 0; i < n; i++) {
        if (stays[i] === 0 && times[i] <= entry.time && applies[cells.tileOf[i]] === 1) keep[i] = 0
      }
    }
    return numbersOf(keep)
  })

/** The numbers of the ones. */
export const numbersOf = (mask: Uint8Array): Uint32Array => {
  let count = 0
  for (let i = 0; i < mask.length; i++) count += mask[i]
  const out = new Uint32Array(count)
  for (let i = 0, k = 0; i < mask.length; i++) if (mask[i] === 1) out[k++] = i
  return out
}
