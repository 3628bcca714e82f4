/** Invalid queries are rejected before any cell is read, with the position in the text or the path in the tree. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert"
import * as Effect from "effect/Effect"
import { describe, it } from "node:test"
import {
  Aggregate,
  ArraySchema,
  Attr,
  Condition,
  ConditionError,
  Dense,
  Dim,
  SelectionError,
  Sparse,
  TileArray,
} from "../../../mod.ts"
import { makeCounters, StorageService, withCounters } from "../../../platform/mod.ts"
import { run, type Services } from "../../support/run_query.ts"

const attrs = {
  n: Attr.int16(),
  big: Attr.uint64(),
  f: Attr.float64(),
  flag: Attr.bool(),
  when: Attr.datetime("day"),
  text: Attr.utf8(),
  raw: Attr.blob(),
  wide: Attr.of("string_utf16"),
  rgb: Attr.multiValue(Attr.uint8(), 3),
  many: Attr.varSized(Attr.int32()),
  color: Attr.enumerated(Attr.nullable(Attr.uint8()), "colors"),
  size: Attr.enumerated(Attr.uint8(), "sizes"),
}
const enumerations = { colors: ["red", "green"], sizes: { values: ["S", "M"], ordered: true } }
const Points = ArraySchema.sparse({
  dims: { x: Dim.int32([0, 99], { tile: 10 }), name: Dim.ascii() },
  attrs,
  enumerations,
})
const Grid = ArraySchema.dense({ dims: { x: Dim.int32([0, 99], { tile: 10 }) }, attrs, enumerations })

const arrays = Effect.gen(function* () {
  const sparse = TileArray.undeclare(yield* TileArray.create("mem://sparse", Points))
  const dense = TileArray.undeclare(yield* TileArray.create("mem://dense", Grid))
  return { sparse, dense }
})

/**
 * An invalid condition: as text with the position of the error, as a tree with its path, then the field and the reason.
 */
type Mistake = readonly [
  text: string,
  at: number,
  tree: Condition.Condition,
  path: string,
  field: string,
  reason: string,
]

const { and, or, not, eq, gt, lt, le } = Condition
const among = Condition.in
const fine = gt("n", 1)

const kinds: Readonly<Record<string, ReadonlyArray<Mistake>>> = {
  "unknown names": [
    ["n > 1 and nope == 2", 10, and(fine, eq("nope", 2)), "and[1].eq", "nope", "no such field; it has n, big, f"],
    ["not (n > 1 or N < 2)", 14, not(or(fine, lt("N", 2))), "not.or[1].lt", "N", "no such field"],
    ["dim('n') == 2", 0, { ...eq("n", 2), of: "dimension" } as Condition.Condition, "eq", "n", "no such dimension"],
  ],
  "impossible casts": [
    ["n > 1 and n == 'one'", 10, and(fine, eq("n", "one")), "and[1].eq", "n", "is a text"],
    ["n == 40000", 0, eq("n", 40_000), "eq", "n", "does not fit into int16"],
    ["n == inf", 0, eq("n", Infinity), "eq", "n", "not an integer"],
    ["big >= -1", 0, Condition.ge("big", -1), "ge", "big", "does not fit into uint64"],
    ["text == True", 0, eq("text", true), "eq", "text", "not a value of string_utf8"],
    ["text == 5", 0, eq("text", 5), "eq", "text", "not a value of string_utf8"],
    ["name == 'é'", 0, eq("name", "é"), "eq", "name", "ASCII"],
    ["when == 'noon'", 0, eq("when", "noon"), "eq", "when", "noon"],
    ["color == 5", 0, eq("color", 5), "eq", "color", "not a value of string_utf8"],
    ["n == None and n < None", 14, and(Condition.isNull("n"), lt("n", null as never)), "and[1].lt", "n", "no order"],
  ],
  "sets that do not match": [
    ["n > 1 and n in [1, 'two']", 10, and(fine, among("n", [1, "two"])), "and[1].in", "n", 'value 2: "two" is a text'],
    ["n not in [1, 2, None]", 0, Condition.notIn("n", [1, 2, null as never]), "not_in", "n", "value 3: null"],
    ["text in ['a', 5]", 0, among("text", ["a", 5]), "in", "text", "value 2: 5 is not a value"],
    ["size in ['S', 1]", 0, among("size", ["S", 1]), "in", "size", "value 2: 1 is not a value"],
    ["n in []", 0, among("n", []), "in", "n", "the list has no values"],
  ],
  "enumerations without an order": [
    ["n > 1 and color < 'red'", 10, and(fine, lt("color", "red")), "and[1].lt", "color", '"colors" have no order'],
    ["not color >= 'red'", 4, not(Condition.ge("color", "red")), "not.ge", "color", "have no order"],
  ],
  "types without an order": [
    ["n > 1 or raw < b'a'", 9, or(fine, lt("raw", Uint8Array.of(97))), "or[1].lt", "raw", "blob has no order"],
    ["wide > 'a'", 0, gt("wide", "a"), "gt", "wide", "string_utf16 has no order"],
    ["rgb == 5", 0, eq("rgb", 5), "eq", "rgb", "3 values of uint8"],
    ["many <= 5", 0, le("many", 5), "le", "many", "any number of values of int32"],
  ],
}

/** Runs an operation that must fail, and checks that it reads no cells. Returns the error. */
const refused = (effect: Effect.Effect<unknown, unknown, Services>) =>
  Effect.gen(function* () {
    const trace = makeCounters()
    const error = yield* Effect.flip(
      Effect.updateService(effect, StorageService, (storage) => withCounters(storage, trace)),
    )
    // reads of whole files, such as enumerations, are allowed; reads of cells and statistics use ranges
    assertEquals(trace.requests, trace.calls.read)
    return error
  })

/** Returns all operations with a condition. */
const operations = ({ sparse, dense }: Effect.Effect.Success<typeof arrays>) => [
  (where: Condition.Condition | string) => Sparse.read(sparse, { where }),
  (where: Condition.Condition | string) => Sparse.aggregate(sparse, { count: Aggregate.count() }, { where }),
  (where: Condition.Condition | string) => Sparse.aggregate(sparse, { count: Aggregate.count() }, { where, by: ["n"] }),
  (where: Condition.Condition | string) => Sparse.explain(sparse, { where }),
  (where: Condition.Condition | string) => Sparse.delete(sparse, where),
  (where: Condition.Condition | string) => Dense.read(dense, { where }),
]

describe("conditions", () => {
  for (const [kind, mistakes] of Object.entries(kinds)) {
    it(`are rejected for ${kind}`, () =>
      run(Effect.gen(function* () {
        const open = yield* arrays
        for (const [text, at, tree, path, field, reason] of mistakes) {
          for (const operation of operations(open)) {
            // the dense array has no dimension `name`
            if (field === "name" && operation === operations(open).at(-1)) continue
            const inText = yield* refused(operation(text))
            if (inText instanceof ConditionError && field === "name" && inText.detail.includes("no such")) continue
            assert(inText instanceof ConditionError, `${text}: ${inText}`)
            assertEquals([text, inText.at, inText.text, inText.field], [text, at, text, field])
            assertStringIncludes(inText.message, reason)
            assertStringIncludes(inText.message, `character ${at + 1} of`)
            const inTree = yield* refused(operation(tree))
            assert(inTree instanceof ConditionError, `${text}: ${inTree}`)
            assertEquals([text, inTree.path, inTree.at, inTree.field], [text, path, undefined, field])
            assertStringIncludes(inTree.message, reason)
            assertStringIncludes(inTree.message, `condition, ${path}: `)
          }
        }
      })))
  }

  it("are rejected if missing in a delete", () =>
    run(Effect.gen(function* () {
      const { sparse } = yield* arrays
      for (const where of [undefined, null, 5, []]) {
        const error = yield* refused(Sparse.delete(sparse, where as never))
        assert(error instanceof ConditionError, String(error))
        assertStringIncludes(error.message, "is not a condition")
      }
    })))

  it("are rejected if the tree is invalid", () =>
    run(Effect.gen(function* () {
      const open = yield* arrays
      let deep: unknown = fine
      for (let i = 0; i < 100_000; i++) deep = { op: "not", condition: deep }
      for (
        const [tree, path, reason] of [
          [{ op: "and" }, "", "and requires a list of conditions"],
          [{ op: "xor", conditions: [] }, "", '"xor" does not combine conditions'],
          [{ op: "and", conditions: [fine, 5] }, "and[1]", "5 is not a condition"],
          [{ op: "or", conditions: [fine, { op: "not" }] }, "or[1].not", "undefined is not a condition"],
          [not({ op: "gtt", field: "n", values: [1] } as never), "not", 'unknown comparison "gtt"'],
          [and({ op: "gt", field: "n", values: 1 } as never), "and[0]", "values of a comparison must be a list"],
          [{ op: "gt", field: 5, values: [1] }, "", "5 is not a field name"],
          [{ op: "gt", field: "n", values: [1], of: "label" }, "", 'not "label"'],
          [{ op: "gt", field: "n", values: [1, 2] }, "gt", "a comparison has one value, not 2"],
          [deep, "not.".repeat(1001).slice(0, -1), "nested deeper than 1000"],
        ] as ReadonlyArray<readonly [unknown, string, string]>
      ) {
        for (const operation of operations(open)) {
          const error = yield* refused(operation(tree as Condition.Condition))
          assert(error instanceof ConditionError, String(error))
          assertEquals(error.path, path)
          assertStringIncludes(error.message, reason)
        }
      }
    })))
})

describe("regions", () => {
  it("are rejected if empty or invalid, with the dimension and the number of the range", () =>
    run(Effect.gen(function* () {
      const { sparse, dense } = yield* arrays
      for (
        const [ranges, field, reason] of [
          [{ x: [5, 1] }, "x", "the range [5, 1] is empty"],
          [{ x: [[1, 2], [9, 3]] }, "x", "range 2 of 2: the range [9, 3] is empty"],
          [{ x: [[1, 2], [3, 4], [98, 101]] }, "x", "range 3 of 3: the range [98, 101] is outside the domain [0, 99]"],
          [{ x: [1, 2, 3] }, "x", "a list of 3 values is not a range"],
          [{ x: [1, "two"] }, "x", "two"],
          [{ x: { points: [1, 100] } }, "x", "the point 100 is outside the domain"],
          [{ x: 1.5 }, "x", "not an integer"],
          [{ y: 1 }, "y", "there is no such dimension"],
          [{ n: 1 }, "n", "there is no such dimension"],
        ] as const
      ) {
        for (
          const operation of [
            Sparse.read(sparse, { region: ranges as never }),
            Sparse.explain(sparse, { region: ranges as never }),
            Sparse.aggregate(sparse, { count: Aggregate.count() }, { region: ranges as never }),
            Dense.read(dense, { region: ranges as never }),
          ]
        ) {
          const error = yield* refused(operation)
          assert(error instanceof SelectionError, String(error))
          assertEquals(error.field, field)
          assertStringIncludes(error.message, reason)
        }
      }
      const names = yield* refused(Sparse.read(sparse, { region: { name: [["a", "b"], ["z", "c"]] } }))
      assertStringIncludes(String(names), 'name: range 2 of 2: the range ["z", "c"] is empty')
    })))
})
