/** Regressions found by the sweep. */
import { describe, it } from "node:test"
import { assert, assertEquals } from "@std/assert"
import { packedArrays } from "../support/packed_arrays.ts"
import { openAndRead, runOver } from "../support/run_bytes.ts"

describe("found by the sweep", () => {
  it("names from damaged footers do not break messages into lines", async () => {
    const { path, files } = packedArrays("v22").find((array) => array.path.endsWith("/dense_fill/array"))!
    const footer = [...files.keys()].find((name) => name.endsWith("__fragment_metadata.tdb"))!
    const schema = [...files.keys()].find((name) => /__schema\/__\d/.test(name))!.replace(/.*\//, "")
    const bytes = files.get(footer)!.slice()
    const at = new TextDecoder("latin1").decode(bytes).lastIndexOf(schema)
    assert(at > 0, "the footer names its schema")
    bytes.set([0x0a, 0x00, 0x1b, 0x5b, 0x33, 0x31, 0x6d], at)
    const result = await runOver(new Map(files).set(footer, bytes), openAndRead(path))
    assert("error" in result)
    assertEquals(result.error._tag, "FormatError")
    assert(result.error.message.includes("\\u000a\\u0000\\u001b[31m"), result.error.message)
  })
})
