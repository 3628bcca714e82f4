/**
 * Selects the tiles that a sparse read needs from footers and R-trees, before any tile is read.
 */
import * as Effect from "effect/Effect"
import { inFlight, Storage } from "../../../platform/storage/service.ts"
import type { OpenedArray } from "../../array/open/open.ts"
import { ResultTooLarge } from "../../array/open/errors.ts"
import { fieldsOf } from "../../fragment/field.ts"
import { proveTileCount } from "../../fragment/field_tiles.ts"
import { cellsInTile, type Fragment } from "../../fragment/fragment.ts"
import { loadMbrs } from "../../fragment/mbrs.ts"
import { readCoordinates, type ReadTilesError } from "../../fragment/read/read_tiles.ts"
import { cacheKind } from "../../kernel/bounded_cache.ts"
import type { KeyWords } from "../../kernel/sort/order_key.ts"
import type { MbrColumn } from "../../../schema/fragment/rtree.ts"
import type { TileAccess } from "../../tile/generic_tile.ts"
import { orderBounds } from "./global_order_bounds.ts"
import { boxOverlap, columnWords, type FlatRanges, flatRanges, planSparse, type SparseTile } from "./tile_overlap.ts"
import type { Selection } from "../selection/selection.ts"

/** The tiles of fragment number `fragment` that may contain selected cells. */
export interface FragmentPlan {
  readonly fragment: number
  readonly tiles: ReadonlyArray<SparseTile>
}

/** The tiles that a sparse read needs, by fragment in array order. Fragments without such tiles are omitted. */
export type SparsePlan = ReadonlyArray<FragmentPlan>

/** Returns the tiles of fragments, given by number, that a selection needs. */
export const planTiles = (
  access: TileAccess,
  array: OpenedArray,
  selection: Selection,
  fragments: ReadonlyArray<number>,
): Effect.Effect<SparsePlan, ReadTilesError, Storage> => {
  const ranges = selection.map(flatRanges)
  const planOne = (fragment: number) =>
    Effect.map(
      planFragment(access, array.fragments[fragment], selection, ranges),
      (tiles): FragmentPlan => ({ fragment, tiles }),
    )
  const plans = Effect.flatMap(
    Storage,
    (storage) => Effect.forEach(fragments, planOne, { concurrency: inFlight(storage, array.uri, 16) }),
  )
  return Effect.map(plans, (all) => all.filter(({ tiles }) => tiles.length > 0))
}

const WORDS = cacheKind<KeyWords>("key words of MBRs")

/** Returns the key words of a fragment's MBRs from a cache that all queries share. */
const wordsIn = ({ cache }: Fragment) => (column: MbrColumn, dimension: number): KeyWords => {
  const keyWords = cache.get(WORDS, dimension)
  if (keyWords !== undefined) return keyWords
  const words = columnWords(column)
  cache.set(WORDS, dimension, words, words.reduce((sum, { byteLength }) => sum + byteLength, 0))
  return words
}

const planFragment = (
  access: TileAccess,
  fragment: Fragment,
  selection: Selection,
  ranges: ReadonlyArray<FlatRanges>,
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
  return Effect.map(loadMbrs(access, fragment), (mbrs) => {
    const tiles = planSparse(selection, mbrs, ranges, wordsIn(fragment))
    const mayHold = orderBounds(fragment.schema, selection, mbrs)
    return mayHold === undefined ? tiles : tiles.filter(({ tile, whole }) => whole || mayHold(tile))
  })
}

/** Maximum number of cells of a plan whose cell counts are not verified. */
const MAX_UNCHECKED_CELLS = 1 << 24

/**
 * Fails for plans with more cells than fit into `limit` bytes at `perCell` bytes each, and for fragments with false
 * cell counts.
 */
export const checkPlan = (
  access: TileAccess,
  array: OpenedArray,
  plan: SparsePlan,
  perCell: number,
  limit: number,
): Effect.Effect<void, ReadTilesError | ResultTooLarge, Storage> =>
  Effect.gen(function* () {
    let cells = 0
    for (const { fragment, tiles } of plan) {
      for (const { tile } of tiles) cells += cellsInTile(array.fragments[fragment], tile)
    }
    const needed = cells * perCell
    if (needed > limit) return yield* Effect.fail(new ResultTooLarge({ uri: array.uri, needed, limit }))
    if (cells > MAX_UNCHECKED_CELLS) {
      for (const { fragment, tiles } of plan) yield* proveCells(access, array.fragments[fragment], tiles[0].tile)
    }
  })

/**
 * Verifies the cell count of a tile by reading one tile of coordinates. Schema and footer may state a false count, and
 * some reads (all cells, no coordinates) would allocate memory for it before they read a tile.
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
