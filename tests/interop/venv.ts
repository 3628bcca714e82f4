/** A Python with the real engine, of exact versions, in a folder that is kept between runs. */
import { spawnSync } from "node:child_process"
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import process from "node:process"

/** TileDB-Py 0.36.1 brings the engine 2.30.0. */
export const PACKAGES: ReadonlyArray<string> = ["tiledb==0.36.1", "numpy==2.4.6"]

/** What came of it: a Python, or why there is none. */
export type Venv = { readonly python: string } | { readonly reason: string }

const PROBE = "import oracle.engine as e; e.Engine(e.library())"

const run = (command: string, args: ReadonlyArray<string>, cwd: string): string | undefined => {
  const { status, stderr, error } = spawnSync(command, args, { encoding: "utf8", cwd, timeout: 300_000 })
  if (status === 0) return undefined
  return `${command} ${args.slice(0, 4).join(" ")}: ${error?.message ?? stderr.trim().split("\n").slice(-2).join(" ")}`
}

/** Finds the environment, or makes it. `TESSERA_PYTHON` names a Python that has the packages already. */
export const ensureVenv = (cache: string): Venv => {
  const here = import.meta.dirname!
  const given = process.env.TESSERA_PYTHON
  if (given !== undefined && given !== "") {
    const problem = run(given, ["-c", PROBE], here)
    return problem === undefined ? { python: given } : { reason: problem }
  }
  const folder = join(cache, `venv-${PACKAGES.join("-").replaceAll("==", "-")}`)
  const python = join(folder, "bin", "python")
  // the mark comes last: without it the folder is a rest of a run that was stopped
  const mark = join(folder, ".complete")
  if (existsSync(mark) && run(python, ["-c", PROBE], here) === undefined) return { python }
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(cache, { recursive: true })
  const making = `${folder}.${process.pid}`
  const makingPython = join(making, "bin", "python")
  const problem = run("python3", ["-m", "venv", making], cache) ??
    run(makingPython, ["-m", "pip", "install", "--quiet", "--only-binary", ":all:", ...PACKAGES], cache) ??
    run(makingPython, ["-c", PROBE], here)
  if (problem !== undefined) {
    rmSync(making, { recursive: true, force: true })
    return { reason: problem }
  }
  writeFileSync(join(making, ".complete"), "")
  try {
    // nothing of what we call knows where the folder was made
    renameSync(making, folder)
  } catch {
    // another run was faster
    rmSync(making, { recursive: true, force: true })
  }
  return { python }
}
