/** Detection of the delimiter of CSV text. */
import { describe, it } from "node:test"
import { assertEquals, assertMatch } from "@std/assert"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { detectDelimiter } from "../../../src/cli/parse/detect_delimiter.ts"
import { inFolder } from "../folder.ts"
import { cli } from "../run_cli.ts"

describe("the delimiter", () => {
  it("divides the rows into equal numbers of cells", () => {
    for (
      const [text, delimiter] of [
        ["", ","],
        ["a\n1\n", ","],
        ["a,b\n1,2\n", ","],
        ["a;b\n1,5;2,5\n1,0;2,75\n", ";"],
        ["a\tb c\n1\t2,3\n", "\t"],
        ["a|b|c\r\n1|2|3\r\n", "|"],
        ['a,b\n"1;2;3","4;5;6"\n', ","],
        ['"a,x";b\n1;2\n', ";"],
        ["name,note\nx,a;b;c\ny,d\n", ","],
        ["a;b;c,d\n1;2;3\n4;5;6\n", ";"],
        ["\n\na;b\n", ";"],
      ]
    ) assertEquals(detectDelimiter(text, true), delimiter, JSON.stringify(text))
    // the last row is cut
    assertEquals(detectDelimiter("a,b;c,d;e\n1,2;3,4;", false), ",")
    assertEquals(detectDelimiter("a;b;c\n1;2,4;3\n1;2,", false), ";")
  })

  it("is detected by import, and reported", () =>
    inFolder(async (folder) => {
      const [file, array] = [join(folder, "a.csv"), join(folder, "array")]
      for (const [delimiter, name] of [[",", "comma"], [";", "semicolon"], ["\t", "tab"], ["|", "pipe"]]) {
        const text = ["a", "b"].join(delimiter) + "\n" + ["1", "x y"].join(delimiter) + "\n"
        writeFileSync(file, text)
        for (const [source, settings] of [[file, {}], ["-", { input: text }]] as const) {
          const { code, err } = await cli(["import", source, array, "--overwrite"], settings)
          assertEquals(code, 0, err)
          assertMatch(err, new RegExp(`^1 row in 1 fragment of [^,]+, delimiter ${name} \\(detected\\)\n$`))
          assertEquals((await cli(["read", array, "--format", "csv"])).out, "a,b\n1,x y\n")
        }
        const json = await cli(["import", file, array, "--append", "--json"])
        assertEquals(JSON.parse(json.out).delimiter, delimiter, json.err)
      }
    }))

  it("uses --delimiter if it is set", () =>
    inFolder(async (folder) => {
      const array = join(folder, "array")
      const input = "a;b\n1;2\n"
      const { code, err } = await cli(["import", "-", array, "--delimiter", ",", "--types", "a;b=ascii"], { input })
      assertEquals(code, 0, err)
      assertMatch(err, /^1 row in 1 fragment of [^,]+\n$/)
      assertEquals((await cli(["read", array, "--format", "csv"])).out, "a;b\n1;2\n")
    }))

  it("is detected in text that is longer than a piece", () =>
    inFolder(async (folder) => {
      const array = join(folder, "array")
      const input = `name;note\n${"x;a, b, c\n".repeat(20_000)}`
      const { code, err } = await cli(["import", "-", array], { input })
      assertEquals(code, 0, err)
      assertMatch(err, /^20,000 rows in .*, delimiter semicolon \(detected\)\n$/)
    }))
})
