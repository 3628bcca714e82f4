/**
 * `deno task check:v4 [VERSION]`: counts the type errors that Effect 4 would cause, by default with its newest version.
 * The number shows how much work the migration is; errors do not fail the task. `@effect/platform` has no version for
 * Effect 4, so its types are those for Effect 3.
 */
import { spawnSync } from "node:child_process"
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import process from "node:process"

const root = join(import.meta.dirname!, "..")

/** Types that the packages refer to. */
const TYPES = { "@types/node": "24.10.1" }

/** The maximum number of listed files, and of listed error codes. */
const MAX_LISTED = 10

/** Returns the number of occurrences of each value, the most frequent value first. */
export const countValues = (values: Iterable<string>): ReadonlyArray<readonly [value: string, count: number]> => {
  const counts = new Map<string, number>()
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1)
  return [...counts].sort((a, b) => b[1] - a[1])
}

if (import.meta.main) {
  const version = process.argv[2] ?? "4"
  const folder = mkdtempSync(join(tmpdir(), "tessera-v4-"))
  try {
    const { imports, compilerOptions } = JSON.parse(readFileSync(join(root, "deno.json"), "utf8"))
    const dependencies = Object.fromEntries(
      Object.values(imports as Record<string, string>).flatMap((specifier) => {
        const [, name, pinned] = /^npm:(.+)@([^@]+)$/.exec(specifier) ?? []
        return name === undefined ? [] : [[name, name === "effect" ? version : pinned]]
      }),
    )
    writeFileSync(
      join(folder, "package.json"),
      JSON.stringify({ type: "module", private: true, dependencies: { ...dependencies, ...TYPES } }),
    )
    writeFileSync(join(folder, "deno.json"), JSON.stringify({ compilerOptions, nodeModulesDir: "manual" }))
    const flags = ["--omit=optional", "--legacy-peer-deps", "--ignore-scripts", "--no-audit", "--no-fund"]
    const install = spawnSync("npm", ["install", ...flags], { cwd: folder, encoding: "utf8" })
    if (install.status !== 0) throw new Error(`npm install: ${install.error?.message ?? install.stderr.trim()}`)
    for (const name of ["mod.ts", "src", "schema", "platform"]) {
      cpSync(join(root, name), join(folder, name), { recursive: true })
    }
    const args = ["check", "mod.ts", "schema/mod.ts", "platform/mod.ts", "src/cli/mod.ts"]
    const env = { ...process.env, NO_COLOR: "1" }
    const { status, stderr } = spawnSync(process.execPath, args, {
      cwd: folder,
      encoding: "utf8",
      env,
      maxBuffer: 1 << 30,
    })
    const codes = [...stderr.matchAll(/^(TS\d+) \[ERROR\]/gm)].map(([, code]) => code)
    const files = [...stderr.matchAll(/^\s+at file:.*\/((?:src|schema|platform)\/[^:]+):\d+:\d+$/gm)].map(([, file]) =>
      file
    )
    if (status !== 0 && codes.length === 0) throw new Error(`deno check: ${stderr.trim()}`)
    console.log(`Effect ${version}: ${codes.length} type errors`)
    for (const [code, count] of countValues(codes).slice(0, MAX_LISTED)) {
      console.log(`${String(count).padStart(6)}  ${code}`)
    }
    for (const [file, count] of countValues(files).slice(0, MAX_LISTED)) {
      console.log(`${String(count).padStart(6)}  ${file}`)
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
}
