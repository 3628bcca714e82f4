/** Reads that do not fit into memory: the same output, batch by batch, and no more batches than are consumed. */
import { describe, it } from "node:test"
import { assert, assertEquals, assertMatch } from "@std/assert"
import { makeCounters } from "../../platform/mod.ts"
import { parseSize, sizeText } from "../../src/cli/parse/byte_size.ts"
import { UsageError } from "../../src/cli/parse/usage_error.ts"
import { type PackedCase, packedCase, packedCases } from "./packed_files.ts"
import { cli, type CliRun, type CliSettings } from "./run_cli.ts"

const arraysOf = ({ folder, objects }: PackedCase): ReadonlyArray<string> =>
  Object.entries(objects).flatMap(([name, { kind, error }]) =>
    kind === "array" && error === undefined ? [`mem://${folder}/${name}`] : []
  )

/** Runs a command with as little memory as possible, and counts the batches that were written. */
const narrow = async (args: ReadonlyArray<string>, settings: CliSettings): Promise<CliRun & { writes: number }> => {
  for (let memory = 2000;;) {
    let [out, writes] = ["", 0]
    const write = (text: string) => {
      out += text
      writes++
      return Promise.resolve()
    }
    const { code, err } = await cli([...args, "--memory", String(memory)], { ...settings, write })
    const needed = / is too small; set --memory to at least (\d+), or change --order\n$/.exec(err)
    if (code !== 1 || needed === null) return { code, out, err, writes }
    assert(Number(needed[1]) > memory, err)
    memory = Math.max(Number(needed[1]), Math.ceil(memory * 1.2))
  }
}

const names = [
  "dense_2d_overlap",
  "dense_nullable",
  "dense_var",
  "sparse_2d",
  "sparse_dups",
  "sparse_hetero",
  "sparse_string",
]
const cases = packedCases("v22").filter(({ folder }) => names.includes(folder.split("/")[1]))

describe("reads with little memory", () => {
  for (const format of ["csv", "ndjson", "json", "table"]) {
    it(`print the same ${format}`, async () => {
      let maxWrites = 0
      for (const { folder, key, files, objects } of cases) {
        for (const uri of arraysOf({ folder, key, files, objects })) {
          for (const order of ["row", "col", "global"]) {
            const args = ["read", uri, "--format", format, "--order", order]
            const whole = await cli(args, { files, key })
            const { writes, ...parts } = await narrow(args, { files, key })
            assertEquals(parts, whole, `${uri} ${order}`)
            maxWrites = Math.max(maxWrites, writes)
          }
        }
      }
      assert(maxWrites > 3, `at most ${maxWrites} batches`)
    })
  }

  it("collect the columns of JSON in unordered reads", async () => {
    let maxWrites = 0
    // several fragments with the same cells: without duplicates, batches are split by coordinates
    for (const packed of packedCases("v22").filter(({ folder }) => /sparse_1d_appended|deletes$|fuzz_/.test(folder))) {
      for (const uri of arraysOf(packed)) {
        const args = ["read", uri, "--json", "--order", "unordered"]
        const rows = ({ out }: CliRun) => {
          const columns = Object.values(JSON.parse(out).columns as Record<string, ReadonlyArray<unknown>>)
          return columns[0].map((_, i) => JSON.stringify(columns.map((c) => c[i]))).sort()
        }
        const parts = await narrow(args, packed)
        assertEquals(rows(parts), rows(await cli(args, packed)))
        maxWrites = Math.max(maxWrites, parts.writes)
      }
    }
    assert(maxWrites > 3, `at most ${maxWrites} writes`)
  })

  it("stop at the limit, and at a closed pipe", async () => {
    let saved = 0
    for (const { folder, key, files, objects } of cases) {
      for (const uri of arraysOf({ folder, key, files, objects })) {
        for (const format of ["csv", "json"]) {
          const args = ["read", uri, "--format", format, "--memory", "20000"]
          const bytesRead = async (more: ReadonlyArray<string>, closes: boolean): Promise<number | undefined> => {
            const trace = makeCounters()
            const write = () =>
              closes ? Promise.reject(Object.assign(new Error(), { code: "EPIPE" })) : Promise.resolve()
            const { code, err } = await cli([...args, ...more], { files, key, trace, write })
            if (code === 1) assertMatch(err, /--memory/)
            else assertEquals([code, err], [0, ""])
            return code === 0 ? trace.bytesRead : undefined
          }
          const all = await bytesRead([], false)
          if (all === undefined) continue
          const none = (await bytesRead(["--limit", "0"], false))!
          const one = (await bytesRead(["--limit", "1"], false))!
          const closed = (await bytesRead([], true))!
          assert(none <= one && one <= all && closed <= all, `${uri} ${none} ${one} ${closed} ${all}`)
          if (one < all && closed < all) saved++
        }
      }
    }
    assert(saved > 3, `${saved}`)
  })

  it("print an empty table with its column titles", async () => {
    const { files } = packedCase("v22/dense_empty")
    const { out, err } = await cli(["read", "mem://v22/dense_empty/array"], { files })
    assertMatch(out, /^d │ a.*\n──┼─+\n$/)
    assertEquals(err, "no cells\n")
  })

  it("print how many cells of a sparse table are omitted", async () => {
    const { files } = packedCase("v22/sparse_nullable")
    const uri = "mem://v22/sparse_nullable/array"
    const all = (await cli(["read", uri, "--format", "ndjson"], { files })).out.split("\n").length - 1
    assertEquals((await cli(["read", uri, "--limit", "2"], { files })).err, `the first 2 of ${all} cells\n`)
    assertEquals((await cli(["read", uri, "--limit", "0"], { files })).err, "the first 0 cells; there may be more\n")
    assertEquals((await cli(["read", uri, "--limit", String(all)], { files })).err, "")
  })
})

describe("sizes", () => {
  it("are numbers with units", () => {
    const read = (text: string) => parseSize("memory", text)
    assertEquals(["1048576", "64MiB", "1GB", "1.5 KiB", "2k", "7B"].map(read), [1048576, 2 ** 26, 1e9, 1536, 2048, 7])
    for (const text of ["", "0", "-1", "1PB", "MiB", "1e3", "0.4", "9999999999999999", "1 000", "__proto__"]) {
      try {
        read(text)
      } catch (error) {
        assert(error instanceof UsageError)
        continue
      }
      assert(false, text)
    }
    assertEquals([0, 1023, 1024, 1536, 5e8, 3e12].map(sizeText), [
      "0 bytes",
      "1023 bytes",
      "1.0 KiB",
      "1.5 KiB",
      "477 MiB",
      "2.7 TiB",
    ])
  })
})
