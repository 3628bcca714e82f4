/**
 * The public names: this test fails if a name is added or removed. To accept the change:
 *
 *     UPDATE_PUBLIC_API=1 deno test -A tests/public_api_test.ts
 */
import { describe, it } from "node:test"
import { assertEquals } from "@std/assert"
import { readFileSync, writeFileSync } from "node:fs"
import process from "node:process"
import * as Api from "../mod.ts"
import * as Aws from "../platform/storage/s3/mod.ts"
import * as Platform from "../platform/mod.ts"
import * as Schema from "../schema/mod.ts"

const snapshot = new URL("./public_api.json", import.meta.url)

/** Returns the exported names, and the names in each namespace. */
const namesOf = (module: object): Record<string, ReadonlyArray<string> | null> =>
  Object.fromEntries(
    Object.entries(module).sort(([a], [b]) => a < b ? -1 : 1).map(([name, value]) => [
      name,
      Object.prototype.toString.call(value) === "[object Module]" ? Object.keys(value as object).sort() : null,
    ]),
  )

describe("the public API", () => {
  const api = {
    "@tessera/array": namesOf(Api),
    "@tessera/array/aws": namesOf(Aws),
    "@tessera/array/platform": namesOf(Platform),
    "@tessera/array/schema": namesOf(Schema),
  }

  if (process.env.UPDATE_PUBLIC_API === "1") writeFileSync(snapshot, JSON.stringify(api, null, 2) + "\n")

  it("has the names in public_api.json", () => {
    assertEquals(JSON.parse(JSON.stringify(api)), JSON.parse(readFileSync(snapshot, "utf8")))
  })

  it("does not shadow global names", () => {
    const globals = new Set(Object.getOwnPropertyNames(globalThis))
    const names = Object.values(api).flatMap((module) => Object.keys(module))
    assertEquals(names.filter((name) => globals.has(name)), [])
  })
})
