/**
 * R-trees: the MBRs of a fragment's tiles in levels. Format: `fragment.md`.
 *
 * @module
 */
import { boundedMemo } from "../binary/bounded_memo.ts"
import * as Schema from "effect/Schema"
import { BinaryIssue, type Codec, codec, type Cursor, field, type Sink, u32, u64 } from "../binary/mod.ts"
import { arrayOf, type Datatype, DatatypeField, sizeOf, type TypedArray } from "../array/datatype.ts"
import { Since } from "../version/version.ts"

/** The bounds of one dimension in all MBRs of a level: low₀, high₀, low₁, high₁, … */
export type MbrColumn =
  | { readonly kind: "fixed"; readonly values: TypedArray }
  /** Bound i is `bytes[offsets[i] … offsets[i + 1])`; there are 2·count + 1 offsets. */
  | { readonly kind: "var"; readonly bytes: Uint8Array; readonly offsets: Uint32Array }

/** The MBRs of one level, by dimension. */
export interface MbrLevel {
  /** The number of rectangles. */
  readonly count: number
  /** The bounds of the rectangles, by dimension. */
  readonly dimensions: ReadonlyArray<MbrColumn>
}

/** An R-tree: each node covers the next `fanout` entries of the level below; leaf i is the MBR of tile i. */
export interface RTree {
  /** The number of entries of the level below that a node covers. */
  readonly fanout: number
  /** The levels from the root to the leaves; empty in dense fragments. */
  readonly levels: ReadonlyArray<MbrLevel>
}

/** The properties of a dimension that determine the layout of the tree. */
export interface RTreeDimension {
  /** The datatype of the coordinates. */
  readonly type: Datatype
  /** Whether the coordinates are var-sized. */
  readonly var: boolean
}

const bytesOfArray = (a: TypedArray): Uint8Array => new Uint8Array(a.buffer, a.byteOffset, a.byteLength)

/**
 * Converts MBRs of fixed size to columns. The number of bytes must be a multiple of the MBR size.
 *
 * ```ts
 * import { mbrsOfBytes } from "@tessera/array/schema"
 * import { assertEquals } from "@std/assert"
 *
 * const level = mbrsOfBytes(Uint8Array.of(0, 4, 5, 9), [{ type: "uint8", var: false }])
 * assertEquals(level, { count: 2, dimensions: [{ kind: "fixed", values: Uint8Array.of(0, 4, 5, 9) }] })
 * ```
 */
export const mbrsOfBytes = (bytes: Uint8Array, dimensions: ReadonlyArray<RTreeDimension>): MbrLevel => {
  const stride = dimensions.reduce((sum, d) => sum + 2 * sizeOf(d.type), 0)
  const count = bytes.byteLength / stride
  let start = 0
  const columns = dimensions.map(({ type }): MbrColumn => {
    const width = 2 * sizeOf(type)
    const values = new (arrayOf(type))(2 * count)
    const out = bytesOfArray(values)
    for (let i = 0, from = start; i < out.byteLength; from += stride - width) {
      for (let j = 0; j < width; j++) out[i++] = bytes[from++]
    }
    start += width
    return { kind: "fixed", values }
  })
  return { count, dimensions: columns }
}

const getFixedLevel = (c: Cursor, count: number, dimensions: ReadonlyArray<RTreeDimension>): MbrLevel => {
  const stride = dimensions.reduce((sum, d) => sum + 2 * sizeOf(d.type), 0)
  c.checkCount(count, stride)
  return mbrsOfBytes(c.bytesOf(count * stride), dimensions)
}

/** Reads a level with var-sized dimensions in two passes, because MBRs have no fixed size: first measure, then copy. */
const getVarLevel = (c: Cursor, count: number, dimensions: ReadonlyArray<RTreeDimension>): MbrLevel => {
  c.checkCount(count, dimensions.reduce((sum, d) => sum + (d.var ? 16 : 2 * sizeOf(d.type)), 0))
  const start = c.offset
  const totals = new Float64Array(dimensions.length)
  for (let i = 0; i < count; i++) {
    for (let d = 0; d < dimensions.length; d++) {
      if (!dimensions[d].var) {
        c.take(2 * sizeOf(dimensions[d].type))
        continue
      }
      const at = c.offset
      const total = u64.get(c, undefined)
      const low = u64.get(c, undefined)
      if (low > total) throw new BinaryIssue(at, `the low bound takes ${low} of the range's ${total} bytes`)
      c.take(total)
      totals[d] += total
    }
  }
  c.offset = start
  const columns = dimensions.map((d, i): MbrColumn =>
    d.var
      ? { kind: "var", bytes: new Uint8Array(totals[i]), offsets: new Uint32Array(2 * count + 1) }
      : { kind: "fixed", values: new (arrayOf(d.type))(2 * count) }
  )
  const targets = columns.map((column) => column.kind === "var" ? column.bytes : bytesOfArray(column.values))
  const ends = new Float64Array(dimensions.length)
  for (let i = 0; i < count; i++) {
    for (let d = 0; d < dimensions.length; d++) {
      const column = columns[d]
      let total = 2 * sizeOf(dimensions[d].type)
      if (column.kind === "var") {
        total = u64.get(c, undefined)
        const low = u64.get(c, undefined)
        column.offsets[2 * i + 1] = ends[d] + low
        column.offsets[2 * i + 2] = ends[d] + total
      }
      targets[d].set(c.bytesOf(total), ends[d])
      ends[d] += total
    }
  }
  return { count, dimensions: columns }
}

const putLevel = (s: Sink, level: MbrLevel, dimensions: ReadonlyArray<RTreeDimension>): void => {
  u64.put(s, level.count, undefined)
  for (let i = 0; i < level.count; i++) {
    for (let d = 0; d < dimensions.length; d++) {
      const column = level.dimensions[d]
      if (column.kind === "fixed") {
        const width = 2 * column.values.BYTES_PER_ELEMENT
        s.append(bytesOfArray(column.values).subarray(i * width, (i + 1) * width))
      } else {
        const { bytes, offsets } = column
        u64.put(s, offsets[2 * i + 2] - offsets[2 * i], undefined)
        u64.put(s, offsets[2 * i + 1] - offsets[2 * i], undefined)
        s.append(bytes.subarray(offsets[2 * i], offsets[2 * i + 2]))
      }
    }
  }
}

const fits = (level: MbrLevel, dimensions: ReadonlyArray<RTreeDimension>): boolean =>
  level.dimensions.length === dimensions.length &&
  level.dimensions.every((column, d) =>
    column.kind === "var"
      ? dimensions[d].var && column.offsets.length === 2 * level.count + 1
      : !dimensions[d].var && column.values instanceof arrayOf(dimensions[d].type) &&
        column.values.length === 2 * level.count
  )

const isTree = (dimensions: ReadonlyArray<RTreeDimension>) => (value: unknown): value is RTree => {
  const tree = value as RTree
  return typeof tree === "object" && tree !== null && Number.isInteger(tree.fanout) && Array.isArray(tree.levels) &&
    tree.levels.every((level) => fits(level, dimensions))
}

const treeSchema = (dimensions: ReadonlyArray<RTreeDimension>): Schema.Schema<RTree> =>
  Schema.declare(isTree(dimensions), {
    identifier: "RTree",
    arbitrary: () => (fc) => {
      const column = (count: number, d: RTreeDimension) =>
        d.var
          ? fc.array(fc.uint8Array({ maxLength: 5 }), { minLength: 2 * count, maxLength: 2 * count }).map((bounds) => {
            const offsets = new Uint32Array(2 * count + 1)
            bounds.forEach((b, i) => offsets[i + 1] = offsets[i] + b.byteLength)
            const bytes = new Uint8Array(offsets[2 * count])
            bounds.forEach((b, i) => bytes.set(b, offsets[i]))
            return { kind: "var", bytes, offsets } as MbrColumn
          })
          : fc.uint8Array({ minLength: 2 * count * sizeOf(d.type), maxLength: 2 * count * sizeOf(d.type) }).map((
            b,
          ) => ({
            kind: "fixed",
            values: new (arrayOf(d.type))(b.slice().buffer),
          } as MbrColumn))
      const level = fc.nat(12).chain((count) =>
        fc.tuple(...dimensions.map((d) => column(count, d))).map((columns): MbrLevel => ({
          count,
          dimensions: columns,
        }))
      )
      return fc.record({ fanout: fc.nat(0xffffffff), levels: fc.array(level, { maxLength: 3 }) })
    },
  })

const make = (dimensions: ReadonlyArray<RTreeDimension>): Codec<RTree> => {
  const anyVar = dimensions.some((d) => d.var)
  const getLevel = anyVar ? getVarLevel : getFixedLevel
  return codec<RTree>(field({
    schema: () => treeSchema(dimensions),
    minBytes: 8,
    get: (c) => {
      const homogeneous = c.version < Since.splitDimensions
      const at = c.offset
      if (homogeneous) {
        const count = u32.get(c, undefined)
        if (count !== dimensions.length) throw new BinaryIssue(at, `${count} dimensions; expected ${dimensions.length}`)
      }
      const fanout = u32.get(c, undefined)
      if (homogeneous) {
        const at = c.offset
        const type = DatatypeField.get(c, undefined)
        if (dimensions.some((d) => d.type !== type)) {
          throw new BinaryIssue(at, `MBRs of ${type}; the dimensions are ${dimensions[0].type}`)
        }
      }
      const count = u32.get(c, undefined)
      c.checkCount(count, 8)
      const levels: Array<MbrLevel> = []
      for (let i = 0; i < count; i++) {
        try {
          levels.push(getLevel(c, u64.get(c, undefined), dimensions))
        } catch (error) {
          if (error instanceof BinaryIssue) error.path.unshift("levels", i)
          throw error
        }
      }
      return { fanout, levels }
    },
    put: (s, tree) => {
      if (!isTree(dimensions)(tree)) throw new BinaryIssue(s.offset, "the levels do not fit the dimensions")
      const homogeneous = s.version < Since.splitDimensions
      if (homogeneous) {
        if (anyVar || dimensions.some((d) => d.type !== dimensions[0].type)) {
          throw new BinaryIssue(s.offset, `dimensions of several types need format version ${Since.splitDimensions}`)
        }
        u32.put(s, dimensions.length, undefined)
      }
      u32.put(s, tree.fanout, undefined)
      if (homogeneous) DatatypeField.put(s, dimensions[0].type, undefined)
      u32.put(s, tree.levels.length, undefined)
      for (const level of tree.levels) putLevel(s, level, dimensions)
    },
    fit: (tree) => tree,
  }))
}

/**
 * Returns the codec of an R-tree for these dimensions. Memoised. Format: `fragment.md`, "R-Tree".
 *
 * ```ts
 * import { decode, encode, mbrsOfBytes, rtree } from "@tessera/array/schema"
 * import { assertEquals } from "@std/assert"
 *
 * const Tree = rtree([{ type: "uint8", var: false }])
 * const level = mbrsOfBytes(Uint8Array.of(0, 4, 5, 9), [{ type: "uint8", var: false }])
 * const bytes = encode(Tree, { fanout: 10, levels: [level] }, 22)
 * assertEquals(decode(Tree, bytes, 22, "mem://a").levels[0].count, 2)
 * ```
 */
export const rtree: (dimensions: ReadonlyArray<RTreeDimension>) => Codec<RTree> = boundedMemo(
  (dimensions: ReadonlyArray<RTreeDimension>) => dimensions.map((d) => `${d.type}${d.var ? "*" : ""}`).join(),
  make,
)
