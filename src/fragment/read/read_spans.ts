/**
 * Reads spans of cells of dense tiles. Decodes only the chunks that contain the cells; of unfiltered tiles, reads only
 * these chunks.
 */
import * as Effect from "effect/Effect"
import { type ByteRange, inFlight, Storage } from "../../../platform/storage/service.ts"
import { turn, turnIfDue } from "../../../platform/host/event_loop_turns.ts"
import { dataFile, type DataPart } from "../../../schema/name/data_file.ts"
import { attemptTile, attemptTileSteps } from "../../tile/attempt.ts"
import type { TileAccess } from "../../tile/generic_tile.ts"
import { chunkSize } from "../../filter/pipeline/chunk_cuts.ts"
import { plainSize, plainSpan, withoutChunkHeaders } from "../../tile/plain_tile.ts"
import { spansOf } from "../../tile/spans.ts"
import { cacheKind, type CacheSpace } from "../../kernel/bounded_cache.ts"
import { poolFor } from "../../tile/tile_workers.ts"
import { type CellSpans, NO_BYTES, type Scratch, spanDecoder, type TakeCells, taken } from "./decode_spans.ts"
import type { Field } from "../field.ts"
import { type FieldTiles, loadFieldTiles, type TileFile } from "../field_tiles.ts"
import { cellsInTile, type Fragment } from "../fragment.ts"
import { readPresent } from "../missing_file.ts"
import type { ReadTilesError } from "./read_tiles.ts"
import { tileBatch } from "./tile_batch.ts"
import { type FileCells, tileContext, webpOf } from "../tile_context.ts"

export type { CellSpans, TakeCells } from "./decode_spans.ts"

/** Size of one read from the storage, and of reusable memory, in bytes. */
const BATCH_SIZE = 1 << 23

/** Size of a batch if worker threads are used, in bytes: bytes read, or bytes of cells. */
const JOB_SIZE = 1 << 22

/** Maximum size of all concurrent batches if worker threads are used, in bytes: bytes read, and bytes of cells. */
const MAX_CONCURRENT_SIZE = 1 << 26

/** Scratch memory of completed reads, for reuse: allocating memory costs small reads more than decoding. */
const SCRATCH = cacheKind<Scratch>("scratch")
const MAX_SCRATCHES = 4
const MAX_SCRATCH_SIZE = 1 << 22

/** Stores scratch memory for later reads of the same array, in the first free slot. */
const keepScratch = (space: CacheSpace, scratch: Scratch): void => {
  const size = scratch.read.length + scratch.cells.length
  if (size > MAX_SCRATCH_SIZE) return
  for (let i = 0; i < MAX_SCRATCHES; i++) {
    if (space.get(SCRATCH, i) === undefined) return space.set(SCRATCH, i, scratch, size)
  }
}

/** Takes scratch memory of an earlier read of the same array. */
const takeScratch = (space: CacheSpace): Scratch | undefined => {
  for (let i = 0; i < MAX_SCRATCHES; i++) {
    const scratch = space.take(SCRATCH, i)
    if (scratch !== undefined) return scratch
  }
  return undefined
}

/**
 * The contents of spans: fixed-size cells, their validity bytes; offsets of var-sized cells (as u64), and their values.
 */
export type SpanPart = "fixed" | "validity" | "offsets" | "values"

/** Returns the file of a part of a field, the properties of its cells, and the sizes of its tiles. */
const partOf = (fragment: Fragment, field: Field, part: SpanPart, where: FieldTiles) => {
  const { offsetsFilters, validityFilters } = fragment.schema
  const of = (file: TileFile, inFile: DataPart, cells: FileCells) => ({
    file,
    uri: `${fragment.uri}/${dataFile(fragment.version, field.file, inFile)}`,
    cells,
    sizeOf: (tile: number): number =>
      part === "values" ? where.varSizes![tile] : cellsInTile(fragment, tile) * cells.cellSize,
  })
  switch (part) {
    case "fixed":
      return of(where.fixed, "fixed", field)
    case "validity":
      return of(where.validity!, "validity", { filters: validityFilters, type: "uint8", cellSize: 1 })
    case "offsets":
      return of(where.fixed, "fixed", { filters: offsetsFilters, type: "uint64", cellSize: 8 })
    case "values":
      return of(where.var!, "var", field)
  }
}

/** Reads spans of an existing field of a fragment, and passes them to `take`. */
export const readSpans = (
  access: TileAccess,
  fragment: Fragment,
  field: Field,
  part: SpanPart,
  spans: CellSpans,
  take: TakeCells,
): Effect.Effect<void, ReadTilesError, Storage> =>
  Effect.gen(function* () {
    const [where] = yield* loadFieldTiles(access, fragment, [field])
    const { file: { offsets, size: fileSize }, uri, cells, sizeOf } = partOf(fragment, field, part, where)
    const { cellSize: cell } = cells
    const filtered = cells.filters.filters.length > 0 || access.key !== undefined
    const contextOf = tileContext(access, fragment, cells, uri, yield* webpOf(access, cells.filters))
    const storage = yield* Storage
    const read = (ranges: ReadonlyArray<ByteRange>, into: Uint8Array) =>
      readPresent(uri, fragment, storage, storage.readRanges(uri, ranges, into))

    const { later } = spans
    const n = spans.tiles.length
    let cellBytes = 0
    for (let i = 0; i < n; i++) cellBytes += (spans.last[i] - spans.first[i] + 1) * cell
    const pool = filtered ? poolFor(access, cells.filters, cellBytes) : undefined

    const starts = new Float64Array(n)
    const lengths = new Float64Array(n)
    // unfiltered tiles: only the requested part is read
    const plain = new Uint8Array(n)
    for (let i = 0; i < n; i++) {
      const tile = spans.tiles[i]
      starts[i] = offsets[tile]
      lengths[i] = (tile + 1 < offsets.length ? offsets[tile + 1] : fileSize) - starts[i]
      const size = sizeOf(tile)
      // chunks of var-sized cells have any size
      if (filtered || part === "values" || lengths[i] !== plainSize(size, cell)) continue
      const span = plainSpan(size, cell, spans.first[i], spans.last[i])
      plain[i] = 1
      starts[i] += span.offset
      lengths[i] = span.length
    }

    const decoder = spanDecoder(cell, sizeOf, (tile) => contextOf(offsets[tile]), spans, take)

    const runBatch = (from: number, to: number, scratch: Scratch): Effect.Effect<void, ReadTilesError, Storage> => {
      const { ranges, rangeOf, startIn } = spansOf(starts.subarray(from, to), lengths.subarray(from, to))
      let total = 0
      for (const { length } of ranges) total += length + 8
      if (total > scratch.read.length && total <= 2 * BATCH_SIZE) scratch.read = new Uint8Array(total)
      const reading = read(ranges, scratch.read)
      return Effect.flatMap(spans.turn === undefined ? reading : Effect.zipLeft(reading, spans.turn), (answers) => {
        const tiles = Array.from({ length: to - from }, (_, k) => {
          const at = startIn[k]
          return answers[rangeOf[k]].subarray(at, at + lengths[from + k])
        })
        const again: Array<number> = []
        const here = Effect.flatMap(
          attemptTileSteps(function* () {
            for (let i = from; i < to; i++) {
              yield
              const bytes = tiles[i - from]
              if (plain[i] === 0) {
                yield* decoder.decode(i, bytes, scratch)
                continue
              }
              const size = sizeOf(spans.tiles[i])
              const cells = withoutChunkHeaders(bytes, size, cell, spans.first[i])
              if (cells === undefined) again.push(i)
              else {
                const chunk = chunkSize(size, cell)
                yield* taken(take(i, cells, Math.floor(spans.first[i] * cell / chunk) * chunk / cell))
              }
            }
          }),
          () =>
            // read the whole tile, since its chunk sizes differ from the usual ones
            Effect.forEach(again, (i) => {
              const tile = spans.tiles[i]
              const length = (tile + 1 < offsets.length ? offsets[tile + 1] : fileSize) - offsets[tile]
              return Effect.flatMap(
                read([{ offset: offsets[tile], length }], NO_BYTES),
                ([bytes]) => attemptTileSteps(() => decoder.decode(i, bytes, scratch)),
              )
            }, { discard: true }),
        )
        // memory that is not from the scratch buffer belongs to the storage and cannot be transferred
        if (pool === undefined || tiles.some((bytes) => bytes.buffer !== scratch.read.buffer)) return here
        return Effect.flatMap(attemptTile(() => decoder.decodeInWorker(pool, from, tiles, scratch)), (away) =>
          away === undefined
            ? Effect.zipRight(here, turn)
            // memory that was transferred to a lost worker is lost
            : Effect.catchTag(away, "WorkerLost", () =>
              runBatch(from, to, scratch)))
      })
    }

    const maxBatch = pool === undefined ? BATCH_SIZE : JOB_SIZE
    const weight = (i: number): number =>
      pool === undefined ? lengths[i] : Math.max(lengths[i], (spans.last[i] - spans.first[i] + 1) * cell)
    const batches: Array<readonly [from: number, to: number]> = []
    for (let from = 0; from < n;) {
      let to = from
      for (let total = 0; to < n && (to === from || total + weight(to) <= maxBatch); to++) {
        total += weight(to)
      }
      batches.push([from, to])
      from = to
    }
    const size = (from: number, to: number): number => {
      let bytes = 0
      for (let i = from; i < to; i++) {
        bytes += lengths[i] + (spans.last[i] - spans.first[i] + 1) * cell
      }
      return bytes
    }
    const largest = pool === undefined ? 0 : batches.reduce((max, [from, to]) =>
      Math.max(max, size(from, to)), 1)
    const jobs = pool === undefined
      ? 1
      : Math.min(pool.concurrency, Math.max(2, Math.floor(MAX_CONCURRENT_SIZE / largest)))
    const scratches: Array<Scratch> = []
    const { shared } = fragment.cache
    yield* Effect.forEach(batches, ([from, to]) => {
      const scratch = scratches.pop() ?? takeScratch(shared) ?? { read: NO_BYTES, cells: NO_BYTES }
      const run = runBatch(from, to, scratch)
      const done = Effect.map(later === undefined || to <= later.from ? run : Effect.zipRight(later.ready, run), () => {
        scratches.push(scratch)
      })
      return Effect.zipRight(done, turnIfDue)
    }, { concurrency: Math.max(inFlight(storage, uri, 4), jobs), discard: true })
    for (const scratch of scratches) keepScratch(shared, scratch)
  }).pipe(tileBatch(fragment, field, spans.tiles.length))
