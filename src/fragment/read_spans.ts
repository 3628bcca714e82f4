/**
 * Stretches of cells of dense tiles. Of a tile only those chunks are decoded that hold them; where there is nothing to
 * decode, only those are read.
 */
import * as Effect from "effect/Effect"
import { type ByteRange, inFlight, Storage } from "../../platform/storage.ts"
import { dataFile } from "../../schema/name/data_file.ts"
import { FormatError } from "../../schema/errors.ts"
import { tileTable, unfilterChunks } from "../filter/pipeline.ts"
import { attemptTile } from "../tile/attempt.ts"
import type { TileAccess } from "../tile/generic_tile.ts"
import { chunkSize } from "../filter/chunk_cuts.ts"
import { plainSize, plainSpan, withoutHeaders } from "../tile/plain_tile.ts"
import { spansOf } from "../tile/spans.ts"
import type { Field } from "./field.ts"
import { loadFieldTiles } from "./field_tiles.ts"
import { cellsInTile, type Fragment } from "./fragment.ts"
import { readPresent } from "./missing_file.ts"
import type { ReadTilesError } from "./read_tiles.ts"
import { type FileCells, tileContext, webpOf } from "./tile_context.ts"

/** What is wanted: of each of the tiles, which ascend, the cells from `first` to `last`. */
export interface CellSpans {
  readonly tiles: ArrayLike<number>
  readonly first: ArrayLike<number>
  readonly last: ArrayLike<number>
}

/** Called with the cells of span `i`, and more of the same tile: `bytes` start with cell `first`, and are soon used again. */
export type TakeCells = (i: number, bytes: Uint8Array, first: number) => void

/** Bytes in one call to the storage, and of memory that is used again and again. */
const BATCH = 1 << 23

/** Memory for one batch at a time. */
interface Scratch {
  read: Uint8Array
  cells: Uint8Array
}

/** Reads spans of a fixed-size field that the fragment has, or of its validity bytes, and hands them to `take`. */
export const readSpans = (
  access: TileAccess,
  fragment: Fragment,
  field: Field,
  part: "fixed" | "validity",
  spans: CellSpans,
  take: TakeCells,
): Effect.Effect<void, ReadTilesError, Storage> =>
  Effect.gen(function* () {
    const [where] = yield* loadFieldTiles(access, fragment, [field])
    const { offsets, size: fileSize } = part === "fixed" ? where.fixed : where.validity!
    const cells: FileCells = part === "fixed"
      ? field
      : { filters: fragment.schema.validityFilters, type: "uint8", cellSize: 1 }
    const { cellSize: cell } = cells
    const filtered = cells.filters.filters.length > 0 || access.key !== undefined
    const uri = `${fragment.uri}/${dataFile(fragment.version, field.file, part)}`
    const contextOf = tileContext(access, fragment, cells, uri, yield* webpOf(access, cells.filters))
    const storage = yield* Storage
    const read = (ranges: ReadonlyArray<ByteRange>, into: Uint8Array) =>
      readPresent(uri, fragment.version, storage.readRanges(uri, ranges, into))

    const n = spans.tiles.length
    const starts = new Float64Array(n)
    const lengths = new Float64Array(n)
    // tiles without filters, of which the part is read that is wanted
    const plain = new Uint8Array(n)
    for (let i = 0; i < n; i++) {
      const tile = spans.tiles[i]
      starts[i] = offsets[tile]
      lengths[i] = (tile + 1 < offsets.length ? offsets[tile + 1] : fileSize) - starts[i]
      const size = cellsInTile(fragment, tile) * cell
      if (filtered || lengths[i] !== plainSize(size, cell)) continue
      const part = plainSpan(size, cell, spans.first[i], spans.last[i])
      plain[i] = 1
      starts[i] += part.offset
      lengths[i] = part.length
    }

    const decode = (i: number, bytes: Uint8Array, scratch: Scratch): void => {
      const tile = spans.tiles[i]
      const context = contextOf(offsets[tile])
      const size = cellsInTile(fragment, tile) * cell
      const table = tileTable(bytes, context, size)
      if (table.totalOriginal !== size) {
        const reason = `the tile has ${table.totalOriginal} bytes instead of ${size}`
        throw new FormatError({ uri, path: "tile", offset: context.offset, version: fragment.version, reason })
      }
      // the chunks from the one that holds the first cell to the one that holds the last
      let from = 0
      let before = 0
      while (before + table.original[from] <= spans.first[i] * cell) before += table.original[from++]
      let to = from
      let end = before
      while (end < (spans.last[i] + 1) * cell) end += table.original[to++]
      // no engine cuts cells
      if (before % cell !== 0) {
        from = 0
        before = 0
      }
      const wanted = end - before
      if (wanted > scratch.cells.length && wanted <= BATCH) scratch.cells = new Uint8Array(wanted)
      take(i, unfilterChunks(bytes, table, from, to, context, scratch.cells), before / cell)
    }

    const runBatch = (from: number, to: number, scratch: Scratch): Effect.Effect<void, ReadTilesError, Storage> => {
      const { ranges, rangeOf, startIn } = spansOf(starts.subarray(from, to), lengths.subarray(from, to))
      let total = 0
      for (const { length } of ranges) total += length + 8
      if (total > scratch.read.length && total <= 2 * BATCH) scratch.read = new Uint8Array(total)
      return Effect.flatMap(read(ranges, scratch.read), (answers) => {
        const again: Array<number> = []
        return Effect.flatMap(
          attemptTile(() => {
            for (let i = from; i < to; i++) {
              const at = startIn[i - from]
              const bytes = answers[rangeOf[i - from]].subarray(at, at + lengths[i])
              if (plain[i] === 0) {
                decode(i, bytes, scratch)
                continue
              }
              const size = cellsInTile(fragment, spans.tiles[i]) * cell
              const cells = withoutHeaders(bytes, size, cell, spans.first[i])
              if (cells === undefined) again.push(i)
              else {take(
                  i,
                  cells,
                  Math.floor(spans.first[i] * cell / chunkSize(size, cell)) * chunkSize(size, cell) / cell,
                )}
            }
          }),
          () =>
            // chunks of other sizes than every engine makes: the tile is taken as it is
            Effect.forEach(again, (i) => {
              const tile = spans.tiles[i]
              const length = (tile + 1 < offsets.length ? offsets[tile + 1] : fileSize) - offsets[tile]
              return Effect.flatMap(
                read([{ offset: offsets[tile], length }], NOTHING),
                ([bytes]) => attemptTile(() => decode(i, bytes, scratch)),
              )
            }, { discard: true }),
        )
      })
    }

    const batches: Array<readonly [from: number, to: number]> = []
    for (let from = 0; from < n;) {
      let to = from
      for (let held = 0; to < n && (to === from || held + lengths[to] <= BATCH); to++) held += lengths[to]
      batches.push([from, to])
      from = to
    }
    const scratches: Array<Scratch> = []
    yield* Effect.forEach(batches, ([from, to]) => {
      const scratch = scratches.pop() ?? { read: NOTHING, cells: NOTHING }
      return Effect.map(runBatch(from, to, scratch), () => {
        scratches.push(scratch)
      })
    }, { concurrency: inFlight(storage, uri, 4), discard: true })
  })

const NOTHING = new Uint8Array(0)
