/**
 * Enumerations: the files in `__schema/__enumerations` (since format 20).
 *
 * @module
 */
import * as Schema from "effect/Schema"
import {
  BinaryIssue,
  bool,
  bytes,
  type Codec,
  type Field,
  field,
  layoutVersion,
  struct,
  u32,
  u64,
  u64ColumnByBytes,
  utf8,
} from "../binary/mod.ts"
import { cellSize, CellValNum, VAR } from "./cell_val_num.ts"
import { type Datatype, DatatypeField } from "./datatype.ts"

/** An enumeration: the values that an attribute's cells are indexes into. */
export interface Enumeration {
  /** The version of the layout: 0. */
  readonly version: 0
  /** The name by which attributes refer to the enumeration. */
  readonly name: string
  /** The name of the file. */
  readonly fileName: string
  /** The datatype of the values. */
  readonly type: Datatype
  /** The number of elements in a value; all bits set if the values are var-sized. */
  readonly cellValNum: number
  /** Whether the values are ordered. */
  readonly ordered: boolean
  /** The bytes of all values. */
  readonly data: Uint8Array
  /** The start of each value in `data`; `null` if the values have a fixed size. */
  readonly offsets: Float64Array | null
}

const sized = bytes(u64)

/** The bytes of the values; their number must be a multiple of the value size. */
const Data: Field<Uint8Array> = field({
  ...sized,
  schema: () => sized.schema,
  get: (c, self: Enumeration) => {
    const at = c.offset
    const data = c.bytesOf(u64.get(c, undefined))
    const size = cellSize(self.type, self.cellValNum)
    if (data.byteLength % size !== 0) {
      throw new BinaryIssue(at, `${data.byteLength} bytes are not a multiple of the value size ${size}`)
    }
    return data
  },
  fit: (a, _, self: Enumeration) => a.slice(0, a.byteLength - a.byteLength % cellSize(self.type, self.cellValNum)),
})

const Offsets: Field<Float64Array | null> = field({
  schema: () => Schema.NullOr(u64ColumnByBytes.schema) as unknown as Schema.Schema<Float64Array | null>,
  minBytes: 0,
  get: (c, self: Enumeration) => {
    if (self.cellValNum !== VAR) return null
    const at = c.offset
    const offsets = u64ColumnByBytes.get(c, undefined)
    let last = 0
    for (const offset of offsets) {
      if (offset < last || offset > self.data.byteLength) {
        throw new BinaryIssue(at, `the offset ${offset} after ${last} is not within the ${self.data.byteLength} bytes`)
      }
      last = offset
    }
    return offsets
  },
  put: (s, a, self: Enumeration) => {
    if ((a !== null) !== (self.cellValNum === VAR)) {
      throw new BinaryIssue(s.offset, "offsets are present if and only if the values are var-sized")
    }
    if (a !== null) u64ColumnByBytes.put(s, a, undefined)
  },
  fit: (a, _, self: Enumeration) =>
    self.cellValNum === VAR ? (a ?? new Float64Array(0)).map((x) => x % (self.data.byteLength + 1)).sort() : null,
})

/**
 * The codec of an unfiltered enumeration file. The layout depends on the version number in the file, not on the format
 * version. Format: `enumeration.md`.
 *
 * ```ts
 * import { decode, encode, Enumeration, VAR } from "@tessera/array/schema"
 * import { assertEquals } from "@std/assert"
 *
 * const colors: Enumeration = {
 *   version: 0,
 *   name: "colors",
 *   fileName: "__0123456789abcdef0123456789abcdef_0",
 *   type: "string_utf8",
 *   cellValNum: VAR,
 *   ordered: false,
 *   data: new TextEncoder().encode("redgreen"),
 *   offsets: Float64Array.of(0, 3),
 * }
 * assertEquals(decode(Enumeration, encode(Enumeration, colors, 22), 22, "mem://a"), colors)
 * ```
 */
export const Enumeration: Codec<Enumeration> = struct({
  version: layoutVersion([0], "enumeration"),
  name: utf8(u32),
  fileName: utf8(u32),
  type: DatatypeField,
  cellValNum: CellValNum,
  ordered: bool,
  data: Data,
  offsets: Offsets,
})
