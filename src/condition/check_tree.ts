/**
 * Conditions that were put together, checked for their form: TypeScript does so for most, and nobody for the others.
 */
import { ConditionError } from "./condition_error.ts"
import type { ConditionTree, FieldTest } from "./condition_tree.ts"

/** Trees are no deeper than this: what goes through them does so in steps of its own. */
const DEEPEST = 1000

const operators: ReadonlyArray<unknown> = ["lt", "le", "gt", "ge", "eq", "ne", "in", "not_in"] satisfies Array<
  FieldTest["op"]
>

const shown = (value: unknown): string =>
  typeof value === "string" ? JSON.stringify(value) : Array.isArray(value) ? "a list" : String(value)

/** Refuses what is no condition. Throws {@link ConditionError}. */
export const checkTree = (given: unknown): ConditionTree => {
  const visit = (node: unknown, path: string, depth: number): void => {
    const fail = (reason: string, field = ""): never => {
      throw new ConditionError({ path, field, detail: reason })
    }
    if (depth > DEEPEST) fail(`conditions nested deeper than ${DEEPEST} are not taken`)
    if (typeof node !== "object" || node === null || Array.isArray(node)) {
      fail(`${shown(node)} is no condition; Condition makes them: Condition.gt("a", 5)`)
    }
    const { op, field, of, values, conditions, condition } = node as Readonly<Record<string, unknown>>
    const at = (name: string): string => path === "" ? name : `${path}.${name}`
    if ("field" in (node as object)) {
      if (typeof field !== "string") fail(`${shown(field)} is no name of a field`)
      if (!operators.includes(op)) fail(`there is no comparison ${shown(op)}`, field as string)
      if (!Array.isArray(values)) fail("what it is compared with is a list of values", field as string)
      if (of !== undefined && of !== "attribute" && of !== "dimension") {
        fail(`a field is an "attribute" or a "dimension", not ${shown(of)}`, field as string)
      }
    } else if (op === "not") visit(condition, at("not"), depth + 1)
    else if (op === "and" || op === "or") {
      if (!Array.isArray(conditions)) fail(`${op} joins a list of conditions`)
      else conditions.forEach((child, i) => visit(child, at(`${op}[${i}]`), depth + 1))
    } else fail(`${shown(op)} joins no conditions; "and", "or" and "not" do`)
  }
  visit(given, "", 0)
  return given as ConditionTree
}
