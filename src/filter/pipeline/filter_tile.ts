/**
 * Pipelines, writing: converts the bytes of a tile's cells to the bytes in the file, byte-identical to the engine.
 * Plain and synchronous: one call per tile.
 *
 * @module
 */
import { sizeOf } from "../../../schema/array/datatype.ts"
import type { Filter } from "../../../schema/array/filter.ts"
import { COPY_STEP, copyInParts, finish, type Steps } from "../../kernel/steps.ts"
import { chunkEnds } from "./chunk_cuts.ts"
import { FilterRefused } from "../part/errors.ts"
import type { TileContext } from "./pipeline.ts"
import { transformOf } from "./registry.ts"
import { type FilterContext, type Parts, Refusal, type Transform } from "../part/transform.ts"
import { inputTypes } from "./type_flow.ts"

/** A filter of a pipeline with its context. */
interface Step {
  readonly filter: Filter
  readonly forward: Transform<Filter>["forward"]
  readonly context: FilterContext
}

/** Returns the filters of a tile in the order of application. */
export const stepsOf = (context: TileContext): ReadonlyArray<Step> => {
  const { filters } = context.filters
  const types = inputTypes(filters, context.type, context.engineVersion)
  return filters.map((filter, i) => ({
    filter,
    forward: transformOf(filter).forward,
    context: {
      codecs: context.codecs,
      type: types[i],
      cellSize: Math.max(1, context.cellSize),
      version: context.version,
      engineVersion: context.engineVersion,
      key: context.key,
      verifyChecksums: true,
      webpEncoder: context.webpEncoder,
      uri: context.uri,
      offset: context.offset,
    },
  }))
}

/**
 * Filters a tile. `offsets` (number of cells plus one, in bytes) are required for values of var-sized cells, which
 * chunks do not divide; an empty tile of fixed-size cells has no chunk. The result uses `memory` if that is large
 * enough. Throws {@link FilterRefused} for values that a filter does not support, `CodecError` for a missing codec.
 */
export const filterTile = (...args: Parameters<typeof filterTileSteps>): Uint8Array => finish(filterTileSteps(...args))

/** Filters a tile like {@link filterTile}, in steps of one chunk. */
export function* filterTileSteps(
  cells: Uint8Array,
  context: TileContext,
  offsets?: Uint32Array,
  memory?: Uint8Array,
): Steps<Uint8Array> {
  const steps = stepsOf(context)
  const ends = chunkEnds(cells.byteLength, context, offsets)
  const chunks: Array<FilteredChunk> = []
  for (let i = 0, start = 0; i < ends.length; i++) {
    const from = start
    const end = ends[i]
    start = end
    const parts = applySteps(steps, 0, { metadata: [], data: cells.subarray(from, end) }, (at) => {
      const byte = from + at
      if (offsets === undefined) return Math.floor(byte / Math.max(1, context.cellSize))
      let cell = 0
      while (offsets[cell + 1] <= byte) cell++
      return cell
    })
    chunks.push({ original: end - from, parts })
    yield
  }
  return yield* persistedSteps(chunks, memory)
}

/** Applies the filters from number `first` to a chunk; `cellOf` returns the cell at a byte of the chunk. */
export const applySteps = (
  steps: ReadonlyArray<Step>,
  first: number,
  parts: Parts,
  cellOf: (at: number) => number,
): Parts => {
  for (let i = first; i < steps.length; i++) {
    const { context, filter, forward } = steps[i]
    try {
      parts = forward(filter, parts, context)
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      const at = error.at === undefined ? undefined : unmoved(steps, i, error.at)
      throw new FilterRefused({
        filter: filter.type,
        detail: error.reason,
        cell: at === undefined ? undefined : cellOf(at),
      })
    }
  }
  return parts
}

/** The filters that do not move values. */
const inPlace: ReadonlySet<string> = new Set(["noop", "checksum_md5", "checksum_sha256", "xor"])

/**
 * Returns the position in the chunk of byte `at` of the input of filter `index`, if the previous filters do not move
 * values.
 */
const unmoved = (steps: ReadonlyArray<Step>, index: number, at: number): number | undefined => {
  let byte = at
  for (let i = index - 1; i >= 0; i--) {
    const { context, filter } = steps[i]
    if (filter.type === "scale_float") byte = Math.floor(byte / filter.byteWidth) * sizeOf(context.type)
    else if (!inPlace.has(filter.type)) return undefined
  }
  return byte
}

/** A filtered chunk, and its size before filtering. */
export interface FilteredChunk {
  readonly original: number
  readonly parts: Parts
}

const MAX_CHUNK_SIZE = 0xffffffff

const NO_BYTES = new Uint8Array(0)

/** Returns the tile of filtered chunks: their number, then each chunk after its three sizes. */
export const persisted = (...args: Parameters<typeof persistedSteps>): Uint8Array => finish(persistedSteps(...args))

/** Returns the tile like {@link persisted}, in steps. */
export function* persistedSteps(
  chunks: ReadonlyArray<FilteredChunk>,
  memory: Uint8Array = NO_BYTES,
): Steps<Uint8Array> {
  const metadataSizes = chunks.map(({ parts }) => parts.metadata.reduce((sum, part) => sum + part.byteLength, 0))
  let size = 8
  chunks.forEach(({ original, parts }, i) => {
    if (original > MAX_CHUNK_SIZE || parts.data.byteLength > MAX_CHUNK_SIZE || metadataSizes[i] > MAX_CHUNK_SIZE) {
      throw new RangeError(`a chunk of ${original} bytes exceeds the maximum of the format; use smaller tiles`)
    }
    size += 12 + metadataSizes[i] + parts.data.byteLength
  })
  const out = size <= memory.length ? memory.subarray(0, size) : new Uint8Array(size)
  const view = new DataView(out.buffer, out.byteOffset)
  view.setUint32(0, chunks.length, true)
  view.setUint32(4, 0, true)
  let at = 8
  let copied = 0
  for (const [i, { original, parts }] of chunks.entries()) {
    view.setUint32(at, original, true)
    view.setUint32(at + 4, parts.data.byteLength, true)
    view.setUint32(at + 8, metadataSizes[i], true)
    at += 12
    for (const part of parts.metadata) {
      yield* copyInParts(out, part, at)
      at += part.byteLength
    }
    yield* copyInParts(out, parts.data, at)
    at += parts.data.byteLength
    copied += parts.data.byteLength
    if (copied >= COPY_STEP) {
      copied = 0
      yield
    }
  }
  return out
}
