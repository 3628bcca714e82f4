/**
 * Delete commits (`.del`, since format 16).
 *
 * @module
 */
import type { Codec } from "../binary/mod.ts"
import { Condition, type ConditionNode } from "../condition_ast.ts"

/**
 * What a delete's generic tile holds: the condition of the cells that **stay**, so the opposite of what was asked to be deleted.
 * Format: `delete_commit_file.md`.
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
