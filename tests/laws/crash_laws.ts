/**
 * The law of every write: after a failure at any call, readers see the state before or after the write, and the array
 * can be written again.
 *
 * A write is run once for each of its calls that write and each kind of fault
 * (`platform/storage/middleware/faults.ts`). After each run
 * - readers see the state before or after the write; only the latter if the write succeeded;
 * - if the program continued and readers see the state before, no new file remains;
 * - unrelated files around the target and in its folder are unchanged, byte for byte;
 * - the next write succeeds, and readers see its result.
 */
import { assert, assertEquals, assertNotEquals } from "@std/assert"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import type { Codecs } from "../../platform/codecs/service.ts"
import { layerNative } from "../../platform/codecs/layers/native.ts"
import { Storage } from "../../platform/storage/service.ts"
import { faults, withFaults } from "../../platform/storage/middleware/faults.ts"
import type { Ground } from "./ground.ts"

/** An effect that reads or writes arrays. */
export type Program<A> = Effect.Effect<A, unknown, Storage | Codecs>

/** A write to test. */
export interface CrashLaw {
  /** Creates the state before the write at an empty URI. */
  readonly prepare: (uri: string) => Program<unknown>
  /**
   * The write. It is also run a second time after the first; the second run may fail if it must, like the creation of
   * an existing array.
   */
  readonly act: (uri: string) => Program<unknown>
  /**
   * Returns everything that readers see, as a value that can be compared; it must not fail for any files that a write
   * leaves.
   */
  readonly read: (uri: string) => Program<unknown>
  /** The paths of additional unrelated files, besides those around the URI. Default: in the folder itself. */
  readonly strangers?: (uri: string) => ReadonlyArray<string>
}

/** The states that readers may see. */
export type Seen = "before" | "after"

/** The state after a write. */
export interface Left {
  /** The fault, and the number and name of the call; or a text for a run without a fault. */
  readonly where: string
  readonly ground: Ground
  /** The state that readers see. */
  readonly seen: Seen
}

const over = <A>(storage: Storage, program: Program<A>): Promise<Exit.Exit<A, unknown>> =>
  Effect.runPromiseExit(Effect.provide(program, Layer.merge(Layer.succeed(Storage, storage), layerNative)))

const must = async <A>(label: string, storage: Storage, program: Program<A>): Promise<A> => {
  const exit = await over(storage, program)
  if (Exit.isFailure(exit)) throw new Error(`${label}: ${String(exit.cause)}`)
  return exit.value
}

const isEqual = (a: unknown, b: unknown): boolean => {
  try {
    assertEquals(a, b)
    return true
  } catch {
    return false
  }
}

const content = new TextEncoder().encode("this file is a stranger's")

/** Adds unrelated files around the target, and returns the check that they are unchanged. */
const addStrangers = async (ground: Ground, inside: ReadonlyArray<string>) => {
  const { uri } = ground
  const additional = [`${uri}-other/__schema/__1_1_${"0".repeat(32)}`, `${uri}.txt`]
  const paths = [...additional, ...inside].map((path) => path.slice(uri.length))
  for (const path of paths) await must("a stranger", ground.storage, ground.storage.write(uri + path, content))
  return async (remaining: Ground, where: string) => {
    for (const path of paths) {
      assertEquals(
        await must(`${path} after ${where}`, remaining.storage, remaining.storage.read(remaining.uri + path)),
        content,
      )
    }
  }
}

/** Returns the new files. */
const added = (ground: Ground, before: ReadonlyArray<string>): ReadonlyArray<string> =>
  ground.files().filter((file) => !before.includes(file))

/**
 * Runs a write on an empty ground with every fault at every call, and throws if the law does not hold. Calls `visit`
 * with the state before and after the write, and after each fault. Returns the number of faults.
 */
export const crashLaws = async (
  law: CrashLaw,
  empty: Ground,
  visit: (remaining: Left) => Promise<void> | void = () => {},
): Promise<number> => {
  const { uri, storage } = empty
  const read = (label: string, { uri, storage }: Ground) => must(`reading ${label}`, storage, law.read(uri))
  await must("preparing", storage, law.prepare(uri))
  const strangers = await addStrangers(empty, law.strangers?.(uri) ?? [`${uri}/notes.txt`])
  const filesBefore = empty.files()
  const before = await read("the state before", empty)
  await visit({ where: "before", ground: empty, seen: "before" })

  const whole = empty.copy()
  const counted = withFaults(whole.storage)
  await must("writing without faults", counted.storage, law.act(whole.uri))
  const after = await read("the state after", whole)
  assertNotEquals(after, before, "the write changes nothing that is read")
  await visit({ where: "after", ground: whole, seen: "after" })
  const calls = counted.calls()
  assert(calls > 0, "the write does not write")
  await over(whole.storage, law.act(whole.uri))
  const twice = await read("the state after two writes", whole)
  whole.close()

  for (const fault of faults) {
    for (let at = 0; at < calls; at++) {
      const ground = empty.copy()
      const faulty = withFaults(ground.storage, { at, fault })
      try {
        const exit = await over(faulty.storage, law.act(ground.uri))
        const { op = "no call", uri: file = "" } = faulty.struck() ?? {}
        const where = `"${fault}" at call ${at} of ${calls}, ${op} ${file.slice(ground.uri.length)}`
        assert(faulty.struck() !== undefined, `${where}: the write made fewer calls than before`)

        const value = await read(`after ${where}`, ground)
        const seen: Seen = isEqual(value, after) ? "after" : "before"
        if (seen === "before") assertEquals(value, before, `after ${where} there is neither what was before nor after`)
        if (Exit.isSuccess(exit)) assertEquals(seen, "after", `${where}: the write reports success`)
        const stopped = fault === "stop" || fault === "partial-crash"
        if (seen === "before" && !stopped) assertEquals(added(ground, filesBefore), [], `left behind after ${where}`)
        await strangers(ground, where)
        await visit({ where, ground, seen })

        const again = await over(ground.storage, law.act(ground.uri))
        if (seen === "before" && Exit.isFailure(again)) {
          throw new Error(`the next write after ${where}: ${String(again.cause)}`)
        }
        const next = await read(`the next write after ${where}`, ground)
        assertEquals(next, seen === "before" ? after : twice, `the next write after ${where}`)
        await strangers(ground, `the next write after ${where}`)
      } finally {
        await Effect.runPromise(faulty.release)
        ground.close()
      }
    }
  }
  return calls * faults.length
}
