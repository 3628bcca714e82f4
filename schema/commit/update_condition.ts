/**
 * Update commits (`.upd`): experimental, ignored by reads.
 *
 * @module
 */
import { bytes, type Codec, type Field, list, struct, u64, utf8 } from "../binary/mod.ts"
import { Condition, type ConditionNode } from "../condition_ast.ts"

/** A new value for a field. */
export interface UpdateValue {
  /** The attribute. */
  readonly field: string
  /** The new value, raw. */
  readonly value: Uint8Array
}

/** The contents of an update's generic tile. */
export interface UpdateCondition {
  /** The condition of the changed cells. */
  readonly condition: ConditionNode
  /** The new values. */
  readonly values: ReadonlyArray<UpdateValue>
}

const Value: Field<UpdateValue> = struct({ field: utf8(u64), value: bytes(u64) })

/**
 * The codec of an update: a condition and the new values of matching cells. Format: `update_commit_file.md`.
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
