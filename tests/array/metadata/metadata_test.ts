import { describe, it } from "node:test"
import { assertEquals, assertMatch } from "@std/assert"
import * as Effect from "effect/Effect"
import * as fc from "effect/FastCheck"
import { Codecs } from "../../../platform/mod.ts"
import { loadMetadata, mergeEntries } from "../../../src/array/metadata/metadata.ts"
import { entry, type Files, metadata, over, uuid } from "../../group/group_files.ts"

const load = (files: Files, start = 0, end = 1000) =>
  over(
    files,
    Effect.flatMap(
      Codecs,
      (codecs) => loadMetadata("mem://a", { start, end }, { codecs, key: undefined, verifyChecksums: true }),
    ),
  )
const text = new TextDecoder()
const shown = (files: Files, start?: number, end?: number) =>
  Effect.runPromise(
    Effect.map(
      Effect.promise(() => load(files, start, end)),
      (items) => Object.fromEntries(items.map((i) => [i.name, text.decode(i.value)])),
    ),
  )
const at = (start: number, end = start, n = start) => `a/__meta/__${start}_${end}_${uuid(n)}`

describe("metadata", () => {
  const files: Files = {
    [at(10)]: metadata([entry("k", "1"), entry("dropped", "x"), entry("", "empty key")]),
    [at(20)]: metadata([entry("dropped", null), entry("k", "2")]),
    [at(30)]: metadata([entry("k", "3"), entry("dropped", "back")]),
  }

  it("is the content of all files that are entirely inside the time range, in order of time", async () => {
    assertEquals(await shown(files), { "": "empty key", dropped: "back", k: "3" })
    assertEquals(await shown(files, 0, 20), { "": "empty key", k: "2" })
    assertEquals(await shown(files, 0, 9), {})
    assertEquals(await shown(files, 20, 29), { k: "2" })
    assertEquals(await shown({}), {})
  })

  it("orders files with equal times by name", async () => {
    const same = { [at(10, 10, 2)]: metadata([entry("k", "late")]), [at(10, 10, 1)]: metadata([entry("k", "early")]) }
    assertEquals(await shown(same), { k: "late" })
  })

  it("omits consolidated files if the consolidated file is visible", async () => {
    const consolidated = {
      ...files,
      [at(10, 20, 99)]: metadata([entry("k", "2 of both")]),
      [`${at(10, 20, 99)}.vac`]: `/__meta/__10_10_${uuid(10)}\nfile:///moved/away/a/__meta/__20_20_${uuid(20)}\n`,
    }
    assertEquals(await shown(consolidated, 0, 20), { k: "2 of both" })
    // the consolidated files are still visible in ranges that end before the consolidated file does
    assertEquals(await shown(consolidated, 0, 15), { "": "empty key", dropped: "x", k: "1" })
  })

  it("ignores unfinished and other files", async () => {
    assertEquals(
      await shown({ ...files, [`${at(40)}.tmp`]: "half", "a/__meta/notes.txt": "hello" }),
      await shown(files),
    )
  })

  it("supports keys that are not valid text, sorted by their bytes", () => {
    const keys = [[0xff], [0x61], [0xc3, 0xa9], [], [0xff, 0x00], [0xfe], [0xed, 0xa0, 0x80]].map((k) =>
      Uint8Array.from(k)
    )
    const items = mergeEntries([keys.map((key) => entry(key, "v"))])
    assertEquals(items.map((i) => [...i.key]), [[], [0x61], [0xc3, 0xa9], [0xed, 0xa0, 0x80], [0xfe], [0xff], [
      0xff,
      0,
    ]])
    assertEquals(items.map((i) => i.name), ["", "a", "é", undefined, undefined, undefined, undefined])
  })

  it("merges entries like a map", () => {
    const event = fc.tuple(fc.uint8Array({ maxLength: 2, max: 3 }), fc.option(fc.constantFrom("x", "y")))
    fc.assert(fc.property(fc.array(fc.array(event)), (events) => {
      const naive = new Map<string, string>()
      for (const [key, value] of events.flat()) {
        if (value === null) naive.delete([...key].join())
        else naive.set([...key].join(), value)
      }
      const merged = mergeEntries(events.map((file) => file.map(([key, value]) => entry(key, value))))
      assertEquals(new Map(merged.map((i) => [[...i.key].join(), text.decode(i.value)])).size, naive.size)
      for (const i of merged) assertEquals(naive.get([...i.key].join()), text.decode(i.value))
    }))
  })

  it("reports the damaged file", async () => {
    const broken = over(
      { [at(10)]: new Uint8Array(50) },
      Effect.flatMap(
        Codecs,
        (codecs) =>
          Effect.flip(
            loadMetadata("mem://a", { start: 0, end: 99 }, { codecs, key: undefined, verifyChecksums: true }),
          ),
      ),
    )
    assertMatch((await broken).message, /^mem:\/\/a\/__meta\/__10_10_/)
  })
})
