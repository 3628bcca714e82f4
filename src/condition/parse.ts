/**
 * Parses conditions from text, in the grammar of TileDB-Py's `QueryCondition`: Python comparisons.
 *
 * @module
 */
import type { ConditionError } from "./condition_error.ts"
import { type ConditionToken, conditionTokens, unreadable } from "./tokens.ts"
import type { Comparison, Condition, ConditionTree, ConditionValue, FieldTest } from "./condition_tree.ts"

/** A part of a text. */
type Part =
  | { readonly kind: "condition"; readonly tree: ConditionTree; readonly at: number }
  | { readonly kind: "field"; readonly name: string; readonly of?: FieldTest["of"]; readonly at: number }
  | {
    readonly kind: "value"
    readonly value: ConditionValue
    /** The name of a constant that may be a field as well. */
    readonly name?: string
    readonly at: number
  }
  | { readonly kind: "list"; readonly values: ReadonlyArray<ConditionValue>; readonly at: number }

const comparisons: Readonly<Record<string, Comparison>> = {
  "<": "lt",
  "<=": "le",
  ">": "gt",
  ">=": "ge",
  "==": "eq",
  "!=": "ne",
}
const turned: Readonly<Record<Comparison, Comparison>> = { lt: "gt", le: "ge", gt: "lt", ge: "le", eq: "eq", ne: "ne" }
const constants = new Map<string, ConditionValue>([
  ["None", null],
  ["null", null],
  ["True", true],
  ["true", true],
  ["False", false],
  ["false", false],
  ["nan", NaN],
  ["inf", Infinity],
])
/** Constants of this grammar that are names in Python. Beside a value, such a constant is a field. */
const pythonNames: ReadonlySet<string> = new Set(["null", "true", "false", "nan", "inf"])
const casts = ["attr", "dim", "field", "val"]

/** Maximum depth, far below the stack limit. */
const MAX_DEPTH = 200

/**
 * Parses a condition. Throws {@link ConditionError}, with the position, for invalid text. Whether an array has the
 * fields, and whether the values fit their datatypes, is checked when the condition is used.
 *
 * - comparisons `depth > 400`, `400 < depth`, `1 <= depth < 9`, with `<`, `<=`, `>`, `>=`, `==`, `!=`
 * - sets `place in ["Tonga", "Fiji"]`, `place not in ["Tonga"]`
 * - nulls `flag == None`, `flag != None`
 * - `and`, `or`, `not`, parentheses; `&` and `|` bind tighter than comparisons, as in Python: `(a > 1) & (b < 2)`
 * - numbers, `"strings"`, `b"bytes"`, `True`, `False`; dates as strings, `time > "2024-02-29"`; `val(…)` around a value is ignored
 * - names that are not identifiers: `attr("orig.ident")`, `dim("my dim")`, `field("either")`
 * - Python's strings: single, double and triple quotes, the prefixes `r`, `b`, `rb` and `u`, adjacent strings (`"a" "b"`),
 *   escapes, comments and line continuations
 * - a fraction compared with an integer field keeps its meaning: `n > 0.1` matches 1 and more, `n == 0.5` nothing;
 *   `True` and `False` are 1 and 0 for every numeric field
 *
 * Every condition of TileDB-Py is accepted, with these differences:
 *
 * - TileDB-Py truncates fractions for integer fields: there, `n >= 0.5` is `n >= 0` and `n == 0.5` is `n == 0`
 * - `\N{…}` knows Latin and Greek letters, digits, punctuation, common signs and ideographs by name; other names are
 *   rejected
 * - rejected here: bytes compared with numbers (`n == b"5"`), octal escapes above `\377` in bytes, a sign before a
 *   string, more than one `in` per comparison, and parentheses that close more than they open (`a > 1) or (b < 2`)
 * - accepted only here: `nan`, `inf`, `null`, `true` and `false` as values, dates as strings, integers of 64 bits as
 *   strings, negative numbers and `val(…)` in lists, `val(…)` on the left side, `dim(…) in […]`, `field(…)`, names that
 *   are keywords of Python, `True` and `False` as conditions
 *
 * ```ts
 * import { Condition } from "@tessera/array"
 * import { assertEquals, assertThrows } from "@std/assert"
 *
 * const condition = Condition.parse("1 <= depth < 9 or not (flag == None)")
 * assertEquals(Condition.format(condition), "depth >= 1 and depth < 9 or not flag == None")
 * assertThrows(() => Condition.parse("depth >"), Error, "character 8")
 * ```
 */
export const parse = (text: string): Condition<never> => {
  const tokens = conditionTokens(text)
  let next = 0
  let depth = 0
  const fail = (at: number, detail: string): ConditionError => unreadable(text, at, detail)
  const token = (): ConditionToken => tokens[next]
  const isSign = (word: string): boolean => token().kind === "sign" && token().word === word
  const isName = (word: string): boolean => token().kind === "name" && token().word === word
  const taken = (is: boolean): boolean => {
    if (is) next++
    return is
  }
  const actual = (): string => token().kind === "end" ? "the text ends" : `here is ${token().word}`
  const expect = (word: string, why: string): void => {
    if (!taken(isSign(word))) throw fail(token().at, `${why} needs a ${JSON.stringify(word)}, but ${actual()}`)
  }

  const asCondition = (part: Part): ConditionTree => {
    if (part.kind === "condition") return part.tree
    if (part.kind === "value" && typeof part.value === "boolean") {
      return { op: part.value ? "and" : "or", conditions: [] }
    }
    throw fail(
      part.at,
      part.kind === "field"
        ? `${part.name} alone is not a condition; compare it with a value`
        : "a value alone is not a condition; compare a field with it",
    )
  }
  const asValue = (part: Part): ConditionValue => {
    if (part.kind === "value") return part.value
    throw fail(
      part.at,
      part.kind === "field"
        ? `${part.name} is a field, and fields are compared with values only; texts are written ${
          JSON.stringify(part.name)
        }`
        : part.kind === "list"
        ? "a list requires in or not in"
        : "a condition cannot be compared; use and, or and parentheses",
    )
  }
  const joined = (op: "and" | "or", parts: ReadonlyArray<Part>): Part =>
    parts.length === 1
      ? parts[0]
      : { kind: "condition", tree: { op, conditions: parts.map(asCondition) }, at: parts[0].at }
  const joinedBySign = (op: "and" | "or", sign: string, parts: ReadonlyArray<Part>): Part => {
    const bare = parts.length === 1 ? undefined : parts.find((part) => part.kind !== "condition")
    if (bare === undefined) return joined(op, parts)
    throw fail(bare.at, `${sign} binds tighter than comparisons; write (a > 1) ${sign} (b < 2), or use ${op}`)
  }

  const nested = <A>(parser: () => A): A => {
    if (++depth > MAX_DEPTH) {
      throw unreadable(text, token().at, `conditions nested deeper than ${MAX_DEPTH} are not supported`, "TooDeep")
    }
    const result = parser()
    depth--
    return result
  }

  const disjunction = (): Part => {
    const parts = [conjunction()]
    while (taken(isName("or"))) parts.push(conjunction())
    return joined("or", parts)
  }
  const conjunction = (): Part => {
    const parts = [negation()]
    while (taken(isName("and"))) parts.push(negation())
    return joined("and", parts)
  }
  const negation = (): Part => {
    const { at } = token()
    if (!taken(isName("not"))) return comparison()
    return { kind: "condition", tree: { op: "not", condition: asCondition(nested(negation)) }, at }
  }

  /** Returns the field of this name for a constant such as `inf`, else the part itself. */
  const asField = (part: Part): Part =>
    part.kind === "value" && part.name !== undefined ? { kind: "field", name: part.name, at: part.at } : part
  const compared = (first: Part, op: Comparison, second: Part, at: number): FieldTest => {
    const isBare = first.kind !== "field" && second.kind !== "field"
    const left = isBare ? asField(first) : first
    const right = isBare && left.kind !== "field" ? asField(second) : second
    const [field, value, operator] = left.kind === "field" ? [left, right, op] : [right, left, turned[op]]
    if (field.kind !== "field") {
      // fails with the reason if a side is not a value
      asValue(left)
      asValue(right)
      throw fail(left.at, "two values cannot be compared; one side must be a field name, without quotes")
    }
    return { op: operator, field: field.name, of: field.of, values: [asValue(value)], place: { text, at } }
  }
  const comparison = (): Part => {
    const first = either()
    const tests: Array<ConditionTree> = []
    for (let left = first;;) {
      const { at, kind, word } = token()
      if (kind === "sign" && comparisons[word] !== undefined) {
        next++
        const right = either()
        tests.push(compared(left, comparisons[word], right, left.at))
        left = right
        continue
      }
      const negated = isName("not")
      if (negated || isName("in")) {
        next++
        if (negated && !taken(isName("in"))) throw fail(token().at, `not needs an in here, but ${actual()}`)
        const right = either()
        if (right.kind !== "list") throw fail(right.at, 'in needs a list, written ["a", "b"]')
        const member = asField(left)
        if (member.kind !== "field") throw fail(left.at, "the left side of in must be a field name, without quotes")
        const { name: field, of } = member
        tests.push({ op: negated ? "not_in" : "in", field, of, values: right.values, place: { text, at: left.at } })
        break
      }
      if (isName("is")) throw fail(at, "is is not supported; test for nulls with == None and != None")
      if (isSign("=")) throw fail(at, "= is not supported; use == for equality")
      break
    }
    if (tests.length === 0) return first
    return { kind: "condition", tree: tests.length === 1 ? tests[0] : { op: "and", conditions: tests }, at: first.at }
  }

  const either = (): Part => {
    const parts = [both()]
    while (taken(isSign("|"))) parts.push(both())
    return joinedBySign("or", "|", parts)
  }
  const both = (): Part => {
    const parts = [primary()]
    while (taken(isSign("&"))) parts.push(primary())
    return joinedBySign("and", "&", parts)
  }

  const cast = (name: string, at: number): Part => {
    expect("(", name)
    const argument = nested(disjunction)
    expect(")", name)
    if (name === "val") return { kind: "value", value: asValue(argument), at }
    if (argument.kind !== "value" || typeof argument.value !== "string") {
      throw fail(argument.at, `${name} takes the name of a field in quotes: ${name}("name")`)
    }
    const of = name === "attr" ? "attribute" : name === "dim" ? "dimension" : undefined
    return { kind: "field", name: argument.value, of, at }
  }
  const primary = (): Part => {
    const part = token()
    const { at, word } = part
    if (part.kind === "value") {
      next++
      return { kind: "value", value: part.value, at }
    }
    if (part.kind === "end") {
      throw fail(at, next === 0 ? "the condition is empty" : "unexpected end of the text")
    }
    if (part.kind === "name") {
      if (["and", "or", "not", "in", "is"].includes(word)) {
        throw fail(at, `a field or a value is missing before ${word}`)
      }
      next++
      if (constants.has(word)) {
        const value: Part = { kind: "value", value: constants.get(word)!, at }
        return pythonNames.has(word) ? { ...value, name: word } : value
      }
      if (isSign("(")) {
        if (casts.includes(word)) return cast(word, at)
        throw fail(at, `unknown function ${word}; use ${casts.join(", ")}`)
      }
      if (isSign(".")) {
        throw fail(token().at, `names with dots are written attr("…"): attr("${word}.…")`)
      }
      return { kind: "field", name: word, at }
    }
    next++
    if (word === "(") {
      const inner = nested(disjunction)
      expect(")", "the parenthesis")
      return inner.kind === "condition" ? { ...inner, at } : inner
    }
    if (word === "[") {
      const values: Array<ConditionValue> = []
      while (!isSign("]")) {
        if (token().kind === "end") throw fail(at, "the list is not closed")
        values.push(asValue(nested(either)))
        if (!taken(isSign(","))) break
      }
      expect("]", "the list")
      return { kind: "list", values, at }
    }
    if (word === "-" || word === "+") {
      const of = nested(primary)
      const operand = asValue(of)
      const value = typeof operand === "boolean" ? Number(operand) : operand
      if (typeof value !== "number" && typeof value !== "bigint") {
        throw fail(of.at, `${word} must be followed by a number`)
      }
      return { kind: "value", value: word === "-" ? -value : value, at }
    }
    throw fail(
      at,
      word === "^" || word === "~" ? `${word} is not supported in conditions` : `${word} is not expected here`,
    )
  }

  const whole = disjunction()
  if (token().kind !== "end") {
    throw fail(token().at, `expected the end, but ${actual()}; join conditions with and, or`)
  }
  return asCondition(whole)
}
