/**
 * Statistics of each tile of a field in the metadata of a fragment: its minimum, maximum and null count.
 *
 * Returns only values that all engines wrote correctly (format notes, section 11.2).
 */
import * as Effect from "effect/Effect"
import type { Storage } from "../../../platform/storage/service.ts"
import { decode } from "../../../schema/binary/mod.ts"
import { type Datatype, isString, viewAs } from "../../../schema/array/datatype.ts"
import { FormatError } from "../../../schema/errors/format_error.ts"
import { TileNullCounts, TileStatistic, TileSums } from "../../../schema/fragment/tile_statistics.ts"
import { Since } from "../../../schema/version/version.ts"
import { readScalar } from "../../../schema/array/scalar.ts"
import { cacheKind } from "../../kernel/bounded_cache.ts"
import { attemptTile } from "../../tile/attempt.ts"
import type { TileAccess } from "../../tile/generic_tile.ts"
import type { Field } from "../field.ts"
import { cellsInTile, type Fragment, slotOf } from "../fragment.ts"
import { loadSections, type SectionError } from "../sections.ts"
import { hasMinMax, isByteText, sumType as sumKind, type TileStatistics } from "../tile_statistics.ts"

/** Statistics of the tiles of a field. */
export interface TileBounds {
  /** Returns the smallest and the largest non-null cell of a tile in stored form; `undefined` if they are unknown. */
  readonly boundsOf: (tile: number) => { readonly low: Uint8Array; readonly high: Uint8Array } | undefined
  /** Returns the number of null cells of a tile. */
  readonly nullsIn: (tile: number) => number
  /** Returns the sum of the non-null cells of a tile; `undefined` if it is unknown or stopped at a limit. */
  readonly sumOf: (tile: number) => number | bigint | undefined
}

/** Filters that change cells: the statistics describe the cells before filtering. */
const lossy: ReadonlySet<string> = new Set(["scale_float", "webp"])

/**
 * Returns whether the statistics of a field in a fragment are reliable. They are reliable for numbers and dates. For
 * text they are reliable only in sparse fragments, if the text is var-sized (other text was compared up to a NUL or as
 * signed bytes) and not nullable (its null counts are wrong since 2.12).
 */
export const isKept = (fragment: Fragment, { file, type, var: isVar, nullable, cellValNum, filters }: Field): boolean =>
  fragment.version >= Since.tileStatistics && file.kind === "attribute" &&
  !filters.filters.some((filter) => lossy.has(filter.type)) &&
  (isVar ? !fragment.dense && isByteText(type) && !nullable : cellValNum === 1 && !isOpaque(type))

const isOpaque = (type: Datatype): boolean =>
  isString(type) || type === "char" || type === "any" || type === "blob" || type === "geom_wkb" || type === "geom_wkt"

/**
 * Returns whether the sum of cells cannot have reached a limit in between: engines continue from the limit, so the
 * final sum may not show it. A NaN among the cells makes the sum NaN, unless a limit was reached before; the bounds
 * then describe only the cells after the NaN.
 */
const isSumUnlimited = (
  kind: "int64" | "uint64" | "float64",
  sum: number | bigint,
  min: number | bigint,
  max: number | bigint,
  cells: number,
): boolean => {
  if (kind === "float64") {
    // cells this small cannot bring a sum that stopped at a limit back below it
    const largest = cells * Math.max(Math.abs(Number(min)), Math.abs(Number(max)))
    return largest < Number.MAX_VALUE / 4 && Math.abs(Number(sum)) <= 2 * largest
  }
  // sums of unsigned cells never decrease
  if (kind === "uint64") return sum !== 2n ** 64n - 1n
  const size = (value: number | bigint): bigint => value < 0 ? -BigInt(value) : BigInt(value)
  const largest = size(min) > size(max) ? size(min) : size(max)
  return largest * BigInt(cells) < 2n ** 63n
}

const BOUNDS = cacheKind<TileBounds>("tile bounds")

/**
 * Returns the statistics of the tiles of an attribute of a fragment; `undefined` if there are no reliable ones. In
 * dense fragments they are valid for tiles that are completely inside the written box.
 */
export const loadTileBounds = (
  access: TileAccess,
  fragment: Fragment,
  field: Field,
): Effect.Effect<TileBounds | undefined, SectionError, Storage> =>
  Effect.suspend(() => {
    const { metadata, tileCount } = fragment
    if (metadata.kind !== "sections" || !isKept(fragment, field)) return Effect.succeed(undefined)
    const slot = slotOf(fragment, field.file)
    const there = fragment.cache.get(BOUNDS, slot)
    if (there !== undefined) return Effect.succeed(there)
    const { footer, sections } = metadata
    const requested = [
      footer.tileMins[slot],
      footer.tileMaxes[slot],
      footer.tileSums[slot],
      ...(field.nullable ? [footer.tileNullCounts[slot]] : []),
    ]
    return Effect.flatMap(loadSections(access, sections, requested), ([mins, maxes, sums, nulls]) =>
      attemptTile(() => {
        const { uri, version } = sections
        const fail = (path: string, reason: string): FormatError =>
          new FormatError({ uri, path: `${path}.${slot}`, offset: 0, version, detail: reason })
        const low = slicesOf(
          decode(TileStatistic, mins.bytes, version, uri),
          fragment,
          field,
          (r) => fail("tileMins", r),
        )
        const high = slicesOf(
          decode(TileStatistic, maxes.bytes, version, uri),
          fragment,
          field,
          (r) => fail("tileMaxes", r),
        )
        const counts = nulls === undefined ? undefined : decode(TileNullCounts, nulls.bytes, version, uri)
        if (counts !== undefined && counts.length !== tileCount) {
          throw fail("tileNullCounts", `${counts.length} null counts for ${tileCount} tiles`)
        }
        const kind = sumKind(field)
        const column = kind === undefined ? undefined : viewAs(kind, decode(TileSums, sums.bytes, version, uri))
        if (column !== undefined && column.length !== tileCount) {
          throw fail("tileSums", `${column.length} sums for ${tileCount} tiles`)
        }
        const sumOf = (tile: number): number | bigint | undefined => {
          const sum = column?.[tile]
          if (sum === undefined) return undefined
          const cells = cellsInTile(fragment, tile)
          if (counts !== undefined && counts[tile] === cells) return sum
          const [min, max] = [low(tile), high(tile)].map((bytes) => readScalar(field.type, bytes))
          return isSumUnlimited(kind!, sum, min, max, cells) ? sum : undefined
        }
        const bounds: TileBounds = {
          boundsOf: (tile) => {
            // engines restart after a NaN, which only the sum shows, unless it reached a limit
            if (counts !== undefined && counts[tile] === cellsInTile(fragment, tile)) return undefined
            if (kind === "float64" && sumOf(tile) === undefined) return undefined
            return { low: low(tile), high: high(tile) }
          },
          nullsIn: (tile) => counts === undefined ? 0 : counts[tile],
          sumOf,
        }
        // the result refers to these sections
        const bytes = [mins, maxes, sums, nulls].reduce((sum, tile) => sum + (tile?.bytes.byteLength ?? 0), 0)
        fragment.cache.set(BOUNDS, slot, bounds, bytes)
        return bounds
      }))
  })

const STATISTICS = cacheKind<(tile: number) => TileStatistics>("stored tile statistics")

/**
 * Returns the stored statistics of the tiles of an attribute, for a fragment that copies the tiles; `undefined` if they
 * are absent or not reliable.
 */
export const loadStoredStatistics = (
  access: TileAccess,
  fragment: Fragment,
  field: Field,
): Effect.Effect<((tile: number) => TileStatistics) | undefined, SectionError, Storage> =>
  Effect.suspend(() => {
    const { metadata, tileCount } = fragment
    if (metadata.kind !== "sections" || !isKept(fragment, field) || !hasMinMax(field)) return Effect.succeed(undefined)
    const slot = slotOf(fragment, field.file)
    const existing = fragment.cache.get(STATISTICS, slot)
    if (existing !== undefined) return Effect.succeed(existing)
    const { footer, sections } = metadata
    const requested = [
      footer.tileMins[slot],
      footer.tileMaxes[slot],
      footer.tileSums[slot],
      ...(field.nullable ? [footer.tileNullCounts[slot]] : []),
    ]
    return Effect.flatMap(loadSections(access, sections, requested), ([mins, maxes, sums, nulls]) =>
      attemptTile(() => {
        const { uri, version } = sections
        const fail = (detail: string): FormatError =>
          new FormatError({ uri, path: `tileStatistics.${slot}`, offset: 0, version, detail })
        const low = slicesOf(decode(TileStatistic, mins.bytes, version, uri), fragment, field, fail)
        const high = slicesOf(decode(TileStatistic, maxes.bytes, version, uri), fragment, field, fail)
        const all = sumKind(field) === undefined ? undefined : decode(TileSums, sums.bytes, version, uri)
        if (all !== undefined && all.byteLength !== 8 * tileCount) throw fail(`${all.byteLength} bytes of sums`)
        const counts = nulls === undefined ? undefined : decode(TileNullCounts, nulls.bytes, version, uri)
        if (counts !== undefined && counts.length !== tileCount) throw fail(`${counts.length} null counts`)
        const statistics = (tile: number): TileStatistics => {
          const isEmpty = counts !== undefined && counts[tile] === cellsInTile(fragment, tile)
          return {
            min: isEmpty ? undefined : low(tile),
            max: isEmpty ? undefined : high(tile),
            sum: all?.subarray(8 * tile, 8 * tile + 8),
            nulls: counts?.[tile] ?? 0,
          }
        }
        const bytes = [mins, maxes, sums, nulls].reduce((sum, tile) => sum + (tile?.bytes.byteLength ?? 0), 0)
        fragment.cache.set(STATISTICS, slot, statistics, bytes)
        return statistics
      }))
  })

/** Returns the cell of each tile in a list of minima or maxima. */
const slicesOf = (
  { fixed, var: values }: TileStatistic,
  { tileCount }: Fragment,
  field: Field,
  fail: (reason: string) => FormatError,
): (tile: number) => Uint8Array => {
  const size = field.var ? 8 : field.cellSize
  if (fixed.byteLength !== tileCount * size) throw fail(`${fixed.byteLength} bytes for ${tileCount} tiles of ${size}`)
  if (!field.var) return (tile) => fixed.subarray(tile * size, (tile + 1) * size)
  const view = new DataView(fixed.buffer, fixed.byteOffset, fixed.byteLength)
  const at = (tile: number): number =>
    tile === tileCount
      ? values.byteLength
      : view.getUint32(8 * tile, true) + view.getUint32(8 * tile + 4, true) * 2 ** 32
  for (let tile = 0; tile < tileCount; tile++) {
    if (at(tile) > at(tile + 1)) throw fail(`the value of tile ${tile} ends before it starts`)
  }
  return (tile) => values.subarray(at(tile), at(tile + 1))
}
