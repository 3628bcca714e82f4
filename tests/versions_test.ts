/** Deno and Bun must run the same packages, and both manifests must describe the same project. */
import { describe, it } from "node:test"
import { assertEquals } from "@std/assert"
import { readFileSync } from "node:fs"
import { join } from "node:path"

const manifest = (name: string) => JSON.parse(readFileSync(join(import.meta.dirname!, "..", name), "utf8"))
const deno = manifest("deno.json")
const npm = manifest("package.json")

/**
 * Packages that programs import, too. JSR copies their ranges, so that a program with another version in the range has
 * one copy.
 */
const SHARED = ["effect", "@effect/platform"]

/** The versions of the imported packages by name, parsed from `npm:@scope/name@1.2.3`. */
const ranges = Object.fromEntries(
  Object.values(deno.imports as Record<string, string>).flatMap((specifier) => {
    const match = /^npm:((?:@[^/]+\/)?[^@/]+)@(.+)$/.exec(specifier)
    return match === null ? [] : [[match[1], match[2]]]
  }),
)

const imports = Object.fromEntries(
  Object.entries(ranges).map(([name, range]) => [name, SHARED.includes(name) ? range.replace(/^\^/, "") : range]),
)

describe("deno.json and package.json", () => {
  it("have ranges for the packages that programs share, and one version of each in the lock file", () => {
    const locked = manifest("deno.lock").specifiers as Record<string, string>
    for (const name of SHARED) {
      assertEquals(ranges[name], `^${npm.dependencies[name]}`)
      const versions = Object.entries(locked).filter(([specifier]) => specifier.startsWith(`npm:${name}@`))
      assertEquals(
        new Set(versions.map(([, version]) => version.replace(/_.*/, ""))),
        new Set([npm.dependencies[name]]),
      )
    }
  })

  it("list the same packages in the same exact versions", () => {
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

  it("have the same name, version, license and exports", () => {
    for (const key of ["name", "version", "license", "exports"]) assertEquals(npm[key], deno[key], key)
  })
})
