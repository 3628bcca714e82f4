/**
 * Writes over storages that fail, become full or stop at a random call, and writes that are interrupted at a random
 * call.
 */
import { assertEquals } from "@std/assert"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import { layerNative } from "../../platform/codecs/layers/native.ts"
import { mapStorage } from "../../platform/storage/map_storage.ts"
import { Storage } from "../../platform/storage/service.ts"
import { type Fault, faults, withFaults } from "../../platform/storage/middleware/faults.ts"
import { isMark } from "../../src/array/open/unfinished.ts"
import type { Program } from "../laws/crash_laws.ts"
import { type Ground, grounds } from "../laws/ground.ts"
import type { Random } from "../hostile/random.ts"
import { type Attack, type Outcome, shortText } from "./input.ts"
import { type RandomLaw, randomLaw } from "./laws.ts"

const provided = <A>(storage: Storage, program: Program<A>) =>
  Effect.provide(program, Layer.merge(Layer.succeed(Storage, storage), layerNative))
const over = <A>(storage: Storage, program: Program<A>) => Effect.runPromiseExit(provided(storage, program))

const must = async <A>(label: string, storage: Storage, program: Program<A>): Promise<A> => {
  const exit = await over(storage, program)
  if (Exit.isFailure(exit)) throw new Error(`${label}: ${shortText(String(exit.cause))}`)
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

/** Returns a storage that runs an effect before each call, with the number of the call; reads are also counted. */
const beforeCall = (storage: Storage, act: (call: number) => Effect.Effect<void>): Storage => {
  let calls = 0
  const around = <A, E, R>(call: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.suspend(() => Effect.zipRight(act(calls++), call))
  return mapStorage(storage, { read: around, list: around, write: around })
}

/** Runs a write, and interrupts it before its call number `at`. Also returns the number of calls. */
const interruptAt = async (storage: Storage, program: Program<unknown>, at: number) => {
  let calls = 0
  let struck = false
  const running: { fiber?: Fiber.RuntimeFiber<unknown, unknown> } = {}
  const watched = beforeCall(storage, (call) => {
    calls = call + 1
    const { fiber } = running
    if (call !== at || fiber === undefined) return Effect.void
    struck = true
    return Effect.zipRight(Fiber.interruptFork(fiber), Effect.yieldNow())
  })
  const fiber = running.fiber = Effect.runFork(Effect.zipRight(Effect.yieldNow(), provided(watched, program)))
  return { exit: await Effect.runPromise(Fiber.await(fiber)), calls, struck }
}

const content = new TextEncoder().encode("this file is a stranger's")

/** Returns the problems of a write with one fault, and the call at which the fault occurred. */
export const judgeFault = async (
  law: RandomLaw,
  empty: Ground,
  fault: Fault | "interrupt from outside",
  random: Random,
): Promise<{ readonly where: string; readonly wrong: ReadonlyArray<string> }> => {
  const { uri, storage } = empty
  await must("preparing", storage, law.prepare(uri))
  const inside = law.strangers?.(uri) ?? [`${uri}/notes.txt`]
  const paths = [`${uri}-other/__schema/__1_1_${"0".repeat(32)}`, `${uri}.txt`, ...inside]
    .map((path) => path.slice(uri.length))
  for (const path of paths) await must("a stranger", storage, storage.write(uri + path, content))
  const filesBefore = empty.files()
  const before = await must("reading before", storage, law.read(uri))

  const whole = empty.copy()
  let [after, twice, calls]: [unknown, unknown, number] = [undefined, undefined, 0]
  try {
    const counted = withFaults(whole.storage)
    const all = await interruptAt(counted.storage, law.act(whole.uri), -1)
    if (Exit.isFailure(all.exit)) throw new Error(`without faults: ${shortText(String(all.exit.cause))}`)
    calls = fault === "interrupt from outside" ? all.calls : counted.calls()
    after = await must("reading after", whole.storage, law.read(whole.uri))
    if (isEqual(before, after)) return { where: "without faults", wrong: ["the write changes nothing that is read"] }
    await over(whole.storage, law.act(whole.uri))
    twice = await must("reading after two writes", whole.storage, law.read(whole.uri))
  } finally {
    whole.close()
  }

  const at = random.below(calls)
  const ground = empty.copy()
  const faulty = withFaults(ground.storage, fault === "interrupt from outside" ? undefined : { at, fault })
  const wrong: Array<string> = []
  let where = `"${fault}" at call ${at} of ${calls}`
  const strangers = async (when: string): Promise<void> => {
    for (const path of paths) {
      const exit = await over(ground.storage, ground.storage.read(ground.uri + path))
      if (Exit.isFailure(exit)) wrong.push(`${when} a stranger's file is missing: ${path}`)
      else if (!isEqual(exit.value, content)) wrong.push(`${when} a stranger's file is changed: ${path}`)
    }
  }
  try {
    const exit = fault === "interrupt from outside"
      ? (await interruptAt(faulty.storage, law.act(ground.uri), at)).exit
      : await over(faulty.storage, law.act(ground.uri))
    const { op = "", uri: file = "" } = faulty.struck() ?? {}
    where = `${where}${op === "" ? "" : `, ${op} ${file.slice(ground.uri.length)}`}`
    if (Exit.isFailure(exit) && exit.cause.toString().includes("TypeError")) {
      wrong.push(`a defect: ${shortText(exit.cause.toString())}`)
    }
    const isMarked = ground.files().some((name) => isMark(name.slice(name.lastIndexOf("/") + 1)))
    const seen = await over(ground.storage, law.read(ground.uri))
    if (Exit.isFailure(seen)) {
      return { where, wrong: [...wrong, `it cannot be read after: ${shortText(String(seen.cause))}`] }
    }
    const isAfter = isEqual(seen.value, after)
    const isBefore = !isAfter && isEqual(seen.value, before)
    const isBetween = law.replaces === true && isMarked && seen.value === undefined
    if (!isAfter && !isBefore && !isBetween) wrong.push("there is neither what was before nor what should be after")
    if (Exit.isSuccess(exit) && !isAfter) wrong.push("the write reports success")
    if (isBefore && fault !== "stop" && fault !== "partial-crash" && !(law.replaces === true && isMarked)) {
      const remaining = ground.files().filter((name) => !filesBefore.includes(name))
      if (remaining.length > 0) wrong.push(`left behind: ${remaining.slice(0, 4).join(", ")}`)
    }
    await strangers("after it")
    const again = await over(ground.storage, law.act(ground.uri))
    if (!isAfter && Exit.isFailure(again)) wrong.push(`the next write fails: ${shortText(String(again.cause))}`)
    const next = await over(ground.storage, law.read(ground.uri))
    if (Exit.isFailure(next)) wrong.push(`it cannot be read after the next write: ${shortText(String(next.cause))}`)
    else if (!isEqual(next.value, isAfter ? twice : after)) wrong.push("the next write is missing")
    await strangers("after the next write")
    return { where, wrong }
  } finally {
    await Effect.runPromise(faulty.release)
    ground.close()
  }
}

/** Runs a random write with a random fault. */
export const attackWithFaults: Attack = async (random): Promise<Outcome> => {
  const law = randomLaw(random)
  const fault = random.pick([...faults, "interrupt from outside", "interrupt from outside"] as const)
  const [name, ground] = random.pick(Object.entries(grounds))
  const empty = ground()
  try {
    const { where, wrong } = await judgeFault(law, empty, fault, random)
    return { label: `${law.name}, in ${name}: ${where}`, wrong }
  } finally {
    empty.close()
  }
}
