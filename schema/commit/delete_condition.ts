/**
 * Delete commits (`.del`, since format 16).
 *
 * @module
 */
import type { Codec } from "../binary/mod.ts"
import { Condition, type ConditionNode } from "../condition_ast.ts"

/** What a delete's generic tile holds: the condition of the cells that **stay**. */
export const DeleteCondition: Codec<ConditionNode> = Condition
