/** Order, rectangles and statistics of fragments that TileDB wrote, compared with those computed from the cells. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { describe, it } from "node:test"
import { assertEquals } from "@std/assert"
import { layerNative } from "../../platform/codecs/layers/native.ts"
import { Storage } from "../../platform/storage/service.ts"
import { makeMemoryStorage } from "../../platform/storage/memory.ts"
import { decode } from "../../schema/binary/mod.ts"
import { type TypedArray, viewAs } from "../../schema/array/datatype.ts"
import type { MbrColumn } from "../../schema/fragment/rtree.ts"
import { TileStatistic, TileSums } from "../../schema/fragment/tile_statistics.ts"
import { Since } from "../../schema/version/version.ts"
import { accessOf, openArray } from "../../src/array/open/open.ts"
import { type Coordinates, globalWords } from "../../src/fragment/cell_order.ts"
import { type Field, fieldsOf } from "../../src/fragment/field.ts"
import type { FieldTile } from "../../src/fragment/field_tiles.ts"
import { slotOf } from "../../src/fragment/fragment.ts"
import { loadMbrs } from "../../src/fragment/mbrs.ts"
import { readCoordinates, readTiles } from "../../src/fragment/read/read_tiles.ts"
import { loadSections } from "../../src/fragment/sections.ts"
import { firstUnordered } from "../../src/kernel/sort/sort_cells.ts"
import { tileStatistics } from "../../src/write/fragment/tile_statistics.ts"
import { packedArrays, packs } from "../support/packed_arrays.ts"

/** Returns all tiles of a dimension as one column. */
const joined = (field: Field, tiles: ReadonlyArray<FieldTile>): Coordinates => {
  const bytes = new Uint8Array(tiles.reduce((n, t) => n + t.values.length, 0))
  const ends = [0]
  let at = 0
  for (const { values, offsets } of tiles) {
    offsets?.forEach((offset, i) => i > 0 && ends.push(at + offset))
    bytes.set(values, at)
    at += values.length
  }
  return { values: viewAs(field.type, bytes), ...(field.var ? { offsets: Uint32Array.from(ends) } : {}) }
}

const raw = ({ buffer, byteOffset, byteLength }: TypedArray): Uint8Array =>
  new Uint8Array(buffer, byteOffset, byteLength)

/** Returns the raw lower and upper bounds of tile `i`. */
const boundsOf = (column: MbrColumn, i: number): ReadonlyArray<Uint8Array> => {
  const at = (k: number): Uint8Array =>
    column.kind === "var"
      ? column.bytes.slice(column.offsets[k], column.offsets[k + 1])
      : raw(column.values).slice(k * column.values.BYTES_PER_ELEMENT, (k + 1) * column.values.BYTES_PER_ELEMENT)
  return [at(2 * i), at(2 * i + 1)]
}

/** Returns the raw minimum or maximum of tile `i`. */
const extremeOf = (field: Field, { fixed, var: bytes }: TileStatistic, i: number): Uint8Array => {
  if (!field.var) return fixed.slice(i * field.cellSize, (i + 1) * field.cellSize)
  const starts = new DataView(fixed.buffer, fixed.byteOffset, fixed.byteLength)
  const start = (k: number): number => 8 * k < fixed.length ? Number(starts.getBigUint64(8 * k, true)) : bytes.length
  return bytes.slice(start(i), start(i + 1))
}

/** Compares every sparse fragment of the packed arrays, and returns the number of compared tiles. */
const compareAll = (pack: string): Effect.Effect<{ order: number; rectangles: number; statistics: number }> =>
  Effect.gen(function* () {
    const seen = { order: 0, rectangles: 0, statistics: 0 }
    for (const { path, key, files } of packedArrays(pack)) {
      const storage = Layer.succeed(Storage, makeMemoryStorage(new Map(files)))
      const all = Effect.gen(function* () {
        const array = yield* openArray(path, key === undefined ? {} : { key })
        const access = yield* accessOf(array)
        for (const fragment of array.fragments) {
          if (fragment.dense) continue
          const { schema, version, metadata } = fragment
          const { attributes, dimensions, timestamps } = fieldsOf(schema)
          const numbers = Array.from({ length: fragment.tileCount }, (_, i) => i)
          const coordinates = yield* readCoordinates(access, fragment, dimensions, numbers)
          const columns = dimensions.map((field, d) => joined(field, coordinates[d]))
          const cells = columns[0].offsets === undefined ? columns[0].values.length : columns[0].offsets.length - 1
          assertEquals(firstUnordered(globalWords(schema, columns, version), cells), cells, `${path}: order`)
          seen.order++

          const mbrs = yield* loadMbrs(access, fragment)
          dimensions.forEach((field, d) =>
            coordinates[d].forEach((tile, i) => {
              const { min, max } = tileStatistics(field, tile)
              assertEquals([min!, max!], boundsOf(mbrs.dimensions[d], i), `${path}: rectangle ${i} of ${field.name}`)
              seen.rectangles++
            })
          )
          if (version < Since.tileStatistics || metadata.kind !== "sections") continue
          const { footer, sections } = metadata
          for (const field of [...attributes, ...dimensions, ...(fragment.hasTimestamps ? [timestamps] : [])]) {
            // float scale loses digits after the statistics were computed
            if (field.filters.filters.some((f) => f.type === "scale_float")) continue
            const slot = slotOf(fragment, field.file)
            const tiles = field.file.kind === "dimension"
              ? coordinates[field.file.index]
              : yield* readTiles(access, fragment, field, numbers)
            const parts = [footer.tileMins[slot], footer.tileMaxes[slot], footer.tileSums[slot]]
            const [mins, maxes, sums] = yield* loadSections(access, sections, parts)
            const min = decode(TileStatistic, mins.bytes, version, path)
            const max = decode(TileStatistic, maxes.bytes, version, path)
            const sum = decode(TileSums, sums.bytes, version, path)
            tiles.forEach((tile, i) => {
              const made = tileStatistics(field, tile)
              const subject = `${path}: tile ${i} of ${field.name}, ${field.type}`
              assertEquals(made.sum, sum.length === 0 ? undefined : sum.slice(8 * i, 8 * i + 8), `${subject}: sum`)
              if (field.file.kind === "dimension") return
              // if all cells are null, the engine stores an arbitrary value
              if (min.fixed.length > 0 && made.min === undefined) return
              const stored = min.fixed.length === 0 ? [] : [min, max].map((s) => extremeOf(field, s, i))
              assertEquals(made.min === undefined ? [] : [made.min, made.max!], stored, subject)
              seen.statistics++
            })
          }
        }
      })
      yield* Effect.provide(all, Layer.merge(storage, layerNative)) as Effect.Effect<void>
    }
    return seen
  })

describe("fragments of TileDB engines", () => {
  for (const pack of packs) {
    it(`${pack}: cells are in global order; rectangles and statistics match the cells`, async () => {
      const { order, rectangles, statistics } = await Effect.runPromise(compareAll(pack))
      assertEquals(order > 3, true)
      assertEquals(rectangles > 9, true)
      assertEquals(statistics > 30, Number(pack.slice(1)) >= Since.tileStatistics)
    })
  }
})
