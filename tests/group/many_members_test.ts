/** Groups of thousands of members: the time of changes is linear in their number. */
import { describe, it } from "node:test"
import { assertEquals } from "@std/assert"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import { type Codecs, Group, layerMemory, layerNative, type StorageService } from "../../mod.ts"
import { assertLinear } from "../support/growth.ts"

const run = <A>(program: Effect.Effect<A, unknown, StorageService | Codecs>): Promise<A> =>
  ManagedRuntime.make(Layer.merge(Layer.fresh(layerMemory), layerNative)).runPromise(program)

describe("members of a large group", () => {
  it("are added, listed and removed, by name or URI, in linear time", () =>
    assertLinear(1000, (count) => {
      const add = Array.from({ length: count }, (_, i) => ({
        uri: `mem://elsewhere/m${i}`,
        type: "array" as const,
        name: `m${i}`,
      }))
      const remove = add.map(({ uri, name }, i) => i % 2 === 0 ? name : uri)
      return Promise.resolve(() =>
        run(Effect.gen(function* () {
          yield* Group.create("mem://group")
          yield* Group.change("mem://group", { add }, { at: 1 })
          assertEquals(Group.members(yield* Group.open("mem://group")).length, count)
          yield* Group.change("mem://group", { remove }, { at: 2 })
          assertEquals(Group.members(yield* Group.open("mem://group")).length, 0)
        }))
      )
    }))
})
