/** Inspections: their values against the files, and the page. */
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, it } from "node:test"
import { ArraySchema, Attr, Condition, Dense, Dim, Sparse, TileArray } from "../../mod.ts"
import { layerNative, layerWebp, makeMemoryStorage, StorageService } from "../../platform/mod.ts"
import { cli, weather } from "../cli/run_cli.ts"
import { inMemory } from "../support/in_memory.ts"
import { type PackedArray, packedArrays, packs } from "../support/packed_arrays.ts"

const inspectPacked = async ({ path, key, files }: PackedArray) => {
  const storage = makeMemoryStorage(new Map(files))
  const reads: Array<string> = []
  const watched: StorageService = {
    ...storage,
    readRanges: (uri, ranges) => {
      reads.push(uri)
      return storage.readRanges(uri, ranges)
    },
    read: (uri) => {
      reads.push(uri)
      return storage.read(uri)
    },
  }
  const layer = Layer.merge(
    Layer.succeed(StorageService, watched),
    Layer.provide(layerWebp, layerNative),
  )
  const program = Effect.gen(function* () {
    const array = yield* TileArray.open(`mem://${path}`, key === undefined ? {} : { key })
    return { array, inspection: yield* TileArray.inspect(array) }
  })
  return { ...await Effect.runPromise(Effect.provide(program, layer)), reads }
}

/** Returns the elements of a page that are not closed or closed in the wrong order. */
const unbalanced = (page: string): ReadonlyArray<string> => {
  const open: Array<string> = []
  const wrong: Array<string> = []
  const empty = ["meta", "br", "!doctype"]
  for (const [, close, name, self] of page.matchAll(/<(\/?)([!a-z0-9]+)(?:"[^"]*"|[^"<>])*?(\/?)>/gi)) {
    if (empty.includes(name.toLowerCase()) || self === "/") continue
    if (close === "") open.push(name)
    else if (open.pop() !== name) wrong.push(name)
  }
  return [...wrong, ...open]
}

const checkPage = (page: string): void => {
  assertEquals(unbalanced(page), [])
  assert(!/\bNaN\b|undefined|Infinity|\[object/.test(page.replace(/<td[^>]*>[^<]*<\/td>/g, "")), "a value is missing")
  assert(!/(src|href)\s*=|url\(|@import|<script/i.test(page), "the page refers to another file")
}

const total = (sizes: ReadonlyArray<number>): number => sizes.reduce((sum, size) => sum + size, 0)

describe("an inspection", () => {
  for (const pack of packs) {
    it(`describes the arrays of format ${pack.slice(1)} without a read of cells`, async () => {
      for (const packed of packedArrays(pack)) {
        const { inspection, reads, array } = await inspectPacked(packed)
        assertEquals(JSON.parse(JSON.stringify(inspection)), inspection, packed.path)
        assertEquals(inspection.dimensions.length, array.schema.dimensions.length)
        const isData = (path: string): boolean =>
          !path.endsWith("/__fragment_metadata.tdb") &&
          inspection.fragments.some(({ name }) => path.includes(`/${name}/`))
        assertEquals(reads.filter(isData), [], packed.path)
        const stored = [...packed.files].filter(([name]) => isData(name)).map(([, bytes]) => bytes.length)
        assertEquals(total(inspection.fields.map((field) => field.stored)), total(stored), packed.path)
        for (const { box, tiles, cells } of inspection.fragments) {
          assert(tiles >= 0 && cells >= 0)
          for (const [low, high] of box ?? []) {
            assert(0 <= low && low <= high && high <= 1, `${packed.path}: ${low} to ${high}`)
          }
        }
        for (const { tiles, tileSizes } of inspection.fields) {
          assertEquals(tileSizes.reduce((sum, bin) => sum + bin.tiles, 0), tiles)
        }
        checkPage(TileArray.inspectionPage(inspection))
      }
    })
  }

  it("has the sizes before the filters, the boxes, and advice for many fragments", async () => {
    const Line = ArraySchema.dense({
      dims: { x: Dim.int32([1, 100], { tile: 10 }) },
      attrs: { a: Attr.int32(), s: Attr.utf8() },
    })
    const [before, after] = await inMemory(Effect.gen(function* () {
      const line = yield* TileArray.create("mem://line", Line)
      for (let i = 0; i < 10; i++) {
        const s = Array.from({ length: 10 }, (_, k) => "x".repeat(k))
        yield* Dense.write(line, { x: [1 + 10 * i, 10 + 10 * i] }, { a: new Int32Array(10), s }, { at: 1000 + i })
      }
      const before = yield* TileArray.inspect(yield* TileArray.reopen(line))
      yield* TileArray.consolidate(line)
      yield* TileArray.vacuum(line, { age: 0 })
      return [before, yield* TileArray.inspect(yield* TileArray.reopen(line))] as const
    }))
    // ten tiles of ten cells: 4 bytes each; 8 bytes each and 45 bytes of text
    assertEquals(before.fields.map(({ name, unfiltered, tiles }) => [name, unfiltered, tiles]), [
      ["a", 400, 10],
      ["s", 10 * (80 + 45), 10],
    ])
    assertEquals(
      before.fragments.map(({ box }) => box![0]),
      Array.from({ length: 10 }, (_, i) => [i / 10, (i + 1) / 10] as const),
    )
    assertEquals(before.advice.map(({ command }) => command), ["tidy --drop-history", "tidy"])
    assertMatch(before.advice[0].text, /^Combine 10 small fragments into 1:/)
    assertEquals([after.fragments.length, after.advice], [1, []])
    assertStringIncludes(TileArray.inspectionPage(after), "Nothing to do")
  })

  it("of an array with deletes shows their times and how to remove the cells", async () => {
    const Points = ArraySchema.sparse({ dims: { x: Dim.int32([1, 100]) }, attrs: { a: Attr.int32() } })
    const { deletes, advice, fragments } = await inMemory(Effect.gen(function* () {
      const points = yield* TileArray.create("mem://points", Points)
      yield* Sparse.write(points, { x: [1, 2], a: [1, 2] }, { at: 10 })
      yield* Sparse.delete(points, Condition.gt("a", 1), { at: 20 })
      return yield* TileArray.inspect(yield* TileArray.reopen(points))
    }))
    assertEquals([deletes, fragments.length], [[20], 1])
    assertEquals(advice.map(({ command }) => command), ["consolidate --purge-deleted"])
  })

  it("of an array with a fragment of a killed write reports it", async () => {
    const Line = ArraySchema.dense({ dims: { x: Dim.int32([1, 4], { tile: 4 }) }, attrs: { a: Attr.int32() } })
    const { advice } = await inMemory(Effect.gen(function* () {
      const line = yield* TileArray.create("mem://killed", Line)
      const storage = yield* StorageService
      const folder = `mem://killed/__fragments/__5_5_${"0".repeat(31)}1_22`
      yield* storage.write(`${folder}/a0.tdb`, Uint8Array.of(1))
      return yield* TileArray.inspect(line)
    }))
    assertEquals(advice.map(({ command }) => command), ["fragments"])
    assertMatch(advice[0].text, /^1 fragment has no commit: .*; the command lists it\.$/)
  })

  it("of an array without fragments has no drawings", async () => {
    const Empty = ArraySchema.dense({ dims: { x: Dim.int32([1, 4], { tile: 4 }) }, attrs: { a: Attr.int32() } })
    const inspection = await inMemory(Effect.flatMap(TileArray.create("mem://empty", Empty), TileArray.inspect))
    const page = TileArray.inspectionPage(inspection)
    checkPage(page)
    assertStringIncludes(page, "Nothing was written at this time.")
    assert(!page.includes("aria-label"), "an empty array has a drawing")
  })
})

describe("the page of an inspection", () => {
  it("escapes names and values of the array", async () => {
    const attack = `<script>alert(1)</script>"'&\u202e`
    const Evil = ArraySchema.sparse({
      dims: { [attack]: Dim.ascii(), [`y${attack}`]: Dim.ascii(), [`z${attack}`]: Dim.ascii() },
      attrs: { [`a${attack}`]: Attr.int32() },
    })
    const page = await inMemory(Effect.gen(function* () {
      const array = yield* TileArray.create(`mem://evil<img onerror=x>`, Evil)
      const cell = { [attack]: [`<i>"`], [`y${attack}`]: [`</svg>`], [`z${attack}`]: [`c`], [`a${attack}`]: [1] }
      yield* Sparse.write(array, cell as never, { at: 10 })
      return TileArray.inspectionPage(yield* TileArray.inspect(yield* TileArray.reopen(array)))
    }))
    checkPage(page)
    assert(!/<(script|img|i)\b/.test(page), "the page contains an element from the array")
    assert(!page.includes("\u202e"), "the page contains a character that changes the direction of text")
    assertStringIncludes(page, "&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39;&amp;")
  })
})

describe("tessera inspect", () => {
  it("prints sizes and advice, and JSON", async () => {
    const { code, out } = await cli(["inspect", weather])
    assertEquals(code, 0)
    assertMatch(
      out,
      /^2 fragments, .*\n\nfield +stored +before filters +ratio +tiles\n─+\ntemperature .*\nnote .*\n\nCombine/,
    )
    const json = JSON.parse((await cli(["inspect", weather, "--json"])).out)
    assertEquals([json.version, json.arrayType, json.fragments.length], [1, "dense", 2])
    assertEquals(
      JSON.parse((await cli(["inspect", weather, "--json", "--at", "2024-03-04T08:00Z"])).out).fragments.length,
      1,
    )
  })

  it("writes the page with --html", async () => {
    const folder = mkdtempSync(join(tmpdir(), "tessera-inspect-"))
    try {
      const target = join(folder, "report.html")
      const { code, out, err } = await cli(["inspect", weather, "--html", target])
      assertEquals([code, out], [0, `${target}\n`])
      assertMatch(err, /KiB; open it in a browser/)
      checkPage(readFileSync(target, "utf8"))
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  it("fails without a page if the array cannot be read", async () => {
    const folder = mkdtempSync(join(tmpdir(), "tessera-inspect-"))
    try {
      const { code, out } = await cli(["inspect", join(folder, "none"), "--html", join(folder, "report.html")])
      assertEquals([code, out], [3, ""])
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})
