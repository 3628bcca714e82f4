/**
 * `deno task worker`: bundles the code of the worker threads, with all modules that it imports, into
 * `src/tile/tile_worker_code.ts`. Programs that are bundled into one file start their threads from this code.
 *
 * Run it after a change of the codecs, filters or their errors; `tests/tile/tile_worker_code_test.ts` fails until then.
 */
import { spawnSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import process from "node:process"
import { deflateSync } from "node:zlib"

const root = join(import.meta.dirname!, "..")

/** The file that is written. */
export const target: string = join(root, "src", "tile", "tile_worker_code.ts")

/** Bundles the module of the threads into one script. `deno` is the command that runs Deno. */
export const bundleWorker = (deno: ReadonlyArray<string>): string => {
  const folder = mkdtempSync(join(tmpdir(), "tessera-worker-"))
  try {
    const file = join(folder, "worker.js")
    const entry = "src/fragment/worker/tile_worker.ts"
    const [command, ...args] = [...deno, "bundle", "--quiet", "--minify", "--platform", "browser", "-o", file, entry]
    const { status, stderr } = spawnSync(command, args, { cwd: root, encoding: "utf8" })
    if (status !== 0) throw new Error(`deno bundle: ${stderr.trim()}`)
    return readFileSync(file, "utf8")
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const moduleOf = (code: string): string => {
  const bytes = new TextEncoder().encode(code)
  const packed = deflateSync(bytes, { level: 9 }).toString("base64")
  const lines = packed.match(/.{1,110}/g)!.map((line) => `  ${line}`)
  return `/**
 * The code of the worker threads as one script. Written by \`deno task worker\`; do not edit.
 */
// deno-fmt-ignore-file
import { inflateExactly } from "../../platform/codecs/inflate.ts"

const SIZE = ${bytes.length}
const PACKED = \`
${lines.join("\n")}
\`

/** Unpacks the code. */
export const tileWorkerCode = (): string => {
  const packed = Uint8Array.from(atob(PACKED.replace(/\\s/g, "")), (character) => character.charCodeAt(0))
  return new TextDecoder().decode(inflateExactly(packed, SIZE))
}
`
}

if (import.meta.main) writeFileSync(target, moduleOf(bundleWorker([process.execPath])))
