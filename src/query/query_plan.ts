/**
 * Query plans as values: the tiles that a read fetches or skips, with the reason.
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

/** The plan for one fragment. */
export interface FragmentExplanation {
  /** Name of the fragment. */
  readonly name: string
  /** Number of its tiles. */
  readonly tiles: number
  /**
   * Tiles that may contain cells in the ranges. In dense arrays, tiles that newer fragments overwrote are excluded.
   */
  readonly inRanges: number
  /** Number of these tiles that the condition excludes, according to statistics and MBRs. */
  readonly ruledOut: number
  /** Tiles to read. */
  readonly read: number
}

/**
 * The plan of a read. With a `limit`, the figures are upper bounds, since the read stops after the last requested cell.
 */
export interface Explanation {
  /** The fragments that the open array includes, oldest first. */
  readonly fragments: ReadonlyArray<FragmentExplanation>
  /** Fields to read: the selected ones, those of the condition, and required coordinates. */
  readonly fields: ReadonlyArray<string>
  /** Number of cells in the tiles to read; in dense arrays, in the ranges. */
  readonly cells: number
  /** True if cells are sorted. */
  readonly sorts: boolean
  /** True if cells with equal coordinates are deduplicated. */
  readonly deduplicates: boolean
  /**
   * Number of byte ranges to read; adjacent tiles are one range. Ranges of more than a few MiB take several requests; a
   * storage with coalescing merges small ranges that are close together.
   */
  readonly requests: number
  /** Upper bound of the stored bytes to read: where possible, only parts of tiles are read. */
  readonly bytes: number
  /** Upper bounds of the sizes of the result's columns, by field name. */
  readonly sizes: Readonly<Record<string, ColumnSize>>
}

/** Bytes of the buffers of a column. */
export interface ColumnSize {
  readonly values: number
  /** Var-sized cells: four bytes each plus four; 0 for others. */
  readonly offsets: number
  /** Nullable cells: one byte each; 0 for others. */
  readonly validity: number
}

interface Cost {
  requests: number
  bytes: number
}

/** A tile to read; `whole` if all its cells are needed. */
interface ReadTile {
  readonly tile: number
  readonly whole: boolean
}

const asPartial = (tiles: ReadonlyArray<{ readonly tile: number }>): ReadonlyArray<ReadTile> =>
  tiles.map(({ tile }) => ({ tile, whole: false }))

/** Returns the field as a fragment stores it: up to format 4 all dimensions are stored together. */
const fieldIn = (fragment: Fragment, field: Field): Field | undefined => {
  const storedField = fieldOfFragment(fragment, field)
  return storedField?.file.kind === "dimension" && fragment.version < Since.splitDimensions
    ? zippedCoordinates(fragment.schema)
    : storedField
}

/** Adds the cost of reading tiles (ascending) of a fragment's fields. */
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
    // parts of unfiltered tiles are read separately
    const adjacentTiles = ({ filters }: FilterPipeline): ReadonlyArray<ReadTile> =>
      filters.length > 0 || access.key !== undefined ? tiles : tiles.filter(({ whole }) => whole)
    const { offsetsFilters, validityFilters } = fragment.schema
    for (const request of fields) {
      const field = fieldIn(fragment, request)
      if (field === undefined) continue
      const [where] = yield* loadFieldTiles(access, fragment, [field])
      addFile(where.fixed, adjacentTiles(field.var ? offsetsFilters : field.filters))
      if (where.var !== undefined) {
        const some = tiles.filter(({ tile }) => where.varSizes![tile] > 0)
        addFile(where.var, field.filters.filters.length > 0 ? some : [], some)
      }
      if (where.validity !== undefined) addFile(where.validity, adjacentTiles(validityFilters))
    }
  })

/**
 * Returns upper bounds of the column sizes for `count` cells, which include all var-sized values of the tiles and
 * `filled` missing cells.
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
        const storedField = fieldOfFragment(fragment, field)
        const [where] = storedField === undefined ? [] : yield* loadFieldTiles(access, fragment, [storedField])
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

/** Explains a sparse read. */
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
    const { dedups, inOrder } = workOf(array, plan, request)
    const sorts = dedups || !inOrder
    const { dimensions, timestamps, deleteTimes } = fieldsOf(array.schema)
    const partly = plan.some(({ tiles }) => tiles.some(({ whole }) => !whole))
    const narrowed = dimensions.filter((_, d) => partly && request.selection[d].ranges !== undefined)
    const involved = plan.map(({ fragment }) => array.fragments[fragment])
    const deletes = plan.length === 0 ? [] : yield* deleteFields(access, array)
    const timed = dedups || array.deletes.length > 0 || involved.some((fragment) => isCutByTime(array, fragment))
    const fields = [
      ...new Set([
        ...(sorts ? dimensions : narrowed),
        ...(request.where?.fields ?? []),
        ...(timed && involved.some((fragment) => fragment.hasTimestamps) ? [timestamps] : []),
        ...(involved.some((fragment) => fragment.hasDeleteMetadata) ? [deleteTimes] : []),
        ...request.fields,
      ]),
    ]
    const excludesCells = dedups || request.where !== undefined || array.deletes.length > 0 ||
      involved.some((fragment) => fragment.hasDeleteMetadata)
    const cost: Cost = { requests: 0, bytes: 0 }
    let cells = 0
    const countOf = (parts: typeof plan, fragment: number): number =>
      parts.find((part) => part.fragment === fragment)?.tiles.length ?? 0
    for (const { fragment, tiles } of plan) {
      const currentFragment = array.fragments[fragment]
      // if cells are excluded, only parts of tiles may be read; the fields of delete conditions are read for the
      // conditions only
      const parts = excludesCells ? asPartial(tiles) : tiles
      yield* addCost(access, currentFragment, fields, parts, cost)
      yield* addCost(access, currentFragment, deletes, parts, cost)
      for (const { tile } of tiles) cells += cellsInTile(currentFragment, tile)
    }
    const tilesOf = array.fragments.map((_, i) =>
      plan.find(({ fragment }) => fragment === i)?.tiles.map(({ tile }) => tile) ?? []
    )
    const max = Math.min(cells, options.limit ?? Infinity)
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
      sizes: yield* sizesOf(access, array, request.fields, tilesOf, max, 0),
    }
  })

/** Returns a test whether a dense plan needs all cells of a tile; false for all tiles if several fragments overlap. */
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

/** Explains a dense read. */
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
    // select the tiles of sparse fragments by their MBRs
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
    const max = Math.min(plan.cells, options.limit ?? Infinity)
    const filled = plan.covered && request.where === undefined ? 0 : max
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
      sizes: yield* sizesOf(access, array, request.fields, tilesOf, max, filled),
    }
  })
