/**
 * Checks the form of conditions built from values. TypeScript checks most of them; this covers untyped callers.
 */
import { ConditionError, type ConditionReason } from "./condition_error.ts"
import type { ConditionTree, FieldTest } from "./condition_tree.ts"

/** The maximum depth: code that processes trees is recursive. */
const MAX_DEPTH = 1000

const operators: ReadonlyArray<unknown> = ["lt", "le", "gt", "ge", "eq", "ne", "in", "not_in"] satisfies Array<
  FieldTest["op"]
>

const shown = (value: unknown): string =>
  typeof value === "string" ? JSON.stringify(value) : Array.isArray(value) ? "a list" : String(value)

/** Checks a condition. Throws {@link ConditionError}. */
export const checkTree = (tree: unknown): ConditionTree => {
  const visit = (node: unknown, path: string, depth: number): void => {
    const fail = (reason: ConditionReason, detail: string, field = ""): never => {
      throw new ConditionError({ path, field, reason, detail })
    }
    if (depth > MAX_DEPTH) fail("TooDeep", `conditions nested deeper than ${MAX_DEPTH} are not supported`)
    if (typeof node !== "object" || node === null || Array.isArray(node)) {
      fail(
        "InvalidTree",
        `${shown(node)} is not a condition; use the functions of Condition, such as Condition.gt("a", 5)`,
      )
    }
    const { op, field, of, values, conditions, condition } = node as Readonly<Record<string, unknown>>
    const at = (name: string): string => path === "" ? name : `${path}.${name}`
    if ("field" in (node as object)) {
      if (typeof field !== "string") fail("InvalidTree", `${shown(field)} is not a field name`)
      if (!operators.includes(op)) fail("InvalidTree", `unknown comparison ${shown(op)}`, field as string)
      if (!Array.isArray(values)) fail("InvalidTree", "the values of a comparison must be a list", field as string)
      if (of !== undefined && of !== "attribute" && of !== "dimension") {
        fail("InvalidTree", `the kind of a field is "attribute" or "dimension", not ${shown(of)}`, field as string)
      }
    } else if (op === "not") visit(condition, at("not"), depth + 1)
    else if (op === "and" || op === "or") {
      if (!Array.isArray(conditions)) fail("InvalidTree", `${op} requires a list of conditions`)
      else conditions.forEach((child, i) => visit(child, at(`${op}[${i}]`), depth + 1))
    } else fail("InvalidTree", `${shown(op)} does not combine conditions; use "and", "or" or "not"`)
  }
  visit(tree, "", 0)
  return tree as ConditionTree
}
