/**
 * Dense cells into one fragment: a box, cut into the space tiles that it touches.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Codecs } from "../../platform/codecs.ts"
import type { Storage } from "../../platform/storage.ts"
import type { NameTime } from "../array/new_name.ts"
import type { OpenedArray } from "../array/open.ts"
import { denseCells } from "../fragment/dense_tiles.ts"
import { boxOf, cellsOfBox, rangesOfBox } from "./box.ts"
import { checkColumns, type CheckOptions } from "./check_columns.ts"
import { commitFragments } from "./commit.ts"
import { type DenseOrder, type DenseTiles, denseTiles } from "./dense_tiles.ts"
import {
  type FinishedFragment,
  type FragmentTarget,
  type FragmentWriter,
  openFragment,
  type WriteTilesError,
} from "./fragment_writer.ts"
import { targetOf } from "./target.ts"
import { type Box, checkTileSize } from "./split_dense.ts"
import type { WriteColumn } from "./write_column.ts"
import { attemptWrite, type WriteFailure, type WriteProgress, type Written } from "./written.ts"

/** How dense cells are written. */
export interface DenseRequest {
  readonly time: NameTime | undefined
  readonly order: DenseOrder
  readonly onProgress: ((progress: WriteProgress) => void) | undefined
  /** How columns are checked. */
  readonly checks?: CheckOptions
}

/** Writes all tiles of a column. */
export const writeDenseTiles = (
  writer: FragmentWriter,
  column: WriteColumn,
  { count, tile }: DenseTiles,
  cellsPerTile: number,
): Effect.Effect<void, WriteTilesError> => {
  const { field } = column
  const bytes = cellsPerTile * (field.var ? 8 : field.cellSize)
  return writer.write(field, { count, bytes, tile: (i, memory) => tile(i, column, memory) })
}

/** Writes checked columns of a box, whose cells lie in rows or in another order, into a fragment that is not committed yet. */
export const denseFragment = (
  target: FragmentTarget,
  box: Box,
  attributes: ReadonlyArray<WriteColumn>,
  { time, order }: Pick<DenseRequest, "time" | "order">,
  written: (fields: number, bytes: number) => void,
): Effect.Effect<FinishedFragment, WriteTilesError, Storage | Scope.Scope> =>
  Effect.gen(function* () {
    const { schema } = target
    const writer = yield* openFragment(target, { time })
    const tiles = denseTiles(schema, box, order, target.version)
    let fields = 0
    const writeField = (column: WriteColumn): Effect.Effect<void, WriteTilesError> =>
      Effect.gen(function* () {
        yield* writeDenseTiles(writer, column, tiles, denseCells(schema))
        yield* writer.close(column.field)
        written(++fields, writer.bytes())
      })
    yield* Effect.forEach(attributes, writeField, { concurrency: writer.inFlight, discard: true })
    return yield* writer.finish({ nonEmptyDomain: rangesOfBox(schema, box) })
  })

/** Writes the cells of a box into a new fragment of the array. */
export const writeDense = (
  array: OpenedArray,
  region: unknown,
  columns: Readonly<Record<string, unknown>>,
  request: DenseRequest,
): Effect.Effect<Written, WriteFailure, Storage | Codecs> =>
  Effect.scoped(Effect.gen(function* () {
    const { uri, schema } = array
    const target = yield* targetOf(array)
    const { box, cells, attributes } = yield* attemptWrite(uri, () => {
      const box = boxOf(schema, region)
      checkTileSize(schema)
      return { box, ...checkColumns(schema, columns, cellsOfBox(box), request.checks) }
    })
    let size = 0
    const finished = yield* denseFragment(target, box, attributes, request, (fields, bytes) => {
      size = bytes
      request.onProgress?.({ cells: Math.floor(cells * fields / attributes.length), bytes })
    })
    yield* commitFragments([finished])
    return { fragments: [finished.name], cells, bytes: size }
  }))
