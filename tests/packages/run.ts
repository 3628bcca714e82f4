/**
 * `deno task packages [--only NAME]`: builds the package, installs it in empty projects for Node, Bun and Deno, and
 * runs the same program in each form: from sources, bundled and compiled. Checks the types, the results, the command
 * line, and that worker threads ran jobs. Needs the npm registry.
 */
import { spawn } from "node:child_process"
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import process from "node:process"
import { isDeepStrictEqual } from "node:util"
import { runtimes } from "../interop/processes.ts"
import { chromium, resultOfPage } from "./browser.ts"
import { type Registry, startRegistry } from "./jsr_registry.ts"

const root = join(import.meta.dirname!, "..", "..")
const only = process.argv[process.argv.indexOf("--only") + 1]
const isSelected = (name: string): boolean => !process.argv.includes("--only") || name.includes(only)

const [deno, bun] = runtimes()
const node = ["npx", "-y", "node@22"]
const CELLS = 4 * 2048 * 2048
const EXPECTED = { sizes: [CELLS, CELLS, CELLS, CELLS], streamed: CELLS, x: [1.5, 2.5], threads: true }
const PEERS = { effect: "3", "@effect/platform": "0.97.2" }
const TOOLS = { typescript: "5.9.3", "@types/node": "24.10.1", esbuild: "0.25.12", vite: "7.2.2" }

/** The command line of JSR for npm and Bun. */
const JSR_COMMAND = "jsr@0.14.3"

/** Deno resolves optional packages of all platforms; a mirror of the registry may lack one of version 3.0.7. */
const OVERRIDES = { overrides: { "msgpackr-extract": "3.0.4" } }

const COMPILER_OPTIONS = {
  target: "es2022",
  lib: ["es2023", "dom", "dom.iterable", "dom.asynciterable"],
  module: "nodenext",
  moduleResolution: "nodenext",
  strict: true,
  skipLibCheck: false,
  exactOptionalPropertyTypes: true,
  types: ["node"],
}

/** Reads with a version of Effect that differs from the one of the package: results are right, and Effect warns. */
const TWO_VERSIONS = `
import { Dense, layerDefault, TileArray } from "@tessera/array"
import * as Effect from "effect/Effect"
import process from "node:process"

const read = Effect.gen(function* () {
  const weather = yield* TileArray.open(process.argv[2])
  const { columns } = yield* Dense.read(weather, { select: ["temperature"], region: { day: 60, station: [1, 4] } })
  const tag = yield* Effect.catchTag(TileArray.open("missing"), "ArrayNotFound", ({ _tag }) => Effect.succeed(_tag))
  return ["result", JSON.stringify([...columns.temperature.values]), tag].join(" ")
})
console.log(await Effect.runPromise(Effect.provide(read, layerDefault)))
`

const lastLines = (text: string): string => text.trim().split("\n").slice(-30).join("\n")

/** The output of a command. */
interface Output {
  readonly stdout: string
  readonly stderr: string
}

/**
 * Runs a command in a folder; fails with its output if the command fails. Asynchronous, because the registry runs in
 * this process.
 */
const run = (
  folder: string,
  command: ReadonlyArray<string>,
  environment: Readonly<Record<string, string>> = {},
): Promise<Output> =>
  new Promise((resolve, reject) => {
    const env = { ...process.env, NO_COLOR: "1", NPM_CONFIG_LOGLEVEL: "error", ...environment }
    const stdio = ["ignore", "pipe", "pipe"] as ["ignore", "pipe", "pipe"]
    const child = spawn(command[0], command.slice(1), { cwd: folder, env, stdio, timeout: 300_000 })
    const output = { stdout: "", stderr: "" }
    child.stdout.setEncoding("utf8").on("data", (text) => output.stdout += text)
    child.stderr.setEncoding("utf8").on("data", (text) => output.stderr += text)
    child.on("error", reject)
    child.on("close", (code) => {
      if (code === 0) resolve(output)
      else reject(new Error(`${command.join(" ")}: exit code ${code}\n${output.stdout}\n${lastLines(output.stderr)}`))
    })
  })

/** Runs the program and compares its output. */
const runApp = async (
  folder: string,
  command: ReadonlyArray<string>,
  environment?: Readonly<Record<string, string>>,
): Promise<void> => {
  const { stdout, stderr } = await run(folder, command, environment)
  if (!isDeepStrictEqual(JSON.parse(stdout), EXPECTED)) {
    throw new Error(`${command.join(" ")} printed ${stdout}${stderr}`)
  }
}

/** Runs the command line: its version, and a read of an array. */
const runTessera = async (
  folder: string,
  command: ReadonlyArray<string>,
  environment?: Readonly<Record<string, string>>,
): Promise<void> => {
  const { version } = JSON.parse(readFileSync(join(root, "deno.json"), "utf8"))
  const { stdout: printed } = await run(folder, [...command, "--version"], environment)
  if (printed.trim() !== `tessera ${version}`) throw new Error(`--version printed ${printed}`)
  const weather = join(root, "tests", "golden", "demo", "weather")
  const args = ["read", weather, "--range", "day=60", "--range", "station=1", "--format", "csv"]
  const { stdout: expected } = await run(root, [...deno.command, "src/cli/main.ts", ...args])
  const { stdout: actual } = await run(folder, [...command, ...args], environment)
  if (actual !== expected) throw new Error(`read printed\n${actual}instead of\n${expected}`)
}

const folder = mkdtempSync(join(tmpdir(), "tessera-packages-"))
const tarball = join(folder, "tessera.tgz")

/** Creates a project that contains the program and `files`. */
const makeProject = (name: string, files: Readonly<Record<string, unknown>> = {}): string => {
  const project = join(folder, name)
  mkdirSync(project)
  cpSync(join(root, "tests", "packages", "app.ts"), join(project, "app.ts"))
  for (const [file, content] of Object.entries(files)) {
    writeFileSync(join(project, file), typeof content === "string" ? content : JSON.stringify(content))
  }
  return project
}

const packageJson = (tools: Readonly<Record<string, string>> = TOOLS): Record<string, unknown> => ({
  name: "project",
  type: "module",
  private: true,
  dependencies: { "@tessera/array": `file:${tarball}`, ...PEERS, ...tools },
  ...OVERRIDES,
})

let nodeProject: string | undefined
/** Returns the project with npm's `node_modules`, which is created once. */
const inNode = async (): Promise<string> => {
  if (nodeProject !== undefined) return nodeProject
  const project = makeProject("node", {
    "package.json": packageJson(),
    "tsconfig.json": { compilerOptions: COMPILER_OPTIONS, include: ["app.ts"] },
    "vite.config.js":
      `export default { build: { target: "es2022", lib: { entry: "app.ts", formats: ["es"], fileName: "app" } } }`,
  })
  await run(project, ["npm", "install", "--no-audit", "--no-fund"])
  return nodeProject = project
}

let registry: Registry | undefined
/** Returns the environment of commands that use the local registry instead of jsr.io. */
const jsr = async (): Promise<Readonly<Record<string, string>>> => {
  const command = deno.command[0] === "npx" ? deno.command.slice(0, -2) : [deno.command[0]]
  registry ??= await startRegistry(root, command, tarball)
  return { JSR_URL: registry.url, DENO_DIR: join(folder, "deno_dir") }
}

/**
 * Creates a project and adds the package with the command of JSR: `command` runs the npm package `jsr`. The command
 * keeps an existing registry of the scope `@jsr`, which is the local one.
 */
const addFromJsr = async (
  name: string,
  command: ReadonlyArray<string>,
  flags: ReadonlyArray<string> = [],
): Promise<string> => {
  const { JSR_URL } = await jsr()
  const project = makeProject(name, {
    "package.json": {
      name: "project",
      type: "module",
      private: true,
      dependencies: { ...PEERS, typescript: TOOLS.typescript, "@types/node": TOOLS["@types/node"] },
      ...OVERRIDES,
    },
    ".npmrc": `@jsr:registry=${JSR_URL}\n`,
    "tsconfig.json": { compilerOptions: COMPILER_OPTIONS, include: ["app.ts"] },
  })
  await run(project, [...command, "add", ...flags, "@tessera/array"])
  const { dependencies } = JSON.parse(readFileSync(join(project, "package.json"), "utf8"))
  const specifier = dependencies["@tessera/array"]
  if (!/^npm:@jsr\/tessera__array@/.test(specifier)) throw new Error(`jsr add wrote ${specifier}`)
  return project
}

/** The Deno command without `run -A`. */
const denoCommand = deno.command.slice(0, -2)

const forms: Readonly<Record<string, () => Promise<void>>> = {
  "npm: tsc": async () => {
    await run(await inNode(), ["npx", "tsc", "--noEmit"])
  },
  "npm: node": async () => {
    await run(await inNode(), ["npx", "tsc", "--outDir", "out"])
    await runApp(await inNode(), [...node, "out/app.js"])
  },
  "npm: tessera": async () => {
    await runTessera(await inNode(), ["npx", "tessera"])
    await runTessera(await inNode(), [...node, "node_modules/.bin/tessera"])
  },
  "npm: two versions of Effect": async () => {
    const project = makeProject("two-versions", {
      "package.json": { type: "module", private: true, dependencies: { effect: "3.19.0" } },
      "read.js": TWO_VERSIONS,
    })
    await run(project, ["npm", "install", "--no-audit", "--no-fund"])
    const installed = join(await inNode(), "node_modules")
    for (const name of ["@tessera", "@effect"]) {
      cpSync(join(installed, name), join(project, "node_modules", name), { recursive: true })
    }
    for (const name of ["@tessera/array", "@effect/platform"]) {
      const nested = join(project, "node_modules", name, "node_modules")
      mkdirSync(nested, { recursive: true })
      cpSync(join(installed, "effect"), join(nested, "effect"), { recursive: true })
    }
    for (const name of readdirSync(installed)) {
      const target = join(project, "node_modules", name)
      if (!existsSync(target) && !name.startsWith(".")) cpSync(join(installed, name), target, { recursive: true })
    }
    const weather = join(root, "tests", "golden", "demo", "weather")
    const { stdout } = await run(project, [...node, "read.js", weather])
    const { version } = JSON.parse(readFileSync(join(installed, "effect", "package.json"), "utf8"))
    if (!stdout.includes("result [7.5,8,6.5,9.5] ArrayNotFound")) throw new Error(`printed ${lastLines(stdout)}`)
    if (!stdout.includes(`Executing an Effect versioned ${version} with a Runtime of version 3.19.0`)) {
      throw new Error(`no warning about the versions of Effect: ${lastLines(stdout)}`)
    }
  },
  "esbuild: node": async () => {
    const flags = ["--bundle", "--format=esm", "--platform=node", "--outfile=out/esbuild/app.js"]
    await run(await inNode(), ["npx", "esbuild", "app.ts", ...flags])
    mkdirSync(join(folder, "esbuild"))
    cpSync(join(await inNode(), "out", "esbuild", "app.js"), join(folder, "esbuild", "app.mjs"))
    await runApp(join(folder, "esbuild"), [...node, "app.mjs"])
  },
  "vite: deno and node": async () => {
    await run(await inNode(), ["npx", "vite", "build", "--logLevel", "error"])
    cpSync(join(await inNode(), "dist"), join(folder, "vite"), { recursive: true })
    writeFileSync(join(folder, "vite", "package.json"), `{"type":"module"}`)
    await runApp(join(folder, "vite"), [...deno.command, "app.js"])
    await runApp(join(folder, "vite"), [...node, "app.js"])
  },
  "vite: page with worker threads in Chromium": async () => {
    if (chromium === undefined) throw new Unavailable("Chromium is missing; set CHROMIUM to its command")
    const source = join(await inNode(), "page")
    mkdirSync(source)
    cpSync(join(root, "tests", "packages", "page.ts"), join(source, "page.ts"))
    writeFileSync(join(source, "index.html"), `<!doctype html><script type="module" src="./page.ts"></script>`)
    await run(await inNode(), ["npx", "vite", "build", "page", "--logLevel", "error"])
    const result = await resultOfPage(join(source, "dist"), chromium)
    if (!isDeepStrictEqual(result, { equal: true, started: 2, errors: 0, lost: 0, repeated: 0, threads: true })) {
      throw new Error(`the page sent ${JSON.stringify(result)}`)
    }
  },
  "bun: run, tsc, tessera": async () => {
    const project = makeProject("bun", {
      "package.json": packageJson({ typescript: TOOLS.typescript, "@types/node": TOOLS["@types/node"] }),
      "tsconfig.json": {
        compilerOptions: { ...COMPILER_OPTIONS, module: "preserve", moduleResolution: "bundler", noEmit: true },
        include: ["app.ts"],
      },
    })
    const { stderr } = await run(project, [...bun.command, "install"])
    if (/error|warn/i.test(stderr)) throw new Error(`bun install printed ${stderr}`)
    await runApp(project, [...bun.command, "app.ts"])
    await run(project, [...bun.command, "x", "tsc"])
    await runTessera(project, [...bun.command, "x", "--bun", "tessera"])
  },
  "bun: build": async () => {
    await run(await inNode(), [
      ...bun.command,
      "build",
      "app.ts",
      "--target",
      "bun",
      "--outfile",
      join(folder, "bun-build", "app.js"),
    ])
    await runApp(join(folder, "bun-build"), [...bun.command, "app.js"])
  },
  "bun: build --compile": async () => {
    await run(await inNode(), [
      ...bun.command,
      "build",
      "app.ts",
      "--compile",
      "--outfile",
      join(folder, "bun-compiled"),
    ])
    await runApp(folder, [join(folder, "bun-compiled")])
  },
  "deno: npm package": async () => {
    // Deno supports tarballs only in a folder that npm filled
    const flag = "--node-modules-dir=manual"
    await run(await inNode(), [...denoCommand, "check", flag, "app.ts"])
    await runApp(await inNode(), [...deno.command, flag, "app.ts"])
  },
  "deno: sources": () => runApp(root, [...deno.command, "tests/packages/app.ts"]),
  "deno: bundle": async () => {
    await run(root, [
      ...denoCommand,
      "bundle",
      "--quiet",
      "-o",
      join(folder, "deno-bundle.js"),
      "tests/packages/app.ts",
    ])
    await runApp(folder, [...deno.command, "deno-bundle.js"])
  },
  "deno: compile": async () => {
    if (!await isReachable("https://dl.deno.land")) {
      throw new Unavailable("dl.deno.land cannot be reached; deno compile takes the base of its binaries from there")
    }
    await run(root, [
      ...denoCommand,
      "compile",
      "--quiet",
      "-A",
      "-o",
      join(folder, "deno-compiled"),
      "tests/packages/app.ts",
    ])
    await runApp(folder, [join(folder, "deno-compiled")])
  },
  "jsr: deno add": async () => {
    const environment = await jsr()
    const project = makeProject("jsr", { "deno.json": {}, "package.json": OVERRIDES })
    await run(project, [...denoCommand, "add", "jsr:@tessera/array", "npm:effect@3"], environment)
    await run(project, [...denoCommand, "check", "app.ts"], environment)
    await runApp(project, [...deno.command, "app.ts"], environment)
  },
  "jsr: npx jsr add, tsc, node": async () => {
    const project = await addFromJsr("jsr-node", ["npx", "-y", JSR_COMMAND])
    await run(project, ["npx", "tsc", "--outDir", "out"])
    await runApp(project, [...node, "out/app.js"])
  },
  "jsr: bunx jsr add, tsc, bun": async () => {
    const project = await addFromJsr("jsr-bun", [...bun.command, "x", JSR_COMMAND], ["--bun"])
    await run(project, [...bun.command, "x", "tsc", "--noEmit"])
    await runApp(project, [...bun.command, "app.ts"])
  },
  "jsr: tessera": async () => {
    const environment = await jsr()
    const bin = join(folder, "jsr-bin")
    const flags = ["-g", "-A", "--root", bin, "-n", "tessera"]
    await run(folder, [...denoCommand, "install", ...flags, "jsr:@tessera/array/cli"], environment)
    await runTessera(folder, [join(bin, "bin", "tessera")], environment)
  },
}

/** The error for a form that cannot be tested on this machine. */
class Unavailable extends Error {}

const isReachable = (url: string): Promise<boolean> =>
  fetch(url, { method: "HEAD", signal: AbortSignal.timeout(10_000) }).then(() => true, () => false)

let passed = 0
let failed = 0
try {
  await run(root, [...deno.command, "bundle/package.ts", tarball])
  for (const [name, check] of Object.entries(forms)) {
    if (!isSelected(name)) continue
    const start = performance.now()
    try {
      await check()
      passed++
      console.log(`ok     ${name} (${((performance.now() - start) / 1000).toFixed(1)} s)`)
    } catch (error) {
      if (error instanceof Unavailable) {
        console.log(`NOT TRIED ${name}: ${error.message}`)
        continue
      }
      failed++
      console.log(`FAILED ${name}: ${error instanceof Error ? error.message : String(error)}`)
    }
  }
} finally {
  registry?.stop()
  rmSync(folder, { recursive: true })
}
console.log(`${passed} passed, ${failed} failed, 0 skipped`)
process.exitCode = failed === 0 ? 0 : 1
