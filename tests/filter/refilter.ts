/**
 * Unfilters tiles written by engines, and filters them again: the result must be byte-identical where the algorithm is
 * deterministic, and equivalent otherwise.
 */
import { VAR } from "../../schema/array/cell_val_num.ts"
import { filterFoldedTile, isFolded, unfilterFoldedTile } from "../../src/filter/pipeline/folded.ts"
import { filterTile } from "../../src/filter/pipeline/filter_tile.ts"
import { type TileContext, tileTable, unfilterTile, unwind } from "../../src/filter/pipeline/pipeline.ts"
import type { Strings } from "../../src/filter/part/strings.ts"
import { deviations, type Difference } from "../rewrite/deviations.ts"
import { type FieldTiles, tilesBelow } from "./fixture_tiles.ts"

/** Whether the difference is a known deviation. */
const isKnown = ({ context, dense, part, tiles }: FieldTiles, tile: number, how: Difference["how"]): boolean => {
  const last = tile === tiles.length - 1
  const { engineVersion: version, filters } = context
  const difference = { version, dense, global: false, whole: true, field: undefined, filters, part, last, how }
  return deviations.some(({ applies }) => applies(difference))
}

/** Filters whose output depends on the library version or is random; their input is compared instead. */
const free: ReadonlySet<string> = new Set(["gzip", "zstd", "lz4", "bzip2", "aes_256_gcm"])

/** The result of refiltering. */
export interface Refiltered {
  /** byte-identical tiles */
  equal: number
  /** tiles with identical input of a codec */
  coded: number
  /** tiles with a known deviation */
  deviating: number
  /** tiles that cannot be unfiltered separately: WebP, and the sparse nullable fragments of 2.2 */
  skipped: number
  readonly faults: Array<string>
}

const same = (a: Uint8Array, b: Uint8Array): boolean => {
  if (a.length !== b.length) return false
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false
  return true
}

/** Converts offsets in a file to positions of cells. */
const positions = (starts: Uint8Array, size: number): Uint32Array => {
  const words = new Uint32Array(starts.slice().buffer)
  return Uint32Array.from({ length: words.length / 2 + 1 }, (_, i) => 2 * i < words.length ? words[2 * i] : size)
}

/** Refilters every tile of the case in a folder. */
export const refilterCase = (root: string, result: Refiltered): void => {
  const fields = [...tilesBelow(root)]
  for (const field of fields) {
    const { part, type } = field
    const isVar = field.cellValNum === VAR
    const folder = field.uri.slice(0, field.uri.lastIndexOf("/"))
    const starts = fields.find((f) => f.part === "fixed" && f.field === field.field && f.uri.startsWith(folder))
    const isSeparate = isSeparable(field, fields.filter((f) => f.uri.startsWith(folder)))
    field.tiles.forEach((tile, i) => {
      if (!isSeparate) {
        result.skipped++
        return
      }
      const context: TileContext = {
        ...field.context,
        offset: tile.offset,
        dimensions: field.field === "__coords" ? field.cellValNum : undefined,
      }
      const fault = (label: string): void => {
        result.faults.push(
          `${field.uri}: tile ${i} of ${field.field}, ${type}, ${JSON.stringify(context.filters.filters)}: ${label}`,
        )
      }
      let made: Uint8Array
      if (part === "var" && isFolded(context.filters, type, true, context.version)) {
        const open = (bytes: Uint8Array): Strings => unfilterFoldedTile(bytes, context, tile.limit, field.cells(i))
        const strings = open(tile.bytes)
        made = filterFoldedTile(strings, context)
        const again = open(made)
        if (!same(again.bytes, strings.bytes) || again.offsets.some((at, k) => at !== strings.offsets[k])) {
          return fault("the strings differ")
        }
      } else {
        const open = (bytes: Uint8Array): Uint8Array => unfilterTile(bytes, context, tile.limit)
        const cells = open(tile.bytes)
        const offsets = part !== "var" ? undefined : positions(
          unfilterTile(
            starts!.tiles[i].bytes,
            { ...starts!.context, offset: starts!.tiles[i].offset },
            starts!.tiles[i].limit,
          ),
          cells.length,
        )
        // folded strings have an offsets tile without chunks
        made = part === "fixed" && isVar && cells.length === 0 ? new Uint8Array(8) : filterTile(cells, context, offsets)
        if (!same(open(made), cells)) return fault("the cells differ")
      }
      const outcome = compareTiles(tile.bytes, made, context)
      if (outcome === "equal") result.equal++
      else if (outcome === "coded") result.coded++
      else if (isKnown(field, i, outcome)) result.deviating++
      else fault(outcome)
    })
  }
}

/** Whether tiles can be unfiltered separately: not in sparse nullable fields of 2.2; WebP is compared elsewhere by pixels. */
const isSeparable = (field: FieldTiles, fragment: ReadonlyArray<FieldTiles>): boolean => {
  const nullable = fragment.some((f) => f.field === field.field && f.part === "validity")
  const broken = field.context.engineVersion === 7 && !field.dense && nullable
  return !broken && !field.context.filters.filters.some((filter) => filter.type === "webp")
}

/** Compares a tile of the engine with ours. */
export const compareTiles = (
  theirs: Uint8Array,
  ours: Uint8Array,
  context: TileContext,
): "equal" | "coded" | "cut" | "noise" | "others" => {
  if (same(theirs, ours)) return "equal"
  const [a, b] = [theirs, ours].map((bytes) => tileTable(bytes, context, 2 ** 32))
  if (a.count !== b.count || a.original.some((size, i) => size !== b.original[i])) return "cut"
  const codec = context.filters.filters.findIndex((filter) => free.has(filter.type))
  const first = codec < 0 ? context.filters.filters.length : codec
  let worst: "coded" | "noise" = "coded"
  for (let i = 0; i < a.count; i++) {
    const [x, y] = [unwind(theirs, a, i, context, 2 ** 31, first), unwind(ours, b, i, context, 2 ** 31, first)]
    if (same(x.data, y.data) && same(x.metadata, y.metadata)) continue
    if (x.data.length !== y.data.length || x.metadata.length !== y.metadata.length) return "others"
    worst = "noise"
  }
  return codec < 0 && worst === "coded" ? "others" : worst
}

/** Returns an empty result. */
export const noTiles = (): Refiltered => ({ equal: 0, coded: 0, deviating: 0, skipped: 0, faults: [] })
