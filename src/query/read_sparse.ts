/**
 * Sparse reads: find cells, order them, keep the newest, apply deletes, gather columns.
 */
import * as Effect from "effect/Effect"
import type { Codecs } from "../../platform/codecs.ts"
import type { Storage } from "../../platform/storage.ts"
import { ResultTooLarge, SelectionError } from "../array/errors.ts"
import { accessOf, type OpenedArray } from "../array/open.ts"
import { type Field, fieldsOf } from "../fragment/field.ts"
import { loadFieldTiles } from "../fragment/field_tiles.ts"
import { cellsInTile } from "../fragment/fragment.ts"
import type { ReadTilesError } from "../fragment/read_tiles.ts"
import { sortCells } from "../kernel/sort_cells.ts"
import type { TileAccess } from "../tile/generic_tile.ts"
import { coordinateWords, orderWords, zeroWords } from "./cell_order.ts"
import type { Column } from "./column.ts"
import { applyDeletes, numbersOf } from "./deletes.ts"
import { assemble, type Cells, fieldIn, gatherColumns, readFieldTiles } from "./gather.ts"
import { newestCells } from "./newest_cells.ts"
import { attemptSelection, type ReadError } from "./read_error.ts"
import { MAX_BYTES, type ReadOptions, selectedFields } from "./read_options.ts"
import { parseSelection } from "./selection.ts"
import { findCells, type FoundCells, timesOf } from "./sparse_cells.ts"

/** The answer of a sparse read: columns of `length` cells each. */
export interface SparseResult {
  readonly length: number
  readonly columns: Readonly<Record<string, Column>>
}

/** Reads the cells of a sparse array that lie in a selection. */
export const readSparse = (
  array: OpenedArray,
  options: ReadOptions = {},
): Effect.Effect<SparseResult, ReadError, Storage | Codecs> =>
  Effect.gen(function* () {
    const { schema, uri } = array
    const access = yield* accessOf(array)
    if (schema.arrayType !== "sparse") {
      return yield* Effect.fail(
        new SelectionError({ uri, field: "", reason: "the array is dense; read it with Dense.read" }),
      )
    }
    const order = options.order ?? "row"
    const maxBytes = options.maxBytes ?? MAX_BYTES
    const fields = yield* attemptSelection(() => selectedFields(array, options.select))
    const selection = yield* attemptSelection(() =>
      parseSelection(uri, schema, options.ranges ?? {}, options.outside ?? "error")
    )
    // one fragment has no two cells of the same coordinates, unless it was consolidated with their times
    const dedups = !schema.allowsDuplicates &&
      (array.fragments.length > 1 || array.fragments.some((f) => f.hasTimestamps))
    const sorts = order !== "unordered" || dedups
    const dimensions = fieldsOf(schema).dimensions
    const found = yield* findCells(access, array, selection, array.fragments.map((_, i) => i), {
      dimensions: dimensions.flatMap((field, d) => sorts || fields.includes(field) ? [d] : []),
      times: dedups || array.deletes.length > 0,
      maxBytes,
    })

    let cells: Cells = found
    if (sorts && found.tileOf.length > 0) {
      const columns: Array<Column> = []
      for (let d = 0; d < dimensions.length; d++) columns.push(yield* assembled(array, dimensions[d], found, d))
      const zeros = dedups ? zeroWords(columns) : []
      const words = [...orderWords(schema, order, columns), ...zeros]
      const sorted = sortCells(words, found.tileOf.length)
      cells = choose(
        found,
        dedups
          ? newestCells(
            sorted,
            order === "row" || order === "unordered" ? words : [...coordinateWords(columns), ...zeros],
            writeTimes(array, found, found, "start"),
            found.tileOf.map((t) => found.tiles[t].fragment),
          )
          : sorted,
      )
    }
    if (array.fragments.some((f) => f.hasDeleteMetadata)) {
      const { deleteTimes } = fieldsOf(schema)
      const tiles = yield* readFieldTiles(access, array, deleteTimes, cells)
      const { values } = assemble(deleteTimes, tiles, cells)!
      const deleted = timesOf(new Uint8Array(values.buffer, values.byteOffset, values.byteLength))
      const keep = new Uint8Array(deleted.length)
      for (let i = 0; i < keep.length; i++) keep[i] = deleted[i] <= array.time.end ? 0 : 1
      cells = choose(cells, numbersOf(keep))
    }
    if (array.deletes.length > 0 && cells.tileOf.length > 0) {
      cells = choose(cells, yield* applyDeletes(access, array, cells, writeTimes(array, found, cells, "end")))
    }

    yield* checkSize(access, array, fields, cells, maxBytes)
    const columns: Record<string, Column> = {}
    for (const field of fields) {
      const d = dimensions.indexOf(field)
      columns[field.name] = d >= 0 && found.coordinates[d] !== undefined
        ? yield* assembled(array, field, { ...found, ...cells }, d)
        : (yield* gatherColumns(access, array, [field], cells))[0]
    }
    return { length: cells.tileOf.length, columns }
  })

/** A dimension's column from coordinate tiles that are already there. */
const assembled = (
  array: OpenedArray,
  field: Field,
  found: FoundCells,
  d: number,
): Effect.Effect<Column, ResultTooLarge> => {
  const column = assemble(field, found.coordinates[d] ?? [], found)
  return column === undefined
    ? Effect.fail(new ResultTooLarge({ uri: array.uri, needed: 2 ** 32, limit: 2 ** 32 - 1 }))
    : Effect.succeed(column)
}

/** The cells of that numbers. */
const choose = (cells: Cells, numbers: Uint32Array): Cells => ({
  tiles: cells.tiles,
  tileOf: numbers.map((i) => cells.tileOf[i]),
  positions: numbers.map((i) => cells.positions[i]),
})

/** When cells were written: their own time, or their fragment's. */
const writeTimes = (array: OpenedArray, found: FoundCells, cells: Cells, bound: "start" | "end"): Float64Array => {
  const ofTile = found.tiles.map(({ fragment }) => array.fragments[fragment].name[bound])
  const out = new Float64Array(cells.tileOf.length)
  for (let i = 0; i < out.length; i++) {
    const tile = cells.tileOf[i]
    const own = found.times[tile]
    out[i] = own === undefined ? ofTile[tile] : own[cells.positions[i]]
  }
  return out
}

/** Refuses a result that is too large, before its tiles are read; of var-sized tiles read in part, their share counts. */
const checkSize = (
  access: TileAccess,
  array: OpenedArray,
  fields: ReadonlyArray<Field>,
  cells: Cells,
  limit: number,
): Effect.Effect<void, ReadTilesError | ResultTooLarge, Storage> =>
  Effect.gen(function* () {
    const n = cells.tileOf.length
    let needed = 0
    const counts = new Float64Array(cells.tiles.length)
    for (let i = 0; i < n; i++) counts[cells.tileOf[i]]++
    for (const field of fields) {
      needed += n * ((field.var ? 4 : field.cellSize) + (field.nullable ? 1 : 0))
      if (!field.var) continue
      for (let t = 0; t < counts.length; t++) {
        if (counts[t] === 0) continue
        const { fragment: f, tile } = cells.tiles[t]
        const fragment = array.fragments[f]
        const its = fieldIn(fragment, field)
        if (its === undefined) continue
        const [where] = yield* loadFieldTiles(access, fragment, [its])
        needed += where.varSizes![tile] * counts[t] / cellsInTile(fragment, tile)
      }
    }
    needed = Math.ceil(needed)
    if (needed > limit) return yield* Effect.fail(new ResultTooLarge({ uri: array.uri, needed, limit }))
  })
