/**
 * Writes a box of dense cells into one fragment, divided into space tiles.
 */
import * as Effect from "effect/Effect"
import type { Codecs } from "../../../platform/codecs/service.ts"
import type { Storage } from "../../../platform/storage/service.ts"
import { withTurns } from "../../../platform/host/event_loop_turns.ts"
import type { NameTime } from "../../array/create/fragment_name.ts"
import type { OpenedArray } from "../../array/open/open.ts"
import { boxOf, cellsOfBox } from "../input/box.ts"
import { checkColumnsSteps, type CheckOptions } from "../input/check_columns.ts"
import { commitFragments } from "../fragment/commit.ts"
import { denseFragment } from "./dense_fragment.ts"
import type { DenseOrder } from "./dense_tiles.ts"
import { checkTileSize } from "./dense_tiler.ts"
import { targetOf } from "../fragment/fragment_target.ts"
import { beforeCommit, momentOf } from "../fragment/timestamps.ts"
import { checkTies } from "../fragment/ties.ts"
import { commitLabels, labelFragments, labelUris, splitLabels } from "./write_labels.ts"
import { attemptWriteSteps, type WriteFailure, type WriteProgress, type WriteResult } from "../result/write_result.ts"

/** Options of a dense write. */
export interface DenseWriteRequest {
  readonly time: NameTime | undefined
  readonly order: DenseOrder
  readonly onProgress: ((progress: WriteProgress) => void) | undefined
  /** Rules that validate columns. */
  readonly checks?: CheckOptions
}

/**
 * Writes the cells of a box into a new fragment of the array, and labels of its coordinates into new fragments of the
 * label arrays.
 */
export const writeDense = (
  array: OpenedArray,
  region: unknown,
  columns: Readonly<Record<string, unknown>>,
  request: DenseWriteRequest,
): Effect.Effect<WriteResult, WriteFailure, Storage | Codecs> =>
  withTurns(Effect.scoped(Effect.gen(function* () {
    const { uri, schema } = array
    const target = yield* targetOf(array)
    const { labels, box, cells, attributes } = yield* attemptWriteSteps(uri, function* () {
      const { labels, fields } = splitLabels(schema, columns)
      const box = boxOf(schema, region)
      checkTileSize(schema)
      return { labels, box, ...yield* checkColumnsSteps(schema, fields, cellsOfBox(box), request.checks) }
    })
    const time = yield* momentOf(array, request.time, labelUris(array, labels))
    const named = yield* labelFragments(array, labels, ({ dimension }) => box[dimension], time)
    let size = 0
    const finished = yield* denseFragment(target, box, attributes, { time, order: request.order }, (fields, bytes) => {
      size = bytes
      request.onProgress?.({ cells: Math.floor(cells * fields / attributes.length), bytes })
    })
    yield* checkTies(array, request.time, [finished])
    yield* beforeCommit(request.time, time)
    yield* commitLabels(named)
    yield* commitFragments([finished])
    return { fragments: [finished.name], cells, bytes: size }
  })))
