/**
 * The cells of sparse fragments that a selection holds: tiles by their MBRs, then cells by their coordinates and times.
 */
import * as Effect from "effect/Effect"
import type { Storage } from "../../platform/storage.ts"
import { viewAs } from "../../schema/datatype.ts"
import type { OpenedArray } from "../array/open.ts"
import { ResultTooLarge } from "../array/errors.ts"
import { fieldsOf } from "../fragment/field.ts"
import type { FieldTile } from "../fragment/field_tiles.ts"
import { proveTileCount } from "../fragment/field_tiles.ts"
import { cellsInTile, type Fragment } from "../fragment/fragment.ts"
import { loadMbrs } from "../fragment/mbrs.ts"
import { readCoordinates, readTiles, type ReadTilesError } from "../fragment/read_tiles.ts"
import { matchStrings, matchWords } from "../kernel/match_ranges.ts"
import { keyWords } from "../kernel/order_key.ts"
import type { TileAccess } from "../tile/generic_tile.ts"
import type { Cells, TileRef } from "./gather.ts"
import { boxOverlap, type FlatRanges, flatRanges, planSparse, type SparseTile } from "./plan_sparse.ts"
import type { Selection } from "./selection.ts"

/** Cells that were found, in the order of fragments, tiles and positions. */
export interface FoundCells extends Cells {
  /** Coordinate tiles that were read on the way, by dimension, as `tiles` are numbered. */
  readonly coordinates: ReadonlyArray<ReadonlyArray<FieldTile | undefined> | undefined>
  /** Times of the cells that have their own, by tile; the others have their fragment's. */
  readonly times: ReadonlyArray<Float64Array | undefined>
}

/** What is wanted beside the cells. */
export interface Wanted {
  /** Dimensions whose coordinates are needed of all cells. */
  readonly dimensions: ReadonlyArray<number>
  /** Whether the cells' own times are needed. */
  readonly times: boolean
  readonly maxBytes: number
}

/** u64 times as numbers; all ones become larger than any time. */
export const timesOf = (bytes: Uint8Array): Float64Array => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const out = new Float64Array(bytes.byteLength / 8)
  for (let i = 0; i < out.length; i++) {
    out[i] = view.getUint32(8 * i + 4, true) * 0x100000000 + view.getUint32(8 * i, true)
  }
  return out
}

interface Found {
  readonly tiles: ReadonlyArray<TileRef>
  readonly masks: ReadonlyArray<Uint8Array | undefined>
  readonly cells: ReadonlyArray<number>
  readonly coordinates: ReadonlyArray<ReadonlyArray<FieldTile> | undefined>
  readonly times: ReadonlyArray<Float64Array | undefined>
}

/** Finds the cells of a selection in fragments, by their numbers. */
export const findCells = (
  access: TileAccess,
  array: OpenedArray,
  selection: Selection,
  fragments: ReadonlyArray<number>,
  wanted: Wanted = { dimensions: [], times: false, maxBytes: Infinity },
): Effect.Effect<FoundCells, ReadTilesError | ResultTooLarge, Storage> =>
  Effect.gen(function* () {
    const ranges = selection.map(flatRanges)
    // which tiles: from footers and R-trees alone
    const plans = yield* Effect.forEach(fragments, (number) =>
      Effect.map(planFragment(access, array.fragments[number], selection), (tiles) => ({ number, tiles })), {
      concurrency: 16,
    })
    const dimensions = fieldsOf(array.schema).dimensions
    // where a cell is takes eight bytes
    const perCell = wanted.dimensions.reduce((sum, d) =>
      sum + dimensions[d].cellSize, wanted.times ? 16 : 8)
    let cells = 0
    for (const { number, tiles } of plans) {
      for (const { tile } of tiles) {
        cells += cellsInTile(array.fragments[number], tile)
      }
    }
    const needed = cells * perCell
    if (needed > wanted.maxBytes) {
      return yield* Effect.fail(new ResultTooLarge({ uri: array.uri, needed, limit: wanted.maxBytes }))
    }
    if (cells > BELIEVED) {
      for (const { number, tiles } of plans) {
        if (tiles.length > 0) {
          yield* proveCells(access, array.fragments[number], tiles[0].tile)
        }
      }
    }
    const found = yield* Effect.forEach(
      plans.filter(({ tiles }) =>
        tiles.length > 0
      ),
      ({ number, tiles }) => findInFragment(access, array, number, tiles, selection, ranges, wanted),
      { concurrency: 4 },
    )
    return joinFound(found, selection.length)
  })

/** Numbers of cells up to this one are believed. */
const BELIEVED = 1 << 24

/**
 * How many cells tiles have is only claimed by schema and footer, and some reads (all cells, no coordinates) would take
 * memory for them before they meet a tile. One tile of coordinates shows it.
 */
const proveCells = (
  access: TileAccess,
  fragment: Fragment,
  tile: number,
): Effect.Effect<void, ReadTilesError, Storage> =>
  Effect.zipRight(
    proveTileCount(access, fragment, 0),
    readCoordinates(access, fragment, fieldsOf(fragment.schema).dimensions.slice(0, 1), [tile]),
  )

const planFragment = (
  access: TileAccess,
  fragment: Fragment,
  selection: Selection,
): Effect.Effect<ReadonlyArray<SparseTile>, ReadTilesError, Storage> => {
  const overlap = fragment.nonEmptyDomain === undefined || fragment.tileCount === 0
    ? "none"
    : boxOverlap(selection, fragment.nonEmptyDomain)
  if (overlap === "none") return Effect.succeed([])
  if (overlap === "whole") {
    return Effect.map(
      proveTileCount(access, fragment),
      () => Array.from({ length: fragment.tileCount }, (_, tile) => ({ tile, whole: true })),
    )
  }
  return Effect.map(loadMbrs(access, fragment), (mbrs) => planSparse(selection, mbrs))
}

const findInFragment = (
  access: TileAccess,
  array: OpenedArray,
  number: number,
  tiles: ReadonlyArray<SparseTile>,
  selection: Selection,
  ranges: ReadonlyArray<FlatRanges>,
  wanted: Wanted,
): Effect.Effect<Found, ReadTilesError, Storage> =>
  Effect.gen(function* () {
    const fragment = array.fragments[number]
    const fields = fieldsOf(fragment.schema)
    const numbers = tiles.map((t) => t.tile)
    const partial = tiles.some((t) => !t.whole)
    const reads = selection.map((s, d) => wanted.dimensions.includes(d) || (partial && s.ranges !== undefined))
    const read = fields.dimensions.filter((_, d) => reads[d])
    const columns = read.length === 0 ? [] : yield* readCoordinates(access, fragment, read, numbers)
    const coordinates = reads.map((r, d) => r ? columns[read.indexOf(fields.dimensions[d])] : undefined)

    const { start, end } = array.time
    // a consolidated fragment that reaches beyond the time range: its cells say themselves when they were written
    const cutsTime = fragment.hasTimestamps && (fragment.name.start < start || fragment.name.end > end)
    const times = fragment.hasTimestamps && (cutsTime || wanted.times)
      ? (yield* readTiles(access, fragment, fields.timestamps, numbers)).map((t) => timesOf(t.values))
      : undefined

    const masks: Array<Uint8Array | undefined> = []
    const cells: Array<number> = []
    for (let i = 0; i < tiles.length; i++) {
      const count = cellsInTile(fragment, tiles[i].tile)
      let mask: Uint8Array | undefined
      if (!tiles[i].whole) {
        mask = new Uint8Array(count).fill(1)
        for (let d = 0; d < selection.length; d++) {
          const flat = ranges[d]
          if (flat === undefined) continue
          const tile = coordinates[d]![i]
          if (flat.kind === "string") matchStrings(tile.values, tile.offsets!, flat.ranges, mask)
          else matchWords(keyWords(viewAs(selection[d].dimension.type, tile.values)), flat.ranges, mask)
        }
      }
      if (cutsTime) {
        mask ??= new Uint8Array(count).fill(1)
        const its = times![i]
        for (let k = 0; k < count; k++) if (its[k] < start || its[k] > end) mask[k] = 0
      }
      masks.push(mask)
      cells.push(mask === undefined ? count : mask.reduce((sum, m) => sum + m, 0))
    }
    return {
      tiles: numbers.map((tile) => ({ fragment: number, tile })),
      masks,
      cells,
      coordinates,
      times: numbers.map((_, i) => times?.[i]),
    }
  })

const joinFound = (found: ReadonlyArray<Found>, dimensions: number): FoundCells => {
  const tiles = found.flatMap((f) => f.tiles)
  const counts = found.flatMap((f) => f.cells)
  const masks = found.flatMap((f) => f.masks)
  const total = counts.reduce((sum, n) => sum + n, 0)
  const tileOf = new Uint32Array(total)
  const positions = new Uint32Array(total)
  let next = 0
  for (let t = 0; t < tiles.length; t++) {
    const mask = masks[t]
    if (mask === undefined) {
      tileOf.fill(t, next, next + counts[t])
      for (let k = 0; k < counts[t]; k++) positions[next++] = k
    } else {
      for (let k = 0; k < mask.length; k++) {
        if (mask[k] === 1) {
          tileOf[next] = t
          positions[next++] = k
        }
      }
    }
  }
  return {
    tiles,
    tileOf,
    positions,
    coordinates: Array.from(
      { length: dimensions },
      (_, d) =>
        found.every((f) => f.coordinates[d] !== undefined) && found.length > 0
          ? found.flatMap((f) => f.coordinates[d]!)
          : undefined,
    ),
    times: found.flatMap((f) => f.times),
  }
}
