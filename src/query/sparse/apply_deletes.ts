/**
 * Applies delete conditions as the engine does: after the newest cell of each coordinate was selected. Null cells are
 * deleted too, because the stored condition describes the cells to retain, and a comparison with null is false.
 */
import * as Effect from "effect/Effect"
import { inFlight, Storage } from "../../../platform/storage/service.ts"
import { decode } from "../../../schema/binary/mod.ts"
import type { ConditionNode } from "../../../schema/condition_ast.ts"
import { ProcessedConditions } from "../../../schema/fragment/processed_conditions.ts"
import { checkInnerPath } from "../../../schema/name/inner_path.ts"
import { loadDeleteCondition } from "../../array/open/delete_condition.ts"
import type { DeleteEntry } from "../../array/open/directory.ts"
import type { OpenedArray } from "../../array/open/open.ts"
import type { ResultTooLarge } from "../../array/open/errors.ts"
import { type Field, fieldsOf } from "../../fragment/field.ts"
import type { Fragment } from "../../fragment/fragment.ts"
import type { ReadTilesError } from "../../fragment/read/read_tiles.ts"
import { loadSections } from "../../fragment/sections.ts"
import { cacheKind } from "../../kernel/bounded_cache.ts"
import { attemptTile } from "../../tile/attempt.ts"
import type { TileAccess } from "../../tile/generic_tile.ts"
import type { Column } from "../column/column.ts"
import { conditionFields } from "../../condition/predicate.ts"
import { evaluate } from "../condition/evaluate.ts"
import { byFragment, type ResultCells } from "./result/result_cells.ts"
import { resultColumn } from "./result/result_columns.ts"
import { attemptAllocation } from "../options/read_error.ts"

const loadCondition = (
  access: TileAccess,
  array: OpenedArray,
  entry: DeleteEntry,
): Effect.Effect<ConditionNode, ReadTilesError, Storage> =>
  Effect.flatMap(loadDeleteCondition(access, entry, array.cache), ({ condition, refuse }) => {
    const { byName } = fieldsOf(array.schema)
    for (const name of conditionFields(condition)) {
      if (byName.has(name)) continue
      return Effect.fail(refuse(`the delete condition names ${JSON.stringify(name)}, which the array does not have`))
    }
    return Effect.succeed(condition)
  })

/** A loaded delete. Its condition describes the cells that remain. */
export interface LoadedDelete {
  readonly entry: DeleteEntry
  readonly condition: ConditionNode
}

/** Loads the delete conditions of an array, oldest first. */
export const loadConditions = (
  access: TileAccess,
  array: OpenedArray,
): Effect.Effect<ReadonlyArray<LoadedDelete>, ReadTilesError, Storage> =>
  Effect.flatMap(Storage, (storage) =>
    Effect.forEach(
      array.deletes,
      (entry) => Effect.map(loadCondition(access, array, entry), (condition) => ({ entry, condition })),
      { concurrency: inFlight(storage, array.uri, 8) },
    ))

const PROCESSED = cacheKind<ReadonlySet<string>>("processed conditions")

/** Returns the delete conditions that were applied when a fragment was consolidated. */
export const processedConditions = (
  access: TileAccess,
  fragment: Fragment,
): Effect.Effect<ReadonlySet<string>, ReadTilesError, Storage> =>
  Effect.gen(function* () {
    const { metadata } = fragment
    if (metadata.kind === "legacy" || metadata.footer.processedConditionsOffset === 0) return new Set<string>()
    const existing = fragment.cache.get(PROCESSED, 0)
    if (existing !== undefined) return existing
    const [tile] = yield* loadSections(access, metadata.sections, [metadata.footer.processedConditionsOffset])
    return yield* attemptTile(() => {
      const { uri } = metadata.sections
      const names = new Set(decode(ProcessedConditions, tile.bytes, fragment.version, uri))
      for (const name of names) checkInnerPath(name, { uri, path: "processedConditions", version: fragment.version })
      fragment.cache.set(PROCESSED, 0, names, 2 * tile.bytes.byteLength)
      return names
    })
  })

/** Returns the fields that the array's delete conditions read. */
export const deleteFields = (
  access: TileAccess,
  array: OpenedArray,
): Effect.Effect<ReadonlyArray<Field>, ReadTilesError, Storage> =>
  Effect.map(loadConditions(access, array), (conditions) => {
    const { byName } = fieldsOf(array.schema)
    const names = new Set(conditions.flatMap(({ condition }) => [...conditionFields(condition)]))
    return [...names].map((name) => byName.get(name)!)
  })

/** Returns a mask with 1 for each cell that no delete condition removed. `times` are the write times of the cells. */
export const applyDeletes = (
  access: TileAccess,
  array: OpenedArray,
  cells: ResultCells,
  times: Float64Array,
): Effect.Effect<Uint8Array, ReadTilesError | ResultTooLarge, Storage> =>
  Effect.gen(function* () {
    const { length } = cells
    const storage = yield* Storage
    const conditions = yield* loadConditions(access, array)
    const groups = byFragment(cells)
    const done = yield* Effect.forEach(
      groups,
      ({ fragment }) => processedConditions(access, array.fragments[fragment]),
      { concurrency: inFlight(storage, array.uri, 8) },
    )
    const { byName } = fieldsOf(array.schema)
    // skip conditions that are older than all cells or that were already applied to all of them
    const oldest = times.reduce((min, time) => Math.min(min, time), Infinity)
    const concerned = conditions.filter(({ entry }) =>
      entry.time >= oldest && done.some((names) => !names.has(entry.name))
    )
    const requested = concerned.map(({ condition }) => conditionFields(condition))
    const lastUse = new Map<string, number>()
    requested.forEach((names, c) => names.forEach((name) => lastUse.set(name, c)))
    const columns = new Map<string, Column>()
    const mask = yield* attemptAllocation(array.uri, length, () => new Uint8Array(length).fill(1))
    for (let c = 0; c < concerned.length; c++) {
      const { entry, condition } = concerned[c]
      for (const name of requested[c]) {
        if (!columns.has(name)) columns.set(name, yield* resultColumn(access, array, byName.get(name)!, cells))
      }
      yield* attemptAllocation(array.uri, length, () => {
        const stays = evaluate(condition, columns, length)
        for (let g = 0; g < groups.length; g++) {
          const { first, length: count } = groups[g]
          if (done[g].has(entry.name)) continue
          for (let i = first; i < first + count; i++) if (stays[i] === 0 && times[i] <= entry.time) mask[i] = 0
        }
      })
      // release a column after the last condition that reads it
      for (const name of requested[c]) if (lastUse.get(name) === c) columns.delete(name)
    }
    return mask
  })
