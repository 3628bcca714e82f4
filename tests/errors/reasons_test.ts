/** The reasons of errors, as operations fail with them. */
import { describe, it } from "node:test"
import { assertEquals, assertThrows } from "@std/assert"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import {
  Aggregate,
  ArraySchema,
  Attr,
  type Codecs,
  Condition,
  Csv,
  Dense,
  Dim,
  Filter,
  Group,
  Sparse,
  type StorageService,
  TileArray,
} from "../../mod.ts"
import { inMemory } from "../support/in_memory.ts"

const Grid = ArraySchema.dense({
  dims: { x: Dim.int32([1, 4], { tile: 2 }) },
  attrs: { a: Attr.int32(), n: Attr.nullable(Attr.int8()), t: Attr.utf8() },
})
const Points = ArraySchema.sparse({
  dims: { x: Dim.int32([1, 4]) },
  attrs: { a: Attr.int32(), d: Attr.int64({ filters: [Filter.double_delta()] }) },
})

type Failing = Effect.Effect<unknown, unknown, StorageService | Codecs>

/** Returns the tags and reasons of the errors of operations. */
const reasonsOf = (
  failing: (arrays: {
    readonly grid: TileArray.TileArray
    readonly points: TileArray.TileArray
  }) => ReadonlyArray<Failing>,
): Promise<ReadonlyArray<string>> =>
  inMemory(Effect.gen(function* () {
    yield* TileArray.create("mem://grid", Grid)
    yield* TileArray.create("mem://points", Points)
    yield* Group.create("mem://group")
    const arrays = { grid: yield* TileArray.open("mem://grid"), points: yield* TileArray.open("mem://points") }
    return yield* Effect.forEach(failing(arrays), (effect) =>
      Effect.map(Effect.flip(effect), (error) => {
        const { _tag, reason } = error as { readonly _tag: string; readonly reason: string }
        return `${_tag} ${reason}`
      }))
  }))

const asDense = (array: TileArray.TileArray) => array as TileArray.TileArray<never>
const text = (csv: string) => Stream.make(csv)
const sparse = { arrayType: "sparse", dims: ["x"] } as const

describe("reasons", () => {
  it("of selections", async () => {
    const reasons = await reasonsOf(({ grid, points }) => [
      Dense.read(grid, { select: ["b"] }),
      Dense.read(grid, { region: { y: [1, 2] } }),
      Dense.read(grid, { region: { x: [3, 9] } }),
      Dense.read(grid, { region: { x: [3, 1] } }),
      Dense.read(points, {}),
      Sparse.aggregate(points, { m: Aggregate.mean("b") }),
      Dense.aggregate(grid, { m: Aggregate.mean("t") }),
      Dense.aggregate(grid, { n: Aggregate.count() }, { by: ["a", "a"] }),
    ])
    assertEquals(reasons, [
      "SelectionError UnknownName",
      "SelectionError UnknownName",
      "SelectionError OutOfBounds",
      "SelectionError InvalidRange",
      "SelectionError Unsupported",
      "SelectionError UnknownName",
      "SelectionError Unsupported",
      "SelectionError Duplicate",
    ])
  })

  it("of writes", async () => {
    const write = (array: TileArray.TileArray, columns: object): Failing =>
      Sparse.write(asDense(array), columns as never) as Failing
    const d = BigInt64Array.of(1n)
    const reasons = await reasonsOf(({ grid, points }) => [
      write(grid, {}),
      write(points, { x: [1], a: [1], d, b: [1] }),
      write(points, { x: [1], d }),
      write(points, { x: [1], a: Float32Array.of(1), d }),
      write(points, { x: [1], a: [1, 2], d }),
      write(points, { x: [1], a: ["one"], d }),
      write(points, { x: [1], a: [null], d }),
      write(points, { x: [9], a: [1], d }),
      write(points, { x: [1, 1], a: [1, 2], d: [1n, 2n] }),
      Sparse.write(asDense(points), { x: [2, 1], a: [1, 2], d: [1n, 2n] } as never, { order: "global" }) as Failing,
      Dense.write(asDense(grid), { x: [3, 9] } as never, {} as never) as Failing,
      Dense.write(asDense(grid), { x: [3, 1] } as never, {} as never) as Failing,
      Dense.write(asDense(grid), { y: [1, 2] } as never, {} as never) as Failing,
      Group.change("mem://group", { remove: ["none"] }),
      Group.change("mem://group", { add: [{ uri: "mem://nothing" }] }),
    ])
    assertEquals(reasons, [
      "WriteError Unsupported",
      "WriteError UnknownName",
      "WriteError Missing",
      "WriteError WrongType",
      "WriteError WrongLength",
      "WriteError InvalidValue",
      "WriteError NullValue",
      "WriteError OutOfBounds",
      "WriteError Duplicate",
      "WriteError OutOfOrder",
      "WriteError OutOfBounds",
      "WriteError InvalidRange",
      "WriteError UnknownName",
      "WriteError UnknownName",
      "WriteError Missing",
    ])
  })

  it("of rows", async () => {
    const Row = Schema.Struct({ x: Schema.Int, a: Schema.Unknown, d: Schema.Unknown, b: Schema.optional(Schema.Int) })
    const write = (points: TileArray.TileArray, row: object): Failing =>
      Sparse.writeRows(asDense(points), [row] as never, Row as never) as Failing
    const row = { x: 1, a: 1, d: 1n }
    const reasons = await reasonsOf(({ points }) => [
      write(points, { ...row, x: 1.5 }),
      write(points, { ...row, b: 5 }),
      write(points, { ...row, a: "one" }),
      write(points, { ...row, a: null }),
      write(points, { ...row, x: 9 }),
    ])
    assertEquals(reasons, [
      "RowError Rejected",
      "RowError UnknownName",
      "RowError InvalidValue",
      "RowError NullValue",
      "RowError OutOfBounds",
    ])
  })

  it("of CSV", async () => {
    const create = (csv: string, options: Csv.CsvCreateOptions = sparse): Failing =>
      Csv.create("mem://csv", text(csv), options)
    const reasons = await reasonsOf(() => [
      create(""),
      create("x,\n1,2\n"),
      create("x,x\n1,2\n"),
      create("x,a\n1\n"),
      create("x,a\n1,2\n\n1,3\n"),
      create('x,a\n1,"2\n'),
      create("x,a\n1,b\n", { ...sparse, types: { a: "int8" } }),
      create("x,a\n1,\n", { ...sparse, types: { a: "int8" } }),
      create("x,a\n1,2\n1,3\n"),
      create("x,a\n9,2\n", { ...sparse, domain: { x: [1, 4] } }),
      Csv.create("mem://csv", Stream.make(Uint8Array.of(97, 10, 0xff)), {}),
      Csv.append("mem://points", text("x,b\n1,2\n")),
      Csv.append("mem://points", text("x,a\n1,2\n")),
    ])
    assertEquals(reasons, [
      "CsvError Empty",
      "CsvError InvalidName",
      "CsvError Duplicate",
      "CsvError WrongLength",
      "CsvError Syntax",
      "CsvError Syntax",
      "CsvError InvalidValue",
      "CsvError NullValue",
      "CsvError Duplicate",
      "CsvError OutOfBounds",
      "CsvError InvalidText",
      "CsvError UnknownName",
      "CsvError Missing",
    ])
  })

  it("of conditions", async () => {
    const read = (points: TileArray.TileArray, where: unknown): Failing => Sparse.read(points, { where } as never)
    const reasons = await reasonsOf(({ grid, points }) => [
      read(points, "a >"),
      read(points, `${"(".repeat(5000)}a > 1`),
      read(points, { op: "maybe", conditions: [] }),
      read(points, "b > 1"),
      read(points, 'a > "one"'),
      read(points, Condition.in("a", [])),
      Dense.read(grid, { where: "n > None" }),
    ])
    assertEquals(reasons, [
      "ConditionError Syntax",
      "ConditionError TooDeep",
      "ConditionError InvalidTree",
      "ConditionError UnknownName",
      "ConditionError InvalidValue",
      "ConditionError InvalidValue",
      "ConditionError Unsupported",
    ])
  })

  it("of schemas", () => {
    const dims = { x: Dim.int32([1, 4]) }
    const attrs = { a: Attr.int32() }
    const cases: ReadonlyArray<readonly [reason: string, options: object]> = [
      ["Missing", { dims: {}, attrs }],
      ["Missing", { dims, attrs: {} }],
      ["InvalidDomain", { dims: { x: Dim.int32([4, 1]) }, attrs }],
      ["InvalidDomain", { dims: { x: Dim.int32([1.5, 2]) }, attrs }],
      ["InvalidTile", { dims: { x: Dim.int32([1, 4], { tile: 0 }) }, attrs }],
      ["InvalidTile", { dims: { x: Dim.int32([1, 4], { tile: 1.5 }) }, attrs }],
      ["WrongType", { dims: { x: Dim.float32([1, 4]) }, attrs }],
      ["Duplicate", { dims, attrs: { x: Attr.int32() } }],
      ["InvalidName", { dims, attrs: { __a: Attr.int32() } }],
      ["InvalidFilter", { dims, attrs: { a: Attr.float32({ filters: [Filter.positive_delta()] }) } }],
      ["UnknownName", { dims, attrs: { a: Attr.enumerated(Attr.int32(), "e") } }],
      ["InvalidValue", { dims, attrs, order: "rows" }],
      ["Unsupported", { dims, attrs, order: "hilbert" }],
      ["UnknownName", { dims, attrs, currentDomain: { y: [1, 2] } }],
    ]
    for (const [reason, options] of cases) {
      const error = assertThrows(() => ArraySchema.dense(options as never)) as { _tag?: string; reason?: string }
      assertEquals([error._tag, error.reason], ["SchemaError", reason], String(error))
    }
  })

  it("of changes to schemas", async () => {
    const evolve = (changes: TileArray.SchemaChanges): Failing => TileArray.evolve("mem://grid", changes)
    const reasons = await reasonsOf(() => [
      evolve({ dropAttributes: ["b"] }),
      evolve({ dropAttributes: ["a", "a"] }),
      evolve({ addAttributes: { a: Attr.int8() } }),
      evolve({ dropAttributes: ["a", "n", "t"] }),
    ])
    assertEquals(reasons, [
      "SchemaError UnknownName",
      "SchemaError Duplicate",
      "SchemaError Duplicate",
      "SchemaError Missing",
    ])
  })

  it("of URIs without an array or group, and of keys", async () => {
    const [key, other] = [new Uint8Array(32).fill(1), new Uint8Array(32).fill(2)]
    const secret = TileArray.create("mem://secret", Grid, { key })
    const reasons = await reasonsOf(() => [
      TileArray.open("mem://none"),
      TileArray.open("mem://group"),
      Group.open("mem://grid"),
      Group.open("mem://none"),
      Effect.zipRight(secret, TileArray.open("mem://secret")),
      TileArray.open("mem://secret", { key: other }),
      TileArray.open("mem://grid", { key }),
    ])
    assertEquals(reasons, [
      "ArrayNotFound Empty",
      "ArrayNotFound IsGroup",
      "ArrayNotFound IsArray",
      "ArrayNotFound Empty",
      "DecryptionFailed MissingKey",
      "DecryptionFailed WrongKey",
      "DecryptionFailed NotEncrypted",
    ])
  })
})
