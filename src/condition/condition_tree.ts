/**
 * Conditions on cells as values of the program. Their values are encoded with the schema of an array.
 *
 * @module
 */
import type * as DateTime from "effect/DateTime"
import type { ComparisonOp, SetOp } from "../../schema/condition_ast.ts"

/** The types of values in comparisons; `null` only in tests for null. */
export type ConditionValue = number | bigint | string | boolean | Date | DateTime.Utc | Uint8Array | null

/** A field of a condition, and a value that it is compared with. */
export type Term = readonly [field: string, value: ConditionValue]

/** The comparison operators. */
export type Comparison = Exclude<ComparisonOp, "always_true" | "always_false">

/** The position of a part of a condition in its text. */
export interface Place {
  /** The whole text. */
  readonly text: string
  /** The number of characters before the part. */
  readonly at: number
}

/** A comparison of a field with one value or several values. */
export interface FieldTest {
  /** `lt`, `le`, `gt`, `ge`, `eq`, `ne`, `in` or `not_in`. */
  readonly op: Comparison | SetOp
  /** The name of the attribute or dimension. */
  readonly field: string
  /** The kind of the field; without it, attributes and dimensions match. */
  readonly of?: "attribute" | "dimension"
  /** One value; any number of values for `in` and `not_in`. */
  readonly values: ReadonlyArray<ConditionValue>
  /** The position in the text, for parsed conditions. */
  readonly place?: Place
}

/** A node of a condition tree. */
export type ConditionTree =
  | FieldTest
  | { readonly op: "and" | "or"; readonly conditions: ReadonlyArray<ConditionTree> }
  | { readonly op: "not"; readonly condition: ConditionTree }

declare const terms: unique symbol

/**
 * A condition on cells. `T` contains the fields and the types of their values, so that TypeScript rejects it for an
 * array whose schema lacks such a field or has another datatype. Conditions parsed from text are only checked at run
 * time.
 */
export type Condition<T extends Term = Term> = ConditionTree & {
  /** Only a type, without a value at run time. */
  readonly [terms]?: T
}

/** The terms of a condition. */
export type TermsOf<C> = C extends Condition<infer T> ? T : never

/** Whether a node is a comparison of a field. */
export const isFieldTest = (tree: ConditionTree): tree is FieldTest => "field" in tree

/** Returns the names of the fields of a condition, without duplicates. */
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
