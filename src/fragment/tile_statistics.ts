/**
 * The statistics of tiles, and the fields that have them, as in the engine (format notes, section 11.2).
 */
import { type Datatype, storageOf } from "../../schema/array/datatype.ts"
import type { Field } from "./field.ts"

/** The statistics of one tile of a field. Null cells count only in `nulls`. */
export interface TileStatistics {
  /** The smallest cell, raw; `undefined` if the field has no minimum, or all cells are null. */
  readonly min: Uint8Array | undefined
  /** The largest cell, raw. */
  readonly max: Uint8Array | undefined
  /** Eight raw bytes: int64, uint64 or float64, as {@link sumType} says; `undefined` if the field has no sum. */
  readonly sum: Uint8Array | undefined
  /** The number of null cells. */
  readonly nulls: number
}

/** The properties of a field that determine its statistics. */
type Measured = Pick<Field, "type" | "cellValNum" | "file">

/** Datatypes whose values have no useful order: bytes, and text of more than one byte per character. */
const opaque: ReadonlySet<Datatype> = new Set<Datatype>([
  "any",
  "blob",
  "geom_wkb",
  "geom_wkt",
  "string_utf8",
  "string_utf16",
  "string_utf32",
  "string_ucs2",
  "string_ucs4",
])

/** Whether text has one byte per character: such cells compare as bytes. */
export const isByteText = (type: Datatype): boolean => type === "char" || type === "string_ascii"

/** Whether tiles of a field have a minimum and a maximum. For dimensions, the R-tree contains them. */
export const hasMinMax = ({ type, cellValNum, file }: Measured): boolean =>
  file.kind !== "dimension" && file.kind !== "coords" && !opaque.has(type) && (cellValNum === 1 || isByteText(type))

/** Returns the datatype of the sums of a field's tiles; `undefined` for fields without sums. */
export const sumType = ({ type, cellValNum }: Measured): "int64" | "uint64" | "float64" | undefined => {
  if (cellValNum !== 1 || opaque.has(type) || type === "string_ascii") return undefined
  const storage = storageOf(type)
  return storage.startsWith("float") ? "float64" : storage.startsWith("uint") ? "uint64" : "int64"
}
