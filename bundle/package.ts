/**
 * `deno task package [FILE.tgz]`: the package for Node, Bun and bundlers as one tarball, by default
 * `dist/tessera-array-<version>.tgz`. `deno pack` compiles the modules and their types. This step completes its `package.json`
 * and adds the command line: `bin/tessera.js`, the bundle of `deno task bundle`.
 */
import { spawnSync } from "node:child_process"
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join, resolve } from "node:path"
import process from "node:process"

const root = join(import.meta.dirname!, "..")

/** The sources that the package contains. */
const SOURCES = [
  "deno.json",
  "deno.lock",
  "mod.ts",
  "src",
  "schema",
  "platform",
  "README.md",
  "CHANGELOG.md",
  "LICENSE",
]

/** Packages whose types appear in the API: programs install them, so that there is one copy of each. */
const PEERS = ["effect", "@effect/platform"]

/** The part of a `package.json` that is completed. */
interface PackageJson {
  readonly name: string
  readonly version: string
  readonly exports: Readonly<Record<string, unknown>>
  readonly dependencies: Readonly<Record<string, string>>
}

/** Returns the `package.json` of the package; `made` is the file that `deno pack` wrote. */
export const completePackageJson = (made: PackageJson): Record<string, unknown> => {
  const isPeer = ([name]: readonly [string, string]): boolean => PEERS.includes(name)
  const dependencies = Object.entries(made.dependencies)
  return {
    ...made,
    description:
      "TileDB's array engine in TypeScript: reads and writes dense and sparse arrays, without a native library",
    keywords: ["tiledb", "array", "sparse", "dense", "soma", "effect"],
    engines: { node: ">=20.16" },
    sideEffects: [
      "./src/fragment/worker/program_worker.js",
      "./src/fragment/worker/tile_worker.js",
      "./bin/tessera.js",
    ],
    bin: { tessera: "./bin/tessera.js" },
    exports: { ...made.exports, "./package.json": "./package.json" },
    dependencies: Object.fromEntries(dependencies.filter((entry) => !isPeer(entry))),
    peerDependencies: Object.fromEntries(dependencies.filter(isPeer)),
  }
}

const run = (command: string, args: ReadonlyArray<string>, cwd: string): void => {
  const { status, stderr, error } = spawnSync(command, args, { cwd, encoding: "utf8" })
  if (status !== 0) throw new Error(`${command} ${args.join(" ")}: ${error?.message ?? stderr.trim()}`)
}

/** Writes the tarball. */
export const writePackage = (tarball: string): void => {
  const folder = mkdtempSync(join(tmpdir(), "tessera-package-"))
  try {
    const sources = join(folder, "sources")
    for (const name of SOURCES) cpSync(join(root, name), join(sources, name), { recursive: true })
    // without the package.json of the repository, `deno pack` writes one
    run(process.execPath, ["pack", "--quiet", "--allow-dirty", "-o", join(folder, "made.tgz")], sources)
    run("tar", ["xzf", "made.tgz"], folder)
    const content = join(folder, "package")
    rmSync(join(content, "deno.lock"))
    const file = join(content, "package.json")
    const made: PackageJson = JSON.parse(readFileSync(file, "utf8"))
    writeFileSync(file, `${JSON.stringify(completePackageJson(made), undefined, 2)}\n`)
    mkdirSync(join(content, "bin"))
    const bin = join(content, "bin", "tessera.js")
    run(process.execPath, ["run", "-A", "bundle/cli.ts", bin], root)
    writeFileSync(bin, `#!/usr/bin/env node\n${readFileSync(bin, "utf8")}`, { mode: 0o755 })
    mkdirSync(dirname(tarball), { recursive: true })
    run("tar", ["czf", tarball, "package"], folder)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

if (import.meta.main) {
  const { version } = JSON.parse(readFileSync(join(root, "deno.json"), "utf8"))
  const tarball = resolve(process.argv[2] ?? join(root, "dist", `tessera-array-${version}.tgz`))
  writePackage(tarball)
  console.log(tarball)
}
