/**
 * Checks the coordinates of a sparse fragment: the domain, the MBRs, the global order and duplicates.
 */
import * as Effect from "effect/Effect"
import type { Storage } from "../../platform/storage/service.ts"
import { sizeOf, viewAs } from "../../schema/array/datatype.ts"
import { VAR } from "../../schema/array/cell_val_num.ts"
import type { MbrLevel } from "../../schema/fragment/rtree.ts"
import { Since } from "../../schema/version/version.ts"
import { type Coordinates, globalWords, zeroWords } from "../fragment/cell_order.ts"
import { type Field, fieldsOf } from "../fragment/field.ts"
import type { FieldTile } from "../fragment/field_tiles.ts"
import type { Fragment } from "../fragment/fragment.ts"
import { readCoordinates } from "../fragment/read/read_tiles.ts"
import type { KeyWords } from "../kernel/sort/order_key.ts"
import type { TileAccess } from "../tile/generic_tile.ts"
import { tileStatistics } from "../write/fragment/tile_statistics.ts"
import { containsRange, rangeAt } from "./bounds.ts"
import type { Findings } from "./findings.ts"
import { readBatch, tileSubject } from "./read_batches.ts"

/** The tiles of all dimensions; the inner arrays have one element for each tile. */
type TilesByDimension = ReadonlyArray<ReadonlyArray<FieldTile | undefined>>

/** The last cell of the previous tile, one tile of one cell for each dimension. */
type LastCell = ReadonlyArray<FieldTile>

const cellsOf = ({ cellSize }: Field, { values, offsets }: FieldTile): number =>
  offsets === undefined ? values.byteLength / cellSize : offsets.length - 1

/** Concatenates tiles of a dimension. */
const concatenated = (field: Field, tiles: ReadonlyArray<FieldTile>): Coordinates => {
  const bytes = new Uint8Array(tiles.reduce((sum, { values }) => sum + values.byteLength, 0))
  const offsets = field.var
    ? new Uint32Array(1 + tiles.reduce((sum, tile) => sum + cellsOf(field, tile), 0))
    : undefined
  let at = 0
  let cell = 0
  for (const tile of tiles) {
    bytes.set(tile.values, at)
    if (offsets !== undefined) {
      for (let i = 1; i < tile.offsets!.length; i++) offsets[++cell] = at + tile.offsets![i]
    }
    at += tile.values.byteLength
  }
  return offsets === undefined ? { values: viewAs(field.type, bytes) } : { values: bytes, offsets }
}

/** Returns the last cell of a tile as a tile. */
const lastCellOf = (field: Field, { values, offsets }: FieldTile): FieldTile => {
  if (offsets === undefined) {
    return { values: values.slice(values.byteLength - field.cellSize), offsets, validity: undefined }
  }
  const bytes = values.slice(offsets[offsets.length - 2])
  return { values: bytes, offsets: Uint32Array.of(0, bytes.byteLength), validity: undefined }
}

/** Compares neighbouring cells: negative for ascending order, 0 for equal words. */
const compareCells = (words: KeyWords, a: number, b: number): number => {
  for (const word of words) if (word[a] !== word[b]) return word[a] < word[b] ? -1 : 1
  return 0
}

/** Checks the coordinates of the tiles of a fragment, batch by batch in ascending order. */
export class CoordinateChecks {
  readonly #access: TileAccess
  readonly #fragment: Fragment
  readonly #folder: string
  readonly #mbrs: MbrLevel | undefined
  readonly #findings: Findings
  #last: LastCell | undefined
  #next = 0

  constructor(
    access: TileAccess,
    fragment: Fragment,
    folder: string,
    mbrs: MbrLevel | undefined,
    findings: Findings,
  ) {
    this.#access = access
    this.#fragment = fragment
    this.#folder = folder
    this.#mbrs = mbrs
    this.#findings = findings
  }

  /** Reads and checks the next tiles. */
  check(tiles: ReadonlyArray<number>): Effect.Effect<void, never, Storage> {
    const { dimensions } = fieldsOf(this.#fragment.schema)
    const read = (part: ReadonlyArray<number>): Effect.Effect<TilesByDimension, never, Storage> =>
      this.#fragment.version >= Since.splitDimensions
        ? Effect.forEach(
          dimensions,
          (field) => readBatch(this.#access, this.#fragment, this.#folder, field, part, this.#findings),
        )
        : Effect.catchAll(readCoordinates(this.#access, this.#fragment, dimensions, part), (error) => {
          if (part.length > 1) {
            return Effect.map(
              Effect.forEach(part, (tile) => read([tile])),
              (results) => dimensions.map((_, d) => results.flatMap((result) => result[d])),
            )
          }
          const check = error._tag === "CodecError" ? "Decode" : "ChunkFraming"
          const path = `${this.#folder}/__coords.tdb`
          this.#findings.addError(error, { path, fragment: this.#fragment.name.name, tile: part[0] }, check)
          return Effect.succeed(dimensions.map(() => part.map(() => undefined)))
        })
    return Effect.map(read(tiles), (columns) => {
      let run: Array<number> = []
      for (const [i, tile] of tiles.entries()) {
        if (columns.every((column) => column[i] !== undefined)) {
          run.push(i)
          this.#checkBounds(tile, columns.map((column) => column[i]!))
          continue
        }
        this.#checkOrder(tiles, run, columns)
        run = []
        this.#last = undefined
      }
      this.#checkOrder(tiles, run, columns)
    })
  }

  /** Checks that the coordinates of a tile are in the domain and in the tile's MBR. */
  #checkBounds(tile: number, columns: ReadonlyArray<FieldTile>): void {
    const { schema } = this.#fragment
    for (const [d, field] of fieldsOf(schema).dimensions.entries()) {
      const { min: low, max: high } = tileStatistics(field, columns[d])
      if (low === undefined || high === undefined) continue
      const subject = tileSubject(this.#folder, this.#fragment, field, tile)
      const { domain } = schema.dimensions[d]
      const size = sizeOf(field.type)
      const whole = { low: domain.subarray(0, size), high: domain.subarray(size) }
      if (field.cellValNum !== VAR && !containsRange(field, whole, { low, high })) {
        const message = `${subject.path}: tile ${tile} has coordinates outside of the domain of ${field.name}`
        this.#findings.add("Coordinates", subject, message)
      }
      if (this.#mbrs === undefined || containsRange(field, rangeAt(this.#mbrs.dimensions[d], tile), { low, high })) {
        continue
      }
      const message = `${subject.path}: the MBR of tile ${tile} does not contain all coordinates of ${field.name}`
      this.#findings.add("Mbr", subject, message)
    }
  }

  /** Checks the order of the cells of consecutive tiles, and of the last cell before them. */
  #checkOrder(tiles: ReadonlyArray<number>, run: ReadonlyArray<number>, columns: TilesByDimension): void {
    if (run.length === 0) return
    const { schema, version, hasTimestamps } = this.#fragment
    const { dimensions } = fieldsOf(schema)
    const last = tiles[run[0]] === this.#next ? this.#last : undefined
    const selected = dimensions.map((_, d) => [
      ...last === undefined ? [] : [last[d]],
      ...run.map((i) => columns[d][i]!),
    ])
    const coordinates = dimensions.map((field, d) => concatenated(field, selected[d]))
    const words = globalWords(schema, coordinates, version)
    const zeros = zeroWords(coordinates)
    const cells = words.length === 0 ? 0 : words[0].length
    // the tile of each cell
    let position = last === undefined ? 0 : -1
    let end = last === undefined ? 0 : 1
    const tileAt = (cell: number): number => {
      while (cell >= end) {
        end += cellsOf(dimensions[0], columns[0][run[position < 0 ? 0 : position]]!)
        position++
      }
      return tiles[run[Math.max(0, position - (last === undefined ? 1 : 0))]]
    }
    for (let cell = 1; cell < cells; cell++) {
      const order = compareCells(words, cell - 1, cell)
      if (order < 0) continue
      if (order === 0 && (schema.allowsDuplicates || hasTimestamps || compareCells(zeros, cell - 1, cell) !== 0)) {
        continue
      }
      const subject = tileSubject(this.#folder, this.#fragment, dimensions[0], tileAt(cell))
      if (order > 0) {
        const message = `${this.#folder}: tile ${subject.tile} has cells that are not in global order`
        this.#findings.add("CellOrder", { ...subject, path: this.#folder, field: undefined }, message)
      } else {
        const message = `${this.#folder}: tile ${subject.tile} has cells with the coordinates of another cell`
        this.#findings.add("Duplicate", { ...subject, path: this.#folder, field: undefined }, message)
      }
      // one finding for the cells of a run
      break
    }
    const final = run[run.length - 1]
    this.#last = dimensions.map((field, d) => lastCellOf(field, columns[d][final]!))
    this.#next = tiles[final] + 1
  }
}
