/** The public properties of an open array. */
import { describe, it } from "node:test"
import { assert, assertEquals } from "@std/assert"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { inspect } from "node:util"
import { TileArray } from "../../../mod.ts"
import { layerDefault } from "../../../platform/mod.ts"
import { openArray } from "../../../src/array/open/open.ts"
import { handleOf, openedOf } from "../../../src/array/open/handle.ts"

const weather = new URL("../../golden/demo/weather", import.meta.url).pathname
const opened = () => Effect.runPromise(Effect.provide(openArray(weather), layerDefault))

describe("an open array", () => {
  it("prints its URI and schema, but neither its fragments nor its key", async () => {
    const key = Redacted.make(new Uint8Array(32).fill(77))
    const array = handleOf({ ...await opened(), key })
    assertEquals(Object.keys(array).sort(), ["declared", "schema", "schemaName", "time", "uri"])
    assert(!inspect(array, { depth: 20 }).includes("77, 77"), "the key is in the log")
    assert(!("fragments" in array))
    assert(openedOf(array).key === key)
    assert(!inspect(openedOf(array), { depth: 20, showHidden: true }).includes("77, 77"), "the key is in the log")
  })

  it("is the type that functions of arrays accept", async () => {
    const array = handleOf(await opened())
    const domain = TileArray.nonEmptyDomain(array)
    assertEquals(Object.values(domain!).map(([low]) => low), [57, 1])
    const fragments = await Effect.runPromise(Effect.provide(TileArray.fragments(array), layerDefault))
    assertEquals(fragments.length, 2)
  })
})
