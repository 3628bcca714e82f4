/**
 * Plans of reads, as values: what will be read, what will not, and why.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import type { Codecs } from "../../platform/codecs.ts"
import type { Storage } from "../../platform/storage.ts"
import { accessOf, type OpenedArray } from "../array/open.ts"
import { type Field, fieldsOf } from "../fragment/field.ts"
import { loadFieldTiles, proveTileCount, type TileFile } from "../fragment/field_tiles.ts"
import { cellsInTile, type Fragment } from "../fragment/fragment.ts"
import type { ReadTilesError } from "../fragment/read_tiles.ts"
import { spansOf } from "../tile/spans.ts"
import type { TileAccess } from "../tile/generic_tile.ts"
import { fieldIn } from "./gather.ts"
import { type DensePlan, planDense } from "./plan_dense.ts"
import { pruneDense } from "./prune_dense.ts"
import { planTiles } from "./plan_tiles.ts"
import type { ReadError } from "./read_error.ts"
import { denseRequest, readFields } from "./read_dense.ts"
import type { ReadOptions } from "./read_options.ts"
import { planRequest, sparseRequest, workOf } from "./read_sparse.ts"

/** What a read does with one fragment. */
export interface FragmentExplanation {
  /** The fragment's name. */
  readonly name: string
  /** Tiles that it has. */
  readonly tiles: number
  /** Tiles that may hold cells of the ranges; of dense arrays without those that newer fragments wrote over. */
  readonly inRanges: number
  /** Tiles of these that the condition rules out, by statistics and rectangles. */
  readonly ruledOut: number
  /** Tiles that are read. */
  readonly read: number
}

/** The plan of a read. */
export interface Explanation {
  /** The fragments that the open array sees, oldest first. */
  readonly fragments: ReadonlyArray<FragmentExplanation>
  /** The fields that are read: those that are selected, those of the condition, and the coordinates that are needed. */
  readonly fields: ReadonlyArray<string>
  /** Cells of the tiles that are read; of dense arrays, of the ranges. */
  readonly cells: number
  /** Whether cells are sorted. */
  readonly sorts: boolean
  /** Whether cells of the same coordinates are looked for. */
  readonly deduplicates: boolean
  /** Requests for tiles, at most, before coalescing: pieces of files that lie together are one. */
  readonly requests: number
  /** Bytes of tiles in their files, at most: parts of tiles are read where that can be. */
  readonly bytes: number
}

interface Cost {
  requests: number
  bytes: number
}

/** Adds what reading tiles of a fragment's fields costs; `tiles` ascend. */
const addCost = (
  access: TileAccess,
  fragment: Fragment,
  fields: ReadonlyArray<Field>,
  tiles: ReadonlyArray<number>,
  cost: Cost,
): Effect.Effect<void, ReadTilesError, Storage> =>
  Effect.gen(function* () {
    if (tiles.length === 0) return
    const addFile = ({ offsets, size }: TileFile): void => {
      const end = (tile: number): number => tile + 1 < offsets.length ? offsets[tile + 1] : size
      const starts = Float64Array.from(tiles, (tile) => offsets[tile])
      const lengths = Float64Array.from(tiles, (tile) => end(tile) - offsets[tile])
      cost.requests += spansOf(starts, lengths).ranges.length
      cost.bytes += lengths.reduce((sum, length) => sum + length, 0)
    }
    for (const field of fields) {
      const its = fieldIn(fragment, field)
      if (its === undefined) continue
      const [where] = yield* loadFieldTiles(access, fragment, [its])
      addFile(where.fixed)
      if (where.var !== undefined) addFile(where.var)
      if (where.validity !== undefined) addFile(where.validity)
    }
  })

/** Explains a read of a sparse array. */
export const explainSparse = (
  array: OpenedArray,
  options: ReadOptions = {},
): Effect.Effect<Explanation, ReadError, Storage | Codecs> =>
  Effect.gen(function* () {
    const request = yield* sparseRequest(array, options, "row")
    const access = yield* accessOf(array)
    const all = yield* planTiles(access, array, request.selection, array.fragments.map((_, i) => i))
    const plan = yield* planRequest(access, array, request)
    const { dedups, inOrder } = workOf(array, plan, request.order)
    const sorts = dedups || !inOrder
    const { dimensions } = fieldsOf(array.schema)
    const partly = plan.some(({ tiles }) => tiles.some(({ whole }) => !whole))
    const narrowed = dimensions.filter((_, d) => partly && request.selection[d].ranges !== undefined)
    const fields = [
      ...new Set([...(sorts ? dimensions : narrowed), ...(request.where?.fields ?? []), ...request.fields]),
    ]
    const cost: Cost = { requests: 0, bytes: 0 }
    let cells = 0
    const countOf = (of: typeof plan, fragment: number): number =>
      of.find((part) => part.fragment === fragment)?.tiles.length ?? 0
    for (const { fragment, tiles } of plan) {
      const its = array.fragments[fragment]
      yield* addCost(access, its, fields, tiles.map(({ tile }) => tile), cost)
      for (const { tile } of tiles) cells += cellsInTile(its, tile)
    }
    return {
      fragments: array.fragments.map((fragment, i) => {
        const [inRanges, read] = [countOf(all, i), countOf(plan, i)]
        return { name: fragment.name.name, tiles: fragment.tileCount, inRanges, ruledOut: inRanges - read, read }
      }),
      fields: fields.map(({ name }) => name),
      cells,
      sorts,
      deduplicates: dedups,
      ...cost,
    }
  })

/** Explains a read of a dense array. */
export const explainDense = (
  array: OpenedArray,
  options: ReadOptions = {},
): Effect.Effect<Explanation, ReadError, Storage | Codecs> =>
  Effect.gen(function* () {
    const request = yield* denseRequest(array, options)
    const access = yield* accessOf(array)
    for (const fragment of array.fragments) yield* proveTileCount(access, fragment)
    const all = planDense(array.schema, array.fragments, request.ranges, "row-major")
    const plan = request.where === undefined ? all : yield* pruneDense(access, array, request.where, all)
    const fields = readFields(request)
    const cost: Cost = { requests: 0, bytes: 0 }
    const tilesIn = ({ tiles }: DensePlan): ReadonlyArray<ReadonlyArray<number>> => {
      const byFragment = array.fragments.map((): Array<number> => [])
      for (const { fragment, tile } of tiles) byFragment[fragment].push(tile)
      return byFragment
    }
    const inRanges = tilesIn(all)
    const tilesOf = tilesIn(plan)
    const attributes = fields.filter(({ file }) => file.kind === "attribute")
    for (const [i, fragment] of array.fragments.entries()) {
      yield* addCost(access, fragment, attributes, tilesOf[i], cost)
    }
    return {
      fragments: array.fragments.map((fragment, i) => ({
        name: fragment.name.name,
        tiles: fragment.tileCount,
        inRanges: inRanges[i].length,
        ruledOut: inRanges[i].length - tilesOf[i].length,
        read: tilesOf[i].length,
      })),
      fields: fields.map(({ name }) => name),
      cells: plan.cells,
      sorts: false,
      deduplicates: false,
      ...cost,
    }
  })
