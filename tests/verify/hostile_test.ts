/** Verification of randomly damaged arrays ends quickly, without exceptions. */
import { assert } from "@std/assert"
import { describe, it } from "node:test"
import { mutate } from "../hostile/mutation.ts"
import { makeRandom } from "../hostile/random.ts"
import { subjects } from "../hostile/subjects.ts"
import { arrayKey, arrayNames, writeArray } from "./arrays.ts"
import { findingsOf } from "./findings.ts"

/** Errors of arrays that cannot be verified at all. */
const expected = /ArrayNotFound|DecryptionFailed|there is no array|cannot decrypt/

const verifyMutations = async (
  path: string,
  files: ReadonlyMap<string, Uint8Array>,
  key: Uint8Array | undefined,
  count: number,
): Promise<number> => {
  let noticed = 0
  for (let i = 0; i < count; i++) {
    const mutation = mutate(files, [], makeRandom(`verify ${path} ${i}`))
    const start = performance.now()
    try {
      const findings = await findingsOf(path, mutation.files, key === undefined ? {} : { key })
      if (findings.length > 0) noticed++
    } catch (error) {
      assert(expected.test(String(error)), `${mutation.description}: ${error}`)
      noticed++
    }
    const time = performance.now() - start
    assert(time < 10_000, `${mutation.description}: ${time} ms`)
  }
  return noticed
}

describe("a verification of damaged files", () => {
  for (const name of arrayNames) {
    it(`ends for the array ${name}`, async () => {
      const key = name === "encrypted" ? arrayKey : undefined
      assert(await verifyMutations(name, await writeArray(name), key, 40) > 0)
    })
  }

  it("ends for arrays of released engines", async () => {
    const arrays = subjects("packed").filter(({ kind }) => kind === "array")
    let noticed = 0
    for (const { path, key, files } of arrays) noticed += await verifyMutations(path, files(), key, 3)
    assert(noticed > arrays.length, `${noticed} of ${3 * arrays.length} mutations were noticed`)
  })
})
