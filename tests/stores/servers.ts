/** Starts and stops the object-store servers of the tests. */
import { spawnSync } from "node:child_process"
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import process from "node:process"

/** Servers that `start.sh` can start. */
export type ServerName = "versitygw" | "minio" | "azurite" | "fakegcs" | "toxiproxy"

const cache = join(import.meta.dirname!, "..", ".cache", "stores")

const script = (args: ReadonlyArray<string>): string => {
  mkdirSync(cache, { recursive: true })
  // own state per process, so that several test runs can use one installation
  const env = { ...process.env, SVC_CACHE: cache, SVC_RUN: join(cache, `run-${process.pid}`) }
  const result = spawnSync("bash", [join(import.meta.dirname!, "start.sh"), ...args], {
    encoding: "utf8",
    env,
    timeout: 900_000,
  })
  if (result.status === 0) return result.stdout
  throw new Error(`start.sh ${args.join(" ")}: ${result.error?.message ?? result.stderr.trim().split("\n").at(-1)}`)
}

/** Starts a server, which is installed first if needed; returns its settings by name. */
export const startServer = (name: ServerName): Readonly<Record<string, string>> =>
  Object.fromEntries(script([name]).trim().split("\n").map((line) => line.split(/=(.*)/s).slice(0, 2)))

/** Stops a server that this process started. */
export const stopServer = (name: ServerName): void => void script(["stop", name])
