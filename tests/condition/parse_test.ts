import { assert, assertEquals } from "@std/assert"
import * as FastCheck from "effect/FastCheck"
import { describe, it } from "node:test"
import * as Condition from "../../src/condition/condition.ts"
import { ConditionError } from "../../src/condition/condition_error.ts"
import type { ConditionTree } from "../../src/condition/condition_tree.ts"
import { isFieldTest } from "../../src/condition/condition_tree.ts"

/** Returns a tree without positions, and without expressions of a single child. */
const bare = (tree: ConditionTree): unknown =>
  isFieldTest(tree)
    ? [tree.op, tree.field, tree.values, tree.of ?? "any"]
    : tree.op === "not"
    ? ["not", bare(tree.condition)]
    : [tree.op, ...tree.conditions.map(bare)]

const parsed = (text: string): unknown => bare(Condition.parse(text))

const failure = (text: string): ConditionError => {
  try {
    Condition.parse(text)
  } catch (error) {
    assert(error instanceof ConditionError, String(error))
    return error
  }
  throw new Error(`${text} was parsed`)
}

describe("conditions as text", () => {
  it("are comparisons of a field and a value, in either order", () => {
    assertEquals(parsed("a < 1"), ["lt", "a", [1], "any"])
    assertEquals(parsed("1 < a"), ["gt", "a", [1], "any"])
    assertEquals(parsed("'x' == b"), ["eq", "b", ["x"], "any"])
    assertEquals(parsed("a >= -1.5e3"), ["ge", "a", [-1500], "any"])
    assertEquals(parsed("a != 0x10"), ["ne", "a", [16], "any"])
    assertEquals(parsed("a <= 9007199254740993"), ["le", "a", [9007199254740993n], "any"])
    assertEquals(parsed("a == -9_007_199_254_740_993"), ["eq", "a", [-9007199254740993n], "any"])
    assertEquals(parsed("a in [0b1_01, 0O17, 0xf_F, 1_0.2_5]"), ["in", "a", [5, 15, 255, 10.25], "any"])
    assertEquals(parsed("(a) == (5)"), ["eq", "a", [5], "any"])
    assertEquals(parsed(".5 < a"), ["gt", "a", [0.5], "any"])
    assertEquals(parsed("1. < a"), ["gt", "a", [1], "any"])
  })

  it("may chain comparisons", () => {
    assertEquals(parsed("1 < a <= 5"), ["and", ["gt", "a", [1], "any"], ["le", "a", [5], "any"]])
    assertEquals(parsed("0 < a < 5 and b == 1"), [
      "and",
      ["and", ["gt", "a", [0], "any"], ["lt", "a", [5], "any"]],
      ["eq", "b", [1], "any"],
    ])
  })

  it("have the operator precedence of Python", () => {
    assertEquals(parsed("a == 1 or b == 2 and not c == 3"), [
      "or",
      ["eq", "a", [1], "any"],
      ["and", ["eq", "b", [2], "any"], ["not", ["eq", "c", [3], "any"]]],
    ])
    assertEquals(parsed("(a == 1) | (b == 2) & (c == 3)"), [
      "or",
      ["eq", "a", [1], "any"],
      ["and", ["eq", "b", [2], "any"], ["eq", "c", [3], "any"]],
    ])
    assertEquals(parsed("not not a == 1"), ["not", ["not", ["eq", "a", [1], "any"]]])
  })

  it("test sets and nulls", () => {
    assertEquals(parsed('place in ["a", "b",]'), ["in", "place", ["a", "b"], "any"])
    assertEquals(parsed("n not in [1, -2, val(3)]"), ["not_in", "n", [1, -2, 3], "any"])
    assertEquals(parsed("flag == None"), ["eq", "flag", [null], "any"])
    assertEquals(parsed("not flag != None"), ["not", ["ne", "flag", [null], "any"]])
    assertEquals(parsed("f == True and g == False"), ["and", ["eq", "f", [true], "any"], ["eq", "g", [false], "any"]])
  })

  it("name fields and cast", () => {
    assertEquals(parsed('attr("orig.ident") == "x"'), ["eq", "orig.ident", ["x"], "attribute"])
    assertEquals(parsed("dim('x y') > val(3)"), ["gt", "x y", [3], "dimension"])
    assertEquals(parsed("field('in') in [1]"), ["in", "in", [1], "any"])
    assertEquals(parsed("größe_2 > 1"), ["gt", "größe_2", [1], "any"])
  })

  it("have strings and bytes with escapes", () => {
    assertEquals(parsed(String.raw`s == "a\"b\\\n\x41\u00e9\U0001F600"`), ["eq", "s", ['a"b\\\nAé😀'], "any"])
    assertEquals(parsed(String.raw`s == r"a\d"`), ["eq", "s", [String.raw`a\d`], "any"])
    assertEquals(parsed(String.raw`s == b"\x00\xffz"`), ["eq", "s", [Uint8Array.of(0, 255, 122)], "any"])
    assertEquals(parsed("s == ''"), ["eq", "s", [""], "any"])
    // as in Python up to three octal digits are one character
    assertEquals(parsed(String.raw`s == "\0\012\1411\08"`), ["eq", "s", ["\0\na1\x008"], "any"])
    assertEquals(parsed(String.raw`s == b"\3771"`), ["eq", "s", [Uint8Array.of(255, 49)], "any"])
  })

  it("have the strings, comments and names of Python", () => {
    assertEquals(parsed(`s == "a" 'b' r"\\c" u"d"`), ["eq", "s", ["ab\\cd"], "any"])
    assertEquals(parsed(`attr("a" "b") == b"x" rb'\\y'`), ["eq", "ab", [Uint8Array.of(120, 92, 121)], "attribute"])
    assertEquals(parsed(`s == """a"b\r\n'c'"""`), ["eq", "s", [`a"b\n'c'`], "any"])
    assertEquals(parsed(`s == ''''''`), ["eq", "s", [""], "any"])
    assertEquals(parsed(`s == "a\\\nb"`), ["eq", "s", ["ab"], "any"])
    assertEquals(parsed(String.raw`s == "\q\d"`), ["eq", "s", [String.raw`\q\d`], "any"])
    assertEquals(parsed(String.raw`s == b"\u0041"`), ["eq", "s", [new TextEncoder().encode(String.raw`\u0041`)], "any"])
    assertEquals(
      parsed(String.raw`s == "\N{DEGREE SIGN}\N{latin small letter e with acute}\N{GREEK CAPITAL LETTER OMEGA}"`),
      ["eq", "s", ["°éΩ"], "any"],
    )
    assertEquals(parsed("a > 1 # one\n and b < 2 \\\n or c == 3"), parsed("a > 1 and b < 2 or c == 3"))
    assertEquals(parsed("ﬁeld == 1"), ["eq", "field", [1], "any"])
    assertEquals(parsed("a == 1or b == 1_0e1_0"), parsed("a == 1 or b == 1e11"))
    assertEquals(parsed("inf > 1 and null in [2] and 3 == true"), [
      "and",
      ["gt", "inf", [1], "any"],
      ["in", "null", [2], "any"],
      ["eq", "true", [3], "any"],
    ])
  })

  it("are rejected at the position of the error", () => {
    for (
      const [text, at, reason] of [
        ["", 0, "condition is empty"],
        ["depth >", 7, "unexpected end"],
        ["depth", 0, "compare it"],
        ["5", 0, "compare a field"],
        ["1 == 2", 0, "two values"],
        ["a == b", 5, "is a field"],
        ["a = 1", 2, "=="],
        ["a is None", 2, "== None"],
        ["a in 5", 5, "list"],
        ["a in [1, b]", 9, "is a field"],
        ["a in [1 2]", 8, "]"],
        ["a in [1", 7, "]"],
        ["5 in [1]", 0, "field"],
        ["a not [1]", 6, "in"],
        ["(a == 1", 7, ")"],
        ["a == 1)", 6, "expected the end"],
        ["a == 1 b == 2", 7, "expected the end"],
        ["a == 'x", 5, "not closed"],
        ["orig.ident == 1", 4, "attr("],
        ["var('a') == 1", 0, "unknown function var"],
        ["attr(a) == 1", 5, "in quotes"],
        ["a == 1 ^ 2", 7, "expected the end"],
        ["~a == 1", 0, "not supported"],
        ["a == -'x'", 6, "followed by a number"],
        ["2x == 1", 0, "2x"],
        ["a == 1_", 5, "1_ is neither"],
        ["a == 1__0", 5, "1__0 is neither"],
        ["a == 0b12", 8, "expected the end"],
        ["a == 0x", 5, "0x is neither"],
        [String.raw`a == b"\400"`, 7, "is not a byte"],
        ["a == $", 5, "not expected"],
        ["(a == 1) == (b == 2)", 0, "cannot be compared"],
        ["a > 1 & b < 2", 4, "binds tighter"],
        [String.raw`a == "\x4"`, 6, "incomplete escape"],
        [String.raw`a == "x\N{NO SUCH NAME}"`, 7, "table of character names"],
        [String.raw`a == "\N"`, 6, "incomplete escape"],
        ["a == 'x' b'y'", 9, "cannot be joined"],
        ["a == 'x\n'", 5, "not closed"],
        ['a == """x""', 5, "not closed"],
      ] as const
    ) {
      const error = failure(text)
      assertEquals([text, error.at], [text, at], error.message)
      assert(error.message.includes(reason), error.message)
      assertEquals(error.text, text)
    }
  })

  it("do not exhaust the stack", () => {
    assert(failure("(".repeat(100_000)).message.includes("nested deeper"))
    assert(failure("not ".repeat(100_000)).message.includes("nested deeper"))
    assert(failure("a == " + "-".repeat(100_000)).message.includes("nested deeper"))
  })

  it("are parsed again from formatted text", () => {
    const value = FastCheck.oneof(
      FastCheck.integer(),
      FastCheck.double(),
      FastCheck.bigInt({ min: -(2n ** 63n), max: 2n ** 64n }).map((n) =>
        n >= -9007199254740991n && n <= 9007199254740991n ? Number(n) : n
      ),
      FastCheck.string({ unit: "binary" }),
      FastCheck.boolean(),
      FastCheck.uint8Array({ maxLength: 8 }),
    )
    const name = FastCheck.oneof(
      FastCheck.string(),
      FastCheck.constantFrom("a", "in", "b_1", "attr", "None", "null", "True", "true", "False", "false", "nan", "inf"),
    )
    const op = FastCheck.constantFrom("lt", "le", "gt", "ge", "eq", "ne")
    const test = FastCheck.oneof(
      FastCheck.record({ op, field: name, values: value.map((v) => [v]) }),
      FastCheck.record({ op: FastCheck.constantFrom("in", "not_in"), field: name, values: FastCheck.array(value) }),
      FastCheck.record({ op: FastCheck.constantFrom("eq", "ne"), field: name, values: FastCheck.constant([null]) }),
    )
    const { tree } = FastCheck.letrec((tie) => ({
      tree: FastCheck.oneof(
        { depthSize: "small" },
        test,
        FastCheck.record({ op: FastCheck.constant("not"), condition: tie("tree") }),
        FastCheck.record({
          op: FastCheck.constantFrom("and", "or"),
          conditions: FastCheck.array(tie("tree"), { minLength: 2, maxLength: 4 }),
        }),
      ),
    }))
    FastCheck.assert(
      FastCheck.property(tree as FastCheck.Arbitrary<ConditionTree>, (condition) => {
        const text = Condition.format(condition)
        assertEquals(parsed(text), bare(condition), text)
      }),
      { numRuns: 500 },
    )
  })

  it("of any text are parsed or rejected", () => {
    const word = FastCheck.constantFrom(
      ..."a b and or not in is ( ) [ ] , < <= == != 1 2.5 'x' \"y\" None True & | - . attr val".split(" "),
    )
    FastCheck.assert(
      FastCheck.property(FastCheck.oneof(FastCheck.string(), FastCheck.array(word).map((w) => w.join(" "))), (text) => {
        try {
          Condition.format(Condition.parse(text))
        } catch (error) {
          assert(error instanceof ConditionError, String(error))
          assert(error.at! >= 0 && error.at! <= text.length)
        }
      }),
      { numRuns: 2000 },
    )
  })
})
