/**
 * W17: maintenance. Each run is an operation in a new process on a new copy of the array, so the time includes
 * just-in-time compilation, and then the same operation on another copy.
 */
import { spawnSync } from "node:child_process"
import { cpSync, rmSync } from "node:fs"
import { join } from "node:path"
import process from "node:process"
import type { Result } from "../table.ts"
import { GOALS, type MaintenanceCase } from "./cases.ts"

const here = import.meta.dirname!

/** The cost of one operation. */
interface Cost {
  /** Milliseconds of wall and CPU time. */
  readonly ms: number
  readonly cpu: number
  /** Milliseconds of the second operation. */
  readonly again: number
  /** Bytes that the process read from files and wrote to files. */
  readonly read: number
  readonly written: number
  /** Peak resident memory of the process in bytes, and its part before the operation. */
  readonly peak: number
  readonly base: number
}

/** The compared processes. */
export interface Sides {
  readonly python: string
  readonly runtimes: Readonly<Partial<Record<"deno" | "bun", ReadonlyArray<string>>>>
  /** The folder of the arrays. */
  readonly data: string
  /** Number of runs on each side. */
  readonly rounds: number
}

const PEER_CONFIGS = ["default", "tuned"]

const lastLine = (command: ReadonlyArray<string>): unknown => {
  const { status, stdout, stderr, error } = spawnSync(command[0], command.slice(1), { encoding: "utf8" })
  if (status !== 0) throw new Error(`${command.slice(0, 4).join(" ")}: ${error?.message ?? stderr.trim()}`)
  return JSON.parse(stdout.trim().split("\n").at(-1)!)
}

const median = (values: ReadonlyArray<number>): number => [...values].sort((a, b) => a - b)[values.length >>> 1]

/** The measured values; each is a row of the table. */
const MEASURES: ReadonlyArray<{
  readonly label: string
  readonly value: (cost: Cost) => number
  readonly unit?: "bytes" | "CPU"
  readonly goal?: number
}> = [
  { label: "", value: ({ ms }) => ms, goal: GOALS.ms },
  { label: ", second call", value: ({ again }) => again, goal: GOALS.ms },
  { label: ", CPU", value: ({ cpu }) => cpu, unit: "CPU" },
  { label: ", bytes read", value: ({ read }) => read, unit: "bytes" },
  { label: ", bytes written", value: ({ written }) => written, unit: "bytes" },
  { label: ", peak memory", value: ({ peak }) => peak, unit: "bytes", goal: GOALS.peak },
  { label: ", peak over start", value: ({ peak, base }) => peak - base, unit: "bytes", goal: GOALS.peak },
]

/**
 * Runs a case on all sides in turns and returns its rows. Fails if the real engine reads other cells from the result of
 * one side than from the original.
 */
export const measureMaintenance = (
  { name, array, operation }: MaintenanceCase,
  { python, runtimes, data, rounds }: Sides,
): ReadonlyArray<Result> => {
  const script = join(here, "maintain.py")
  const copy = join(data, `.copy-${process.pid}`)
  const second = `${copy}-2`
  const cells = JSON.stringify(lastLine([python, script, "check", join(data, array)]))
  const commands: ReadonlyArray<readonly [side: string, command: ReadonlyArray<string>]> = [
    ...PEER_CONFIGS.map((config) => [config, [python, script, "run", config, operation, copy, second]] as const),
    ...Object.entries(runtimes).map(([side, command]) =>
      [side, [...command, join(here, "maintain.ts"), operation, copy, second]] as const
    ),
  ]
  const costs = new Map(commands.map(([side]): [string, Array<Cost>] => [side, []]))
  try {
    for (let round = 0; round < rounds; round++) {
      for (const [side, command] of commands) {
        for (const target of [copy, second]) cpSync(join(data, array), target, { recursive: true })
        costs.get(side)!.push(lastLine(command) as Cost)
        if (round === 0 && JSON.stringify(lastLine([python, script, "check", copy])) !== cells) {
          throw new Error(`${side}: the cells changed`)
        }
        for (const target of [copy, second]) rmSync(target, { recursive: true })
      }
    }
  } finally {
    for (const target of [copy, second]) rmSync(target, { recursive: true, force: true })
  }
  const peers = PEER_CONFIGS.map((config) => costs.get(config)!)
  return MEASURES.flatMap(({ label, value, unit, goal }) =>
    (Object.keys(runtimes) as ReadonlyArray<"deno" | "bun">).map((runtime): Result => {
      const ours = costs.get(runtime)!.map(value)
      // the configuration that is best for this value
      const peer = peers.map((all) => all.map(value)).reduce((a, b) => Math.min(...a) <= Math.min(...b) ? a : b)
      return {
        workload: "W17",
        case: `${name}${label}`,
        runtime,
        ours_ms: Math.min(...ours),
        peer_ms: Math.min(...peer),
        ratio: Math.min(...ours) / Math.min(...peer),
        ours_median: median(ours),
        peer_median: median(peer),
        ...(goal === undefined ? {} : { goal }),
        ...(unit === undefined ? {} : { unit }),
      }
    })
  )
}
