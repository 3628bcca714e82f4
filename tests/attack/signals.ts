/**
 * Signals to real processes that import, copy, export, delete and write. After a signal that asks to stop, the files
 * are unchanged, or the command is complete. After a kill, a partial array cannot be opened, and it can be resumed or
 * replaced. Unrelated files do not change.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { createHash } from "node:crypto"
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { ArraySchema, Attr, Dense, Dim, Sparse, TileArray } from "../../mod.ts"
import { layerNative } from "../../platform/codecs/layers/native.ts"
import { layerLocal } from "../../platform/storage/local/local.ts"
import { isMark, UNFINISHED_FILE } from "../../src/array/open/unfinished.ts"
import { cli } from "../cli/run_cli.ts"
import type { Random } from "../hostile/random.ts"
import type { Program } from "../laws/crash_laws.ts"
import { makeAll, seeAll, writeOnce } from "../laws/loop.ts"
import {
  differences,
  INNER_NAMES,
  isTemporary,
  NEIGHBOUR_NAMES,
  type Snapshot,
  snapshotOf,
  writeStrangers,
} from "./files.ts"
import {
  type Attack,
  between,
  chance,
  type ChildRuntime,
  fraction,
  type Outcome,
  shortText,
  type Sweep,
} from "./input.ts"
import { type Ended, EXIT_CODES, type Plan, runChild, type Signal } from "./processes.ts"

const run = <A>(program: Program<A>): Promise<A> =>
  Effect.runPromise(Effect.provide(program, Layer.merge(layerLocal, layerNative)))

export const MAIN = "src/cli/main.ts"
const ROWS = 20_000

/** A command whose process is stopped. */
export interface Command {
  readonly name: string
  /** The names of files of the template, and the names of their copies in the folder. */
  readonly needs: Readonly<Record<string, string>>
  readonly args: (folder: string) => ReadonlyArray<string>
  /** The kind of the result, which has the name `target`. */
  readonly makes: "array" | "file"
  /** How the command is repeated: with `--resume` or `--overwrite`, or with the same arguments. */
  readonly again: "resume" | "same"
  readonly endless?: boolean
}

const importing = (...options: ReadonlyArray<string>) => (folder: string): ReadonlyArray<string> => [
  "import",
  join(folder, "data.csv"),
  join(folder, "target"),
  ...options,
  "--memory",
  "200KB",
  "--quiet",
]
const sparse = ["--sparse", "--dims", "x", "--capacity", "500"]
const data = { "data.csv": "data.csv" }

/** All commands. */
export const commands: ReadonlyArray<Command> = [
  { name: "import sparse", needs: data, args: importing(...sparse), makes: "array", again: "resume" },
  { name: "import dense", needs: data, args: importing(), makes: "array", again: "resume" },
  {
    name: "import dense by coordinates",
    needs: data,
    args: importing("--dims", "x", "--tile", "x=500"),
    makes: "array",
    again: "resume",
  },
  {
    name: "import from standard input without end",
    needs: data,
    args: (folder) => importing(...sparse)(folder).map((arg) => arg.endsWith("data.csv") ? "-" : arg),
    makes: "array",
    again: "resume",
    endless: true,
  },
  {
    name: "import --append",
    needs: { "more.csv": "data.csv", old: "target" },
    args: importing("--append"),
    makes: "array",
    again: "same",
  },
  {
    name: "import --overwrite",
    needs: { ...data, old: "target" },
    args: importing(...sparse, "--overwrite"),
    makes: "array",
    again: "resume",
  },
  ...["source", "dense"].map((source): Command => ({
    name: `copy of a ${source === "dense" ? "dense" : "sparse"} array`,
    needs: { [source]: "source" },
    args: (folder) => ["copy", join(folder, "source"), join(folder, "target"), "--memory", "1MB", "--quiet"],
    makes: "array",
    again: "resume",
  })),
  {
    name: "copy --overwrite",
    needs: { source: "source", old: "target" },
    args: (
      folder,
    ) => ["copy", join(folder, "source"), join(folder, "target"), "--memory", "1MB", "--overwrite", "--quiet"],
    makes: "array",
    again: "resume",
  },
  ...["csv", "ndjson"].flatMap((format) =>
    [false, true].map((isOver): Command => ({
      name: `export to ${format}${isOver ? " over a file" : ""}`,
      needs: { source: "source", ...(isOver ? { "more.csv": "target" } : {}) },
      args: (folder) => ["export", join(folder, "source"), join(folder, "target"), "--format", format, "--quiet"],
      makes: "file",
      again: "same",
    }))
  ),
  {
    name: "delete",
    needs: { old: "target" },
    args: (folder) => ["delete", join(folder, "target"), "--where", "n > 50 and n < 900", "--quiet"],
    makes: "array",
    again: "same",
  },
]

const Points = ArraySchema.sparse({
  dims: { x: Dim.int64([0n, 1_000_000n], { tile: 1000 }) },
  attrs: { name: Attr.utf8(), n: Attr.int64() },
  capacity: 500,
})
const Grid = ArraySchema.dense({
  dims: { x: Dim.int32([0, 199], { tile: 20 }), y: Dim.int32([0, 199], { tile: 20 }) },
  attrs: { a: Attr.float64(), b: Attr.int32() },
})

const csv = (from: number, rows: number): string =>
  `x,name,n\n${Array.from({ length: rows }, (_, i) => `${from + i},name ${i % 97},${i}`).join("\n")}\n`

/** Creates the input files of all commands, once per sweep. */
export const templateOf = (sweep: Sweep): Promise<string> =>
  sweep.memo("template", async () => {
    const folder = join(sweep.folder, "template")
    mkdirSync(folder)
    writeFileSync(join(folder, "data.csv"), csv(0, ROWS))
    writeFileSync(join(folder, "more.csv"), csv(500_000, ROWS))
    const cells = (from: number, length: number) => ({
      x: BigInt64Array.from({ length }, (_, i) => BigInt(from + i)),
      name: Array.from({ length }, (_, i) => `old ${i % 13}`),
      n: BigInt64Array.from({ length }, (_, i) => BigInt(i)),
    })
    await run(Effect.gen(function* () {
      for (const [name, count] of [["source", 4], ["old", 1]] as const) {
        const array = yield* TileArray.create(join(folder, name), Points)
        for (let i = 0; i < count; i++) yield* Sparse.write(array, cells(i * 10_000, name === "old" ? 1000 : 6000))
        yield* TileArray.putMetadata(array, { title: name })
      }
      const grid = yield* TileArray.create(join(folder, "dense"), Grid)
      const of = (length: number) => ({
        a: Float64Array.from({ length }, (_, i) => i / 7),
        b: Int32Array.from({ length }, (_, i) => i * 3),
      })
      yield* Dense.write(grid, {}, of(40_000))
      yield* Dense.write(grid, { x: [10, 29], y: [15, 24] }, of(200))
      yield* makeAll(join(folder, "loop"))
      yield* writeOnce(join(folder, "loop"), 0)
    }))
    return folder
  })

/**
 * Returns all cells and metadata of an array as a digest, or "absent" without an array; fails with all other errors.
 */
export const readArray = (uri: string): Promise<string> =>
  run(
    Effect.gen(function* () {
      const array = yield* TileArray.open(uri)
      const { columns } = array.schema.arrayType === "sparse" ? yield* Sparse.read(array) : yield* Dense.read(array)
      const hash = createHash("sha1")
      let length = 0
      for (const [name, column] of Object.entries(columns as Record<string, { length: number; values: Uint8Array }>)) {
        hash.update(name)
        for (const part of Object.values(column)) {
          if (ArrayBuffer.isView(part)) hash.update(new Uint8Array(part.buffer, part.byteOffset, part.byteLength))
        }
        if (ArrayBuffer.isView(column)) hash.update(new Uint8Array(column.buffer, column.byteOffset, column.byteLength))
        else hash.update(JSON.stringify(column, (_, value) => typeof value === "bigint" ? String(value) : value))
        length = column.length
      }
      const metadata = yield* TileArray.metadata(array)
      hash.update(JSON.stringify(metadata, (_, value) => typeof value === "bigint" ? String(value) : value))
      return `${length} cells ${hash.digest("hex").slice(0, 12)}`
    }).pipe(Effect.catchTag("ArrayNotFound" as never, () => Effect.succeed("absent"))) as Program<string>,
  )

const readFile = (path: string): string =>
  existsSync(path) ? createHash("sha1").update(readFileSync(path)).digest("hex") : "absent"

const readTarget = async ({ makes }: Command, folder: string): Promise<string> =>
  makes === "file" ? readFile(join(folder, "target")) : await readArray(join(folder, "target"))

/** Copies the input files of a command, and adds unrelated files around and inside the target. */
const prepare = async (command: Command, sweep: Sweep, folder: string): Promise<void> => {
  const template = await templateOf(sweep)
  mkdirSync(folder, { recursive: true })
  for (const [from, to] of Object.entries(command.needs)) {
    cpSync(join(template, from), join(folder, to), { recursive: true })
  }
  writeStrangers(folder, NEIGHBOUR_NAMES)
  if (command.makes === "array" && Object.values(command.needs).includes("target")) writeStrangers(folder, INNER_NAMES)
}

interface Undisturbed {
  readonly milliseconds: number
  readonly before: string
  readonly after: string
}

/** Returns the result of a command that gets no signal, and its duration. */
const undisturbed = (command: Command, runtime: ChildRuntime, sweep: Sweep): Promise<Undisturbed> =>
  sweep.memo(`${command.name} ${runtime.name}`, async () => {
    const folder = join(sweep.folder, `undisturbed ${command.name} ${runtime.name}`)
    await prepare(command, sweep, folder)
    const before = await readTarget(command, folder)
    const inputOf = (arg: string) => arg === "-" ? join(folder, "data.csv") : arg
    const { code, error, milliseconds } = await runChild(runtime, MAIN, command.args(folder).map(inputOf))
    if (code !== 0) throw new Error(`${command.name} fails undisturbed: ${error}`)
    const after = await readTarget(command, folder)
    if (after === before || after === "absent") throw new Error(`${command.name} does nothing`)
    rmSync(folder, { recursive: true })
    return { milliseconds, before, after }
  })

const hasMark = (folder: string): boolean => {
  const target = join(folder, "target")
  return statSync(target, { throwIfNoEntry: false })?.isDirectory() === true && readdirSync(target).some(isMark)
}

/** Returns the problems of the files and the exit code of a stopped process. */
export const judgeStopped = (
  { sent, code, signal, isHanging, error }: Pick<Ended, "sent" | "code" | "signal" | "isHanging" | "error">,
  seen: { readonly before: string; readonly after: string; readonly now: string },
  files: { readonly before: Snapshot; readonly now: Snapshot },
  target: {
    readonly isMarked: boolean
    readonly replaces: boolean
    readonly endless: boolean
    readonly own: (path: string) => boolean
  },
): ReadonlyArray<string> => {
  const wrong: Array<string> = []
  if (isHanging) wrong.push("the process did not end")
  wrong.push(
    ...differences(files.before, files.now, (path) => !target.own(path)).map((line) => `a stranger's file: ${line}`),
  )
  // after a second signal, the process exits without waiting for the clean-up
  const isKilled = sent.includes("SIGKILL") || sent.length > 1
  const state = seen.now === seen.after && !target.endless ? "after" : seen.now === seen.before ? "before" : seen.now
  // at the end of a replacement, only the new cells and the mark exist
  const mayBeGone = target.replaces && target.isMarked
  if (state !== "after" && state !== "before" && !(state === "absent" && mayBeGone)) {
    wrong.push(`the array is neither in the state before nor in the state after: ${state}`)
  }
  if (isKilled) return wrong

  const expected = sent.length === 0 ? 0 : EXIT_CODES[sent[0] as keyof typeof EXIT_CODES]
  if (code !== 0 && code !== expected && !(code === null && signal === sent[0])) {
    wrong.push(`ended with ${code ?? signal} after ${sent.join(", ") || "no signal"}: ${error.trim().slice(-300)}`)
  }
  if (code === 0 && state !== "after") wrong.push("ended with 0, and the work is not done")
  if (state === "after") {
    if (target.isMarked) wrong.push("the array is complete, and its mark is still there")
  } else if (!mayBeGone) {
    wrong.push(...differences(files.before, files.now).map((line) => `left behind: ${line}`))
  }
  for (const path of files.now.keys()) if (isTemporary(path)) wrong.push(`a temporary file is left: ${path}`)
  return wrong
}

const planOf = (random: Random, { milliseconds }: Undisturbed, target: string, isArray: boolean): Plan => {
  const signal = random.pick<Signal>(["SIGINT", "SIGTERM", "SIGHUP", "SIGKILL", "SIGKILL", "SIGKILL"])
  const at = fraction(random)
  const kind = random.below(10)
  const second = chance(random, 0.15)
    ? { signal: random.pick<Signal>(["SIGINT", "SIGTERM", "SIGHUP", "SIGKILL"]), delay: random.below(30) }
    : undefined
  const file = join(target, random.pick([UNFINISHED_FILE, "__fragments", "__commits", "__schema", UNFINISHED_FILE]))
  const late = random.below(60)
  if (kind === 0) return { signal, delay: random.below(20), second }
  if (kind < 6 && isArray) return { signal, delay: kind < 4 ? Math.floor(at * milliseconds * 0.6) : late, file, second }
  return { signal, delay: Math.floor(at * milliseconds), second }
}

const shownPlan = ({ signal, delay, file, second }: Plan, folder: string): string =>
  `${signal} ${delay} ms after ${file === undefined ? "the start" : `${file.slice(folder.length + 1)} appears`}` +
  (second === undefined ? "" : `, ${second.signal} ${second.delay} ms later`)

/** Stops a command at a random moment. */
const stopCommand: Attack = async (random, sweep, folder): Promise<Outcome> => {
  const command = random.pick(commands)
  const runtime = random.pick(sweep.runtimes)
  const result = await undisturbed(command, runtime, sweep)
  const target = join(folder, "target")
  const replaces = command.args(folder).includes("--overwrite")
  const isNew = command.makes === "array" && !Object.values(command.needs).includes("target")
  await prepare(command, sweep, folder)
  const first = snapshotOf(folder)
  const strangers: Array<string> = []
  const intruders = chance(random, 0.3) && isNew
    ? ["stranger.txt", ...(chance(random, 0.5) ? ["__fragments/mine"] : [])]
    : []
  const intrude = {
    at: join(target, random.pick([UNFINISHED_FILE, "__fragments"])),
    act: () => {
      for (const name of intruders) {
        try {
          // the folder may already be removed
          writeFileSync(join(target, name), "not yours")
          strangers.push(name)
        } catch { /* the file was not written */ }
      }
    },
  }
  const plan = planOf(random, result, target, command.makes === "array")
  const useResume = chance(random, 0.5)
  const ended = await runChild(
    runtime,
    MAIN,
    command.args(folder),
    { ...plan, ...(intruders.length > 0 ? { intrude } : {}) },
    command.endless,
  )
  const before = new Map(first)
  for (const name of strangers) {
    before.set("target", "folder")
    if (name.includes("/")) before.set("target/__fragments", "folder")
    before.set(`target/${name}`, createHash("sha1").update("not yours").digest("hex"))
  }
  const isInside = (path: string): boolean => path === "target" || path.startsWith("target/")
  const strangersInside = new Set([
    ...INNER_NAMES.map((path) => path),
    ...strangers.map((name) => `target/${name}`),
  ])
  const own = (path: string): boolean => isInside(path) ? !strangersInside.has(path) : isTemporary(path)
  const sentText = ended.sent.length === 0 ? "finished before" : ended.sent.join(", ")
  const label = `${command.name} in ${runtime.name}, ${shownPlan(plan, folder)} (${sentText})` +
    (strangers.length > 0 ? ", with intruders" : "")
  const now = await readTarget(command, folder).catch((error) => `cannot be read: ${shortText(error)}`)
  const isMarked = hasMark(folder)
  const wrong = [
    ...judgeStopped(
      ended,
      { ...result, now },
      { before, now: snapshotOf(folder) },
      { isMarked, replaces, endless: command.endless === true, own },
    ),
  ]
  if (wrong.length > 0) return { label, wrong }

  // repeat the command
  if (now === result.after && !isMarked) return { label, wrong }
  if (isNew && !isMarked) { for (const name of strangers) rmSync(join(target, name)) }
  const option = command.again === "same"
    ? undefined
    : command.endless !== true && useResume && (isMarked || isNew)
    ? "--resume"
    : "--overwrite"
  const args = command.args(folder).filter((arg) => arg !== "--overwrite" || option === undefined)
    .map((arg) => arg === "-" ? join(folder, "data.csv") : arg)
  const again = await cli([...args, ...(option === undefined ? [] : [option])])
  const where = `again${option === undefined ? "" : ` with ${option}`}${isMarked ? " (marked)" : ""}`
  if (again.code !== 0) wrong.push(`${where} ended with ${again.code}: ${again.err.trim().slice(-400)}`)
  else {
    const seen = await readTarget(command, folder).catch((error) => `cannot be read: ${shortText(error)}`)
    if (seen !== result.after) wrong.push(`${where}: ${seen} in place of ${result.after}`)
    if (hasMark(folder)) wrong.push(`${where}: the mark is still there`)
  }
  const kept = (path: string): boolean =>
    !own(path) && before.has(path) && (isMarked || !strangers.some((s) => path === `target/${s}`))
  wrong.push(...differences(before, snapshotOf(folder), kept).map((line) => `${where}: a stranger's file: ${line}`))
  return { label, wrong }
}

/** Kills a program that writes with the library. */
const stopLoop: Attack = async (random, sweep, folder) => {
  const runtime = random.pick(sweep.runtimes)
  const template = await templateOf(sweep)
  mkdirSync(folder, { recursive: true })
  const target = join(folder, "target")
  cpSync(join(template, "loop"), target, { recursive: true })
  const paths = [
    ...NEIGHBOUR_NAMES,
    "target/notes.txt",
    "target/events/notes.txt",
    "target/board/__fragments/readme.md",
  ]
  writeStrangers(folder, paths)
  const before = snapshotOf(folder)
  const [signal, delay, writers] = [
    random.pick<Signal>(["SIGINT", "SIGTERM", "SIGKILL"]),
    between(random, 300, 2000),
    between(random, 1, 3),
  ]
  const { output, isHanging } = await runChild(
    runtime,
    "tests/laws/writer.ts",
    [target, "1000", String(writers), "0"],
    {
      signal,
      delay,
    },
  )
  const wrong: Array<string> = isHanging ? ["the process did not end"] : []
  const done = output.split("\n").slice(0, -1).map(Number)
  try {
    const { writes } = await run(seeAll(target))
    for (const write of [0, ...done]) if (!writes.has(write)) wrong.push(`write ${write} is lost`)
    if (writes.size > done.length + 1 + writers) wrong.push(`there are ${writes.size} writes after ${done.length}`)
    await run(writeOnce(target, 900))
    if (!(await run(seeAll(target))).writes.has(900)) wrong.push("the next write is missing")
  } catch (error) {
    wrong.push(shortText(error))
  }
  const kept = (path: string): boolean => paths.includes(path)
  wrong.push(...differences(before, snapshotOf(folder), kept).map((line) => `a stranger's file: ${line}`))
  return { label: `${writers} writers in ${runtime.name}, ${signal} after ${delay} ms, ${done.length} writes`, wrong }
}

/** Stops a random process. */
export const attackWithSignals: Attack = (random, sweep, folder) =>
  random.below(commands.length + 1) === 0 ? stopLoop(random, sweep, folder) : stopCommand(random, sweep, folder)
