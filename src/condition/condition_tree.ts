/**
 * Conditions on cells as users put them together: values of the program, before a schema says what they mean in bytes.
 *
 * @module
 */
import type * as DateTime from "effect/DateTime"
import type { ComparisonOp, SetOp } from "../../schema/condition_ast.ts"

/** What a cell can be compared with; `null` only in tests for null. */
export type ConditionValue = number | bigint | string | boolean | Date | DateTime.Utc | Uint8Array | null

/** A field that a condition looks at, and what it is compared with. */
export type Term = readonly [field: string, value: ConditionValue]

/** How a cell is compared. */
export type Comparison = Exclude<ComparisonOp, "always_true" | "always_false">

/** Where in a text a part of a condition stands. */
export interface Place {
  /** The whole text. */
  readonly text: string
  /** Characters before the part. */
  readonly at: number
}

/** A comparison of a field with a value, or with several. */
export interface FieldTest {
  /** `lt`, `le`, `gt`, `ge`, `eq`, `ne`, `in` or `not_in`. */
  readonly op: Comparison | SetOp
  /** The name of the attribute or dimension. */
  readonly field: string
  /** Only fields of this kind are meant. */
  readonly of?: "attribute" | "dimension"
  /** One value; of `in` and `not_in` any number. */
  readonly values: ReadonlyArray<ConditionValue>
  /** Where it was read. */
  readonly place?: Place
}

/** A node of the tree of a condition. */
export type ConditionTree =
  | FieldTest
  | { readonly op: "and" | "or"; readonly conditions: ReadonlyArray<ConditionTree> }
  | { readonly op: "not"; readonly condition: ConditionTree }

declare const terms: unique symbol

/**
 * A condition on cells. `T` says which fields it compares with what, so that TypeScript refuses it for an array whose schema
 * has no such field, or another type of it; a condition that was parsed from text is checked at run time only.
 */
export type Condition<T extends Term = Term> = ConditionTree & {
  /** Known to TypeScript only. */
  readonly [terms]?: T
}

/** The terms of a condition. */
export type TermsOf<C> = C extends Condition<infer T> ? T : never

/** Whether a node compares a field. */
export const isFieldTest = (tree: ConditionTree): tree is FieldTest => "field" in tree

/** The names of the fields that a condition looks at, each once. */
export const fieldNames = (tree: ConditionTree): ReadonlySet<string> => {
  const names = new Set<string>()
  const visit = (node: ConditionTree): void => {
    if (isFieldTest(node)) names.add(node.field)
    else if (node.op === "not") visit(node.condition)
    else node.conditions.forEach(visit)
  }
  visit(tree)
  return names
}
