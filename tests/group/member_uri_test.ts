import { describe, it } from "node:test"
import { assertEquals } from "@std/assert"
import { posix } from "node:path"
import * as fc from "effect/FastCheck"
import { identity, memberUri, normalise } from "../../src/group/member_uri.ts"

describe("URIs of members", () => {
  it("are resolved against the group", () => {
    assertEquals(memberUri("s3://bucket/g", "a/b", true), "s3://bucket/g/a/b")
    assertEquals(memberUri("s3://bucket/g", "../h", true), "s3://bucket/h")
    assertEquals(memberUri("s3://bucket/g", "../../../h", true), "s3://bucket/h")
    assertEquals(memberUri("g", "a", true), "g/a")
    assertEquals(memberUri("g", "../../a", true), "../a")
    assertEquals(memberUri("/g", "file:///x//y", false), "file:///x//y")
    assertEquals(memberUri("file:///g %41", "m%20 %", true), "file:///g %41/m%20 %")
  })

  it("are normalized like paths", () => {
    const path = fc.array(fc.constantFrom("a", "b", ".", "..", ""), { minLength: 1, maxLength: 8 }).map((p) =>
      p.join("/")
    )
    const expected = (p: string) => posix.normalize(p).replace(/(?<=.)\/$/, "")
    fc.assert(fc.property(path.filter((p) => p !== ""), (p) => assertEquals(normalise(p), expected(p))))
    fc.assert(fc.property(path, (p) => assertEquals(normalise(normalise(`mem://m/${p}`)), normalise(`mem://m/${p}`))))
  })

  it("are equal for all spellings of a location", () => {
    // percent signs are not escapes, as in the engine
    assertEquals(identity("file:///a%20b/c/"), "/a%20b/c")
    assertEquals(identity("file://localhost/a"), "/a")
    assertEquals(identity("FILE:///a/./b"), "/a/b")
    assertEquals(identity("file://localhosts/a"), "file://localhosts/a")
    assertEquals(identity("/a//b"), "/a/b")
    assertEquals(identity("file:///100%"), "/100%")
    assertEquals(identity("s3://b/a%20b"), "s3://b/a%20b")
  })
})
