/**
 * Jobs of worker threads that filter tiles: their input and result.
 */
import type { Codecs } from "../../../platform/codecs/service.ts"
import type { JobKind } from "../../../platform/workers/jobs.ts"
import type { TileContext } from "../../filter/pipeline/pipeline.ts"
import { copyInParts, type Steps } from "../../kernel/steps.ts"
import type { FieldTile } from "../field_tiles.ts"
import { type FieldFilters, type PersistedTile, persistTile } from "./filter_tile.ts"

/** The part of a context that can be sent to a worker. */
type SentContext = Omit<TileContext, "codecs" | "webp" | "webpEncoder">

/** Position of a part of a tile in the job's bytes. */
interface Part {
  readonly start: number
  readonly length: number
}

/** Tiles of one field. The buffer is transferred to the worker, and back with the result. */
export interface PersistJob {
  /** The filters of the parts; the worker has its own codecs. */
  readonly filters: Readonly<Record<"fixed" | "var" | "validity", SentContext | undefined>> & {
    readonly folded: boolean
  }
  readonly tiles: ReadonlyArray<Readonly<Record<keyof FieldTile, Part | undefined>>>
  readonly bytes: ArrayBuffer
}

/** The result of a job. */
export interface PersistResult {
  readonly bytes: ArrayBuffer
  /** `undefined` if a tile cannot be filtered. The caller repeats the work to get the error. */
  readonly persisted: ReadonlyArray<PersistedTile> | undefined
}

const sent = (context: TileContext | undefined): SentContext | undefined => {
  if (context === undefined) return undefined
  const { codecs: _codecs, webp: _webp, webpEncoder: _encoder, ...rest } = context
  return rest
}

/** Returns the next offset that is aligned for typed arrays. */
const aligned = (at: number): number => Math.ceil(at / 8) * 8

/** Creates a job with copies of tiles, in `memory` if that is large enough. */
export function* persistJob(
  { fixed, var: values, validity, folded }: FieldFilters,
  tiles: ReadonlyArray<FieldTile>,
  memory: ArrayBuffer | undefined,
): Steps<PersistJob> {
  let size = 0
  const place = (part: Uint8Array | Uint32Array | undefined): Part | undefined => {
    if (part === undefined) return undefined
    const start = size
    size = aligned(start + part.byteLength)
    return { start, length: part.length }
  }
  const places = tiles.map(({ offsets, values, validity }) => ({
    offsets: place(offsets),
    values: place(values),
    validity: place(validity),
  }))
  const bytes = memory === undefined || memory.byteLength < size ? new ArrayBuffer(size) : memory
  const target = new Uint8Array(bytes)
  const copied = (part: Part | undefined, input: Uint8Array | Uint32Array | undefined): Steps<void> =>
    copyInParts(target, bytesOf(input), part?.start ?? 0)
  for (const [i, { offsets, values, validity }] of places.entries()) {
    yield* copied(offsets, tiles[i].offsets)
    yield* copied(values, tiles[i].values)
    yield* copied(validity, tiles[i].validity)
    yield
  }
  const filters = { fixed: sent(fixed), var: sent(values), validity: sent(validity), folded }
  return { filters, tiles: places, bytes }
}

const NO_BYTES = new Uint8Array(0)

const bytesOf = (part: Uint8Array | Uint32Array | undefined): Uint8Array =>
  part === undefined ? NO_BYTES : new Uint8Array(part.buffer, part.byteOffset, part.byteLength)

/** Runs a job. */
const runPersistJob = ({ filters, tiles, bytes }: PersistJob, codecs: Codecs): PersistResult => {
  const context = (of: SentContext | undefined) => of === undefined ? undefined : { ...of, codecs }
  const of = {
    fixed: context(filters.fixed)!,
    var: context(filters.var),
    validity: context(filters.validity),
    folded: filters.folded,
  }
  const partOf = (part: Part | undefined) =>
    part === undefined ? undefined : new Uint8Array(bytes, part.start, part.length)
  try {
    const persisted = tiles.map(({ offsets, values, validity }) =>
      persistTile(of, {
        offsets: offsets === undefined ? undefined : new Uint32Array(bytes, offsets.start, offsets.length),
        values: partOf(values)!,
        validity: partOf(validity),
      })
    )
    return { bytes, persisted }
  } catch {
    return { bytes, persisted: undefined }
  }
}

/** Returns the buffers of a result, which are transferred with it. */
const buffersOf = ({ bytes, persisted = [] }: PersistResult): ReadonlyArray<ArrayBuffer> => {
  const buffers = new Set([bytes])
  for (const { fixed, var: values, validity } of persisted) {
    for (const part of [fixed, values, validity]) if (part !== undefined) buffers.add(part.buffer as ArrayBuffer)
  }
  return [...buffers]
}

/** Jobs that filter tiles. */
export const persistJobs: JobKind<PersistJob, PersistResult, Codecs> = {
  name: "filter",
  run: runPersistJob,
  sent: ({ bytes }) => [bytes],
  returned: buffersOf,
}
