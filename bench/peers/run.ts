/**
 * `deno task bench:peers [--json] [--quick] [--only W6] [--case zstd]`: compares tessera in Deno and in Bun with
 * TileDB-Py, side by side in one run on the same arrays. Rounds of the peer and of tessera alternate. The fastest run
 * of each side counts; for the peer, the fastest of its configurations. Before a case is timed, all sides must return
 * the same cells.
 *
 * The arrays are written once, into `tests/.cache/bench` or $TESSERA_BENCH_DATA (1.1 GB). The peer is installed
 * automatically.
 */
import { spawnSync } from "node:child_process"
import { mkdirSync } from "node:fs"
import { arch, cpus, platform, release, totalmem } from "node:os"
import { join, resolve } from "node:path"
import process from "node:process"
import { ensureVenv } from "../../tests/interop/venv.ts"
import { type Count, counts, type Row, rows } from "./cases.ts"
import { coldCommands, runOnce } from "./cold_start.ts"
import { maintenanceCases } from "./maintenance/cases.ts"
import { measureMaintenance } from "./maintenance/measure.ts"
import { type Answer, startWorker, type Worker } from "./processes.ts"
import { canTrace, countCalls } from "./system_calls.ts"
import { type Result, table } from "./table.ts"

const here = import.meta.dirname!
const root = join(here, "..", "..")
const cache = join(root, "tests", ".cache")
const data = resolve(process.env.TESSERA_BENCH_DATA || join(cache, "bench"))
const bundle = join(root, "dist", "tessera.js")

const json = process.argv.includes("--json")
const quick = process.argv.includes("--quick")
const only = process.argv.flatMap((word, i, all) => all[i - 1] === "--only" ? word.split(",") : [])
const isSelected = (workload: string): boolean => only.length === 0 || only.includes(workload)
/** `--case`: runs only cases whose name contains this text. */
const named = process.argv[process.argv.indexOf("--case") + 1]
const isNamed = (name: string): boolean => !process.argv.includes("--case") || name.includes(named)
const ROUNDS = quick ? 1 : 3
/** An operation that is not implemented yet does not count as a failure. */
const NOT_OFFERED = /^not offered: /

let broken = 0
const say = (text: string): void => console.error(text)
const fault = (text: string): void => {
  broken++
  say(`BROKEN ${text}`)
}

const median = (values: ReadonlyArray<number>): number => [...values].sort((a, b) => a - b)[values.length >>> 1]

const must = (command: ReadonlyArray<string>): void => {
  const { status, stdout, stderr, error } = spawnSync(command[0], command.slice(1), { encoding: "utf8", cwd: root })
  if (status === 0) return
  say(`${command.join(" ")}: ${error?.message ?? stdout + stderr}`)
  process.exit(1)
}

const venv = ensureVenv(cache)
if ("reason" in venv) {
  say(`cannot run the peer: ${venv.reason}`)
  process.exit(1)
}
const { python } = venv
mkdirSync(data, { recursive: true })
const writing = spawnSync(python, [join(here, "data.py"), data], { stdio: ["ignore", 2, 2] })
if (writing.status !== 0) process.exit(1)

const worker = join(here, "worker.ts")
const commands = {
  deno: ["deno", "run", "-A", "--no-check", worker],
  bun: ["bun", worker],
} as const
type Runtime = keyof typeof commands
const hasBun = spawnSync("bun", ["--version"]).status === 0
if (!hasBun) say("bun is not on the PATH: only Deno is measured")
const runtimes: ReadonlyArray<Runtime> = hasBun ? ["deno", "bun"] : ["deno"]

const results: Array<Result> = []
const report = (result: Result): void => {
  results.push(result)
  if (json) console.log(JSON.stringify(result))
  else say(`${result.workload} ${result.case}, ${result.runtime}: ${result.ratio.toFixed(2)}`)
}

const same = (a: Answer["check"], b: Answer["check"]): boolean => {
  const keys = Object.keys(a ?? {})
  return keys.length === Object.keys(b ?? {}).length &&
    keys.every((key) => JSON.stringify(a![key]) === JSON.stringify(b![key]))
}

/** Reads the cells of a case on all sides; returns the workers whose cells equal the peer's. */
const checked = async (row: Row, peer: Worker, ours: ReadonlyArray<Worker>): Promise<ReadonlyArray<Worker>> => {
  const right = await peer.ask({ case: row.peer ?? row.run, check: true })
  if (right.error !== undefined) {
    fault(`${row.workload} ${row.name}, peer: ${right.error}`)
    return []
  }
  const good: Array<Worker> = []
  for (const one of ours) {
    const answer = await one.ask({ case: row.run, check: true })
    if (answer.error !== undefined) {
      if (NOT_OFFERED.test(answer.error)) say(`${row.workload} ${row.name}, ${one.name}: ${answer.error}`)
      else fault(`${row.workload} ${row.name}, ${one.name}: ${answer.error}`)
    } else if (same(right.check, answer.check)) good.push(one)
    else {
      fault(
        `${row.workload} ${row.name}, ${one.name}: the cells differ from the peer's: ${
          JSON.stringify([right, answer])
        }`,
      )
    }
  }
  return good
}

const CONFIGS = ["tuned", "small", "one"]

/**
 * The duration of the warm-up in milliseconds, which is not measured: just-in-time compilers need time to optimize hot
 * code.
 */
const WARM_UP_MS = 300

/** Runs a case `runs` times; in round 0, repeats it until the warm-up time has passed. */
const askFor = async (
  worker: Worker,
  request: { readonly case: Row["run"]; readonly config?: string },
  round: number,
  runs: number,
) => {
  if (round > 0) return await worker.ask({ ...request, runs })
  for (let spent = 0, next = 1; spent < WARM_UP_MS; next = Math.min(2 * next, 100)) {
    const { ms = [], error } = await worker.ask({ ...request, runs: next })
    if (error !== undefined) return { error }
    spent += ms.reduce((sum, one) => sum + one, 0)
  }
  return {}
}

const timeRow = async (row: Row, peer: Worker, all: ReadonlyArray<Worker>): Promise<void> => {
  const ours = await checked(row, peer, all)
  if (ours.length === 0) return
  const peers = new Map(CONFIGS.map((config): [string, Array<number>] => [config, []]))
  const times = new Map(ours.map((one): [Worker, Array<number>] => [one, []]))
  for (let round = 0; round <= ROUNDS; round++) {
    for (const config of CONFIGS) {
      const { ms = [], error } = await askFor(peer, { case: row.peer ?? row.run, config }, round, row.runs)
      if (error !== undefined) return fault(`${row.workload} ${row.name}, peer: ${error}`)
      if (round > 0) peers.get(config)!.push(...ms)
    }
    for (const one of ours) {
      const { ms = [], error } = await askFor(one, { case: row.run }, round, row.runs)
      if (error !== undefined) return fault(`${row.workload} ${row.name}, ${one.name}: ${error}`)
      if (round > 0) times.get(one)!.push(...ms)
    }
  }
  const best = [...peers.values()].reduce((a, b) => Math.min(...a) <= Math.min(...b) ? a : b)
  for (const one of ours) put(row, one.name as Runtime, times.get(one)!, best)
}

const put = (
  row: { readonly workload: string; readonly name: string; readonly goal?: number; readonly aim?: number },
  runtime: Runtime,
  ours: ReadonlyArray<number>,
  peers: ReadonlyArray<number>,
): void => {
  const [ours_ms, peer_ms] = [Math.min(...ours), Math.min(...peers)]
  report({
    workload: row.workload,
    case: row.name,
    runtime,
    ours_ms,
    peer_ms,
    ratio: ours_ms / peer_ms,
    ours_median: median(ours),
    peer_median: median(peers),
    goal: row.goal,
    aim: row.aim,
  })
}

const countRow = (count: Count): void => {
  const array = join(data, count.array)
  const runJson = JSON.stringify(count.run)
  const peer = countCalls([python, join(here, "peer.py"), "--once", data, runJson], array)[count.unit]
  for (const runtime of runtimes) {
    const ours = countCalls([...commands[runtime], "--once", data, runJson], array)[count.unit]
    report({
      workload: "W14",
      case: count.name,
      runtime,
      ours_ms: ours,
      peer_ms: peer,
      ratio: ours / peer,
      ours_median: ours,
      peer_median: peer,
      goal: count.maxCount === undefined ? undefined : count.maxCount / peer,
      aim: count.aim,
      unit: count.unit,
    })
  }
}

const timed = rows.filter((row) => isSelected(row.workload) && isNamed(row.name))
if (timed.length > 0) {
  const peer = startWorker("peer", [python, join(here, "peer.py"), data])
  const ours = runtimes.map((runtime) => startWorker(runtime, [...commands[runtime], data]))
  const huge = timed.some(({ hugePages }) => hugePages)
    ? [startWorker("deno", [...commands.deno, data], { GLIBC_TUNABLES: "glibc.malloc.hugetlb=1" })]
    : []
  for (const row of timed) await timeRow(row, peer, row.hugePages ? huge : ours)
  for (const one of [peer, ...ours, ...huge]) one.stop()
}
if (isSelected("W14")) {
  if (canTrace()) {
    for (const count of counts) {
      try {
        countRow(count)
      } catch (error) {
        fault(`W14 ${count.name}: ${error instanceof Error ? error.message : error}`)
      }
    }
  } else say("W14: skipped, strace is missing or not permitted")
}
if (isSelected("W16")) {
  must(["deno", "task", "bundle"])
  const cold = coldCommands(join(data, "small_zstd"), python, bundle)
  const times = { peer: [] as Array<number>, deno: [] as Array<number>, bun: [] as Array<number> }
  for (let round = 0; round < (quick ? 4 : 16); round++) {
    for (const side of ["peer", ...runtimes] as const) {
      const ms = runOnce(cold[side])
      // the first runs fill the caches
      if (round > 0) times[side].push(ms)
    }
  }
  for (const runtime of runtimes) {
    put({ workload: "W16", name: "cold start, a tile", goal: 0.5, aim: 0.5 }, runtime, times[runtime], times.peer)
  }
}

if (isSelected("W17")) {
  // each run is a process, without the arguments of a worker
  const scripts = Object.fromEntries(runtimes.map((runtime) => [runtime, commands[runtime].slice(0, -1)]))
  for (const one of maintenanceCases.filter(({ name }) => isNamed(name))) {
    try {
      measureMaintenance(one, { python, runtimes: scripts, data, rounds: ROUNDS }).forEach(report)
    } catch (error) {
      fault(`W17 ${one.name}: ${error instanceof Error ? error.message : error}`)
    }
  }
}

if (!json) {
  const machine = `${cpus()[0]?.model ?? arch()}, ${cpus().length} cores, ${Math.round(totalmem() / 2 ** 30)} GiB`
  console.log(`${new Date().toISOString().slice(0, 10)}, ${machine}, ${platform()} ${release()}\n`)
  console.log(table(results))
}
process.exit(broken > 0 ? 1 : 0)
