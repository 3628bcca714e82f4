/** Real processes that write arrays on the local disk: killed at random times, and several at the same time. */
import { assert, assertEquals } from "@std/assert"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { type ChildProcess, spawn } from "node:child_process"
import { readdirSync } from "node:fs"
import process from "node:process"
import { fileURLToPath } from "node:url"
import { ArraySchema, Attr, Cells, Dim, TileArray } from "../../mod.ts"
import { layerNative } from "../../platform/codecs/layers/native.ts"
import { layerLocal } from "../../platform/storage/local/local.ts"
import type { Program } from "./crash_laws.ts"
import { makeAll, seeAll, writeOnce } from "./loop.ts"

const run = <A>(program: Program<A>): Promise<A> =>
  Effect.runPromise(Effect.provide(program, Layer.merge(layerLocal, layerNative)))

interface Writer {
  readonly child: ChildProcess
  /** The numbers of the writes that the process reported. */
  readonly done: ReadonlyArray<number>
  /** The signal or the exit code of the process. */
  readonly ended: Promise<string>
}

const startWriter = (root: string, first: number, writers: number, count: number, onWrite = () => {}): Writer =>
  startScript("writer.ts", [root, ...[first, writers, count].map(String)], onWrite)

/** Runs a script of this folder in a new process; the script prints numbers. */
const startScript = (name: string, args: ReadonlyArray<string>, onWrite = () => {}): Writer => {
  const script = fileURLToPath(new URL(name, import.meta.url))
  const before = "Deno" in globalThis ? ["run", "-A", script] : [script]
  const child = spawn(process.execPath, [...before, ...args], {
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

/** Creates the targets of the processes, with a first write. */
const prepare = (root: string): Promise<void> => run(Effect.zipRight(makeAll(root), writeOnce(root, 0)))

/**
 * Kills a writing process `rounds` times: each write is complete or absent, the writes it reported are present,
 * and the next write works. Returns the writes that exist in the end.
 */
export const killWriters = async (root: string, rounds: number): Promise<ReadonlySet<number>> => {
  await prepare(root)
  const names = new Set([0])
  for (let round = 1; round <= rounds; round++) {
    const [writers, enough] = [1 + round % 3, Math.floor(Math.random() * 4)]
    const kill = () => setTimeout(() => writer.child.kill("SIGKILL"), Math.random() * 20)
    let writes = 0
    const writer = startWriter(root, round * 1000, writers, 0, () => ++writes === enough + 1 && kill())
    assertEquals(await writer.ended, "SIGKILL")
    for (const write of writer.done) names.add(write)

    const { writes: seen } = await run(seeAll(root))
    for (const write of names) assert(seen.has(write), `round ${round}: write ${write} is lost`)
    const more = [...seen].filter((write) => !names.has(write))
    assert(more.length <= writers, `round ${round}: ${more} are more writes than were under way`)
    for (const write of more) names.add(write)

    await run(writeOnce(root, round))
    names.add(round)
  }
  assertEquals((await run(seeAll(root))).writes, names)
  return names
}

/**
 * Runs two processes of `writers` writers, which write `count` times each, while this process reads: no write is lost,
 * and readers never see an incomplete write. Returns the writes that exist in the end.
 */
export const raceWriters = async (root: string, writers: number, count: number): Promise<ReadonlySet<number>> => {
  await prepare(root)
  const processes = [1000, 2000].map((first) => startWriter(root, first, writers, count))
  let running = true
  const ended = Promise.all(processes.map((each) => each.ended)).finally(() => running = false)
  let before: ReadonlySet<number> = new Set([0])
  while (running) {
    const { writes } = await run(seeAll(root))
    for (const write of before) assert(writes.has(write), `write ${write} is lost again`)
    before = writes
    // reads of local files do not yield to the event loop, so that the output of the processes would not be received
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

const Evolving = ArraySchema.sparse({
  dims: { a: Dim.int32([0, 9999]), b: Dim.int32([0, 9999]), c: Dim.int32([0, 9999]) },
  attrs: { kind: Attr.enumerated(Attr.uint8(), "kinds") },
  enumerations: { kinds: ["none"] },
  currentDomain: { a: [0, 1], b: [0, 1], c: [0, 1] },
})

/** Returns the changes in the schema of an array of {@link raceEvolvers}. */
const seeEvolved = (uri: string) =>
  Effect.gen(function* () {
    const array = yield* TileArray.open(uri)
    const { attributes, currentDomain, version } = array.schema
    const [kinds] = yield* TileArray.enumerations(array)
    const highs = currentDomain.empty
      ? []
      : currentDomain.ranges.map(({ high }) => new DataView(high.buffer, high.byteOffset).getInt32(0, true))
    return {
      attributes: attributes.map((attribute) => attribute.name).sort(),
      kinds: [...Cells.columnJson(Cells.enumerationColumn(kinds)) as Array<string>].sort(),
      highs,
      version,
    }
  })

const named = (names: ReadonlyArray<string>, count: number): ReadonlyArray<string> =>
  names.flatMap((name) => Array.from({ length: count }, (_, i) => `${name}${i}`))

/** Three processes change a schema `count` times each: the final schema contains every change, and no claim remains. */
export const raceEvolvers = async (uri: string, count: number): Promise<void> => {
  const names = ["a", "b", "c"]
  await run(TileArray.create(uri, Evolving))
  const processes = names.map((name) => startScript("evolver.ts", [uri, name, "0", String(count)]))
  assertEquals(await Promise.all(processes.map(({ ended }) => ended)), names.map(() => "0"))
  const all = named(names, count)
  assertEquals(await run(seeEvolved(uri)), {
    attributes: [...all, "kind"],
    kinds: [...all, "none"],
    highs: names.map(() => 9 + count),
    version: 23,
  })
  assertEquals(claimsOf(uri), [])
}

/** Returns the remaining claims in an array's folder. */
const claimsOf = (uri: string): ReadonlyArray<string> => readdirSync(uri).filter((name) => name.endsWith(".claim"))

/**
 * Kills processes that change a schema, while another process changes it: in the end the schema contains every change
 * that a process reported, and each change is complete or absent.
 */
export const killEvolvers = async (uri: string, rounds: number): Promise<void> => {
  await run(TileArray.create(uri, Evolving))
  const done: Array<string> = []
  for (let round = 0; round < rounds; round++) {
    const first = String(100 * round)
    const enough = round % 3
    let changes = 0
    const killed = startScript("evolver.ts", [uri, "a", first, "100"], () => {
      if (++changes > enough) setTimeout(() => killed.child.kill("SIGKILL"), Math.random() * 20)
    })
    const other = startScript("evolver.ts", [uri, "b", first, "4"])
    assertEquals(await killed.ended, "SIGKILL")
    assertEquals(await other.ended, "0")
    done.push(...killed.done.map((i) => `a${i}`), ...other.done.map((i) => `b${i}`))
    const { attributes, kinds } = await run(seeEvolved(uri))
    for (const name of done) assert(attributes.includes(name), `round ${round}: ${name} is lost, ${attributes}`)
    assertEquals(attributes.filter((name) => name !== "kind"), kinds.filter((name) => name !== "none"))
    assert(attributes.length <= 1 + done.length + round + 1, "more changes than were under way")
  }
  // the next change deletes leftovers
  await run(TileArray.evolve(uri, { addAttributes: { last: Attr.int8() } }))
  assertEquals(claimsOf(uri), [])
}
