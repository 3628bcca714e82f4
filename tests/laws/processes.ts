/** Real processes that write arrays on this machine's disk: killed at any moment, and several at the same time. */
import { assert, assertEquals } from "@std/assert"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { type ChildProcess, spawn } from "node:child_process"
import process from "node:process"
import { fileURLToPath } from "node:url"
import { layerNative } from "../../platform/codecs_native.ts"
import { layerLocal } from "../../platform/storage_local.ts"
import type { Program } from "./crash_laws.ts"
import { makeAll, seeAll, writeOnce } from "./loop.ts"

const run = <A>(program: Program<A>): Promise<A> =>
  Effect.runPromise(Effect.provide(program, Layer.merge(layerLocal, layerNative)))

interface Writer {
  readonly child: ChildProcess
  /** The writes that it says are done. */
  readonly done: ReadonlyArray<number>
  /** Its signal or exit code. */
  readonly ended: Promise<string>
}

const startWriter = (root: string, first: number, writers: number, count: number, onWrite = () => {}): Writer => {
  const script = fileURLToPath(new URL("writer.ts", import.meta.url))
  const before = "Deno" in globalThis ? ["run", "-A", script] : [script]
  const numbers = [first, writers, count].map(String)
  const child = spawn(process.execPath, [...before, root, ...numbers], {
    cwd: fileURLToPath(new URL("../..", import.meta.url)),
    stdio: ["ignore", "pipe", "inherit"],
  })
  const done: Array<number> = []
  let rest = ""
  child.stdout!.setEncoding("utf8").on("data", (text: string) => {
    const lines = (rest + text).split("\n")
    rest = lines.pop()!
    for (const line of lines) {
      done.push(Number(line))
      onWrite()
    }
  })
  const ended = new Promise<string>((resolve) => child.on("close", (code, signal) => resolve(signal ?? String(code))))
  return { child, done, ended }
}

/** Makes what the processes write to, with a first write. */
const prepare = (root: string): Promise<void> => run(Effect.zipRight(makeAll(root), writeOnce(root, 0)))

/**
 * Kills a process that writes, so many times: each write is there whole or not at all, those that it called done are there,
 * and the next write works. Answers the writes that are there in the end.
 */
export const killWriters = async (root: string, rounds: number): Promise<ReadonlySet<number>> => {
  await prepare(root)
  const known = new Set([0])
  for (let round = 1; round <= rounds; round++) {
    const [writers, enough] = [1 + round % 3, Math.floor(Math.random() * 4)]
    const kill = () => setTimeout(() => writer.child.kill("SIGKILL"), Math.random() * 20)
    let writes = 0
    const writer = startWriter(root, round * 1000, writers, 0, () => ++writes === enough + 1 && kill())
    assertEquals(await writer.ended, "SIGKILL")
    for (const write of writer.done) known.add(write)

    const { writes: seen } = await run(seeAll(root))
    for (const write of known) assert(seen.has(write), `round ${round}: write ${write} is lost`)
    const more = [...seen].filter((write) => !known.has(write))
    assert(more.length <= writers, `round ${round}: ${more} are more writes than were under way`)
    for (const write of more) known.add(write)

    await run(writeOnce(root, round))
    known.add(round)
  }
  assertEquals((await run(seeAll(root))).writes, known)
  return known
}

/**
 * Two processes of so many writers each write so many times, while this one reads: nothing is lost, and nothing is seen in
 * part. Answers the writes that are there in the end.
 */
export const raceWriters = async (root: string, writers: number, count: number): Promise<ReadonlySet<number>> => {
  await prepare(root)
  const processes = [1000, 2000].map((first) => startWriter(root, first, writers, count))
  let running = true
  const ended = Promise.all(processes.map((each) => each.ended)).finally(() => running = false)
  let before: ReadonlySet<number> = new Set([0])
  while (running) {
    const { writes } = await run(seeAll(root))
    for (const write of before) assert(writes.has(write), `write ${write} is gone again`)
    before = writes
    // reads of local files wait for nothing, and would keep the news from the processes away
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  assertEquals(await ended, ["0", "0"])
  const all = [0, ...processes.flatMap(({ done }) => done)]
  assertEquals(all.length, 1 + 2 * writers * count)
  const { writes, fragments } = await run(seeAll(root))
  assertEquals(writes, new Set(all))
  assertEquals(fragments, all.length)
  return writes
}
