/** Non-empty domains and fragments as values by dimension name. */
import * as Effect from "effect/Effect"
import { describe, it } from "node:test"
import { assertEquals } from "@std/assert"
import { ArraySchema, Attr, Dim, Group, Metadata, Sparse, TileArray } from "../../../mod.ts"
import { exactly } from "../../types/equal.ts"
import { inMemory } from "../../support/in_memory.ts"

const schema = ArraySchema.sparse({
  dims: { x: Dim.int32([0, 99]), name: Dim.ascii(), day: Dim.datetime("day", ["2024-01-01", "2024-12-31"]) },
  attrs: { v: Attr.int32() },
  capacity: 2,
})

describe("non-empty domains", () => {
  it("are values by dimension name, in fragments and MBRs too", () =>
    inMemory(Effect.gen(function* () {
      const empty = yield* TileArray.create("mem://a", schema)
      assertEquals(TileArray.nonEmptyDomain(empty), undefined)
      yield* Sparse.write(empty, {
        x: [7, 3, 5],
        name: ["b", "a", ""],
        day: [19783n, 19785n, 19784n],
        v: [1, 2, 3],
      })
      const array = yield* TileArray.reopen(empty)
      const domain = TileArray.nonEmptyDomain(array)!
      exactly<readonly [low: number, high: number]>()(domain.x)
      exactly<readonly [low: string | Uint8Array, high: string | Uint8Array]>()(domain.name)
      exactly<readonly [low: bigint, high: bigint]>()(domain.day)
      assertEquals(domain, { x: [3, 7], name: ["", "b"], day: [19783n, 19785n] })
      const [fragment] = yield* TileArray.fragments(array)
      assertEquals(fragment.nonEmptyDomain, domain)
      assertEquals(fragment.mbrs.map(({ x }) => x), [[3, 5], [7, 7]])
      const untyped = TileArray.nonEmptyDomain(TileArray.undeclare(array))!
      exactly<readonly [low: TileArray.CoordinateValue, high: TileArray.CoordinateValue]>()(untyped.x)
      assertEquals(untyped, domain)
    })))
})

describe("TileArray.exists", () => {
  it("is true for arrays only", () =>
    inMemory(Effect.gen(function* () {
      yield* TileArray.create("mem://a", schema)
      yield* Group.create("mem://g")
      const exist = yield* Effect.all(["mem://a", "mem://a/", "mem://g", "mem://none"].map(TileArray.exists))
      assertEquals(exist, [true, true, false, false])
      assertEquals((yield* Effect.flip(TileArray.exists("")))._tag, "InvalidOption")
    })))
})

describe("metadata integers", () => {
  it("are bigint, or numbers where that is exact, by option", () =>
    inMemory(Effect.gen(function* () {
      const array = yield* TileArray.create("mem://a", schema)
      yield* TileArray.putMetadata(array, { small: 5n, large: 2n ** 60n, text: "t", many: BigInt64Array.of(1n, 2n) })
      const items = yield* TileArray.metadata(yield* TileArray.reopen(array))
      assertEquals([Metadata.values(items).get("small"), Metadata.values(items).get("large")], [5n, 2n ** 60n])
      const values = Metadata.values(items, { integers: "number" })
      assertEquals([values.get("small"), values.get("large"), values.get("text")], [5, 2n ** 60n, "t"])
      assertEquals(values.get("many"), Metadata.values(items).get("many"))
    })))
})

describe("rows without a schema", () => {
  it("are objects with the values of the fields", () =>
    inMemory(Effect.gen(function* () {
      const array = yield* TileArray.create("mem://a", schema)
      yield* Sparse.write(array, { x: [7], name: ["b"], day: [19783n], v: [1] })
      const rows = yield* Sparse.toRows(yield* Sparse.read(yield* TileArray.reopen(array)))
      assertEquals(rows, [{ x: 7, name: "b", day: new Date("2024-03-01"), v: 1 }])
    })))
})
