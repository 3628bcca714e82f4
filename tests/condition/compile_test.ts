import { assert, assertEquals } from "@std/assert"
import { describe, it } from "node:test"
import type { Enumeration } from "../../schema/array/enumeration.ts"
import * as ArraySchema from "../../src/schema_builder/array_schema.ts"
import * as Attr from "../../src/schema_builder/attribute.ts"
import * as Dim from "../../src/schema_builder/dimension.ts"
import { evaluate } from "../../src/query/condition/evaluate.ts"
import * as Condition from "../../src/condition/condition.ts"
import { compileCondition } from "../../src/condition/compile.ts"
import { ConditionError } from "../../src/condition/condition_error.ts"
import type { Column } from "../../src/query/column/column.ts"

const values = (...texts: ReadonlyArray<string>) => {
  const encoder = new TextEncoder()
  const parts = texts.map((t) => encoder.encode(t))
  const offsets = new Float64Array(texts.length)
  for (let i = 1; i < texts.length; i++) offsets[i] = offsets[i - 1] + parts[i - 1].length
  return { data: encoder.encode(texts.join("")), offsets }
}

const enumeration = (name: string, ordered: boolean, ...texts: ReadonlyArray<string>): Enumeration => ({
  version: 0,
  name,
  fileName: name,
  type: "string_utf8",
  cellValNum: 0xffffffff,
  ordered,
  ...values(...texts),
})

const declared = ArraySchema.sparse({
  dims: { x: Dim.int32([0, 100]), id: Dim.ascii() },
  attrs: {
    n: Attr.nullable(Attr.int16()),
    f: Attr.float64(),
    big: Attr.uint64(),
    t: Attr.datetime("ms"),
    s: Attr.nullable(Attr.utf8()),
    flag: Attr.bool(),
    rgb: Attr.multiValue(Attr.uint8(), 3),
    blob: Attr.blob(),
    mark: Attr.nullable(Attr.multiValue(Attr.char(), 2)),
    letter: Attr.multiValue(Attr.char(), 1),
    color: Attr.enumerated(Attr.nullable(Attr.uint8()), "colors"),
    size: Attr.enumerated(Attr.uint8(), "sizes"),
  },
  enumerations: { colors: ["red", "green"], sizes: { values: ["S", "M", "L"], ordered: true } },
})

const schema = ArraySchema.toStructure(declared, { enumerationFile: (name) => name })
const scope = {
  uri: "mem://array",
  schema,
  enumerations: new Map([
    ["colors", enumeration("colors", false, "red", "green", "")],
    ["sizes", enumeration("sizes", true, "S", "M", "L")],
  ]),
}

const text = (...texts: ReadonlyArray<string>): Pick<Column, "values" | "offsets"> => {
  const { data, offsets } = values(...texts)
  return { values: data, offsets: Uint32Array.of(...offsets, data.length) }
}

/** Six cells. */
const cells: Readonly<Record<string, Pick<Column, "values"> & Partial<Column>>> = {
  x: { values: Int32Array.of(0, 1, 2, 3, 4, 5) },
  id: text("a", "b", "b", "", "é", "z"),
  n: { values: Int16Array.of(5, 5, -1, 0, 7, 9), validity: Uint8Array.of(1, 0, 1, 1, 1, 0) },
  f: { values: Float64Array.of(0.5, NaN, -Infinity, 2, 3, 4) },
  big: { values: BigUint64Array.of(0n, 1n, 2n ** 63n, 2n ** 64n - 1n, 5n, 6n) },
  t: { values: BigInt64Array.of(-1n, 0n, 86_400_000n, 1_709_164_800_000n, 5n, 6n) },
  s: { ...text("red", "", "blue", "", "red", "x"), validity: Uint8Array.of(1, 1, 1, 0, 1, 1) },
  flag: { values: Uint8Array.of(1, 0, 1, 0, 0, 0) },
  blob: text("ab", "cd", "", "ab", "x", "y"),
  letter: { values: Int8Array.from("abcdeé", (c) => c.charCodeAt(0)) },
  mark: { values: Int8Array.from("abcdababcdab", (c) => c.charCodeAt(0)), validity: Uint8Array.of(1, 1, 0, 1, 1, 1) },
  color: { values: Uint8Array.of(0, 1, 0, 2, 1, 0), validity: Uint8Array.of(1, 1, 0, 1, 1, 1) },
  size: { values: Uint8Array.of(0, 1, 2, 0, 1, 2) },
}

const columns = new Map(
  Object.entries(cells).map(([name, column]): [string, Column] => {
    const field = [...schema.attributes, ...schema.dimensions].find((f) => f.name === name)!
    const cellValNum = field.cellValNum === 0xffffffff ? "var" as const : field.cellValNum
    return [name, { name, type: field.type, cellValNum, length: 6, ...column }]
  }),
)

/** Returns the indexes of the cells that match a condition. */
const matching = (condition: string | Condition.ConditionTree): Array<number> => {
  const tree = typeof condition === "string" ? Condition.parse(condition) : condition
  const mask = evaluate(compileCondition(scope, tree), columns, 6)
  return [...mask.keys()].filter((i) => mask[i] === 1)
}

const refused = (condition: string | Condition.ConditionTree): ConditionError => {
  try {
    matching(condition)
  } catch (error) {
    assert(error instanceof ConditionError, String(error))
    return error
  }
  throw new Error("the condition was compiled")
}

describe("compiled conditions", () => {
  it("compare every datatype by its values", () => {
    assertEquals(matching("x > 3"), [4, 5])
    assertEquals(matching("x >= 1 and x != 2 and x <= 3"), [1, 3])
    assertEquals(matching("id >= 'b'"), [1, 2, 4, 5])
    assertEquals(matching("id == ''"), [3])
    assertEquals(matching("f < 3"), [0, 2, 3])
    assertEquals(matching("not f < 3"), [4, 5])
    assertEquals(matching("f != 2"), [0, 1, 2, 4, 5])
    assertEquals(matching("big > 9223372036854775807"), [2, 3])
    assertEquals(matching("big == 18446744073709551615"), [3])
    assertEquals(matching("t >= '1970-01-02'"), [2, 3])
    assertEquals(matching("t < 0"), [0])
    assertEquals(matching(Condition.eq("t", new Date("2024-02-29"))), [3])
    assertEquals(matching("flag == True"), [0, 2])
    assertEquals(matching("flag == 0"), [1, 3, 4, 5])
    assertEquals(matching("blob == b'ab'"), [0, 3])
    assertEquals(matching("letter == 'b'"), [1])
    assertEquals(matching("letter == 'bb'"), [])
    assertEquals(matching("letter < 'bb'"), [0, 1])
    assertEquals(matching("letter > 'd'"), [4, 5])
    assertEquals(matching("letter not in ['a', 'bb', '']"), [1, 2, 3, 4, 5])
    assertEquals(matching("mark == 'ab'"), [0, 3, 5])
    assertEquals(matching("mark == ''"), [])
    assertEquals(matching("mark != ''"), [0, 1, 3, 4, 5])
    assertEquals(matching("not mark != '' or mark == None"), [2])
  })

  it("compare integers with fractions and booleans by their meaning", () => {
    assertEquals(matching("x > 1.5"), [2, 3, 4, 5])
    assertEquals(matching("x >= 1.5"), [2, 3, 4, 5])
    assertEquals(matching("x < 1.5"), [0, 1])
    assertEquals(matching("x <= 1.5"), [0, 1])
    assertEquals(matching("not x <= 1.5"), [2, 3, 4, 5])
    assertEquals(matching("x == 1.5"), [])
    assertEquals(matching("x != 1.5"), [0, 1, 2, 3, 4, 5])
    assertEquals(matching("x in [1.5, 3.0]"), [3])
    assertEquals(matching("x not in [1.5]"), [0, 1, 2, 3, 4, 5])
    assertEquals(matching("n != 0.5"), [0, 2, 3, 4])
    assertEquals(matching("n > -70000.5"), [0, 2, 3, 4])
    assertEquals(matching("n < -70000.5 or n > 70000.5"), [])
    assertEquals(matching("big >= -0.5"), [0, 1, 2, 3, 4, 5])
    assertEquals(matching("big > 1e19"), [3])
    assertEquals(matching(Condition.gt("x", 1.5)), [2, 3, 4, 5])
    assertEquals(matching("x == True"), [1])
    assertEquals(matching("x > -True and x <= +False"), [0])
    assertEquals(matching("f > True"), [3, 4, 5])
    assertEquals(matching("flag > 0.5"), [0, 2])
  })

  it("do not match nulls, except in tests for null", () => {
    assertEquals(matching("n == 5"), [0])
    assertEquals(matching("n != 5"), [2, 3, 4])
    assertEquals(matching("not n == 5"), [2, 3, 4])
    assertEquals(matching("n in [5, 9]"), [0])
    assertEquals(matching("n not in [5, 9]"), [2, 3, 4])
    assertEquals(matching("n == None"), [1, 5])
    assertEquals(matching("n != None"), [0, 2, 3, 4])
    assertEquals(matching("not n != None"), [1, 5])
    assertEquals(matching("s == None"), [3])
    assertEquals(matching("s == ''"), [1])
    assertEquals(matching("s != ''"), [0, 2, 4, 5])
    assertEquals(matching("x == None"), [])
    assertEquals(matching("x != None"), [0, 1, 2, 3, 4, 5])
  })

  it("push negations down", () => {
    assertEquals(matching("not (x < 2 or x > 4)"), [2, 3, 4])
    assertEquals(matching("not (x >= 2 and not x > 4)"), [0, 1, 5])
    assertEquals(matching(Condition.and()), [0, 1, 2, 3, 4, 5])
    assertEquals(matching(Condition.not(Condition.and())), [])
    assertEquals(matching(Condition.or()), [])
    assertEquals(matching("x in [1, 2] and not x in [2]"), [1])
  })

  it("compare enumerated attributes by their values", () => {
    assertEquals(matching("color == 'red'"), [0, 5])
    assertEquals(matching("color != 'red'"), [1, 3, 4])
    assertEquals(matching("color == ''"), [3])
    assertEquals(matching("color in ['green', 'pink']"), [1, 4])
    assertEquals(matching("color not in ['green', 'pink']"), [0, 3, 5])
    assertEquals(matching("color == 'pink'"), [])
    assertEquals(matching("color != 'pink'"), [0, 1, 3, 4, 5])
    assertEquals(matching("not color == 'pink'"), [0, 1, 3, 4, 5])
    assertEquals(matching("color in ['pink']"), [])
    assertEquals(matching("color == None"), [2])
    assertEquals(matching("size < 'L'"), [0, 1, 3, 4])
    assertEquals(matching("size >= 'M'"), [1, 2, 4, 5])
    assertEquals(matching("size > 'XXL'"), [])
  })

  it("are rejected with the reason and the position", () => {
    for (
      const [condition, at, reason] of [
        ["x > 1 and nope == 2", 10, "it has n, f, big"],
        ["dim('n') == 2", 0, "it has x, id"],
        ["attr('x') == 2", 0, "no such attribute"],
        ["x == 'a'", 0, "without quotes"],
        ["n == 40000", 0, "does not fit into int16"],
        ["big == -1", 0, "does not fit into uint64"],
        ["x in [1, 2e40]", 0, "value 2"],
        ["x > inf", 0, "not an integer"],
        [String.raw`s == "\ud800"`, 0, "surrogate"],
        ["x in [1, None]", 0, "value 2: null"],
        ["x in []", 0, "no values"],
        ["x < None", 0, "no order"],
        ["s == 5", 0, "is not a value of string_utf8"],
        ["id == 'é'", 0, "ASCII"],
        ["rgb == 5", 0, "3 values of uint8"],
        ["blob < b'a'", 0, "no order"],
        ["color < 'red'", 0, "have no order"],
        ["color == 5", 0, "is not a value of string_utf8"],
        ["t == 'yesterday'", 0, "yesterday"],
        ["s == True", 0, "is not a value of string_utf8"],
      ] as const
    ) {
      const error = refused(condition)
      assert(error.message.includes(reason), error.message)
      assertEquals([condition, error.at, error.uri], [condition, at, "mem://array"])
    }
    const built = Condition.and(
      Condition.gt("x", 1),
      Condition.not(Condition.or(Condition.eq("s", "a"), Condition.eq("nope", 1))),
    )
    assertEquals(refused(built).path, "and[1].not.or[1].eq")
    assertEquals(refused(built).field, "nope")
  })
})
