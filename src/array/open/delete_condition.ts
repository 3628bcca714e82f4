/**
 * Loads delete conditions in stored form. A stored condition describes the cells to retain.
 */
import * as Effect from "effect/Effect"
import { Storage } from "../../../platform/storage/service.ts"
import type { StorageError } from "../../../platform/errors.ts"
import { decode } from "../../../schema/binary/mod.ts"
import { DeleteCondition } from "../../../schema/commit/delete_condition.ts"
import type { ConditionNode } from "../../../schema/condition_ast.ts"
import { FormatError } from "../../../schema/errors/format_error.ts"
import { cacheKind, type CacheSpace } from "../../kernel/bounded_cache.ts"
import { attemptTile, type TileError } from "../../tile/attempt.ts"
import { openGenericTile, type TileAccess } from "../../tile/generic_tile.ts"
import type { DeleteEntry } from "./directory.ts"

/** Returns whether every negation has exactly one operand. */
const isWhole = (node: ConditionNode): boolean =>
  node.kind === "value" || ((node.op !== "not" || node.children.length === 1) && node.children.every(isWhole))

/** The condition of a delete, and a function that creates the error if it cannot be applied. */
export interface LoadedCondition {
  readonly condition: ConditionNode
  readonly refuse: (reason: string) => FormatError
}

const CONDITION = cacheKind<LoadedCondition>("delete condition")

/** Loads the condition of a delete. `cache` belongs to the array: every batch of a stream uses the condition. */
export const loadDeleteCondition = (
  access: TileAccess,
  entry: DeleteEntry,
  cache?: CacheSpace,
): Effect.Effect<LoadedCondition, StorageError | TileError, Storage> =>
  Effect.gen(function* () {
    const existing = cache?.get(CONDITION, entry.name)
    if (existing !== undefined) return existing
    const storage = yield* Storage
    const file = entry.bytes ?? (yield* Effect.catchTag(storage.read(entry.uri), "NotFound", () => {
      const reason = "the delete condition no longer exists; a vacuum may have removed it: open the array again"
      return Effect.fail(new FormatError({ uri: entry.uri, path: "", offset: 0, version: 0, detail: reason }))
    }))
    return yield* attemptTile(() => {
      const tile = openGenericTile(access, entry.uri, file)
      const condition = decode(DeleteCondition, tile.bytes, tile.version, entry.uri)
      const refuse = (reason: string): FormatError =>
        new FormatError({ uri: entry.uri, path: "condition", offset: 0, version: tile.version, detail: reason })
      if (!isWhole(condition)) throw refuse("a negation must have exactly one condition")
      const loaded: LoadedCondition = { condition, refuse }
      cache?.set(CONDITION, entry.name, loaded, 4 * tile.bytes.byteLength)
      return loaded
    })
  })
