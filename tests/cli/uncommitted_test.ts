/** Fragments that a killed write leaves without a commit. */
import { describe, it } from "node:test"
import { assertEquals, assertMatch } from "@std/assert"
import { cpSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { inFolder } from "./folder.ts"
import { cli, weather, weatherExpected } from "./run_cli.ts"

const UNCOMMITTED = "__1800000000000_1800000000000_0123456789abcdef0123456789abcdef_22"

describe("fragments without a commit", () => {
  it("are reported with their folders by tessera fragments and vacuum, and never removed", () =>
    inFolder(async (folder) => {
      const array = join(folder, "weather")
      cpSync(weather, array, { recursive: true })
      assertEquals((await cli(["fragments", array])).err, "")
      const [first] = readdirSync(join(array, "__fragments"))
      cpSync(join(array, "__fragments", first), join(array, "__fragments", UNCOMMITTED), { recursive: true })
      mkdirSync(join(array, "__fragments", "notes"))
      const expected = new RegExp(
        `1 fragment has no commit, and readers ignore it: a write is running or was killed\\. ` +
          `If no program writes to the array, remove from its folder:\\n.*${UNCOMMITTED}\\n$`,
      )
      for (const args of [["fragments", array, "--json"], ["fragments", array], ["vacuum", array]]) {
        const { code, err } = await cli(args)
        assertEquals(code, 0)
        assertMatch(err, expected)
      }
      const { out } = await cli(["fragments", array, "--json"])
      assertEquals(JSON.parse(out), weatherExpected.fragments)
      assertEquals(existsSync(join(array, "__fragments", UNCOMMITTED)), true)
      rmSync(join(array, "__fragments", UNCOMMITTED), { recursive: true })
      assertEquals((await cli(["fragments", array])).err, "")
    }))

  it("are reported by the commands that write: copy, delete and import --append", () =>
    inFolder(async (folder) => {
      const source = join(folder, "points")
      const csv = join(folder, "points.csv")
      writeFileSync(csv, "x,y,v\n1,2,3\n4,5,6\n")
      assertEquals((await cli(["import", csv, source, "--sparse", "--dims", "x,y"])).code, 0)
      mkdirSync(join(source, "__fragments", UNCOMMITTED))
      const expected = new RegExp(`no commit, and readers ignore it: [^]*\n.*${UNCOMMITTED}\n$`)
      for (
        const args of [
          ["copy", source, join(folder, "copy")],
          ["delete", source, "--where", "v > 5"],
          ["import", csv, source, "--append"],
        ]
      ) {
        const { code, err } = await cli(args)
        assertEquals(code, 0, err)
        assertMatch(err, expected)
        const again = args[0] === "copy" ? ["copy", source, join(folder, "quiet")] : args
        assertEquals((await cli([...again, "--quiet"])).err, "")
      }
      assertEquals(existsSync(join(folder, "copy", "__fragments", UNCOMMITTED)), false)
      assertEquals(existsSync(join(source, "__fragments", UNCOMMITTED)), true)
    }))

  it("are listed in part if there are many", () =>
    inFolder(async (folder) => {
      const array = join(folder, "weather")
      cpSync(weather, array, { recursive: true })
      for (let i = 10; i < 30; i++) mkdirSync(join(array, "__fragments", UNCOMMITTED.replace("0123", `00${i}`)))
      const { err } = await cli(["fragments", array])
      assertMatch(err, /^.*20 fragments have no commit, and readers ignore them/)
      assertMatch(err, /\n.*and 10 more folders\n$/)
      assertEquals(err.split("\n").length, 13)
    }))
})
