/** Pythons with the real engine and its applications, of exact versions, in folders that are kept between runs. */
import { spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { basename, join } from "node:path"
import process from "node:process"

/** A Python that is wanted. */
export interface Environment {
  readonly name: string
  /** Exact versions; `name==version` each. */
  readonly packages: ReadonlyArray<string>
  /** Whether the list is complete, so that pip need not look for what they want. */
  readonly complete: boolean
  /** Python that fails if something is missing. */
  readonly probe: string
  /** The environment variable that names a Python that has the packages already. */
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

/** The applications that write arrays, with all that they import. */
export const APPLICATIONS: Environment = {
  name: "applications",
  packages: readFileSync(join(here, "applications", "requirements.txt"), "utf8").split("\n")
    .filter((line) => /^[^#\s]/.test(line)),
  complete: true,
  probe: "import anndata, tiledb.bioimg, tiledbsoma.io, pandas, tifffile; " + ENGINE.probe,
  variable: "TESSERA_APPLICATIONS_PYTHON",
}

/** What came of it: a Python, or why there is none. */
export type Venv = { readonly python: string } | { readonly reason: string }

const run = (command: string, args: ReadonlyArray<string>, cwd: string): string | undefined => {
  const { status, stderr, error } = spawnSync(command, args, { encoding: "utf8", cwd, timeout: 300_000 })
  if (status === 0) return undefined
  return `${command} ${args.slice(0, 4).join(" ")}: ${error?.message ?? stderr.trim().split("\n").slice(-2).join(" ")}`
}

/** Whether a process is still there. */
export const isRunning = (id: number): boolean => {
  try {
    process.kill(id, 0)
    return true
  } catch (error) {
    return (error as { readonly code?: string }).code === "EPERM"
  }
}

/** Removes `stem.ID` and `stem.ID.broken` of processes that are gone. */
export const removeLeft = (folder: string, stem: string): void => {
  for (const name of existsSync(folder) ? readdirSync(folder) : []) {
    const id = name.startsWith(`${stem}.`) ? /^(\d+)(\.broken)?$/.exec(name.slice(stem.length + 1))?.[1] : undefined
    if (id !== undefined && !isRunning(Number(id))) rmSync(join(folder, name), { recursive: true, force: true })
  }
}

/** Finds the environment below `cache`, or makes it. Two runs may do that at once. */
export const ensureVenv = (cache: string, environment: Environment = ENGINE): Venv => {
  const { name, packages, complete, probe, variable } = environment
  const given = process.env[variable]
  if (given !== undefined && given !== "") {
    const problem = run(given, ["-c", probe], here)
    return problem === undefined ? { python: given } : { reason: `${variable}: ${problem}` }
  }
  const version = createHash("sha256").update(packages.join("\n")).digest("hex").slice(0, 8)
  const folder = join(cache, `venv-${name}-${version}`)
  const python = join(folder, "bin", "python")
  // the mark comes last: without it the folder is a rest of a run that was stopped
  const works = (): boolean => existsSync(join(folder, ".complete")) && run(python, ["-c", probe], here) === undefined
  if (works()) return { python }
  mkdirSync(cache, { recursive: true })
  removeLeft(cache, basename(folder))
  const making = `${folder}.${process.pid}`
  const makingPython = join(making, "bin", "python")
  console.log(`making a Python with ${name === "engine" ? packages.join(" and ") : `the ${name}`} in ${folder}`)
  const pip = ["-m", "pip", "install", "--quiet", "--only-binary", ":all:", ...(complete ? ["--no-deps"] : [])]
  const problem = run("python3", ["-m", "venv", making], cache) ??
    run(makingPython, [...pip, ...packages], cache) ??
    run(makingPython, ["-c", probe], here)
  if (problem !== undefined) {
    rmSync(making, { recursive: true, force: true })
    return { reason: problem }
  }
  writeFileSync(join(making, ".complete"), "")
  // another run may have been faster, and may be using its own: only a broken one goes
  if (!works()) {
    const broken = `${making}.broken`
    try {
      if (existsSync(folder)) renameSync(folder, broken)
      // nothing of what we call knows where the folder was made
      renameSync(making, folder)
    } catch {
      // another run was faster between the look and the move
    }
    rmSync(broken, { recursive: true, force: true })
  }
  rmSync(making, { recursive: true, force: true })
  return works() ? { python } : { reason: `${folder} does not work, though it was just made` }
}
