/** Deno and Bun must run the same packages, and the project must be one thing in both its manifests. */
import { describe, it } from "node:test"
import { assertEquals } from "@std/assert"
import { readFileSync } from "node:fs"
import { join } from "node:path"

const manifest = (name: string) => JSON.parse(readFileSync(join(import.meta.dirname!, "..", name), "utf8"))
const deno = manifest("deno.json")
const npm = manifest("package.json")

/** `npm:@scope/name@1.2.3` → its version, by name. */
const imports = Object.fromEntries(
  Object.values(deno.imports as Record<string, string>).flatMap((specifier) => {
    const match = /^npm:((?:@[^/]+\/)?[^@/]+)@(.+)$/.exec(specifier)
    return match === null ? [] : [[match[1], match[2]]]
  }),
)

describe("deno.json and package.json", () => {
  it("name the same packages in the same exact versions", () => {
    assertEquals(Object.keys(imports).length > 5, true)
    assertEquals(
      Object.fromEntries(
        Object.entries({ ...npm.dependencies, ...npm.devDependencies }).filter(([name]) => !name.startsWith("@types/"))
          .sort(),
      ),
      Object.fromEntries(Object.entries(imports).sort()),
    )
    const versions = Object.values<string>({ ...npm.dependencies, ...npm.devDependencies, ...npm.overrides })
    assertEquals(versions.filter((version) => !/^\d+\.\d+\.\d+$/.test(version)), [])
  })

  it("agree on the name and the version", () => {
    for (const key of ["name", "version", "license", "exports"]) assertEquals(npm[key], deno[key], key)
  })
})
