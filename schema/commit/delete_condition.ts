/**
 * Delete commits (`.del`, since format 16).
 *
 * @module
 */
import type { Codec } from "../binary/mod.ts"
import { Condition, type ConditionNode } from "../condition_ast.ts"

/**
 * The codec of the contents of a delete's generic tile: the condition of the cells that **remain**, which is the
 * negation of the requested delete condition. Format: `delete_commit_file.md`.
 *
 * ```ts
 * import { type ConditionNode, decode, DeleteCondition, encode } from "@tessera/array/schema"
 * import { assertEquals } from "@std/assert"
 *
 * const stays: ConditionNode = { kind: "value", op: "ne", field: "n", value: Uint8Array.of(7) } // n == 7 was deleted
 * const bytes = encode(DeleteCondition, stays, 22)
 * assertEquals(decode(DeleteCondition, bytes, 22, "mem://a/__commits/d.del"), stays)
 * ```
 */
export const DeleteCondition: Codec<ConditionNode> = Condition
