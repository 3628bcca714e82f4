/**
 * What footers claim, held against the schema and the name: forged or damaged ones are refused before anything is planned
 * or allocated by them.
 */
import type { ArraySchema } from "../../../schema/array/array_schema.ts"
import { VAR } from "../../../schema/array/cell_val_num.ts"
import { sizeOf } from "../../../schema/array/datatype.ts"
import type { Dimension } from "../../../schema/array/dimension.ts"
import { innerPathFault } from "../../../schema/name/inner_path.ts"
import type { TimestampedName } from "../../../schema/name/timestamped_name.ts"
import type { Range } from "../../../schema/array/range.ts"
import { readScalar, scalarJson } from "../../../schema/array/scalar.ts"
import { Since } from "../../../schema/version/version.ts"
import { compareBytes } from "../../kernel/match/match_ranges.ts"
import { axisOf, tileOf } from "../dense_tiles.ts"

/** What is checked of a fragment. */
export interface Claims {
  readonly name: TimestampedName
  readonly version: number
  readonly dense: boolean
  readonly nonEmptyDomain: ReadonlyArray<Range> | undefined
  readonly tileCount: number
  readonly tileCells: number
  readonly lastTileCells: number
}

/** Tiles are unfiltered whole, and their cells are counted in 32 bits. */
const MAX_CELLS = 2 ** 31

/** Why a range is no part of a dimension's domain; of strings, which have none, why it is no range. */
const outside = (dimension: Dimension, range: Range, dense: boolean): string | undefined => {
  const { type, cellValNum, domain } = dimension
  if (cellValNum === VAR) {
    return compareBytes(range.low, range.high) > 0 ? "the non-empty domain ends before it starts" : undefined
  }
  const low = readScalar(type, range.low)
  const high = readScalar(type, range.high)
  const first = readScalar(type, domain)
  const last = readScalar(type, domain, sizeOf(type))
  const inside = low <= high && low >= first &&
    // consolidation writes whole tiles, the last of which may pass the domain's end
    (dense ? tileOf(axisOf(dimension), BigInt(high)) <= tileOf(axisOf(dimension), BigInt(last)) : high <= last)
  return inside
    ? undefined
    : `[${scalarJson(low)}, ${scalarJson(high)}] is no part of the domain [${scalarJson(first)}, ${scalarJson(last)}]`
}

/** What cannot be true of a fragment of that schema: the field, and why. */
export const impossible = (
  schema: ArraySchema,
  claims: Claims,
): readonly [path: string, reason: string] | undefined => {
  const { name, version, dense, nonEmptyDomain, tileCount, tileCells, lastTileCells } = claims
  // names say the version since format 5; those with two times and without one are of format 3 or 4, the others older
  const named = name.version !== 0
    ? version === name.version
    : name.form === "uuid_t"
    ? version < Since.footer
    : version >= Since.footer && version < Since.splitDimensions
  if (!named) return ["version", `format version ${version} in a fragment named ${name.name}`]
  // data files are named after the fields; a fragment may be older than its schema
  if (version < Since.encodedFileNames) {
    for (const { name } of [...schema.dimensions, ...schema.attributes]) {
      const fault = innerPathFault(name, "field")
      if (fault !== undefined) return ["schemaName", `the field name "${name.slice(0, 200)}" ${fault}`]
    }
  }
  for (const [d, range] of (nonEmptyDomain ?? []).entries()) {
    const wrong = outside(schema.dimensions[d], range, dense)
    if (wrong !== undefined) return [`nonEmptyDomain.${d}`, wrong]
  }
  if (tileCount > 0 && tileCells > MAX_CELLS) return ["tileCells", `tiles of ${tileCells} cells are larger than any`]
  if (!dense && tileCount > 0 && (lastTileCells < 1 || lastTileCells > tileCells)) {
    return ["lastTileCells", `a last tile of ${lastTileCells} cells where tiles have at most ${tileCells}`]
  }
  return undefined
}
