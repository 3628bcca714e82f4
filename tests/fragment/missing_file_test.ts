/** A missing file of a committed fragment is reported as damage, not as a missing array. */
import { describe, it } from "node:test"
import { assert, assertEquals, assertStringIncludes } from "@std/assert"
import * as Effect from "effect/Effect"
import { describeOpenFragments } from "../../src/array/describe/fragment_descriptions.ts"
import { openArray } from "../../src/array/open/open.ts"
import { readSparse } from "../../src/query/request/sparse_request.ts"
import { Storage } from "../../platform/storage/service.ts"
import { FormatError } from "../../schema/errors/format_error.ts"
import { type PackedArray, packedArrays } from "../support/packed_arrays.ts"
import { openAndRead, runOver } from "../support/run_bytes.ts"

const findArray = (pack: string, path: string): PackedArray => packedArrays(pack).find((a) => a.path === path)!

const without = (files: ReadonlyMap<string, Uint8Array>, removed: (name: string) => boolean) =>
  new Map([...files].filter(([name]) => !removed(name)))

const damage = async (
  run: Promise<{ readonly value: unknown } | { readonly error: unknown }>,
): Promise<FormatError> => {
  const result = await run
  assert("error" in result, "the read succeeded")
  assert(result.error instanceof FormatError, String(result.error))
  return result.error
}

describe("a committed fragment", () => {
  for (const path of ["v22/dense_fill/array", "v22/deletes/array", "v5/dense_fill/array", "v4/dense_fill/array"]) {
    it(`of ${path} with a missing file is reported with the file`, async () => {
      const { files } = findArray(path.slice(0, path.indexOf("/")), path)
      const own = [...files.keys()].filter((name) => /\/__\d[^/]*\/[^/]*\.tdb$/.test(name))
      assert(own.length >= 4)
      let refused = 0
      for (const name of own) {
        const [fragment, file] = name.split("/").slice(-2)
        // before format 5 the metadata file commits a fragment
        if (path.startsWith("v4") && file === "__fragment_metadata.tdb") continue
        const result = await runOver(without(files, (n) => n === name), openAndRead(path))
        // a fragment that later fragments cover is not read
        if ("value" in result) continue
        assert(result.error instanceof FormatError, `${name}: ${result.error}`)
        assertEquals(result.error.uri, `mem://${name}`)
        for (const word of [fragment, `lacks its file ${file}`, "open the array again"]) {
          assertStringIncludes(result.error.detail, word)
        }
        refused++
      }
      assert(refused >= own.length / 2, `${refused} of ${own.length}`)
    })
  }

  it("with a consolidated footer may be missing completely", async () => {
    const path = "v22/fragment_meta_consolidated/array"
    const { files } = findArray("v22", path)
    const removed = [...files.keys()].find((name) => name.endsWith("/__fragment_metadata.tdb"))!
    const folder = removed.slice(0, removed.lastIndexOf("/") + 1)
    const rest = without(files, (name) => name.startsWith(folder))
    const read = await damage(runOver(rest, openAndRead(path)))
    assert(read.uri.startsWith(`mem://${folder}`), read.uri)
    const described = await damage(runOver(rest, Effect.flatMap(openArray(`mem://${path}`), describeOpenFragments)))
    assertEquals(described.uri, `mem://${removed}`)
  })

  it("before format 5 is incomplete without its metadata", async () => {
    const path = "v4/dense_fill/array"
    const { files } = findArray("v4", path)
    const removed = [...files.keys()].find((name) => name.endsWith("/__fragment_metadata.tdb"))!
    const whole = await runOver(files, openArray(`mem://${path}`))
    const rest = await runOver(without(files, (name) => name === removed), openArray(`mem://${path}`))
    assert("value" in whole && "value" in rest)
    assertEquals(rest.value.fragments.length, whole.value.fragments.length - 1)
  })
})

describe("a delete condition", () => {
  it("that is removed after the listing is reported as damage too", async () => {
    const path = "v22/deletes/array"
    const { files } = findArray("v22", path)
    const removed = [...files.keys()].find((name) => name.endsWith(".del"))!
    const result = await runOver(
      files,
      Effect.gen(function* () {
        const array = yield* openArray(`mem://${path}`)
        const storage = yield* Storage
        yield* storage.remove(`mem://${removed}`)
        return yield* readSparse(array)
      }),
    )
    assert("error" in result && result.error instanceof FormatError)
    assertEquals(result.error.uri, `mem://${removed}`)
    assertStringIncludes(result.error.detail, "open the array again")
  })
})
