/** Random cells, as bytes, and what the engine should say of them. */
import type { Attr } from "../../../mod.ts"
import type { Dimension } from "../../../schema/dimension.ts"
import { VAR } from "../../../schema/cell_val_num.ts"
import { arrayOf, type Datatype, isFloat, isTemporal, sizeOf, storageOf, viewAs } from "../../../schema/datatype.ts"
import { cellBytesJson, type CellJson, readScalar, type Scalar, scalarBytes } from "../../../schema/scalar.ts"
import type { BufferInput } from "../../../src/write/column_input.ts"
import type { Random } from "../../hostile/random.ts"
import { isTame } from "./random_schema.ts"

/** One cell: its bytes, or null. */
export type Cell = Uint8Array | null

const letters = [0x61, 0x62, 0x63, 0x78, 0x20, 0x30]

/** One value. Tame ones are small, and all the same. */
const value = (random: Random, type: Datatype, tame: boolean): Uint8Array => {
  const size = sizeOf(type)
  if (type === "bool") return Uint8Array.of(tame ? 1 : random.below(2))
  if (size <= 4 && type.startsWith("string_") || type === "char") {
    return scalarBytes(type, random.pick(letters))
  }
  if (tame) return scalarBytes(type, storageOf(type).endsWith("64") && !isFloat(type) ? 3n : 3)
  if (isFloat(type)) {
    const wild = [0, 1, -1, 0.5, 3.140625, -1e10, Infinity, -Infinity, NaN, 2 ** 100]
    return scalarBytes(type, random.below(4) === 0 ? random.pick(wild) : random.below(2000) / 16 - 60)
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

/** A cell of an attribute. */
export const attributeCell = (random: Random, { type, cellValNum, nullable, filters }: Attr.Attribute): Cell => {
  if (nullable && random.below(4) === 0) return null
  const tame = isTame(filters.filters)
  // engines stumble over cells without bytes in places: see known_engine_defects.ts
  const count = cellValNum === "var" ? 1 + random.below(6) : cellValNum
  return join(Array.from({ length: count }, () => value(random, type, tame)))
}

/** The bytes of coordinate number `i` of a dimension; of text, a text for each number. */
export const coordinateCell = ({ type, cellValNum, domain }: Dimension, i: number): Uint8Array => {
  if (cellValNum === VAR) return new TextEncoder().encode(`${"k".repeat(i % 3)}${i}`)
  const low = readScalar(type, domain)
  return scalarBytes(type, typeof low === "bigint" ? low + BigInt(i) : isFloat(type) ? low + i * 0.375 : low + i)
}

/** Cells as a write takes them. */
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

/** A cell as the engine's reads are recorded. */
export const meantCell = (type: Datatype, cellValNum: number | "var", cell: Cell): CellJson =>
  cell === null ? null : cellBytesJson(type, cellValNum, cell)

/** A number of a cell, if it is one. */
export const numberOf = (type: Datatype, cell: Cell): Scalar | undefined =>
  cell === null ? undefined : readScalar(type, cell)
