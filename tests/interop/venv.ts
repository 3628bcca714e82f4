/**
 * Python environments with the real engine and its applications, in exact versions, in folders that are reused between
 * runs.
 */
import { spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { basename, join } from "node:path"
import process from "node:process"

/** A Python environment. */
export interface Environment {
  readonly name: string
  /** Exact versions; `name==version` each. */
  readonly packages: ReadonlyArray<string>
  /** Whether the list includes all dependencies, so that pip does not need to resolve them. */
  readonly complete: boolean
  /** Python that fails if something is missing. */
  readonly probe: string
  /** The environment variable that names an existing Python with the packages. */
  readonly variable: string
}

const here = import.meta.dirname!

/** The engine alone: TileDB-Py 0.36.1 brings the engine 2.30.0. */
export const ENGINE: Environment = {
  name: "engine",
  packages: ["tiledb==0.36.1", "numpy==2.4.6"],
  complete: false,
  probe: "import oracle.engine as e; e.Engine(e.library())",
  variable: "TESSERA_PYTHON",
}

/** The applications that write arrays, with all their dependencies. */
export const APPLICATIONS: Environment = {
  name: "applications",
  packages: readFileSync(join(here, "applications", "requirements.txt"), "utf8").split("\n")
    .filter((line) => /^[^#\s]/.test(line)),
  complete: true,
  probe: "import anndata, tiledb.bioimg, tiledbsoma.io, pandas, tifffile; " + ENGINE.probe,
  variable: "TESSERA_APPLICATIONS_PYTHON",
}

/** A Python, or the reason why it is not available. */
export type Venv = { readonly python: string } | { readonly reason: string }

const run = (command: string, args: ReadonlyArray<string>, cwd: string): string | undefined => {
  const { status, stderr, error } = spawnSync(command, args, { encoding: "utf8", cwd, timeout: 300_000 })
  if (status === 0) return undefined
  return `${command} ${args.slice(0, 4).join(" ")}: ${error?.message ?? stderr.trim().split("\n").slice(-2).join(" ")}`
}

/** Whether a process is running. */
export const isRunning = (id: number): boolean => {
  try {
    process.kill(id, 0)
    return true
  } catch (error) {
    return (error as { readonly code?: string }).code === "EPERM"
  }
}

/** Removes `stem.ID` and `stem.ID.broken` of processes that are no longer running. */
export const removeLeft = (folder: string, stem: string): void => {
  for (const name of existsSync(folder) ? readdirSync(folder) : []) {
    const id = name.startsWith(`${stem}.`) ? /^(\d+)(\.broken)?$/.exec(name.slice(stem.length + 1))?.[1] : undefined
    if (id !== undefined && !isRunning(Number(id))) rmSync(join(folder, name), { recursive: true, force: true })
  }
}

/** Returns the environment below `cache`, or creates it. Two runs may do that concurrently. */
export const ensureVenv = (cache: string, environment: Environment = ENGINE): Venv => {
  const { name, packages, complete, probe, variable } = environment
  const configured = process.env[variable]
  if (configured !== undefined && configured !== "") {
    const problem = run(configured, ["-c", probe], here)
    return problem === undefined ? { python: configured } : { reason: `${variable}: ${problem}` }
  }
  const version = createHash("sha256").update(packages.join("\n")).digest("hex").slice(0, 8)
  const folder = join(cache, `venv-${name}-${version}`)
  const python = join(folder, "bin", "python")
  // the mark is written last: without it, the folder belongs to an interrupted run
  const works = (): boolean => existsSync(join(folder, ".complete")) && run(python, ["-c", probe], here) === undefined
  if (works()) return { python }
  mkdirSync(cache, { recursive: true })
  removeLeft(cache, basename(folder))
  const temporary = `${folder}.${process.pid}`
  const newPython = join(temporary, "bin", "python")
  console.log(
    `creating a Python environment with ${name === "engine" ? packages.join(" and ") : `the ${name}`} in ${folder}`,
  )
  const pip = ["-m", "pip", "install", "--quiet", "--only-binary", ":all:", ...(complete ? ["--no-deps"] : [])]
  const problem = run("python3", ["-m", "venv", temporary], cache) ??
    run(newPython, [...pip, ...packages], cache) ??
    run(newPython, ["-c", probe], here)
  if (problem !== undefined) {
    rmSync(temporary, { recursive: true, force: true })
    return { reason: problem }
  }
  writeFileSync(join(temporary, ".complete"), "")
  // another run may have finished first and may use its environment: only a broken one is replaced
  if (!works()) {
    const broken = `${temporary}.broken`
    try {
      if (existsSync(folder)) renameSync(folder, broken)
      // no called program depends on the original name of the folder
      renameSync(temporary, folder)
    } catch {
      // another run finished between the check and the rename
    }
    rmSync(broken, { recursive: true, force: true })
  }
  rmSync(temporary, { recursive: true, force: true })
  return works() ? { python } : { reason: `${folder} does not work after its creation` }
}
