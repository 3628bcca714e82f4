/**
 * Executes a dense plan: copies lines of fixed-size cells directly into the result, or builds a map from each cell of
 * the result to its source.
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import { inFlight, Storage } from "../../../platform/storage/service.ts"
import { runSteps } from "../../../platform/host/event_loop_turns.ts"
import { viewAs } from "../../../schema/array/datatype.ts"
import type { Scalar } from "../../../schema/array/scalar.ts"
import type { OpenedArray } from "../../array/open/open.ts"
import { type Field, fieldsOf } from "../../fragment/field.ts"
import { readSpans, type TakeCells } from "../../fragment/read/read_spans.ts"
import type { ReadTilesError } from "../../fragment/read/read_tiles.ts"
import { firstFrom } from "../../kernel/first_from.ts"
import { type Units, unitsOf } from "../../kernel/copy/gather.ts"
import { inParts, type Steps } from "../../kernel/steps.ts"
import { copyLine } from "../../kernel/copy/strided_copy.ts"
import type { TileAccess } from "../../tile/generic_tile.ts"
import { type AxisPlan, tileStart } from "./axis_plan.ts"
import type { Column } from "../column/column.ts"
import { firstTileFrom, forTileLinesSteps, spansOfStep } from "./cell_slabs.ts"
import { type Cells, fieldOfFragment, fillCells, gatherColumns } from "../column/gather.ts"
import { type ColumnTarget, copyIntoTarget, takesUnits } from "./out_buffers.ts"
import type { DensePlan, DenseStep } from "./plan.ts"
import { attemptAllocation, type ReadError } from "../options/read_error.ts"
import type { Selection } from "../selection/selection.ts"
import { findCells } from "../sparse/match_tiles.ts"
import type { ResultTooLarge } from "../../array/open/errors.ts"

/**
 * Reads a fixed-size attribute that every fragment of the plan stores: reads tiles in batches and copies their lines
 * into `target`, if present, or into new memory.
 */
export const copyFixed = (
  access: TileAccess,
  array: OpenedArray,
  plan: DensePlan,
  field: Field,
  target: ColumnTarget | undefined,
): Effect.Effect<Column, ReadTilesError | ResultTooLarge, Storage> =>
  Effect.gen(function* () {
    const size = plan.cells * field.cellSize
    const into = target !== undefined && takesUnits(target, field.cellSize) ? target : undefined
    const bytes = into === undefined
      ? yield* attemptAllocation(array.uri, size, () => new Uint8Array(size))
      : new Uint8Array(into.values.buffer, into.values.byteOffset, into.values.byteLength)
    const validity = !field.nullable
      ? undefined
      : into?.validity ?? (yield* attemptAllocation(array.uri, plan.cells, () => new Uint8Array(plan.cells)))
    if (!plan.covered) {
      fillCells(bytes, field.fillValue)
      validity?.fill(field.fillIsNull ? 0 : 1)
    }
    // do not fill memory that another thread writes to
    const fresh = into === undefined && plan.covered ? prefault(access, bytes, field.cellSize) : undefined
    const out = unitsOf(bytes, field.cellSize)
    const outValidity = validity === undefined ? undefined : unitsOf(validity, 1)
    const storage = yield* Storage
    const steps = plan.steps.filter((step) => step.kind !== "sparse")
    const concurrency = inFlight(storage, array.uri, MAX_CONCURRENT_FRAGMENTS)
    /** Completed when the step of the same number is done. */
    const done = concurrency === 1 ? [] : yield* Effect.forEach(steps, () => Deferred.make<void>())
    const copyStep = (step: DenseStep, number: number): Effect.Effect<void, ReadTilesError, Storage> => {
      const fragment = array.fragments[step.fragment]
      const storedField = fieldOfFragment(fragment, field)!
      const spans = {
        ...spansOfStep(plan, step),
        ...(fresh === undefined ? {} : { later: { from: firstTileFrom(plan, step, fresh.from), ready: fresh.ready } }),
        // fragments are read concurrently and copied in sequence, since newer cells replace older ones
        ...(number > 0 && done.length > 0 ? { turn: Deferred.await(done[number - 1]) } : {}),
      }
      const copyInto = (to: Units, cellSize: number): TakeCells => (k, bytes, first) => {
        const values = unitsOf(bytes, cellSize)
        return forTileLinesSteps(plan, step, k, (s, t, n, ss, ts) => copyLine(to, values, s - first, t, n, ss, ts))
      }
      const copied = Effect.zip(
        readSpans(access, fragment, storedField, "fixed", spans, copyInto(out, field.cellSize)),
        outValidity === undefined
          ? Effect.void
          : readSpans(access, fragment, storedField, "validity", spans, copyInto(outValidity, 1)),
        { concurrent: inFlight(storage, fragment.uri, 2) > 1 },
      )
      return done.length === 0 ? Effect.asVoid(copied) : Effect.zipRight(
        Effect.zipRight(copied, number === 0 ? Effect.void : Deferred.await(done[number - 1])),
        Effect.asVoid(Deferred.succeed(done[number], undefined)),
      )
    }
    yield* Effect.forEach(steps, copyStep, { concurrency, discard: true })
    if (fresh !== undefined) yield* fresh.ready
    // engines write 0 and 1; every other value counts as valid
    if (validity !== undefined) {
      yield* runSteps(() =>
        inParts(validity.length, (from, to) => {
          for (let i = from; i < to; i++) if (validity[i] > 1) validity[i] = 1
        })
      )
    }
    const column: Column = {
      name: field.name,
      type: field.type,
      cellValNum: field.cellValNum,
      length: plan.cells,
      values: into?.values ?? viewAs(field.type, bytes),
      validity,
      enumeration: field.enumeration,
    }
    return copyIntoTarget(column, target)
  })

/** Maximum number of fragments that are read concurrently. */
const MAX_CONCURRENT_FRAGMENTS = 16

/** Minimum size of a buffer that another thread prefaults. */
const MIN_PREFAULT_SIZE = 1 << 25
/** Share of a result's memory that another thread prefaults, counted from the end. */
const PREFAULT_SHARE = 0.6

/**
 * Prefaults the end of a large result's memory in another thread while the beginning is written. `ready` waits until
 * the prefaulting is done.
 */
const prefault = (
  { codecs: { workers } }: TileAccess,
  bytes: Uint8Array,
  cellSize: number,
): { readonly from: number; readonly ready: Effect.Effect<void> } | undefined => {
  if (workers === undefined || bytes.length < MIN_PREFAULT_SIZE) return undefined
  const from = Math.ceil(bytes.length / cellSize * (1 - PREFAULT_SHARE))
  return { from, ready: workers.faultIn(bytes.subarray(from * cellSize)) }
}

/** Returns the source tile and position of every cell of the result; no tile for cells that were never written. */
export const cellMap = (
  access: TileAccess,
  array: OpenedArray,
  plan: DensePlan,
  selection: Selection,
): Effect.Effect<Cells, ReadError, Storage> =>
  Effect.gen(function* () {
    const tiles = [...plan.tiles]
    const [tileOf, positions] = yield* attemptAllocation(array.uri, 8 * plan.cells, () =>
      [
        new Uint32Array(plan.cells).fill(0xffffffff),
        new Uint32Array(plan.cells),
      ] as const)
    for (const step of plan.steps) {
      if (step.kind === "dense") {
        for (let k = 0; k < step.tileCount; k++) {
          const tile = step.firstTile + k
          yield* runSteps(() =>
            forTileLinesSteps(plan, step, k, (source, target, length, sourceStride, targetStride) => {
              for (let i = 0; i < length; i++, source += sourceStride, target += targetStride) {
                tileOf[target] = tile
                positions[target] = source
              }
            })
          )
        }
      } else {
        // the coordinates of a sparse fragment determine the positions of its cells
        const cells = yield* findCells(access, array, selection, [step.fragment])
        const base = tiles.length
        tiles.push(...cells.tiles)
        const targets = yield* targetsOf(access, array, plan, cells)
        for (let i = 0; i < targets.length; i++) {
          if (targets[i] < 0) continue
          tileOf[targets[i]] = base + cells.tileOf[i]
          positions[targets[i]] = cells.positions[i]
        }
      }
    }
    return { tiles, tileOf, positions }
  })

/** Returns the position of each cell in the result; −1 for cells outside the selection. */
const targetsOf = (
  access: TileAccess,
  array: OpenedArray,
  plan: DensePlan,
  cells: Cells,
): Effect.Effect<Float64Array, ReadError, Storage> =>
  Effect.gen(function* () {
    const out = new Float64Array(cells.tileOf.length)
    const columns = yield* gatherColumns(access, array, fieldsOf(array.schema).dimensions, cells)
    const place = ({ values }: Column, d: number): Steps<void> => {
      const starts = segmentStarts(plan.axes[d])
      return inParts(out.length, (from, to) => {
        for (let i = from; i < to; i++) {
          if (out[i] < 0) continue
          const at = placeOf(plan.axes[d], starts, BigInt(values[i] as Scalar))
          out[i] = at < 0 ? -1 : out[i] + at * plan.targetStrides[d]
        }
      })
    }
    for (const [d, column] of columns.entries()) yield* runSteps(() => place(column, d))
    return out
  })

/** Returns the first coordinate of each segment of an axis. */
const segmentStarts = (plan: AxisPlan): ReadonlyArray<bigint> =>
  plan.tiles.flatMap((tile, t) =>
    Array.from(
      plan.low.subarray(plan.firstSegment[t], plan.firstSegment[t + 1]),
      (low) => tileStart(plan.axis, tile) + BigInt(low),
    )
  )

/** Returns the position of a coordinate along an axis of the result; −1 if it is not selected. */
const placeOf = (plan: AxisPlan, starts: ReadonlyArray<bigint>, coordinate: bigint): number => {
  // the last segment that starts at or before the coordinate
  const s = firstFrom(starts.length, (k) => starts[k] <= coordinate) - 1
  if (s < 0) return -1
  const offset = Number(coordinate - starts[s])
  return offset < plan.count[s] ? plan.out[s] + offset : -1
}
