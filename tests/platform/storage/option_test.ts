/** The options of storage decorators. */
import { describe, it } from "node:test"
import { assertEquals, assertThrows } from "@std/assert"
import { InvalidOption, makeMemoryStorage, withCache, withLimit, withRetry } from "../../../platform/mod.ts"

describe("options of storage decorators", () => {
  it("are checked: an invalid one throws InvalidOption", () => {
    const storage = makeMemoryStorage()
    for (
      const [option, value, make] of [
        ["requests", "0", () => withLimit(storage, 0)],
        ["requests", "NaN", () => withLimit(storage, NaN)],
        ["bytes", "-1", () => withCache(storage, { bytes: -1 })],
        ["times", '"three"', () => withRetry(storage, { times: "three" as never })],
      ] as const
    ) {
      const error = assertThrows(make, InvalidOption)
      assertEquals([error.uri, error.option, error.value], ["", option, value])
    }
  })
})
