/** Tests of the crash laws: writers with one flaw each are rejected, and a correct writer is accepted. */
import { assertEquals } from "@std/assert"
import * as Effect from "effect/Effect"
import { describe, it } from "node:test"
import { Storage } from "../../platform/storage/service.ts"
import { type CrashLaw, crashLaws } from "./crash_laws.ts"
import { memoryGround } from "./ground.ts"

const one = Uint8Array.of(1)

const read = (uri: string) =>
  Effect.flatMap(Storage, (storage) =>
    Effect.gen(function* () {
      const names = (yield* storage.list(uri)).map(({ name }) => name)
      return names.filter((name) => name === "commit" || name.startsWith("seen"))
    }))

const law = (act: CrashLaw["act"], more: Partial<CrashLaw> = {}): CrashLaw => ({
  prepare: () => Effect.void,
  act,
  read,
  ...more,
})

/** Writes data, then a commit; removes the data if that fails. */
const correct = (uri: string) =>
  Effect.flatMap(Storage, (storage) =>
    Effect.scoped(Effect.gen(function* () {
      let tried = false
      yield* Effect.addFinalizer(() => tried ? Effect.void : Effect.ignore(storage.remove(`${uri}/data`)))
      const file = yield* storage.openWrite(`${uri}/data`)
      yield* file.write(one)
      yield* file.finish
      tried = true
      yield* storage.write(`${uri}/commit`, one)
    })))

describe("the law of crashes", () => {
  it("accepts a write with a commit, at each of its calls", async () => {
    // the law would reject data that remain after a failed commit, but this writer removes them
    const careful = (uri: string) =>
      Effect.flatMap(
        Storage,
        (storage) =>
          Effect.onError(correct(uri), () =>
            Effect.ignore(Effect.zipRight(storage.remove(`${uri}/commit`), storage.remove(`${uri}/data`)))),
      )
    const seen: Array<string> = []
    assertEquals(await crashLaws(law(careful), memoryGround(), (remaining) => void seen.push(remaining.seen)), 24)
    assertEquals(seen.length, 26)
    assertEquals(new Set(seen), new Set(["before", "after"]))
  })

  const flaws: Readonly<Record<string, readonly [CrashLaw, RegExp]>> = {
    "shows half of its cells": [
      law((uri) =>
        Effect.flatMap(
          Storage,
          (storage) => Effect.zipRight(storage.write(`${uri}/seen 1`, one), storage.write(`${uri}/seen 2`, one)),
        )
      ),
      /neither/,
    ],
    "leaves its data behind": [law(correct), /left behind/],
    "reports success after a failure": [
      law((uri) => Effect.flatMap(Storage, (storage) => Effect.ignore(storage.write(`${uri}/commit`, one)))),
      /reports success/,
    ],
    "cannot write again after a kill": [
      law((uri) =>
        Effect.flatMap(Storage, (storage) =>
          Effect.gen(function* () {
            yield* storage.create(`${uri}/lock`, one)
            yield* storage.write(`${uri}/commit`, one)
            yield* storage.remove(`${uri}/lock`)
          }).pipe(Effect.onError(() => Effect.ignore(storage.remove(`${uri}/lock`)))))
      ),
      /the next write/,
    ],
    "writes nothing": [law(() => Effect.void), /changes nothing/],
    "cannot be read after a crash": [
      law(correct, {
        read: (uri) =>
          Effect.flatMap(Storage, (storage) =>
            Effect.gen(function* () {
              const names = (yield* storage.list(uri)).map(({ name }) => name)
              return names.length === 1 ? yield* Effect.fail("half an array") : names.length
            })),
      }),
      /half an array/,
    ],
  }
  for (const [name, [broken, message]] of Object.entries(flaws)) {
    it(`rejects a write that ${name}`, async () => {
      const error = await crashLaws(broken, memoryGround()).then(() => undefined, (error: Error) => error)
      assertEquals(message.test(error?.message ?? "no error"), true, String(error))
    })
  }
})
