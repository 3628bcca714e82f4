/**
 * Conditions in evaluable form: field names, and values as bytes.
 */
import type { CombinationOp, ConditionNode } from "../../schema/condition_ast.ts"

/**
 * A condition to evaluate. It has the form of delete commits, with null tests in addition: the stored form cannot
 * distinguish them from comparisons with empty text.
 */
export type Predicate =
  | Exclude<ConditionNode, { readonly kind: "expression" }>
  | { readonly kind: "null"; readonly op: "eq" | "ne"; readonly field: string }
  | { readonly kind: "expression"; readonly op: CombinationOp; readonly children: ReadonlyArray<Predicate> }

/** Returns the fields of a condition. */
export const conditionFields = (node: Predicate): ReadonlySet<string> => {
  const names = new Set<string>()
  const visit = (n: Predicate): void => {
    if (n.kind === "expression") n.children.forEach(visit)
    else if (n.op !== "always_true" && n.op !== "always_false") names.add(n.field)
  }
  visit(node)
  return names
}
