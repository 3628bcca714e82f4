/**
 * Combines the cells of several dense fragments: writes whole tiles in global order, in bounded memory. Copies tiles that
 * do not change without decoding them.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { Codecs } from "../../../platform/codecs/service.ts"
import { turnIfDue } from "../../../platform/host/event_loop_turns.ts"
import type { Storage } from "../../../platform/storage/service.ts"
import { readScalar } from "../../../schema/array/scalar.ts"
import type { NameTime } from "../../array/create/fragment_name.ts"
import { nonEmptyDomain } from "../../array/describe/non_empty_domain.ts"
import { accessOf, type OpenedArray } from "../../array/open/open.ts"
import { denseCells } from "../../fragment/dense_tiles.ts"
import { fieldsOf } from "../../fragment/field.ts"
import { streamDense } from "../../query/request/dense_request.ts"
import type { ReadError } from "../../query/options/read_error.ts"
import { denseSteps, partsOfAll } from "../../write/dense/dense_writer.ts"
import type { FinishedFragment, FragmentTarget } from "../../write/fragment/fragment_writer.ts"
import { type Box, cellsOfBox } from "../../write/input/box.ts"
import { tileParts } from "../../write/dense/dense_tiles.ts"
import { attemptWriteSteps, type WriteFailure } from "../../write/result/write_result.ts"
import { findSources, readCopies } from "./copied_tiles.ts"

/** Maximum size of the tiles that are copied together, before filtering, and its maximum share of the memory budget. */
const MAX_COPY_SIZE = 1 << 24
const COPIES_PER_BUDGET = 8

/** Inputs and options of combining dense fragments. */
export interface DenseConsolidation {
  /** The array with the fragments to combine. */
  readonly array: OpenedArray
  readonly target: FragmentTarget
  readonly time: NameTime
  readonly maxFragmentSize: number
  readonly memory: number | undefined
  readonly onProgress: (cells: number) => void
  /** Whether all tiles are decoded and their statistics computed again, even of tiles that do not change. */
  readonly recompute: boolean
}

/** Writes the combined fragments, which are invisible until their commit. */
export const consolidateDense = (
  { array, target, time, maxFragmentSize, memory, onProgress, recompute }: DenseConsolidation,
): Effect.Effect<ReadonlyArray<FinishedFragment>, ReadError | WriteFailure, Storage | Codecs | Scope.Scope> =>
  Effect.gen(function* () {
    const { schema, uri } = array
    const domain = nonEmptyDomain(array)
    if (domain === undefined) return []
    const box = domain.map(({ low, high }, d) => {
      const { type } = schema.dimensions[d]
      return { low: BigInt(readScalar(type, low)), high: BigInt(readScalar(type, high)) }
    })
    const steps = yield* denseSteps(array, target, cellsOfBox(box), partsOfAll(schema, [box], "global"), {
      order: "global",
      time,
      maxFragmentSize,
      onProgress: undefined,
      // keep values that other engines accept
      checks: { anyValue: true },
    })
    const select = schema.attributes.map(({ name }) => name)
    /** decodes and writes the cells of a part of the box that consists of consecutive tiles */
    const rewrite = (part: Box) => {
      const region = Object.fromEntries(
        schema.dimensions.map(({ name }, d) => [name, [part[d].low, part[d].high] as const]),
      )
      const batches = streamDense(array, {
        order: "global",
        region,
        select,
        ...(memory === undefined ? {} : { memory }),
      })
      return Stream.runForEach(batches, ({ columns }) =>
        Effect.gen(function* () {
          yield* steps.append(yield* attemptWriteSteps(uri, () => steps.check(columns)))
          onProgress(steps.progress().cells)
        }))
    }
    const access = yield* accessOf(array)
    const sources = recompute ? undefined : yield* findSources(access, array, target, box)
    if (sources === undefined) yield* rewrite(box)
    else {
      const { count, rowLength, source } = sources
      const { part } = tileParts(schema, box)
      const { attributes } = fieldsOf(schema)
      const cellBytes = attributes.reduce((sum, field) => sum + field.cellSize + (field.nullable ? 1 : 0), 0)
      const maxBytes = Math.min(MAX_COPY_SIZE, (memory ?? Infinity) / COPIES_PER_BUDGET)
      const maxTiles = Math.max(1, Math.floor(maxBytes / (cellBytes * denseCells(schema))))
      for (let i = 0; i < count;) {
        const first = source(i)
        let end = i + 1
        if (first === undefined) {
          while (end % rowLength > 0 && source(end) === undefined) end++
          const last = part(end - 1)
          yield* rewrite(part(i).map(({ low }, d) => ({ low, high: last[d].high })))
        } else {
          const tiles = [first.tile]
          for (; end < count && tiles.length < maxTiles; end++) {
            const next = source(end)
            if (next?.fragment !== first.fragment || next.tile <= tiles[tiles.length - 1]) break
            tiles.push(next.tile)
          }
          for (const copies of yield* readCopies(access, first.fragment, attributes, tiles)) yield* steps.copy(copies)
          onProgress(steps.progress().cells)
          yield* turnIfDue
        }
        i = end
      }
    }
    yield* steps.finish
    return steps.finished
  })
