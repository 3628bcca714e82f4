/**
 * What footers claim, held against the schema and the name: forged or damaged ones are refused before anything is planned
 * or allocated by them.
 */
import type { ArraySchema } from "../../schema/array_schema.ts"
import type { TimestampedName } from "../../schema/name/timestamped_name.ts"
import type { Range } from "../../schema/range.ts"
import { readScalar } from "../../schema/scalar.ts"
import { Since } from "../../schema/version.ts"
import { axisOf, tileOf } from "./dense_tiles.ts"

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
const MOST_CELLS = 2 ** 31

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
  if (dense && nonEmptyDomain !== undefined) {
    for (let d = 0; d < nonEmptyDomain.length; d++) {
      const { type } = schema.dimensions[d]
      const axis = axisOf(schema.dimensions[d])
      const low = BigInt(readScalar(type, nonEmptyDomain[d].low))
      const high = BigInt(readScalar(type, nonEmptyDomain[d].high))
      // consolidation writes whole tiles, the last of which may pass the domain's end
      if (low > high || low < axis.low || tileOf(axis, high) > tileOf(axis, axis.high)) {
        return [`nonEmptyDomain.${d}`, `[${low}, ${high}] is no part of the domain [${axis.low}, ${axis.high}]`]
      }
    }
  }
  if (tileCount > 0 && tileCells > MOST_CELLS) return ["tileCells", `tiles of ${tileCells} cells are larger than any`]
  if (!dense && tileCount > 0 && (lastTileCells < 1 || lastTileCells > tileCells)) {
    return ["lastTileCells", `a last tile of ${lastTileCells} cells where tiles have at most ${tileCells}`]
  }
  return undefined
}
