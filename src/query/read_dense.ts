/**
 * Dense reads: check, plan, read tiles, copy boxes.
 */
import * as Effect from "effect/Effect"
import type { Codecs } from "../../platform/codecs.ts"
import type { Storage } from "../../platform/storage.ts"
import { arrayOf, type TypedArray, viewAs } from "../../schema/datatype.ts"
import { readScalar, type Scalar } from "../../schema/scalar.ts"
import { ResultTooLarge, SelectionError } from "../array/errors.ts"
import { nonEmptyDomain } from "../array/non_empty_domain.ts"
import { accessOf, type OpenedArray } from "../array/open.ts"
import type { Field } from "../fragment/field.ts"
import { loadFieldTiles, proveTileCount } from "../fragment/field_tiles.ts"
import { readTiles, type ReadTilesError } from "../fragment/read_tiles.ts"
import { unitsOf } from "../kernel/gather.ts"
import { copyBox, forLines } from "../kernel/strided_copy.ts"
import type { TileAccess } from "../tile/generic_tile.ts"
import type { Column } from "./column.ts"
import { type Cells, fieldIn, fillCells, gatherColumns } from "./gather.ts"
import { type DensePlan, globalOrder, lengthOf, pieceCount, planDense, strides, wholeRanges } from "./plan_dense.ts"
import { permute } from "./permute.ts"
import { MAX_BYTES, type ReadOptions, selectedFields } from "./read_options.ts"
import { parseSelection, type Selection } from "./selection.ts"
import { findCells } from "./sparse_cells.ts"

/** The answer of a dense read: every column has the product of `shape` cells, in the order that was asked. */
export interface DenseResult {
  /** Cells along each dimension. */
  readonly shape: ReadonlyArray<number>
  readonly columns: Readonly<Record<string, Column>>
}

/** What a read can fail with. */
export type ReadError = ReadTilesError | SelectionError | ResultTooLarge

/** Unfiltered bytes of tiles that are held at once while fixed-size cells are copied. */
const BATCH = 1 << 26

/** A plan of more boxes than this does not fit into memory, and its cells lie in tiles of one or two of them. */
const MOST_PIECES = 1 << 24
/** What a planned box takes, roughly. */
const PIECE_BYTES = 256n

/** Runs what throws SelectionError. */
export const attemptSelection = <A>(run: () => A): Effect.Effect<A, SelectionError> =>
  Effect.suspend(() => {
    try {
      return Effect.succeed(run())
    } catch (error) {
      return error instanceof SelectionError ? Effect.fail(error) : Effect.die(error)
    }
  })

/** Reads a box, or boxes, of a dense array. */
export const readDense = (
  array: OpenedArray,
  options: ReadOptions = {},
): Effect.Effect<DenseResult, ReadError, Storage | Codecs> =>
  Effect.gen(function* () {
    const { schema, uri } = array
    const access = yield* accessOf(array)
    if (schema.arrayType !== "dense") {
      return yield* Effect.fail(
        new SelectionError({ uri, field: "", reason: "the array is sparse; read it with Sparse.read" }),
      )
    }
    const order = options.order ?? "row"
    const fields = yield* attemptSelection(() => selectedFields(array, options.select))
    const selection = yield* attemptSelection(() =>
      parseSelection(uri, schema, options.ranges ?? {}, options.outside ?? "error")
    )
    const written = nonEmptyDomain(array)
    const ranges = wholeRanges(selection, (d) => {
      if (written === undefined) return []
      const { type } = schema.dimensions[d]
      return [{ low: BigInt(readScalar(type, written[d].low)), high: BigInt(readScalar(type, written[d].high)) }]
    })
    // how many cells: before anything is planned, since plans grow with them
    const cells = ranges.reduce((n, r) => n * lengthOf(r), 1n)
    const limit = options.maxBytes ?? MAX_BYTES
    const bytes = cells *
      BigInt(fields.reduce((sum, f) => sum + (f.var ? 4 : f.cellSize) + (f.nullable ? 1 : 0), 0))
    if (bytes > BigInt(limit) || cells > 0xffffffffn) {
      return yield* Effect.fail(new ResultTooLarge({ uri, needed: Number(bytes), limit }))
    }

    const pieces = pieceCount(schema, ranges)
    if (pieces > BigInt(MOST_PIECES)) {
      return yield* Effect.fail(new ResultTooLarge({ uri, needed: Number(bytes + pieces * PIECE_BYTES), limit }))
    }
    for (const fragment of array.fragments) yield* proveTileCount(access, fragment)
    const plan = planDense(schema, array.fragments, ranges, order === "col" ? "col-major" : "row-major")
    yield* checkVarSizes(access, array, plan, fields, Number(bytes), limit)
    const columns: Record<string, Column> = {}
    const sparse = plan.steps.some((s) => s.kind === "sparse")
    let map: Cells | undefined
    for (const field of fields) {
      if (field.file.kind === "dimension") {
        columns[field.name] = coordinates(field, field.file.index, plan, order === "col" ? "col-major" : "row-major")
        continue
      }
      const held = plan.tiles.every(({ fragment }) => {
        const its = fieldIn(array.fragments[fragment], field)
        return its !== undefined && its.nullable === field.nullable
      })
      if (field.var || sparse || !held) {
        map ??= yield* cellMap(access, array, plan, selection, order === "col" ? "col-major" : "row-major")
        columns[field.name] = (yield* gatherColumns(access, array, [field], map))[0]
      } else columns[field.name] = yield* copyFixed(access, array, plan, field)
    }
    if (order === "global") {
      const cells = globalOrder(schema, plan)
      for (const field of fields) columns[field.name] = permute(columns[field.name], cells)
    }
    return { shape: plan.shape, columns }
  })

/** Var-sized tiles say how many bytes they hold: the most that the result can take. */
const checkVarSizes = (
  access: TileAccess,
  array: OpenedArray,
  plan: DensePlan,
  fields: ReadonlyArray<Field>,
  fixed: number,
  limit: number,
): Effect.Effect<void, ReadTilesError | ResultTooLarge, Storage> =>
  Effect.gen(function* () {
    let needed = fixed
    for (const field of fields) {
      if (!field.var) continue
      if (!plan.covered) needed += plan.cells * field.fillValue.byteLength
      for (const { fragment, tile } of plan.tiles) {
        const its = fieldIn(array.fragments[fragment], field)
        if (its === undefined) continue
        const [where] = yield* loadFieldTiles(access, array.fragments[fragment], [its])
        needed += where.varSizes![tile]
      }
    }
    if (needed > limit) return yield* Effect.fail(new ResultTooLarge({ uri: array.uri, needed, limit }))
  })

/** A fixed-size attribute: boxes are copied from tiles, a batch of tiles at a time. */
const copyFixed = (
  access: TileAccess,
  array: OpenedArray,
  plan: DensePlan,
  field: Field,
): Effect.Effect<Column, ReadTilesError, Storage> =>
  Effect.gen(function* () {
    const bytes = new Uint8Array(plan.cells * field.cellSize)
    const validity = field.nullable ? new Uint8Array(plan.cells) : undefined
    if (!plan.covered) {
      fillCells(bytes, field.fillValue)
      if (!field.fillIsNull) validity?.fill(1)
    }
    const out = unitsOf(bytes, field.cellSize)
    const outValidity = validity === undefined ? undefined : unitsOf(validity, 1)
    for (const step of plan.steps) {
      if (step.kind === "sparse") continue
      const fragment = array.fragments[step.fragment]
      const its = fieldIn(fragment, field)!
      // copies by tile, tiles ascending: a batch is a run of tiles
      const copies = [...step.copies].sort((a, b) => a.tile - b.tile)
      const perBatch = Math.max(1, Math.floor(BATCH / (fragment.tileCells * field.cellSize)))
      for (let from = 0; from < copies.length;) {
        const numbers: Array<number> = []
        let to = from
        while (to < copies.length) {
          const { tile } = plan.tiles[copies[to].tile]
          if (numbers[numbers.length - 1] !== tile) {
            if (numbers.length === perBatch) break
            numbers.push(tile)
          }
          to++
        }
        const tiles = yield* readTiles(access, fragment, its, numbers)
        for (let k = from, t = -1, last = -1; k < to; k++) {
          if (copies[k].tile !== last) {
            last = copies[k].tile
            t++
          }
          copyBox(out, unitsOf(tiles[t].values, field.cellSize), copies[k])
          if (outValidity !== undefined) copyBox(outValidity, unitsOf(tiles[t].validity!, 1), copies[k])
        }
        from = to
      }
    }
    // engines write 0 and 1; whatever is not 0 is a value
    if (validity !== undefined) { for (let i = 0; i < validity.length; i++) if (validity[i] > 1) validity[i] = 1 }
    return {
      name: field.name,
      type: field.type,
      cellValNum: field.cellValNum,
      length: plan.cells,
      values: viewAs(field.type, bytes),
      validity,
      enumeration: field.enumeration,
    }
  })

/** For every cell of the result the tile and position that it comes from; of no tile where nothing was written. */
const cellMap = (
  access: TileAccess,
  array: OpenedArray,
  plan: DensePlan,
  selection: Selection,
  layout: "row-major" | "col-major",
): Effect.Effect<Cells, ReadError, Storage> =>
  Effect.gen(function* () {
    const tiles = [...plan.tiles]
    const tileOf = new Uint32Array(plan.cells).fill(0xffffffff)
    const positions = new Uint32Array(plan.cells)
    for (const step of plan.steps) {
      if (step.kind === "dense") {
        for (const copy of step.copies) {
          forLines(copy, (source, target, length, sourceStride, targetStride) => {
            for (let i = 0; i < length; i++, source += sourceStride, target += targetStride) {
              tileOf[target] = copy.tile
              positions[target] = source
            }
          })
        }
      } else {
        // a sparse fragment inside a dense array: its cells go where their coordinates say
        const found = yield* findCells(access, array, selection, [step.fragment])
        const base = tiles.length
        tiles.push(...found.tiles)
        const targets = yield* targetsOf(access, array, plan, found, layout)
        for (let i = 0; i < targets.length; i++) {
          if (targets[i] < 0) continue
          tileOf[targets[i]] = base + found.tileOf[i]
          positions[targets[i]] = found.positions[i]
        }
      }
    }
    return { tiles, tileOf, positions }
  })

/** Where cells with coordinates lie in the result; −1 for those outside. */
const targetsOf = (
  access: TileAccess,
  array: OpenedArray,
  plan: DensePlan,
  found: Cells,
  layout: "row-major" | "col-major",
): Effect.Effect<Float64Array, ReadError, Storage> =>
  Effect.gen(function* () {
    const out = new Float64Array(found.tileOf.length)
    const target = strides(plan.shape, layout)
    const fields = yield* attemptSelection(() => selectedFields(array, array.schema.dimensions.map((d) => d.name)))
    const columns = yield* gatherColumns(access, array, fields, found)
    columns.forEach(({ values }, d) => {
      const { origin, pieces } = plan.axes[d]
      for (let i = 0; i < out.length; i++) {
        if (out[i] < 0) continue
        const at = Number(BigInt(values[i] as Scalar) - origin)
        // the last piece that starts at or before the cell
        let from = 0
        for (let to = pieces.length; from < to;) {
          const middle = (from + to) >>> 1
          if (pieces[middle].low <= at) from = middle + 1
          else to = middle
        }
        const piece = pieces[from - 1]
        out[i] = piece === undefined || at > piece.high ? -1 : out[i] + (piece.out + at - piece.low) * target[d]
      }
    })
    return out
  })

/** The coordinates of all cells of the result along one dimension. */
const coordinates = (field: Field, d: number, plan: DensePlan, layout: "row-major" | "col-major"): Column => {
  const { axes, shape, cells } = plan
  const { origin, pieces } = axes[d]
  const big = field.cellSize === 8
  const along: TypedArray = new (arrayOf(field.type))(shape[d])
  for (const { low, high, out } of pieces) {
    for (let i = low; i <= high; i++) {
      const value = origin + BigInt(i)
      along[out + i - low] = (big ? value : Number(value)) as never
    }
  }
  const values: TypedArray = new (arrayOf(field.type))(cells)
  const stride = strides(shape, layout)[d]
  for (let i = 0; i < cells; i++) values[i] = along[Math.floor(i / stride) % shape[d]] as never
  return { name: field.name, type: field.type, cellValNum: 1, length: cells, values }
}
