/**
 * `deno task kernels`: writes `platform/wasm/modules_generated.ts` from the sources of the kernels, `platform/wasm/*.wat`. It fetches
 * the assembler from npm.
 */
import { execFileSync } from "node:child_process"
import { createHash } from "node:crypto"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import process from "node:process"

const ASSEMBLER = ["-y", "-p", "wabt@1.0.39", "wat2wasm"]
const wasm = join(import.meta.dirname!, "../platform/wasm")

/** The names of the kernels' constants, and their source files. */
export const kernels: Readonly<Record<string, string>> = {
  LZ4: "lz4.wat",
  LZ4_ENCODE: "lz4_encode.wat",
  SHUFFLE: "shuffle.wat",
  DOUBLE_DELTA: "double_delta.wat",
  DOUBLE_DELTA_ENCODE: "double_delta_encode.wat",
}

/** Returns the digest of a source. */
export const digestOf = (source: string): string =>
  createHash("sha256").update(readFileSync(join(wasm, source))).digest("hex")

const assemble = (source: string, folder: string): string => {
  const binary = join(folder, "kernel.wasm")
  execFileSync("npx", [...ASSEMBLER, join(wasm, source), "-o", binary], { stdio: "inherit" })
  return readFileSync(binary).toString("base64")
}

if (import.meta.main) {
  const folder = mkdtempSync(join(tmpdir(), "kernels-"))
  const constants = Object.entries(kernels).map(([name, source]) => {
    const lines = assemble(source, folder).match(/.{1,114}/g)!.map((line) => `  "${line}"`)
    return `/** \`${source}\`; SHA-256 of the source: ${digestOf(source)} */\nexport const ${name}: string =\n${
      lines.join(" +\n")
    }\n`
  })
  const head =
    "/**\n * The kernels in WebAssembly, as base64. `deno task kernels` makes this file of their sources.\n *\n * @module\n */\n"
  writeFileSync(join(wasm, "modules_generated.ts"), `${head}\n${constants.join("\n")}`)
  execFileSync(process.execPath, ["fmt", join(wasm, "modules_generated.ts")], { stdio: "inherit" })
  rmSync(folder, { recursive: true })
}
