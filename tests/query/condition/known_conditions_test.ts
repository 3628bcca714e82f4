/** Conditions that TileDB-Py's tests verify, with arrays of our own. */
import * as Effect from "effect/Effect"
import * as ManagedRuntime from "effect/ManagedRuntime"
import { describe, it } from "node:test"
import { assert, assertEquals } from "@std/assert"
import { ArraySchema, Attr, ConditionError, Dense, Dim, layerDefault, Sparse, TileArray } from "../../../mod.ts"
import type { Services } from "../../support/run_query.ts"

const runtime = ManagedRuntime.make(layerDefault)
const run = <A, E>(effect: Effect.Effect<A, E, Services>): Promise<A> => runtime.runPromise(effect)

const dims = { d: Dim.uint32([1, 10], { tile: 3 }) }
const attrs = {
  U: Attr.uint32(),
  I: Attr.int64(),
  D: Attr.float64(),
  S: Attr.multiValue(Attr.char(), 1),
  A: Attr.ascii(),
  UTF: Attr.utf8(),
  flag: Attr.bool(),
  when: Attr.datetime("ns"),
  "64-bit integer": Attr.int64(),
  "orig.ident": Attr.uint8(),
  level: Attr.enumerated(Attr.int32(), "levels"),
  name: Attr.enumerated(Attr.nullable(Attr.int32()), "names"),
  maybe: Attr.nullable(Attr.utf8()),
}
const enumerations = {
  levels: { values: [0, 1, 2], ordered: true },
  names: { values: ["a", "bb", "ccc"], ordered: true },
}
const Cells = ArraySchema.sparse({ dims, attrs, enumerations, capacity: 4 })
const Grid = ArraySchema.dense({ dims, attrs, enumerations })

const d = Uint32Array.from({ length: 10 }, (_, i) => i + 1)
const text = ["$", "£€ह£$", "한ह££$𐍈", "single'quotation", 'double"quotation', "", "both\"'", "back\\slash", " a", "é"]
const cells = {
  U: Uint32Array.of(3, 9, 1, 5, 5, 2, 8, 4, 7, 6),
  I: BigInt64Array.of(-5n, 4n, 0n, -1n, 3n, 2n, -2n, 1n, -4n, -3n),
  D: Float64Array.of(0.1, 0.9, 0.25, 0.7, 0.75, 0.3, 0.5, 0.05, 0.99, 0.74),
  S: Int8Array.from("abcdefghij", (c) => c.charCodeAt(0)),
  A: Array.from(d, (i) => "abcdefghij"[i - 1].repeat(i)),
  UTF: text,
  flag: Uint8Array.of(1, 0, 1, 1, 0, 0, 1, 0, 1, 0),
  when: BigInt64Array.from(d, (i) => 438923600n + BigInt(i) * 10_000_000_007n),
  "64-bit integer": BigInt64Array.of(-5n, -4n, -3n, -2n, -1n, 0n, 1n, 2n, 3n, 4n),
  "orig.ident": Uint8Array.from(d, (i) => 10 - i),
  level: Int32Array.of(0, 1, 2, 0, 1, 2, 0, 1, 2, 0),
  name: {
    values: Int32Array.of(0, 1, 2, 0, 1, 2, 0, 1, 2, 0),
    validity: Uint8Array.of(1, 1, 1, 1, 1, 0, 1, 1, 1, 0),
  },
  maybe: ["data", null, "base", null, "", "data", null, "b", "c", "d"],
}

const made = run(Effect.gen(function* () {
  const sparse = yield* TileArray.create("mem://cells", Cells)
  yield* Sparse.write(sparse, { d, ...cells })
  const dense = yield* TileArray.create("mem://grid", Grid)
  yield* Dense.write(dense, {}, cells)
  return { sparse: yield* TileArray.reopen(sparse), dense: yield* TileArray.reopen(dense) }
}))
const arrays = Effect.promise(() => made)

/** Returns the coordinates of the cells that match a condition, and checks that both arrays return the same cells. */
const matching = (where: string) =>
  Effect.gen(function* () {
    const { sparse, dense } = yield* arrays
    const matches = [...(yield* Sparse.read(sparse, { select: ["d"], where })).columns.d]
    // other cells have the fill value
    const { columns } = yield* Dense.read(dense, { select: ["U"], where })
    assertEquals([...d].filter((i) => columns.U[i - 1] !== 0xffffffff), matches, where)
    return matches
  })

const assertMatches = (where: string, holds: (i: number) => boolean) =>
  Effect.map(matching(where), (matches) => assertEquals(matches, [...d].filter((i) => holds(i - 1)), where))

describe("conditions as in TileDB-Py", () => {
  it("compare numbers with signs, and chain comparisons", () =>
    run(Effect.gen(function* () {
      const { U, I, D } = cells
      yield* assertMatches("U < 5", (i) => U[i] < 5)
      yield* assertMatches("I < 1", (i) => I[i] < 1n)
      yield* assertMatches("I < +1", (i) => I[i] < 1n)
      yield* assertMatches("I < ---1", (i) => I[i] < -1n)
      yield* assertMatches("-5 < I < 4", (i) => -5n < I[i] && I[i] < 4n)
      yield* assertMatches("D > 5.0", () => false)
      yield* assertMatches("(D > 0.7) & (D < 3.5)", (i) => D[i] > 0.7)
      yield* assertMatches("0.2 < D < 0.75", (i) => 0.2 < D[i] && D[i] < 0.75)
      yield* assertMatches("U < 1.0", () => false)
      yield* assertMatches("(I > 0) & ((-3 < D) & (D < 3.0))", (i) => I[i] > 0n)
      yield* assertMatches("U >= 3 and 0.7 < D", (i) => U[i] >= 3 && D[i] > 0.7)
      yield* assertMatches("(-5 < I <= -1) and (0.2 < D < 0.75)", (i) =>
        I[i] > -5n && I[i] <= -1n && D[i] > 0.2 && D[i] < 0.75)
      yield* assertMatches("(D < 0.25) | (D > 0.75)", (i) =>
        D[i] < 0.25 || D[i] > 0.75)
      yield* assertMatches("D < 0.25 or D > 0.75", (i) => D[i] < 0.25 || D[i] > 0.75)
    })))

  it("compare text byte by byte", () =>
    run(Effect.gen(function* () {
      yield* assertMatches("S == 'c'", (i) => i === 2)
      yield* assertMatches("S == 'ccc'", () => false)
      yield* assertMatches("A == 'ccc'", (i) => i === 2)
      yield* assertMatches("A == ' ccc'", () => false)
      yield* assertMatches("A == 'bb' or A == \"dddd\"", (i) => i === 1 || i === 3)
      for (const [at, value] of text.entries()) {
        yield* assertMatches(`UTF == ${JSON.stringify(value)}`, (i) => i === at)
        const quoted = value.replaceAll("\\", "\\\\").replaceAll("'", "\\'")
        yield* assertMatches(`UTF == val('${quoted}')`, (i) => i === at)
      }
    })))

  it("test members of sets", () =>
    run(Effect.gen(function* () {
      const { U } = cells
      yield* assertMatches("U in [1, 2, 3]", (i) => U[i] <= 3)
      yield* assertMatches("U not in [5, 6, 7]", (i) => U[i] < 5 || U[i] > 7)
      yield* assertMatches("U in [0]", () => false)
      yield* assertMatches("S in ['a', 'e', 'i', 'o', 'u']", (i) => [0, 4, 8].includes(i))
      yield* assertMatches("S in ['a', 'e', 'i'] and U in [5, 6, 7]", (i) => [4, 8].includes(i))
      yield* assertMatches("S in ['8']", () => false)
      yield* assertMatches('attr("orig.ident") in [1, 2, 3]', (i) => [6, 7, 8].includes(i))
    })))

  it("evaluate and before or, and support not", () =>
    run(Effect.gen(function* () {
      const { U, flag, level } = cells
      const [a, b, c] = [(i: number) => flag[i] === 1, (i: number) => level[i] === 1, (i: number) => U[i] > 4]
      yield* assertMatches("flag == 1 and level == 1 or U > 4", (i) => a(i) && b(i) || c(i))
      yield* assertMatches("flag == 1 or level == 1 and U > 4", (i) => a(i) || b(i) && c(i))
      yield* assertMatches("flag == 1 and (level == 1 or U > 4)", (i) => a(i) && (b(i) || c(i)))
      yield* assertMatches("(flag == 1 or level == 1) and U > 4", (i) => (a(i) || b(i)) && c(i))
      yield* assertMatches("flag == True", a)
      yield* assertMatches("flag == False and U > 4", (i) => !a(i) && c(i))
      yield* assertMatches("not U < 5", (i) => U[i] >= 5)
      yield* assertMatches("not (U < 5 and flag == True)", (i) => U[i] >= 5 || !a(i))
    })))

  it("test dimensions, also of dense arrays", () =>
    run(Effect.gen(function* () {
      yield* assertMatches("2 <= d < 6", (i) => i >= 1 && i < 5)
      yield* assertMatches("2 <= d < 6 and U > 3", (i) => i >= 1 && i < 5 && cells.U[i] > 3)
      yield* assertMatches("2 <= d < 7 and 5 <= d < 9", (i) => i === 4 || i === 5)
      yield* assertMatches("2 <= d < 6 or 5 <= d < 9", (i) => i >= 1 && i < 8)
      yield* assertMatches("dim('d') == 3", (i) => i === 2)
    })))

  it("may have several lines", () =>
    run(Effect.gen(function* () {
      yield* assertMatches("   (  \n   d \n\t< 6)  ", (i) => i < 5)
      yield* assertMatches("\n  U < 5\nor\n        I >= 3\n", (i) => cells.U[i] < 5 || cells.I[i] >= 3n)
    })))

  it("name fields and cast values", () =>
    run(Effect.gen(function* () {
      const whole = cells["64-bit integer"]
      yield* assertMatches("attr('64-bit integer') <= val(0)", (i) => whole[i] <= 0n)
      yield* assertMatches("attr('64-bit integer') <= 0", (i) => whole[i] <= 0n)
      yield* assertMatches("attr('D') <= val(0.5)", (i) => cells.D[i] <= 0.5)
      yield* assertMatches('attr("orig.ident") < 6', (i) => cells["orig.ident"][i] < 6)
      yield* assertMatches(`when == ${cells.when[5]}`, (i) => i === 5)
    })))

  it("compare enumerated attributes by value, and ordered ones by position", () =>
    run(Effect.gen(function* () {
      const { level, name } = cells
      const isValid = (i: number) => name.validity[i] === 1
      yield* assertMatches("level < 2", (i) => level[i] < 2)
      yield* assertMatches("level <= 2", () => true)
      yield* assertMatches("level > 0", (i) => level[i] > 0)
      yield* assertMatches("level != 1", (i) => level[i] !== 1)
      yield* assertMatches("name == 'bb'", (i) => isValid(i) && name.values[i] === 1)
      yield* assertMatches("name < 'ccc'", (i) => isValid(i) && name.values[i] < 2)
      yield* assertMatches("name == 'b'", () => false)
      yield* assertMatches("name in ['b']", () => false)
      yield* assertMatches("name not in ['b']", isValid)
      yield* assertMatches("name not in ['b', 'ccc']", (i) => isValid(i) && name.values[i] !== 2)
      yield* assertMatches("level < 2 and name == 'bb'", (i) => level[i] < 2 && isValid(i) && name.values[i] === 1)
      yield* assertMatches("level == 0 or name == 'ccc'", (i) => level[i] === 0 || (isValid(i) && name.values[i] === 2))
    })))

  it("test nulls", () =>
    run(Effect.gen(function* () {
      yield* assertMatches("maybe == None", (i) => cells.maybe[i] === null)
      yield* assertMatches("maybe != None", (i) => cells.maybe[i] !== null)
      yield* assertMatches("maybe == ''", (i) => cells.maybe[i] === "")
      yield* assertMatches("maybe != 'data'", (i) => cells.maybe[i] !== null && cells.maybe[i] !== "data")
    })))

  it("do not add their fields to the selected ones", () =>
    run(Effect.gen(function* () {
      const { sparse } = yield* arrays
      const both = (yield* Sparse.read(sparse, { where: "U < 3", select: ["I", "U"] })).columns
      const one = (yield* Sparse.read(sparse, { where: "U < 3", select: ["I"] })).columns
      assertEquals([Object.keys(both), Object.keys(one)], [["I", "U"], ["I"]])
      assertEquals([...one.I], [...both.I])
      const none = yield* Sparse.read(sparse, { where: "D > 100", select: [] })
      assertEquals([none.length, Object.keys(none.columns)], [0, []])
    })))

  it("are rejected if invalid, with the reason and the position", () =>
    run(Effect.gen(function* () {
      const { sparse, dense } = yield* arrays
      for (
        const [where, reason] of [
          ["1.324 < 1", "two values"],
          ["foo >= bar", "fields are compared with values"],
          ["foo >= 1", "no such field"],
          ["'foo' == 'bar'", "two values"],
          ["U < 10000000000000000000000.0", "does not fit into uint32"],
          ["U < 4294967296", "uint32"],
          ["U < '1'", "without quotes"],
          ["U < 'one'", "without quotes"],
          ["D", "not a condition"],
          ["D,", "expected the end"],
          ["D > ", "unexpected end"],
          ["", "condition is empty"],
          ["S == c", 'written "c"'],
          ["U in []", "no values"],
          ["U not in []", "no values"],
          ["U in 5", "needs a list"],
          ["U is True", "is is not supported"],
          ["U is not True", "is is not supported"],
          ["U &&& D", "& is not expected"],
          ["orig.ident < 6", 'attr("orig.…")'],
          ["dim('U') == 1", "no such dimension"],
          ["attr('d') == 1", "no such attribute"],
          ["size('U') == 1", "unknown function size"],
        ] as const
      ) {
        for (const read of [Sparse.read(sparse, { where }), Dense.read(dense, { where })]) {
          const error = yield* Effect.flip(Effect.asVoid(read as Effect.Effect<unknown, unknown, Services>))
          assert(error instanceof ConditionError && error.message.includes(reason), `${where}: ${error}`)
        }
      }
    })))
})

describe("deletes as in TileDB-Py", () => {
  const one = ArraySchema.sparse({ dims: { x: Dim.int64([1, 3], { tile: 1 }) }, attrs: { ints: Attr.uint8() } })

  it("apply from their timestamp on to cells written before", () =>
    run(Effect.gen(function* () {
      const array = yield* TileArray.create("mem://one", one)
      for (const x of [1, 2, 3]) {
        yield* Sparse.write(array, { x: BigInt64Array.of(BigInt(x)), ints: Uint8Array.of(x) }, { at: x })
      }
      yield* Sparse.delete(array, "ints == 1", { at: 3 })
      const at = (end: number) =>
        Effect.map(Effect.flatMap(TileArray.open("mem://one", { at: end }), Sparse.read), ({ columns }) => [
          ...columns.ints.values,
        ])
      assertEquals([yield* at(1), yield* at(2), yield* at(3)], [[1], [1, 2], [2, 3]])
    })))

  it("test string dimensions too", () =>
    run(Effect.gen(function* () {
      const schema = ArraySchema.sparse({ dims: { d: Dim.ascii() }, attrs: { a: Attr.uint32() } })
      const array = yield* TileArray.create("mem://text", schema)
      yield* Sparse.write(array, { d: ["a", "b", "c"], a: Uint32Array.of(10, 20, 30) }, { at: 1 })
      const remaining = Effect.map(Effect.flatMap(TileArray.open("mem://text", schema), Sparse.read), ({ columns }) => [
        ...columns.a,
      ])
      yield* Sparse.delete(array, "a == 20", { at: 2 })
      assertEquals(yield* remaining, [10, 30])
      yield* Sparse.delete(array, "d == 'a'", { at: 3 })
      assertEquals(yield* remaining, [30])
    })))
})
