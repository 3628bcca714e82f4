import { describe, it } from "node:test"
import { assertEquals, assertMatch } from "@std/assert"
import { join } from "node:path"
import { packedCases } from "./packed_files.ts"
import { cli, weather, weatherExpected } from "./run_cli.ts"

describe("schema, fragments, meta, ls and tree", () => {
  it("print the recorded properties, as JSON", async () => {
    const json = async (...args: ReadonlyArray<string>) => {
      const { code, out, err } = await cli([...args, "--json"])
      assertEquals([code, err], [0, ""])
      return JSON.parse(out)
    }
    assertEquals(await json("schema", weather), { ...weatherExpected.schema, enumerations: {} })
    assertEquals(await json("fragments", weather), weatherExpected.fragments)
    assertEquals(await json("meta", weather), weatherExpected.metadata)
    const folder = join(weather, "..")
    const entry = { uri: weather, type: "array", name: "weather" }
    assertEquals(await json("ls", folder), [entry])
    assertEquals(await json("tree", `${folder}/`), [{ ...entry, children: [] }])
    assertEquals(await json("ls", weather), [])
    assertEquals(await json("meta", weather, "--at", "5"), [])
    assertEquals((await json("fragments", weather, "--at", "1709539200000")).length, 1)
  })

  it("fit 80 columns", async () => {
    let shown = 0
    for (const { folder, key, objects, files } of packedCases("v22")) {
      for (const [name, object] of Object.entries(objects)) {
        const settings = { files, key }
        const uri = `mem://${folder}/${name}`
        assertEquals(JSON.parse((await cli(["meta", uri, "--json"], settings)).out), object.metadata)
        const commands = object.kind === "array" ? ["schema", "fragments", "meta", "read"] : ["meta", "ls", "tree"]
        for (const command of commands) {
          const { code, out, err } = await cli([command, uri], settings)
          assertEquals([code, err.startsWith("tessera:")], [0, false], `${command} ${uri}: ${err}`)
          assertEquals(out.split("\n").filter((line) => [...line].length > 80), [], `${command} ${uri}`)
          shown++
        }
      }
    }
    assertEquals(shown > 100, true)
  })

  it("print a hint if there are no objects to list", async () => {
    assertMatch((await cli(["ls", weather])).err, /this is an array; see tessera schema/)
    assertMatch((await cli(["tree", join(weather, "__fragments")])).err, /no arrays or groups in this folder/)
    assertMatch((await cli(["meta", weather, "--at", "5"])).err, /^no metadata\n$/)
    assertMatch((await cli(["fragments", weather, "--at", "5"])).err, /^no fragments/)
  })
})
