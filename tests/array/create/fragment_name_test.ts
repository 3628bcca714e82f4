/** Names of new files: unique, ordered, and in the form of their format version. */
import { describe, it } from "node:test"
import { assert, assertEquals } from "@std/assert"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import { compareNames, parseName } from "../../../schema/name/timestamped_name.ts"
import { newName, newUuid } from "../../../src/array/create/fragment_name.ts"
import { makeNameGenerator, NameGenerator } from "../../../src/array/create/name_generator.ts"

/** Returns a clock that does not advance. */
const at = (millis: number): Clock.Clock => ({
  ...Clock.make(),
  currentTimeMillis: Effect.succeed(millis),
  unsafeCurrentTimeMillis: () => millis,
})

const names = (
  count: number,
  make: Effect.Effect<string>,
  millis?: number,
  generator: NameGenerator = makeNameGenerator(),
): ReadonlyArray<string> => {
  const each = Effect.provideService(make, NameGenerator, generator)
  const all = Effect.all(Array.from({ length: count }, () => each), { concurrency: "unbounded" })
  return Effect.runSync(millis === undefined ? all : Effect.withClock(all, at(millis)))
}

describe("names of new files", () => {
  it("come from the provided generator", () => {
    const fixed: NameGenerator = { next: Effect.succeed({ time: 12, uuid: "f".repeat(32) }) }
    assertEquals(names(2, newName(undefined, 22), undefined, fixed), Array(2).fill(`__12_12_${"f".repeat(32)}_22`))
    assertEquals(names(1, newName([3, 4]), undefined, fixed), [`__3_4_${"f".repeat(32)}`])
  })

  it("are ordered within one generator, independent of other generators", () => {
    const [late] = names(1, newUuid, 2 ** 41)
    const [early] = names(1, newUuid, 1000)
    assert(early < late)
    const [first, second] = Effect.runSync(Effect.all([newUuid, newUuid]))
    assert(first < second, "without a generator in the context the default one counts")
  })

  it("have the form of their format version", () => {
    const time = [5, 9] as const
    for (const [version, form] of [[2, "uuid_t"], [3, "t_t_uuid"], [4, "t_t_uuid"], [undefined, "t_t_uuid"]] as const) {
      const parsed = parseName(Effect.runSync(newName(time, version)))
      assertEquals([parsed?.form, parsed?.end, parsed?.version], [form, 9, 0])
    }
    for (const version of [5, 7, 12, 22]) {
      const parsed = parseName(Effect.runSync(newName(time, version)))
      assertEquals([parsed?.form, parsed?.start, parsed?.end, parsed?.version], ["t_t_uuid_v", 5, 9, version])
    }
  })

  it("contain the time of the clock by default", () => {
    const [name] = names(1, newName(), 1234567)
    assertEquals([parseName(name)?.start, parseName(name)?.end], [1234567, 1234567])
  })

  it("are ordered within one millisecond, for a repeated explicit timestamp, and when the clock is set back", () => {
    FastCheck.assert(FastCheck.property(FastCheck.array(FastCheck.nat(2 ** 41)), (clocks) => {
      const generator = makeNameGenerator()
      const made = clocks.flatMap((millis) => names(3, newName([7, 7], 22), millis, generator))
        .map((name) => parseName(name)!)
      for (let i = 1; i < made.length; i++) assert(compareNames(made[i - 1], made[i]) < 0)
    }))
  })

  it("are unique, and end in random digits", () => {
    const made = names(5000, newUuid)
    assertEquals(new Set(made).size, 5000)
    assertEquals(new Set(made.map((uuid) => uuid.slice(16))).size, 5000)
    assert(made.every((uuid) => /^[0-9a-f]{32}$/.test(uuid)))
    assertEquals(made, made.toSorted())
  })

  it("count on when a millisecond is used up, and when the seconds no longer fit into eight digits", () => {
    const far = 2 ** 32 * 1000
    const generator = makeNameGenerator()
    const made = [...names(2, newUuid, far, generator), ...names(1, newUuid, far + 5000, generator)]
    assertEquals(made, made.toSorted())
    assert(made.every((uuid) => uuid.length === 32))
  })
})
