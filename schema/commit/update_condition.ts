/**
 * Update commits (`.upd`): experimental, and ignored by reads.
 *
 * @module
 */
import { bytes, type Codec, type Field, list, struct, u64, utf8 } from "../binary/mod.ts"
import { Condition, type ConditionNode } from "../condition_ast.ts"

/** A new value for a field. */
export interface UpdateValue {
  /** The attribute. */
  readonly field: string
  /** Its new value, raw. */
  readonly value: Uint8Array
}

/** What an update's generic tile holds. */
export interface UpdateCondition {
  /** Which cells change. */
  readonly condition: ConditionNode
  /** What they become. */
  readonly values: ReadonlyArray<UpdateValue>
}

const Value: Field<UpdateValue> = struct({ field: utf8(u64), value: bytes(u64) })

/**
 * A condition and the values of the cells that meet it. Format: `update_commit_file.md`.
 *
 * ```ts
 * import { decode, encode, UpdateCondition } from "@tessera/array/schema"
 * import { assertEquals } from "@std/assert"
 *
 * const update: UpdateCondition = {
 *   condition: { kind: "value", op: "lt", field: "n", value: Uint8Array.of(3) },
 *   values: [{ field: "n", value: Uint8Array.of(0) }],
 * }
 * assertEquals(decode(UpdateCondition, encode(UpdateCondition, update, 22), 22, "mem://a/__commits/u.upd"), update)
 * ```
 */
export const UpdateCondition: Codec<UpdateCondition> = struct({ condition: Condition, values: list(u64, Value) })
