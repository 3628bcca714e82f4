/** Paths in files: checks that they stay inside an array. */
import { describe, it } from "node:test"
import { assert, assertEquals, assertThrows } from "@std/assert"
import { posix } from "node:path"
import * as fc from "effect/FastCheck"
import {
  checkInnerPath,
  consolidatedFooters,
  consolidateFooters,
  footerSchemaName,
  FormatError,
  innerPathFault,
  shownUri,
  vacuumedNames,
} from "../../../schema/mod.ts"

const uuid = "0123456789abcdef0123456789abcdef"

describe("inner paths", () => {
  it("are names below a folder", () => {
    for (const path of ["__labels/l0", "__commits/__1_1_a_22.wrt", "a", "a/b/c", "a..b", "..a", "a b", "ä"]) {
      assertEquals(innerPathFault(path), undefined, path)
    }
  })

  it("do not leave the folder, for any interpretation by a storage", () => {
    for (
      const path of [
        "",
        ".",
        "..",
        "../x",
        "a/..",
        "a/../../x",
        "__labels/../../x",
        "./a",
        "a/./b",
        "a//b",
        "a/",
        "/etc",
        "//host/x",
        "http://evil/x",
        "HTTPS://evil/x",
        "file:///etc",
        "file:/etc",
        "s3://b/x",
        "x:y",
        "c:\\x",
        "a\\..\\..\\x",
        "a?x",
        "a#x",
        "%2e%2e/x",
        "a%2F..%2fx",
        "a%5cx",
        "a%252e",
        "a\0",
        "a\nb",
        "a\x7f",
        "a\u2028b",
      ]
    ) {
      assert(innerPathFault(path) !== undefined, JSON.stringify(path))
    }
  })

  it("stay below the folder after every normalisation that storages do", () => {
    const path = fc.array(fc.constantFrom("a", ".", "..", "/", "\\", "%2e", "%2f", ":", "?", "#", "\0", "http:"), {
      maxLength: 8,
    }).map((parts) => parts.join(""))
    fc.assert(fc.property(path, (path) => {
      if (innerPathFault(path) !== undefined) return
      assert(posix.normalize(`/array/${path}`).startsWith("/array/"), path)
      const url = new URL(`https://host/array/${path}`)
      assert(url.href.startsWith("https://host/array/") && url.search === "" && url.hash === "", path)
      assert(decodeURIComponent(url.pathname).split("/").every((name) => name !== ".."), path)
    }))
  })

  it("of files have one component", () => {
    assertEquals(innerPathFault(`__${uuid}_0`, "file"), undefined)
    for (const name of ["a/b", "..", "", "/a", "x:y"]) assert(innerPathFault(name, "file") !== undefined, name)
  })

  it("of fields are free text that does not leave the fragment", () => {
    for (const name of ["", "..", ".", "a:b", "a?b", "100%", "a/b", "a b\t", "%2e%2e/x", "http://x"]) {
      assertEquals(innerPathFault(name, "field"), undefined, name)
    }
    for (const name of ["../x", "../../x", "a/../../x", "./x", "..\\x", "a\0"]) {
      assert(innerPathFault(name, "field") !== undefined, name)
    }
  })

  it("of members may lead to siblings of the group, but must be relative", () => {
    for (const path of ["a", "../a", ".", "a:b", "a?b", "plate 1/well"]) {
      assertEquals(innerPathFault(path, "member"), undefined, path)
    }
    for (const path of ["/etc", "//x", "http://evil/x", "file:/etc", "file:///etc", "c:\\x", "a\0", "a\nb"]) {
      assert(innerPathFault(path, "member") !== undefined, path)
    }
  })

  it("are rejected with the file, the field and the reason, and without secrets", () => {
    const place = { uri: "mem://a/__schema/s", path: "dimensionLabels.0.uri", version: 22 }
    const message = (path: string) => assertThrows(() => checkInnerPath(path, place), FormatError).message
    assertEquals(
      message("../b"),
      'mem://a/__schema/s: dimensionLabels.0.uri: the path "../b" contains the path component "." or ".." ' +
        "(at offset 0, format version 22)",
    )
    const secret = message("https://me:password@evil/x?sig=signature")
    assert(!secret.includes("password") && !secret.includes("signature"), secret)
    assert(message("../".repeat(1 << 20)).length < 400)
    assertEquals(shownUri("s3://bucket/a"), "s3://bucket/a")
  })
})

describe("names in files", () => {
  const name = `__1_1_${uuid}_22`
  const place = { uri: "mem://a/__commits/v.vac", path: "lines", version: 22 }

  it("of vacuum lines are timestamped names, for any previous location of the array", () => {
    const lines = [
      `/__fragments/${name}`,
      `__meta/${name}`,
      `file:///was/here/../${name}/`,
      "notes.txt",
      "file:///etc/passwd",
      `/__fragments/${name}.x`,
    ]
    assertEquals(vacuumedNames(lines, place), [name, name, name])
  })

  it("of vacuum lines do not leave the array", () => {
    for (
      const line of [`/__fragments/../../${name}`, `../${name}`, `//evil/${name}`, `/__fragments/${name}?x`, "a\\b"]
    ) {
      const error = assertThrows(() => vacuumedNames(["x", line], place), FormatError)
      assertEquals([error.uri, error.path], [place.uri, "lines.1"])
    }
  })

  it("of consolidated footers are file names since format 9", () => {
    const forged = (name: string) => consolidateFooters([{ name, footer: Uint8Array.of(1) }])
    for (const name of ["../x", "/x", "a/b", "http://evil/x"]) {
      const error = assertThrows(() => consolidatedFooters(forged(name), 22, "mem://m"), FormatError)
      assertEquals(error.path, "entries.0.name")
    }
    assertEquals(consolidatedFooters(forged("file:///was/here/a"), 8, "mem://m").size, 1)
  })

  it("of schemas in footers are file names", () => {
    const footer = (name: string) =>
      Uint8Array.of(22, 0, 0, 0, name.length, 0, 0, 0, 0, 0, 0, 0, ...new TextEncoder().encode(name))
    assertEquals(footerSchemaName(footer("__1_1_s"), "mem://f"), "__1_1_s")
    for (const name of ["../../x", "/x", "a/b", "x:y"]) {
      const error = assertThrows(() => footerSchemaName(footer(name), "mem://f"), FormatError)
      assertEquals([error.uri, error.path], ["mem://f", "schemaName"])
    }
  })
})
