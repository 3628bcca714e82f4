/**
 * Conditions as they are evaluated: names of fields, and values in their bytes.
 */
import type { CombinationOp, ConditionNode } from "../../schema/condition_ast.ts"

/** A condition to evaluate: as delete commits keep it, or with tests for null, which these cannot tell from empty text. */
export type Predicate =
  | Exclude<ConditionNode, { readonly kind: "expression" }>
  | { readonly kind: "null"; readonly op: "eq" | "ne"; readonly field: string }
  | { readonly kind: "expression"; readonly op: CombinationOp; readonly children: ReadonlyArray<Predicate> }

/** The fields that a condition looks at. */
export const conditionFields = (node: Predicate): ReadonlySet<string> => {
  const names = new Set<string>()
  const visit = (n: Predicate): void => {
    if (n.kind === "expression") n.children.forEach(visit)
    else if (n.op !== "always_true" && n.op !== "always_false") names.add(n.field)
  }
  visit(node)
  return names
}
