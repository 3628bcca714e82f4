/** Random cells as bytes, and their form in the engine's record. */
import type { ArraySchema, Attr } from "../../../mod.ts"
import type { ArraySchema as Structure } from "../../../schema/array/array_schema.ts"
import { VAR } from "../../../schema/array/cell_val_num.ts"
import {
  arrayOf,
  type Datatype,
  isFloat,
  isTemporal,
  sizeOf,
  storageOf,
  viewAs,
} from "../../../schema/array/datatype.ts"
import type { FilterType } from "../../../schema/array/filter.ts"
import { cellBytesJson, type CellJson, readScalar, type Scalar, scalarBytes } from "../../../schema/array/scalar.ts"
import { valueCount } from "../../../src/schema_builder/enumeration_values.ts"
import type { BufferInput } from "../../../src/write/input/column_input.ts"
import type { Random } from "../../hostile/random.ts"
import { type Temper, temperOf } from "./random_schema.ts"

/** One cell: its bytes, or null. */
export type Cell = Uint8Array | null

const letters = [0x61, 0x62, 0x63, 0x78, 0x20, 0x30]

const whole = (type: Datatype, n: number): Uint8Array =>
  scalarBytes(type, storageOf(type).endsWith("64") && !isFloat(type) ? BigInt(n) : n)

const value = (random: Random, type: Datatype, temper: Temper): Uint8Array => {
  const size = sizeOf(type)
  if (type === "bool") return Uint8Array.of(temper === "same" ? 1 : random.below(2))
  if (temper !== "any") return whole(type, temper === "same" ? 3 : random.below(10))
  if (size <= 4 && type.startsWith("string_") || type === "char") {
    return scalarBytes(type, random.pick(letters))
  }
  if (isFloat(type)) {
    const wild = [0, 1, -1, 0.5, 3.140625, -1e10, Infinity, -Infinity, NaN, 2 ** 100]
    return scalarBytes(type, random.below(40) === 0 ? random.pick(wild) : random.below(2000) / 16 - 60)
  }
  if (isTemporal(type)) return scalarBytes(type, BigInt(random.below(2 ** 31)) - 2n ** 30n)
  const bytes = new Uint8Array(size)
  const many = random.below(3) === 0 ? size : 1
  for (let i = 0; i < many; i++) bytes[i] = random.below(256)
  return bytes
}

const join = (parts: ReadonlyArray<Uint8Array>): Uint8Array => {
  const out = new Uint8Array(parts.reduce((n, part) => n + part.length, 0))
  let at = 0
  for (const part of parts) {
    out.set(part, at)
    at += part.length
  }
  return out
}

/** Filters after which the engine reads empty tiles: see known_engine_defects.ts. */
const supportsEmptyTiles: ReadonlySet<FilterType> = new Set(
  ["noop", "gzip", "zstd", "lz4", "bzip2", "byteshuffle", "bitshuffle", "checksum_md5", "checksum_sha256"] as const,
)

/** Returns a random cell of an attribute; `old` engines cannot always read empty cells. */
export const attributeCell = (
  random: Random,
  { type, cellValNum, nullable, filters, enumeration }: Attr.Attribute,
  enumerations: ArraySchema.ArraySchema["enumerations"],
  old: boolean,
): Cell => {
  if (nullable && random.below(4) === 0) return null
  if (enumeration !== "") return whole(type, random.below(valueCount(enumerations[enumeration])))
  const temper = temperOf(filters.filters)
  const minCount = !old && filters.filters.every((filter) => supportsEmptyTiles.has(filter.type)) ? 0 : 1
  const count = cellValNum === "var" ? minCount + random.below(6) : cellValNum
  return join(Array.from({ length: count }, () => value(random, type, temper)))
}

/**
 * Returns the range of valid coordinates of a dimension: its current domain, else its domain; undefined for text
 * dimensions.
 */
export const areaOf = (schema: Structure, d: number): readonly [low: Scalar, high: Scalar] | undefined => {
  const { type, cellValNum, domain } = schema.dimensions[d]
  if (cellValNum === VAR) return undefined
  if (schema.currentDomain.empty) return [readScalar(type, domain), readScalar(type, domain, sizeOf(type))]
  const { low, high } = schema.currentDomain.ranges[d]
  return [readScalar(type, low), readScalar(type, high)]
}

/** Returns the bytes of coordinate `i` of `count` of a dimension; for text dimensions, a text for each number. */
export const coordinateCell = (schema: Structure, d: number, i: number, count: number): Uint8Array => {
  const { type } = schema.dimensions[d]
  const area = areaOf(schema, d)
  if (area === undefined) return new TextEncoder().encode(`${"k".repeat(i % 3)}${i}`)
  const [low, high] = area
  if (typeof low === "bigint") {
    return scalarBytes(type, low + BigInt(i) * (((high as bigint) - low + 1n) / BigInt(count)))
  }
  const length = (high as number) - low
  return scalarBytes(type, low + i * (isFloat(type) ? length / count : Math.floor((length + 1) / count)))
}

/** Returns cells as input of a write. */
export const columnOf = (
  type: Datatype,
  cellValNum: number | "var",
  nullable: boolean,
  cells: ReadonlyArray<Cell>,
): BufferInput => {
  const size = sizeOf(type)
  const parts = cells.map((cell) => cell ?? new Uint8Array(cellValNum === "var" ? 0 : size * cellValNum))
  const offsets = new Uint32Array(cells.length + 1)
  parts.forEach((part, i) => offsets[i + 1] = offsets[i] + part.length / size)
  const bytes = join(parts)
  return {
    values: bytes.length === 0 ? new (arrayOf(type))(0) : viewAs(type, bytes),
    ...(cellValNum === "var" ? { offsets } : {}),
    ...(nullable ? { validity: Uint8Array.from(cells, (cell) => cell === null ? 0 : 1) } : {}),
  }
}

/** Returns the texts that codes represent, as input of a write. */
export const textsOf = (
  type: Datatype,
  values: ReadonlyArray<Uint8Array>,
  codes: ReadonlyArray<Cell>,
): ReadonlyArray<string | null> =>
  codes.map((code) => code === null ? null : new TextDecoder().decode(values[Number(readScalar(type, code))]))

/** Returns a cell in the form of the engine's recorded reads. */
export const meantCell = (type: Datatype, cellValNum: number | "var", cell: Cell): CellJson =>
  cell === null ? null : cellBytesJson(type, cellValNum, cell)
