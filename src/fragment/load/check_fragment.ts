/**
 * Checks footers against the schema and the fragment's name: forged or damaged ones are rejected before their values
 * are used for planning or allocation.
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

/** The checked properties of a fragment. */
export interface Claims {
  readonly name: TimestampedName
  readonly version: number
  readonly dense: boolean
  readonly nonEmptyDomain: ReadonlyArray<Range> | undefined
  readonly tileCount: number
  readonly tileCells: number
  readonly lastTileCells: number
}

/** The maximum number of cells in a tile: tiles are unfiltered as a whole, and their cells are counted in 32 bits. */
const MAX_CELLS = 2 ** 31

/** Returns the reason why a range is outside a dimension's domain, or invalid for strings, which have no domain. */
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
    // consolidation writes whole tiles; the last one may exceed the domain
    (dense ? tileOf(axisOf(dimension), BigInt(high)) <= tileOf(axisOf(dimension), BigInt(last)) : high <= last)
  return inside
    ? undefined
    : `[${scalarJson(low)}, ${scalarJson(high)}] is outside the domain [${scalarJson(first)}, ${scalarJson(last)}]`
}

/** Returns an invalid field of a fragment of this schema, and the reason. */
export const impossible = (
  schema: ArraySchema,
  claims: Claims,
): readonly [path: string, reason: string] | undefined => {
  const { name, version, dense, nonEmptyDomain, tileCount, tileCells, lastTileCells } = claims
  // names contain the version since format 5; names with two timestamps and no version belong to format 3 or 4, others
  // are older
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
  if (tileCount > 0 && tileCells > MAX_CELLS) {
    return ["tileCells", `tiles of ${tileCells} cells exceed the maximum of ${MAX_CELLS}`]
  }
  if (!dense && tileCount > 0 && (lastTileCells < 1 || lastTileCells > tileCells)) {
    return ["lastTileCells", `a last tile of ${lastTileCells} cells; tiles have at most ${tileCells}`]
  }
  return undefined
}
