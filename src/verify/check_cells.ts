/**
 * Checks the cells of one tile of an attribute, or of the stored times of cells.
 */
import { sizeOf, viewAs } from "../../schema/array/datatype.ts"
import { readScalar } from "../../schema/array/scalar.ts"
import { dataFile } from "../../schema/name/data_file.ts"
import type { Field } from "../fragment/field.ts"
import type { FieldTile } from "../fragment/field_tiles.ts"
import { cellsInTile, type Fragment } from "../fragment/fragment.ts"
import type { TileBounds } from "../fragment/load/load_statistics.ts"
import { sumType } from "../fragment/tile_statistics.ts"
import { tileStatistics } from "../write/fragment/tile_statistics.ts"
import { containsRange } from "./bounds.ts"
import type { Subject } from "./finding.ts"
import type { Findings } from "./findings.ts"

/** The stored description of the cells of a field. */
export interface CellClaims {
  /** Reliable statistics of the tiles. */
  readonly bounds: TileBounds | undefined
  /** Number of values of the attribute's enumeration. */
  readonly enumerationSize: number | undefined
  /** Number of processed conditions of the fragment. */
  readonly conditions: number
}

/** Maximum relative difference of sums of floats, which depend on the order of additions. */
const MAX_SUM_DIFFERENCE = 1e-9

/** Returns the subject of findings about the validity of a tile. */
const validityOf = ({ version }: Fragment, field: Field, subject: Subject): Subject => ({
  ...subject,
  path: subject.path.replace(/[^/]+$/, dataFile(version, field.file, "validity")),
})

const equalSums = (a: number | bigint, b: number | bigint, magnitude: number): boolean =>
  a === b || (typeof a === "number" && typeof b === "number" && Math.abs(a - b) <= MAX_SUM_DIFFERENCE * magnitude)

/** Compares the statistics of a tile with its cells. */
const checkStatisticsOf = (
  fragment: Fragment,
  field: Field,
  tile: number,
  content: FieldTile,
  bounds: TileBounds,
  subject: Subject,
  findings: Findings,
): void => {
  const { min: low, max: high, sum, nulls } = tileStatistics(field, content)
  const at = `${subject.path}: tile ${tile}`
  if (field.nullable && bounds.nullsIn(tile) !== nulls) {
    const validity = validityOf(fragment, field, subject)
    const message = `${validity.path}: tile ${tile} has ${nulls} null cells; its null count is ${bounds.nullsIn(tile)}`
    return findings.add("TileNullCount", validity, message)
  }
  const range = bounds.boundsOf(tile)
  if (low === undefined || high === undefined || range === undefined) return
  if (!containsRange(field, range, { low, high })) {
    findings.add("TileBounds", subject, `${at} has cells outside of its minimum and maximum`)
  } else if (!containsRange(field, { low, high }, range)) {
    findings.add("TileBounds", subject, `${at} has a minimum or maximum that no cell has`)
  }
  const kind = sumType(field)
  const stored = bounds.sumOf(tile)
  if (kind === undefined || sum === undefined || stored === undefined) return
  const size = Math.max(Math.abs(Number(readScalar(field.type, low))), Math.abs(Number(readScalar(field.type, high))))
  const actual = readScalar(kind, sum)
  if (!equalSums(actual, stored, size * cellsInTile(fragment, tile))) {
    findings.add("TileSum", subject, `${at} has the sum ${actual}; its stored sum is ${stored}`)
  }
}

const isNull = ({ validity }: FieldTile, cell: number): boolean => validity !== undefined && validity[cell] === 0

/** Returns a code of a tile that has no value and is not the fill value. */
const invalidCode = (field: Field, content: FieldTile, size: number): number | bigint | undefined => {
  const codes = viewAs(field.type, content.values)
  const fill = field.fillValue.byteLength < sizeOf(field.type) ? undefined : readScalar(field.type, field.fillValue)
  for (let cell = 0; cell < codes.length; cell++) {
    const code = codes[cell]
    if ((code >= 0 && code < size) || code === fill || isNull(content, cell)) continue
    return code
  }
  return undefined
}

/** The value of cells that are not deleted. */
const NOT_DELETED = 2n ** 64n - 1n

/** Checks one tile. `isWritten` is false for dense tiles with cells that were not written. */
export const checkTileCells = (
  fragment: Fragment,
  field: Field,
  tile: number,
  content: FieldTile,
  { bounds, enumerationSize, conditions }: CellClaims,
  isWritten: boolean,
  subject: Subject,
  findings: Findings,
): void => {
  const { start, end } = fragment.name
  if (content.validity?.some((valid) => valid > 1)) {
    const validity = validityOf(fragment, field, subject)
    findings.add("Validity", validity, `${validity.path}: tile ${tile} has values other than 0 and 1`)
  }
  if (bounds !== undefined && isWritten) {
    checkStatisticsOf(fragment, field, tile, content, bounds, subject, findings)
  }
  if (enumerationSize !== undefined && isWritten && !field.var && field.cellValNum === 1) {
    const code = invalidCode(field, content, enumerationSize)
    if (code !== undefined) {
      const message =
        `${subject.path}: tile ${tile} has the code ${code}; the enumeration has ${enumerationSize} values`
      findings.add("EnumerationCode", subject, message)
    }
  }
  if (field.file.kind === "timestamps") {
    const times = viewAs("uint64", content.values) as BigUint64Array
    if (times.some((time) => time < start || time > end)) {
      const message = `${subject.path}: tile ${tile} has write times outside of the fragment's, ${start} to ${end}`
      findings.add("CellTimes", subject, message)
    }
  }
  if (field.file.kind === "deleteConditions") {
    const indexes = viewAs("uint64", content.values) as BigUint64Array
    if (indexes.some((index) => index !== NOT_DELETED && index >= conditions)) {
      const message = `${subject.path}: tile ${tile} refers to a condition that the fragment did not process`
      findings.add("DeleteMetadata", subject, message)
    }
  }
}
