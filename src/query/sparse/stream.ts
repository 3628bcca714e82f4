/**
 * Sparse reads in batches within a memory budget.
 */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { Codecs } from "../../../platform/codecs/service.ts"
import type { Storage } from "../../../platform/storage/service.ts"
import type { MbrLevel } from "../../../schema/fragment/rtree.ts"
import { accessOf, type OpenedArray } from "../../array/open/open.ts"
import { loadMbrs } from "../../fragment/mbrs.ts"
import { type Batch, FIRST_BATCH_SIZE, type PartitionStep, streamPartitions } from "../batch/partition_stream.ts"
import { batchBytes, budgetTooSmall, checkBudget, limitCache } from "../options/memory_budget.ts"
import { type CurvePart, cutHilbert, lowerSizes, tilePlaces } from "./partition_hilbert.ts"
import { cutSelection } from "../selection/split_selection.ts"
import { cutSparse } from "./partition.ts"
import { limitBytes } from "../batch/row_limit.ts"
import { limitsOf } from "../selection/domain_bounds.ts"
import type { SparsePlan } from "./plan.ts"
import type { ReadError } from "../options/read_error.ts"
import type { StreamOptions } from "../options/read_options.ts"
import { planRequest, readPlanned, type SparseColumns, type SparseReadRequest, workOf } from "./read.ts"
import type { Selection } from "../selection/selection.ts"
import { type PlanSize, tileSizes } from "./tile_sizes.ts"

/** A part of a read: a selection, restricted to the tiles of `plan` if present. */
interface Part {
  readonly selection: Selection
  readonly plan: SparsePlan | undefined
  /** Restricts the part to a section of the Hilbert curve. */
  readonly curve?: CurvePart
}

/** Maximum share of the tiles in the first part for which a split is worthwhile. */
const MAX_WORTHWHILE_SHARE = 0.75

const tilesIn = (plan: SparsePlan): number => plan.reduce((sum, { tiles }) => sum + tiles.length, 0)

/** Streams a resolved request. With `plan`, reads only the tiles of that plan, in which no cell replaces another. */
export const streamSparseRequest = (
  array: OpenedArray,
  request: SparseReadRequest,
  options: Pick<StreamOptions, "memory" | "batch" | "limit">,
  plan?: SparsePlan,
): Stream.Stream<Batch<SparseColumns>, ReadError, Storage | Codecs> =>
  Stream.unwrapScoped(Effect.gen(function* () {
    const memory = yield* checkBudget(array.uri, options.memory)
    yield* limitCache(array.bounded, memory)
    const access = yield* accessOf(array)
    const limit = batchBytes(memory)
    const requested = Math.min(limit, options.batch ?? limitBytes(options.limit))
    const { schema, uri, fragments } = array
    const places = tilePlaces(access, array)
    const whole: Part = { selection: request.selection, plan }
    const measure = (part: Part): Effect.Effect<MeasuredPart | undefined, ReadError, Storage> =>
      Effect.gen(function* () {
        const { selection, curve } = part
        const plan = part.plan ?? (yield* planRequest(access, array, { ...request, selection }))
        if (plan.length === 0) return undefined
        const { dedups, inOrder } = workOf(array, plan, request)
        const sorts = dedups || !inOrder || curve !== undefined
        const mbrs = new Map<number, MbrLevel>()
        for (const { fragment, tiles } of plan) {
          if (sorts || tiles.some((t) => !t.whole)) {
            mbrs.set(fragment, yield* loadMbrs(access, fragments[fragment]))
          }
        }
        const size = yield* tileSizes(access, array, { ...request, selection }, plan, mbrs, sorts)
        if (curve !== undefined) yield* lowerSizes(plan, curve, places, size.sizes)
        const results = size.sizes.reduce((sum, values) => sum + values.reduce((a, b) => a + b, 0), 0)
        return { selection, curve, plan, sorts, mbrs, ...size, results }
      })
    const cutInTwo = ({ selection, plan, mbrs }: MeasuredPart): readonly [Selection, Selection] | undefined => {
      const cut = cutSparse(schema, selection, plan, mbrs, request.order)
      return cut === undefined ? undefined : cutSelection(selection, cut, (d) => limitsOf(schema, d))
    }
    /** splits a part in two, in order; returns `undefined` if it cannot be split */
    const partsOf = (part: MeasuredPart): Effect.Effect<readonly [Part, Part] | undefined, ReadError, Storage> =>
      Effect.gen(function* () {
        const { selection, curve, plan, sorts, sizes } = part
        if (!sorts) {
          const halves = halvesOf(plan, sizes)
          return halves && [{ selection, plan: halves[0] }, { selection, plan: halves[1] }]
        }
        if (request.order === "global" && schema.cellOrder === "hilbert") {
          const all: CurvePart = { from: undefined, to: undefined }
          const parts = yield* cutHilbert(array, plan, curve ?? all, places)
          if (parts !== undefined) return [{ selection, ...parts[0] }, { selection, ...parts[1] }]
        }
        const parts = cutInTwo(part)
        return parts && [{ selection: parts[0], plan: undefined }, { selection: parts[1], plan: undefined }]
      })
    /**
     * The error states a budget that suffices for all parts that cannot be split, as far as their sizes can be
     * determined before reading.
     */
    const tooSmall = (bytes: number, subject: string): Effect.Effect<never, ReadError, Storage> =>
      Effect.gen(function* () {
        let enough = bytes
        const rest: Array<Part> = [whole]
        for (let looks = 0; rest.length > 0 && looks < MAX_EXAMINED_PARTS; looks++) {
          const part = yield* measure(rest.pop()!)
          if (part === undefined || neededFor(part) <= enough) continue
          const parts = yield* partsOf(part)
          if (parts === undefined) enough = neededFor(part)
          else rest.push(parts[1], parts[0])
        }
        return yield* Effect.fail(budgetTooSmall(uri, memory, enough, subject))
      })
    const step = (part: Part, first: boolean): Effect.Effect<PartitionStep<Part, SparseColumns>, ReadError, Storage> =>
      Effect.gen(function* () {
        const measured = yield* measure(part)
        if (measured === undefined) return { kind: "none" }
        const { selection, curve, plan, sorts, coordinates, largest, cells, sizes, results } = measured
        if (largest > limit) {
          // size of all fields of the largest tile and its coordinates
          const tile = sizes.reduce((max, values) => values.reduce((a, b) => Math.max(a, b), max), largest)
          return yield* tooSmall(2 * tile, "a tile")
        }
        // match coordinates that do not fit in parts
        const buffered = Math.min(coordinates, limit / 2)
        const together = coordinates > buffered ? Math.floor(cells * buffered / coordinates) : undefined
        const bytes = buffered + results
        // split a batch that fits only if that avoids reading tiles, never if both parts read the same tiles
        const isWorthSplitting = Effect.gen(function* () {
          if (!sorts) return halvesOf(plan, sizes) !== undefined
          const parts = cutInTwo(measured)
          if (parts === undefined) return false
          return tilesIn(yield* planRequest(access, array, { ...request, selection: parts[0] })) <=
            tilesIn(plan) * MAX_WORTHWHILE_SHARE
        })
        // tiles that need no sorting are read once, for any size of the batches
        const maxCount = first && !sorts ? Math.min(requested, FIRST_BATCH_SIZE) : requested
        let needed = neededFor(measured)
        if (bytes <= maxCount || (bytes <= limit && !(yield* isWorthSplitting))) {
          const read = yield* Effect.either(
            readPlanned(access, array, { ...request, selection, curve }, plan, 2 * limit, together),
          )
          if (read._tag === "Right") {
            return read.right.length === 0 ? { kind: "none" } : { kind: "read", batch: read.right }
          }
          if (read.left._tag !== "ResultTooLarge") return yield* Effect.fail(read.left)
          // the estimate is too low if cells are denser than their MBRs suggest
          needed = Math.max(needed, read.left.needed)
        }
        const parts = yield* partsOf(measured)
        if (parts !== undefined) return { kind: "split", parts }
        const subject = `sorting overlapping cells of ${tilesIn(plan)} tiles of ${plan.length} fragments`
        return yield* tooSmall(needed, sorts ? subject : "a tile")
      })
    return streamPartitions<Part, SparseColumns, ReadError, Storage>(whole, step)
  }))

/** A part with the memory required to read it. */
interface MeasuredPart extends Part, PlanSize {
  readonly plan: SparsePlan
  /** True if its cells are sorted or deduplicated. */
  readonly sorts: boolean
  readonly mbrs: ReadonlyMap<number, MbrLevel>
  /** Bytes of the cells of all tiles. */
  readonly results: number
}

/**
 * Returns a batch size that suffices for a part: its coordinates are in memory together with its cells, or are
 * processed in parts of that size.
 */
const neededFor = ({ coordinates, results }: MeasuredPart): number => results + Math.min(coordinates, results)

/** Maximum number of parts examined to find a sufficient budget. */
const MAX_EXAMINED_PARTS = 1 << 12

/** Splits a plan into two of about the same size; `undefined` for a single tile. */
const halvesOf = (
  plan: SparsePlan,
  sizes: ReadonlyArray<Float64Array>,
): readonly [SparsePlan, SparsePlan] | undefined => {
  const count = plan.reduce((sum, { tiles }) => sum + tiles.length, 0)
  if (count < 2) return undefined
  const all = sizes.flatMap((size) => [...size])
  const half = all.reduce((a, b) => a + b, 0) / 2
  // number of tiles in the first half
  let first = 0
  let sum = 0
  for (const size of all) if ((sum += size) <= half) first++
  first = Math.min(Math.max(first, 1), count - 1)
  const take = (from: number, to: number): SparsePlan => {
    let at = 0
    return plan.flatMap(({ fragment, tiles }) => {
      const part = tiles.slice(Math.max(0, from - at), Math.max(0, to - at))
      at += tiles.length
      return part.length === 0 ? [] : [{ fragment, tiles: part }]
    })
  }
  return [take(0, first), take(first, count)]
}
