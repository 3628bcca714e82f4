import { readFileSync } from "node:fs"
import { describe, it } from "node:test"
import { assert, assertEquals } from "@std/assert"
import * as Effect from "effect/Effect"
import type { WebpCodec } from "../../platform/codecs/service.ts"
import { withWebp } from "../../platform/codecs/webp/codec.ts"
import { compileWebp } from "../../platform/codecs/webp/locate.ts"
import { nativeCodecs } from "../../platform/codecs/layers/native.ts"
import { VAR } from "../../schema/array/cell_val_num.ts"
import { sizeOf, viewAs } from "../../schema/array/datatype.ts"
import { isFolded, unfilterFoldedTile } from "../../src/filter/pipeline/folded.ts"
import { unfilterTile } from "../../src/filter/pipeline/pipeline.ts"
import { concat } from "../../src/kernel/copy/concat.ts"
import { type FieldTiles, fixtures, haveFixtures, tilesBelow } from "./fixture_tiles.ts"

const unfiltered = (field: FieldTiles): Array<Uint8Array> =>
  field.tiles.map((tile) => unfilterTile(tile.bytes, { ...field.context, offset: tile.offset }, tile.limit))

/** Returns the values in the form of expected.json. */
const jsonValues = (field: FieldTiles): Array<unknown> =>
  Array.from(
    viewAs(field.type, concat(unfiltered(field))) as ArrayLike<number | bigint>,
    (value) => typeof value === "bigint" ? String(value) : Number.isFinite(value) ? value : String(value),
  )

const text = new TextDecoder()
const toHex = (bytes: Uint8Array): string => Array.from(bytes, (b) => b.toString(16).padStart(2, "0")).join("")

const jsonStrings = (fixed: FieldTiles | undefined, field: FieldTiles): Array<unknown> =>
  field.tiles.flatMap((tile, i) => {
    const context = { ...field.context, offset: tile.offset }
    const cells = field.cells(i)
    if (isFolded(context.filters, field.type, true, context.version)) {
      const { bytes, offsets } = unfilterFoldedTile(tile.bytes, context, tile.limit, cells)
      return Array.from({ length: cells }, (_, cell) => text.decode(bytes.subarray(offsets[cell], offsets[cell + 1])))
    }
    const bytes = unfilterTile(tile.bytes, context, tile.limit)
    const starts = new DataView(unfiltered(fixed!)[i].slice().buffer)
    const start = (cell: number) => cell < cells ? Number(starts.getBigUint64(8 * cell, true)) : bytes.length
    return Array.from({ length: cells }, (_, cell) => text.decode(bytes.subarray(start(cell), start(cell + 1))))
  })

const fullRead = (root: string, object: string) =>
  JSON.parse(readFileSync(`${root}/expected.json`, "utf8")).objects[object].reads.find((r: { name: string }) =>
    r.name === "full"
  ).columns as Record<string, Array<unknown> | { cells: number; sha256: string }>

/** Compares the values of the case's one-dimensional arrays of one fragment. Returns their number. */
const compare = (root: string, webp?: WebpCodec): number => {
  const fields = [...tilesBelow(root, { webp })]
  let compared = 0
  for (const field of fields) {
    const object = field.uri.slice(root.length + 1).split("/")[0]
    let want: Array<unknown> | { cells: number; sha256: string } | undefined = fullRead(root, object)[field.field]
    // 2.30 cannot read this field of older fragments: use the result of 2.17 for the same input
    if (want === undefined && field.field === "sfz") {
      want = fullRead(root.replace(/v\d+/, "v20"), object)[field.field]
    }
    if (field.part === "validity" || field.cellValNum === VAR && field.part === "fixed") continue
    assert(want !== undefined, `${root}: no expected values for ${field.field}`)
    const folder = field.uri.slice(0, field.uri.lastIndexOf("/"))
    const have = field.part === "fixed" ? jsonValues(field) : jsonStrings(
      fields.find((f) => f.uri.startsWith(folder) && f.field === field.field && f.part === "fixed"),
      field,
    )
    if (Array.isArray(want)) {
      const values = field.cellValNum === VAR ? want : want.flat() // cells of several values are lists
      assertEquals(have.filter((_, i) => values[i] !== null), values.filter((value) => value !== null), field.uri)
    } else {
      const hash = nativeCodecs.sha256(new TextEncoder().encode(have.join("")))
      assertEquals([have.length, toHex(hash)], [want.cells, want.sha256], field.uri)
    }
    compared += have.length
  }
  return compared
}

describe("tiles of real arrays", { skip: haveFixtures ? false : "the fixtures are missing" }, () => {
  const cases: ReadonlyArray<readonly [string, number]> = [
    ["filters_single", 3],
    ["filters_chain", 3],
    ["filters_levels", 3],
    ["filters_types", 3],
    ["filters_strings", 12],
    ["filters_new", 15],
  ]
  for (const [name, since] of cases) {
    it(`${name}: every value, formats ${since}–22`, () => {
      let compared = 0
      for (let version = since; version <= 22; version++) compared += compare(`${fixtures}v${version}/${name}`)
      assert(compared > 1000, `${compared} values`)
    })
  }

  it("filters_webp: every pixel, formats 17–22", async () => {
    const webp = await Effect.runPromise(withWebp(nativeCodecs, compileWebp).webp)
    for (let version = 17; version <= 22; version++) {
      assertEquals(compare(`${fixtures}v${version}/filters_webp`, webp), 8 * 18)
    }
  })

  it("every tile of an encrypted array is decrypted with its key, and has the expected size", () => {
    for (const version of [5, 12, 22]) {
      let tiles = 0
      for (const field of tilesBelow(`${fixtures}v${version}/encrypted_sparse`)) {
        if (field.part === "fixed" && field.cellValNum !== VAR) {
          const sizes = unfiltered(field).map((bytes) => bytes.length)
          assertEquals(sizes, field.tiles.map((_, i) => field.cells(i) * field.cellValNum * sizeOf(field.type)))
        } else unfiltered(field)
        tiles += field.tiles.length
      }
      assert(tiles > 5)
    }
  })
})
