/** The default layer in a runtime without built-in modules, as in a browser. */
import { execFile } from "node:child_process"
import process from "node:process"
import { describe, it } from "node:test"
import { promisify } from "node:util"
import { assertEquals } from "@std/assert"

const script = `
const { process } = globalThis
globalThis.process = { ...process, getBuiltinModule: undefined, env: {}, argv: [] }
const { ArraySchema, Attr, Dense, Dim, Filter, layerDefault, TileArray } = await import("./mod.ts")
const Effect = await import("effect/Effect")
const filters = [Filter.gzip(), Filter.checksum_sha256(), Filter.checksum_md5(), Filter.zstd(), Filter.bzip2(), Filter.lz4()]
const schema = ArraySchema.dense({ dims: { x: Dim.int32([1, 50000]) }, attrs: { a: Attr.int32({ filters }) } })
const cells = Int32Array.from({ length: 50000 }, (_, i) => i >> 4)
const program = Effect.gen(function* () {
  const array = yield* TileArray.create("mem://a", schema)
  yield* Dense.write(array, {}, { a: cells })
  const { columns } = yield* Dense.read(yield* TileArray.reopen(array))
  return columns.a.every((value, i) => value === cells[i])
})
console.log(await Effect.runPromise(Effect.provide(program, layerDefault)))
`

describe("the default layer without built-in modules", () => {
  it("has the portable codecs", async () => {
    const args = "Deno" in globalThis
      ? ["eval", "--no-check", "--ext=ts", script]
      : ["-e", script.replaceAll("./mod.ts", new URL("../../mod.ts", import.meta.url).pathname)]
    const cwd = new URL("../..", import.meta.url).pathname
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd })
    assertEquals(stdout.trim().split("\n").at(-1), "true")
  })
})
