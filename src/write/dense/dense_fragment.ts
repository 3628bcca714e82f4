/**
 * Writes a box of dense cells into one uncommitted fragment, divided into space tiles.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Storage } from "../../../platform/storage/service.ts"
import type { NameTime } from "../../array/create/fragment_name.ts"
import { denseCells } from "../../fragment/dense_tiles.ts"
import { type Box, rangesOfBox } from "../input/box.ts"
import { type DenseOrder, type DenseTiles, denseTiles } from "./dense_tiles.ts"
import {
  type FinishedFragment,
  type FragmentTarget,
  type FragmentWriter,
  openFragment,
  type WriteTilesError,
} from "../fragment/fragment_writer.ts"
import type { WriteColumn } from "../input/write_column.ts"

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

/** Writes validated columns of a box, in row-major or another order, into an uncommitted fragment. */
export const denseFragment = (
  target: FragmentTarget,
  box: Box,
  attributes: ReadonlyArray<WriteColumn>,
  { time, order }: { readonly time: NameTime | undefined; readonly order: DenseOrder },
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
