/**
 * Plans of reads, as values: what will be read, what will not, and why.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import type { Codecs } from "../../platform/codecs/service.ts"
import type { Storage } from "../../platform/storage/service.ts"
import type { FilterPipeline } from "../../schema/array/filter_pipeline.ts"
import { Since } from "../../schema/version/version.ts"
import { accessOf, type OpenedArray } from "../array/open/open.ts"
import { type Field, fieldsOf, zippedCoordinates } from "../fragment/field.ts"
import { loadFieldTiles, proveTileCount, type TileFile } from "../fragment/field_tiles.ts"
import { cellsInTile, type Fragment } from "../fragment/fragment.ts"
import type { ReadTilesError } from "../fragment/read/read_tiles.ts"
import { spansOf } from "../tile/spans.ts"
import type { TileAccess } from "../tile/generic_tile.ts"
import { checkBudget } from "./options/memory_budget.ts"
import { deleteFields } from "./sparse/apply_deletes.ts"
import { fieldOfFragment } from "./column/gather.ts"
import { type DensePlan, planDense } from "./dense/plan.ts"
import { pruneDense } from "./dense/prune.ts"
import { planTiles } from "./sparse/plan.ts"
import type { ReadError } from "./options/read_error.ts"
import { denseRequest } from "./request/dense_request.ts"
import { readFields } from "./dense/read.ts"
import type { ReadOptions } from "./options/read_options.ts"
import { sparseRequest } from "./request/sparse_request.ts"
import { planRequest, workOf } from "./sparse/read.ts"
import { isCutByTime } from "./sparse/match_tiles.ts"

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

/** The plan of a read; of one with a `limit` the most that it may come to, since it ends behind the cells that are wanted. */
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
  /**
   * Pieces of files to be read: tiles that lie together are one. Where pieces have more than a few MiB each is read in
   * several requests; a storage that coalesces makes fewer of small ones that lie close.
   */
  readonly requests: number
  /** Bytes of tiles in their files, at most: parts of tiles are read where that can be. */
  readonly bytes: number
  /** Bytes that the columns of the result take, at most, by the names of what is selected. */
  readonly sizes: Readonly<Record<string, ColumnSize>>
}

/** Bytes of the buffers of a column. */
export interface ColumnSize {
  readonly values: number
  /** Of var-sized cells, four bytes each and four more; 0 of others. */
  readonly offsets: number
  /** Of cells that may be null, one byte each; 0 of others. */
  readonly validity: number
}

interface Cost {
  requests: number
  bytes: number
}

/** A tile that is read, and whether all of it is needed. */
interface ReadTile {
  readonly tile: number
  readonly whole: boolean
}

const inPart = (tiles: ReadonlyArray<{ readonly tile: number }>): ReadonlyArray<ReadTile> =>
  tiles.map(({ tile }) => ({ tile, whole: false }))

/** A field as a fragment holds it: until format 4 each dimension with all others. */
const heldIn = (fragment: Fragment, field: Field): Field | undefined => {
  const its = fieldOfFragment(fragment, field)
  return its?.file.kind === "dimension" && fragment.version < Since.splitDimensions
    ? zippedCoordinates(fragment.schema)
    : its
}

/** Adds what reading tiles of a fragment's fields costs; `tiles` ascend. */
const addCost = (
  access: TileAccess,
  fragment: Fragment,
  fields: ReadonlyArray<Field>,
  tiles: ReadonlyArray<ReadTile>,
  cost: Cost,
): Effect.Effect<void, ReadTilesError, Storage> =>
  Effect.gen(function* () {
    if (tiles.length === 0) return
    const addFile = (
      { offsets, size }: TileFile,
      together: ReadonlyArray<ReadTile>,
      all: ReadonlyArray<ReadTile> = tiles,
    ): void => {
      const end = (tile: number): number => tile + 1 < offsets.length ? offsets[tile + 1] : size
      const starts = Float64Array.from(together, ({ tile }) => offsets[tile])
      const lengths = Float64Array.from(together, ({ tile }) => end(tile) - offsets[tile])
      cost.requests += spansOf(starts, lengths).ranges.length + all.length - together.length
      for (const { tile } of all) cost.bytes += end(tile) - offsets[tile]
    }
    // of tiles without filters parts are read, each by itself
    const inOne = ({ filters }: FilterPipeline): ReadonlyArray<ReadTile> =>
      filters.length > 0 || access.key !== undefined ? tiles : tiles.filter(({ whole }) => whole)
    const { offsetsFilters, validityFilters } = fragment.schema
    for (const asked of fields) {
      const field = heldIn(fragment, asked)
      if (field === undefined) continue
      const [where] = yield* loadFieldTiles(access, fragment, [field])
      addFile(where.fixed, inOne(field.var ? offsetsFilters : field.filters))
      if (where.var !== undefined) {
        const some = tiles.filter(({ tile }) => where.varSizes![tile] > 0)
        addFile(where.var, field.filters.filters.length > 0 ? some : [], some)
      }
      if (where.validity !== undefined) addFile(where.validity, inOne(validityFilters))
    }
  })

/**
 * What the columns of `count` cells take, at most: all that tiles hold of var-sized fields counts, and `filled` cells that
 * are not there.
 */
const sizesOf = (
  access: TileAccess,
  array: OpenedArray,
  fields: ReadonlyArray<Field>,
  tilesOf: ReadonlyArray<ReadonlyArray<number>>,
  count: number,
  filled: number,
): Effect.Effect<Readonly<Record<string, ColumnSize>>, ReadTilesError, Storage> =>
  Effect.gen(function* () {
    const sizes: Record<string, ColumnSize> = {}
    for (const field of fields) {
      let values = field.var ? filled * field.fillValue.byteLength : count * field.cellSize
      for (const [f, fragment] of array.fragments.entries()) {
        if (!field.var || tilesOf[f].length === 0) continue
        const its = fieldOfFragment(fragment, field)
        const [where] = its === undefined ? [] : yield* loadFieldTiles(access, fragment, [its])
        for (const tile of tilesOf[f]) {
          values += where === undefined
            ? cellsInTile(fragment, tile) * field.fillValue.byteLength
            : where.varSizes![tile]
        }
      }
      sizes[field.name] = {
        values,
        offsets: field.var ? 4 * (count + 1) : 0,
        validity: field.nullable ? count : 0,
      }
    }
    return sizes
  })

/** Explains a read of a sparse array. */
export const explainSparse = (
  array: OpenedArray,
  options: ReadOptions = {},
): Effect.Effect<Explanation, ReadError, Storage | Codecs> =>
  Effect.gen(function* () {
    const request = yield* sparseRequest(array, options, "row")
    yield* checkBudget(array.uri, options.memory)
    const access = yield* accessOf(array)
    const all = yield* planTiles(access, array, request.selection, array.fragments.map((_, i) => i))
    const plan = yield* planRequest(access, array, request)
    const { dedups, inOrder } = workOf(array, plan, request.order)
    const sorts = dedups || !inOrder
    const { dimensions, timestamps, deleteTimes } = fieldsOf(array.schema)
    const partly = plan.some(({ tiles }) => tiles.some(({ whole }) => !whole))
    const narrowed = dimensions.filter((_, d) => partly && request.selection[d].ranges !== undefined)
    const involved = plan.map(({ fragment }) => array.fragments[fragment])
    const deletes = plan.length === 0 ? [] : yield* deleteFields(access, array)
    const timed = dedups || array.deletes.length > 0 || involved.some((its) => isCutByTime(array, its))
    const fields = [
      ...new Set([
        ...(sorts ? dimensions : narrowed),
        ...(request.where?.fields ?? []),
        ...(timed && involved.some((its) => its.hasTimestamps) ? [timestamps] : []),
        ...(involved.some((its) => its.hasDeleteMetadata) ? [deleteTimes] : []),
        ...request.fields,
      ]),
    ]
    const chooses = dedups || request.where !== undefined || array.deletes.length > 0 ||
      involved.some((its) => its.hasDeleteMetadata)
    const cost: Cost = { requests: 0, bytes: 0 }
    let cells = 0
    const countOf = (of: typeof plan, fragment: number): number =>
      of.find((part) => part.fragment === fragment)?.tiles.length ?? 0
    for (const { fragment, tiles } of plan) {
      const its = array.fragments[fragment]
      // where cells are left out, parts of tiles may be read; what deletes look at is read for them alone
      const parts = chooses ? inPart(tiles) : tiles
      yield* addCost(access, its, fields, parts, cost)
      yield* addCost(access, its, deletes, parts, cost)
      for (const { tile } of tiles) cells += cellsInTile(its, tile)
    }
    const tilesOf = array.fragments.map((_, i) =>
      plan.find(({ fragment }) => fragment === i)?.tiles.map(({ tile }) => tile) ?? []
    )
    const most = Math.min(cells, options.limit ?? Infinity)
    return {
      fragments: array.fragments.map((fragment, i) => {
        const [inRanges, read] = [countOf(all, i), countOf(plan, i)]
        return { name: fragment.name.name, tiles: fragment.tileCount, inRanges, ruledOut: inRanges - read, read }
      }),
      fields: [...new Set([...fields, ...deletes].map(({ name }) => name))],
      cells,
      sorts,
      deduplicates: dedups,
      ...cost,
      sizes: yield* sizesOf(access, array, request.fields, tilesOf, most, 0),
    }
  })

/** Whether a dense plan needs all cells of a tile: where several fragments lie, that is not told. */
const wholeTiles = (
  { fragments }: OpenedArray,
  { steps, tiles }: DensePlan,
): (fragment: number, tile: number) => boolean => {
  const [step] = steps
  if (steps.length !== 1 || step.kind !== "dense") return () => false
  const { tileCells } = fragments[step.fragment]
  const parts = new Set(
    Array.from(step.cells.keys()).filter((k) => step.cells[k] < tileCells).map((k) => tiles[step.firstTile + k].tile),
  )
  return (_, tile) => !parts.has(tile)
}

/** Explains a read of a dense array. */
export const explainDense = (
  array: OpenedArray,
  options: ReadOptions = {},
): Effect.Effect<Explanation, ReadError, Storage | Codecs> =>
  Effect.gen(function* () {
    const request = yield* denseRequest(array, options)
    yield* checkBudget(array.uri, options.memory)
    const access = yield* accessOf(array)
    for (const fragment of array.fragments) yield* proveTileCount(access, fragment)
    const all = planDense(array.schema, array.fragments, request.ranges, "row-major")
    const plan = request.where === undefined ? all : yield* pruneDense(access, array, request.where, all)
    const fields = readFields(request)
    const cost: Cost = { requests: 0, bytes: 0 }
    // cells that lie anywhere: tiles of sparse fragments by their rectangles
    const sparse = plan.steps.flatMap((step) => step.kind === "sparse" ? [step.fragment] : [])
    const anywhere = yield* planTiles(access, array, request.selection, sparse)
    const tilesIn = ({ tiles }: DensePlan): ReadonlyArray<ReadonlyArray<number>> => {
      const byFragment = array.fragments.map((): Array<number> => [])
      for (const { fragment, tile } of tiles) byFragment[fragment].push(tile)
      for (const { fragment, tiles } of anywhere) byFragment[fragment].push(...tiles.map(({ tile }) => tile))
      return byFragment
    }
    const inRanges = tilesIn(all)
    const tilesOf = tilesIn(plan)
    const isWhole = wholeTiles(array, plan)
    const { dimensions } = fieldsOf(array.schema)
    const attributes = fields.filter(({ file }) => file.kind === "attribute")
    for (const [i, fragment] of array.fragments.entries()) {
      const tiles = tilesOf[i].map((tile) => ({ tile, whole: isWhole(i, tile) }))
      yield* addCost(access, fragment, fragment.dense ? attributes : [...dimensions, ...attributes], tiles, cost)
    }
    const most = Math.min(plan.cells, options.limit ?? Infinity)
    const filled = plan.covered && request.where === undefined ? 0 : most
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
      sizes: yield* sizesOf(access, array, request.fields, tilesOf, most, filled),
    }
  })
