/** Checks that exceptions become failures or defects. */
import { describe, it } from "node:test"
import { assertEquals } from "@std/assert"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { attempt, failOn } from "../../platform/attempt.ts"

class First extends Error {}
class Second extends Error {}

describe("attempt", () => {
  const throwing = (error: unknown) =>
    Effect.runSyncExit(attempt(() => {
      throw error
    }, failOn(First, Second)))

  it("returns what the code returns, each time it runs", () => {
    let calls = 0
    const counting = attempt(() => ++calls, failOn(First))
    assertEquals(calls, 0)
    assertEquals([Effect.runSync(counting), Effect.runSync(counting)], [1, 2])
  })

  it("fails with the errors of the listed classes", () => {
    for (const error of [new First("a"), new Second("b")]) assertEquals(throwing(error), Exit.fail(error))
  })

  it("dies with all other exceptions", () => {
    const other = new TypeError("a bug")
    const exit = throwing(other)
    assertEquals(Exit.isFailure(exit) && Cause.isDie(exit.cause) && Cause.squash(exit.cause), other)
  })
})
