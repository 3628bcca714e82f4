/**
 * The law of maintenance: after a fault at any call, readers see the same state as before, a second call finishes the
 * work, and unrelated files remain.
 */
import { assert, assertEquals } from "@std/assert"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import { isCommitClaim } from "../../src/array/create/commit_claim.ts"
import { layerNative } from "../../platform/codecs/layers/native.ts"
import { faults, withFaults } from "../../platform/storage/middleware/faults.ts"
import { Storage } from "../../platform/storage/service.ts"
import type { Program } from "../laws/crash_laws.ts"
import type { Ground } from "../laws/ground.ts"

/** A maintenance step. */
export interface UpkeepLaw {
  /** Creates the array or group. */
  readonly prepare: (uri: string) => Program<unknown>
  readonly act: (uri: string) => Program<unknown>
  /** Returns everything that readers see. */
  readonly read: (uri: string) => Program<unknown>
  /**
   * Whether a killed process may leave the files of a fragment that was not committed. A program returns the names of
   * the committed fragments; with `true`, the committed fragments are those with their own commit file.
   */
  readonly leavesOrphans?: true | ((uri: string) => Program<ReadonlyArray<string>>)
  /** Whether readers may see a state after a crash that differs from the state before. Default: never. */
  readonly allows?: (seen: unknown, before: unknown) => boolean
}

const run = <A>(storage: Storage, program: Program<A>): Promise<Exit.Exit<A, unknown>> =>
  Effect.runPromiseExit(Effect.provide(program, Layer.merge(Layer.succeed(Storage, storage), layerNative)))

const must = async <A>(subject: string, storage: Storage, program: Program<A>): Promise<A> => {
  const exit = await run(storage, program)
  if (Exit.isFailure(exit)) throw new Error(`${subject}: ${String(exit.cause)}`)
  return exit.value
}

/** Returns the files by folder and suffix, because names contain times and random digits. */
const shapeOf = (files: ReadonlyArray<string>): ReadonlyArray<string> =>
  files.map((file) => file.replaceAll(/[0-9a-f]{32}/g, "U").replaceAll(/__\d+_\d+_U/g, "__T")).sort()

const content = new TextEncoder().encode("a file of another program")

/** Returns the files without those of uncommitted fragments, which a killed process leaves. */
const withoutOrphans = (
  files: ReadonlyArray<string>,
  committed: ReadonlyArray<string> | undefined,
): ReadonlyArray<string> =>
  files.filter((file) => {
    const [, fragment] = /__fragments\/(__[^/]+)\//.exec(file) ?? []
    if (fragment === undefined) return true
    if (committed !== undefined) return committed.includes(fragment)
    return files.some((other) => other.endsWith(`__commits/${fragment}.wrt`))
  })

/** Runs a step once for each of its storage calls and each kind of fault; returns the number of runs. */
export const upkeepLaws = async (law: UpkeepLaw, empty: Ground): Promise<number> => {
  const { uri, storage } = empty
  await must("prepare", storage, law.prepare(uri))
  const strangers = ["/notes.txt", "/__meta/notes.txt", "/__commits/notes.txt", "/__fragments/notes/a0.tdb", "-other/x"]
  for (const path of strangers) await must("stranger", storage, storage.write(uri + path, content))
  const before = await must("read before", storage, law.read(uri))
  const check = async (ground: Ground, where: string) => {
    for (const path of strangers) {
      assertEquals(await must(where, ground.storage, ground.storage.read(ground.uri + path)), content)
    }
  }

  const whole = empty.copy()
  const counted = withFaults(whole.storage)
  await must("without faults", counted.storage, law.act(whole.uri))
  const calls = counted.calls()
  assert(calls > 0, "the step does not write")
  assertEquals(await must("read after", whole.storage, law.read(whole.uri)), before)
  const files = shapeOf(whole.files())
  const exact = whole.files()
  await must("a second time", whole.storage, law.act(whole.uri))
  assertEquals(whole.files(), exact, "a second call changes nothing")
  await check(whole, "without faults")
  whole.close()

  for (const fault of faults) {
    for (let at = 0; at < calls; at++) {
      const ground = empty.copy()
      const faulty = withFaults(ground.storage, { at, fault })
      try {
        await run(faulty.storage, law.act(ground.uri))
        const { op = "no call", uri: file = "" } = faulty.struck() ?? {}
        const where = `"${fault}" at call ${at} of ${calls}, ${op} ${file.slice(ground.uri.length)}`
        const seen = await must(`read after ${where}`, ground.storage, law.read(ground.uri))
        if (law.allows?.(seen, before) !== true) assertEquals(seen, before, where)
        await check(ground, where)
        await must(`again after ${where}`, ground.storage, law.act(ground.uri))
        assertEquals(await must(`read again after ${where}`, ground.storage, law.read(ground.uri)), before, where)
        const isKilled = fault === "stop" || fault === "partial-crash"
        // the claim of a killed process is removed by the next process that changes commits
        const isTemporary = (path: string) =>
          path.endsWith(".tmp") || (isKilled && isCommitClaim(path.slice(path.lastIndexOf("/") + 1)))
        const left = ground.files().filter((path) => !isTemporary(path))
        const { leavesOrphans } = law
        const committed = typeof leavesOrphans === "function"
          ? await must(`fragments after ${where}`, ground.storage, leavesOrphans(ground.uri))
          : undefined
        const isFiltered = isKilled && leavesOrphans !== undefined
        assertEquals(shapeOf(isFiltered ? withoutOrphans(left, committed) : left), files, where)
        await check(ground, `again after ${where}`)
      } finally {
        await Effect.runPromise(faulty.release)
        ground.close()
      }
    }
  }
  return calls * faults.length
}
