/** Counts file system calls with `strace`: all calls on a file of the array, except `close`. */
import { spawnSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

/** The counts between the two marks. */
export interface Counted {
  readonly calls: number
  readonly bytes: number
}

/** Whether `strace` may trace processes on this machine. */
export const canTrace = (): boolean => spawnSync("strace", ["-o", "/dev/null", "true"]).status === 0

const MARK = "/tessera-mark"

/** Counts between the two marks of a trace. Interrupted calls take two lines; the second one contains the result. */
const count = (log: string, array: string): Counted => {
  let [marks, calls, bytes] = [0, 0, 0]
  const halves = new Set<string>()
  for (const line of log.split("\n")) {
    const [thread] = line.split(" ", 1)
    if (line.includes(MARK)) marks += line.includes("resumed>") ? 0 : 1
    if (marks !== 1) continue
    const resumed = line.includes("resumed>")
    if (resumed ? !halves.delete(thread) : !line.includes(array)) continue
    if (!resumed) {
      if (/^\d+\s+close\(/.test(line)) continue
      calls++
      if (line.includes("<unfinished")) halves.add(thread)
    }
    const read = /^\d+\s+(?:<\.\.\. )?p?read(?:v|64|v2)?\b.*= (\d+)$/.exec(line)
    if (read !== null) bytes += Number(read[1])
  }
  return { calls, bytes }
}

/** Runs a program that makes two marked calls, and counts the calls between the marks. */
export const countCalls = (command: ReadonlyArray<string>, array: string): Counted => {
  const folder = mkdtempSync(join(tmpdir(), "tessera-calls-"))
  try {
    const log = join(folder, "log")
    const traced = ["-f", "-y", "-qq", "-s", "0", "-e", "trace=%file,%desc", "-o", log, ...command]
    const { status, stderr, error } = spawnSync("strace", traced, { encoding: "utf8" })
    if (status !== 0) throw new Error(`strace ${command[0]}: ${error?.message ?? stderr.trim()}`)
    return count(readFileSync(log, "utf8"), array)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
