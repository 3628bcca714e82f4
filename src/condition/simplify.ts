/**
 * Simplifies predicates as the engine does: removes constant parts, expressions of fewer than two children, and nested
 * expressions of the same operator.
 */
import type { Predicate } from "./predicate.ts"

/** Returns a simplified predicate, or a boolean if the result is the same for all cells. */
export const simplify = (node: Predicate): Predicate | boolean => {
  if (node.kind === "null") return node
  if (node.kind === "value") {
    if (node.op === "always_true" || node.op === "always_false") return node.op === "always_true"
    if ((node.op === "in" || node.op === "not_in") && (node.offsets?.length ?? 0) === 0) return node.op === "not_in"
    return node
  }
  const { op } = node
  if (op === "not") {
    const child = simplify(node.children[0])
    return typeof child === "boolean" ? !child : { ...node, children: [child] }
  }
  const decided = op === "or"
  const children: Array<Predicate> = []
  for (const each of node.children) {
    const child = simplify(each)
    if (child === decided) return decided
    if (typeof child === "boolean") continue
    if (child.kind === "expression" && child.op === op) children.push(...child.children)
    else children.push(child)
  }
  return children.length === 0 ? !decided : children.length === 1 ? children[0] : { ...node, children }
}
