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

/** A condition and the values of the cells that meet it. */
export const UpdateCondition: Codec<UpdateCondition> = struct({ condition: Condition, values: list(u64, Value) })
