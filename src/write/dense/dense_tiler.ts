/**
 * Divides a box of dense cells into space tiles.
 */
import type { ArraySchema } from "../../../schema/array/array_schema.ts"
import { defaultCellFill } from "../../../schema/array/cell_val_num.ts"
import { axisOf, denseCells, tileOf } from "../../fragment/dense_tiles.ts"
import { WriteError } from "../../array/open/errors.ts"
import { type Field, fieldsOf } from "../../fragment/field.ts"
import type { FieldTile } from "../../fragment/field_tiles.ts"
import { unitsOf } from "../../kernel/copy/gather.ts"
import { COPY_STEP, finish, inParts, type Steps } from "../../kernel/steps.ts"
import { type BoxCopy, copyBoxSteps, forLinesSteps } from "../../kernel/copy/strided_copy.ts"
import type { Box } from "../input/box.ts"
import type { TileMemory } from "../fragment/filter_tiles.ts"
import type { WriteColumn } from "../input/write_column.ts"

/** The tiles of a box, built one at a time to limit memory. */
export interface DenseSplit {
  /** Number of space tiles that the box overlaps. */
  readonly tiles: number
  /** Number of cells of a tile. */
  readonly cellsPerTile: number
  /** Number of cells of the box. */
  readonly cells: number
  /** Builds tile `i`, in the array's tile order, of a column that contains the cells of the box. */
  readonly tile: (i: number, column: WriteColumn, memory?: TileMemory) => FieldTile
  /** Like `tile`, in steps. */
  readonly tileSteps: (i: number, column: WriteColumn, memory?: TileMemory) => Steps<FieldTile>
  /**
   * Returns the cells of tile `i` inside the box, ascending; `undefined` if all are inside. Statistics describe only
   * these cells.
   */
  readonly written: (i: number) => Uint32Array | undefined
  /** Like `written`, in steps. */
  readonly writtenSteps: (i: number) => Steps<Uint32Array | undefined>
  /**
   * Returns the number of a cell of tile `i` among the cells of the box; `undefined` if the cell is outside the box.
   */
  readonly cellOf: (i: number, cell: number) => number | undefined
}

/**
 * Last format version in which engines fill the rest of a tile with the datatype's fill value; later versions use
 * zeros.
 */
const LAST_VERSION_WITH_FILL = 8

/** Returns the distance between neighbouring cells along each dimension of a box. */
const strides = (extents: ReadonlyArray<number>, colMajor: boolean): ReadonlyArray<number> => {
  const out = new Array<number>(extents.length)
  let step = 1
  for (let k = 0; k < extents.length; k++) {
    const d = colMajor ? k : extents.length - 1 - k
    out[d] = step
    step *= extents[d]
  }
  return out
}

/**
 * Divides a box, whose cells are in `layout`, into the tiles of a fragment of format `version`. The box must be inside
 * the domain.
 *
 * Tile cells outside the box get the values that the engine writes: up to format 8 the fill value of the datatype (not
 * the attribute's), later zeros; one value in var-sized cells; null in nullable attributes.
 */
export const splitDense = (
  schema: ArraySchema,
  box: Box,
  layout: "row-major" | "col-major",
  version: number = schema.version,
): DenseSplit => {
  const axes = schema.dimensions.map(axisOf)
  const first = axes.map((axis, d) => tileOf(axis, box[d].low))
  const counts = axes.map((axis, d) => Number(tileOf(axis, box[d].high) - first[d]) + 1)
  const extents = axes.map((axis) => Number(axis.extent))
  const shape = box.map(({ low, high }) => Number(high - low) + 1)
  const cellsColMajor = schema.cellOrder === "col-major"
  const tileStrides = strides(counts, schema.tileOrder === "col-major")
  const targetStrides = strides(extents, cellsColMajor)
  const sourceStrides = strides(shape, layout === "col-major")
  const cellsPerTile = extents.reduce((n, e) => n * e, 1)

  /** Returns the part of the box in tile `i`: its position in the column and in the tile. */
  const part = (i: number): BoxCopy => {
    const size = new Array<number>(axes.length)
    let source = 0
    let target = 0
    for (let d = 0; d < axes.length; d++) {
      const number = Math.floor(i / tileStrides[d]) % counts[d]
      const start = axes[d].low + (first[d] + BigInt(number)) * axes[d].extent
      // bounds relative to the tile's start
      const low = box[d].low > start ? Number(box[d].low - start) : 0
      const high = Math.min(extents[d] - 1, Number(box[d].high - start))
      size[d] = high - low + 1
      target += low * targetStrides[d]
      source += (low + Number(start - box[d].low)) * sourceStrides[d]
    }
    return { extents: size, source, sourceStrides, target, targetStrides }
  }
  const cellsIn = ({ extents }: BoxCopy): number => extents.reduce((n, e) => n * e, 1)

  /**
   * builds fixed-size cells of a tile, with `fill` outside the box; returns a view if the cells are contiguous in the
   * input
   */
  const fixed = function* (
    copy: BoxCopy,
    cells: Uint8Array,
    size: number,
    fill: Uint8Array,
    memory?: TileMemory,
  ): Steps<Uint8Array> {
    const whole = cellsIn(copy) === cellsPerTile
    if (whole && copy.extents.every((e, d) => e === 1 || sourceStrides[d] === targetStrides[d])) {
      return cells.subarray(copy.source * size, (copy.source + cellsPerTile) * size)
    }
    const again = memory?.bytes.length === cellsPerTile * size
    const out = again ? memory!.bytes : new Uint8Array(cellsPerTile * size)
    if (memory !== undefined) memory.bytes = out
    if (again && !whole) yield* inParts(out.length, (from, to) => out.fill(0, from, to), COPY_STEP)
    if (!whole && !isZero(fill)) {
      yield* inParts(cellsPerTile, (from, to) => {
        for (let i = from; i < to; i++) out.set(fill, i * size)
      })
    }
    yield* copyBoxSteps(unitsOf(out, size), unitsOf(cells, size), copy)
    return out
  }

  const fillOf = ({ type, cellValNum, cellSize }: Field): Uint8Array =>
    (version <= LAST_VERSION_WITH_FILL ? defaultCellFill(type, cellValNum) : undefined) ?? new Uint8Array(cellSize)

  const tileSteps = function* (i: number, column: WriteColumn, memory?: TileMemory): Steps<FieldTile> {
    const { field, values, offsets, validity } = column
    const copy = part(i)
    return {
      ...(offsets === undefined
        ? { values: yield* fixed(copy, values, field.cellSize, fillOf(field), memory), offsets }
        : yield* varTile(copy, cellsPerTile, values, offsets, fillOf(field))),
      validity: validity === undefined ? undefined : yield* fixed(copy, validity, 1, NULL),
    }
  }

  const writtenSteps = function* (i: number): Steps<Uint32Array | undefined> {
    const copy = part(i)
    if (cellsIn(copy) === cellsPerTile) return undefined
    const positions = new Uint32Array(cellsIn(copy))
    let n = 0
    // copy from tile to tile, so that lines follow the cell order of the tile
    const own = { ...copy, source: copy.target, sourceStrides: copy.targetStrides }
    yield* forLinesSteps(own, (from, _, length, stride) => {
      for (let k = 0; k < length; k++) positions[n++] = from + k * stride
    })
    return positions
  }

  const cellOf = (i: number, cell: number): number | undefined => {
    const { extents: size, source, target } = part(i)
    let at = source
    for (let d = 0; d < axes.length; d++) {
      const place = (from: number): number => Math.floor(from / targetStrides[d]) % extents[d]
      const within = place(cell) - place(target)
      if (within < 0 || within >= size[d]) return undefined
      at += within * sourceStrides[d]
    }
    return at
  }

  return {
    tiles: counts.reduce((n, c) => n * c, 1),
    cellsPerTile,
    cells: shape.reduce((n, s) => n * s, 1),
    tile: (...input) => finish(tileSteps(...input)),
    tileSteps,
    written: (i) => finish(writtenSteps(i)),
    writtenSteps,
    cellOf,
  }
}

/** Maximum size of a tile in bytes. */
const MAX_TILE_BYTES = 0xffffffff

/** Checks that tiles fit into memory: dense tiles are written whole. Throws {@link WriteError}. */
export const checkTileSize = (schema: ArraySchema): void => {
  const cells = denseCells(schema)
  for (const { name, cellSize, var: variable } of fieldsOf(schema).attributes) {
    const bytes = cells * (variable ? Math.max(4, cellSize) : cellSize)
    if (bytes <= MAX_TILE_BYTES) continue
    const detail =
      `its tiles have ${cells} cells, ${bytes} bytes, and dense tiles are written whole; the maximum is ${MAX_TILE_BYTES}`
    throw new WriteError({ field: name, reason: "TooLarge", detail })
  }
}

const NULL = new Uint8Array(1)

const isZero = (bytes: Uint8Array): boolean => bytes.every((byte) => byte === 0)

/** Builds a tile of var-sized cells, with `fill` outside the box. */
function* varTile(
  copy: BoxCopy,
  cells: number,
  bytes: Uint8Array,
  offsets: Uint32Array,
  fill: Uint8Array,
): Steps<{ readonly values: Uint8Array; readonly offsets: Uint32Array }> {
  // store the length of each cell one position after its start; the sums become the offsets
  const starts = new Uint32Array(cells + 1).fill(fill.byteLength)
  starts[0] = 0
  yield* forLinesSteps(copy, (source, target, length, sourceStride, targetStride) => {
    for (let k = 0; k < length; k++, source += sourceStride, target += targetStride) {
      starts[target + 1] = offsets[source + 1] - offsets[source]
    }
  })
  const filled = isZero(fill) ? undefined : new Uint8Array(cells).fill(1)
  yield* inParts(cells, (from, to) => {
    for (let i = from; i < to; i++) starts[i + 1] += starts[i]
  })
  const values = new Uint8Array(starts[cells])
  yield* forLinesSteps(copy, (source, target, length, sourceStride, targetStride) => {
    if (sourceStride === 1 && targetStride === 1) {
      values.set(bytes.subarray(offsets[source], offsets[source + length]), starts[target])
      filled?.fill(0, target, target + length)
      return
    }
    for (let k = 0; k < length; k++, source += sourceStride, target += targetStride) {
      for (let from = offsets[source], at = starts[target]; from < offsets[source + 1];) values[at++] = bytes[from++]
      if (filled !== undefined) filled[target] = 0
    }
  })
  if (filled !== undefined) {
    yield* inParts(cells, (from, to) => {
      for (let i = from; i < to; i++) if (filled[i] === 1) values.set(fill, starts[i])
    })
  }
  return { values, offsets: starts }
}
