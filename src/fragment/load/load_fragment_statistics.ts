/**
 * The statistics of whole fragments: one small section, while the statistics of tiles may be large.
 */
import * as Effect from "effect/Effect"
import type { Storage } from "../../../platform/storage/service.ts"
import { decode } from "../../../schema/binary/mod.ts"
import { isFloat } from "../../../schema/array/datatype.ts"
import { FragmentStatistics } from "../../../schema/fragment/fragment_statistics.ts"
import { attemptTile } from "../../tile/attempt.ts"
import type { TileAccess } from "../../tile/generic_tile.ts"
import type { Field } from "../field.ts"
import { type Fragment, slotOf } from "../fragment.ts"
import { isKept } from "./load_statistics.ts"
import { loadSections, type SectionError } from "../sections.ts"

/** Smallest and largest non-null cell in stored form, if available, and the number of null cells. */
export interface FragmentBounds {
  readonly bounds: { readonly low: Uint8Array; readonly high: Uint8Array } | undefined
  readonly nulls: number
}

/**
 * Loads the statistics of an attribute of a fragment; `undefined` if they are missing. Statistics of floats are not
 * used: engines restart minimum and maximum after a NaN, and the sum of a fragment does not reveal NaN reliably.
 */
export const loadFragmentBounds = (
  access: TileAccess,
  fragment: Fragment,
  field: Field,
): Effect.Effect<FragmentBounds | undefined, SectionError, Storage> => {
  const { metadata, version } = fragment
  if (metadata.kind !== "sections" || !isKept(fragment, field) || isFloat(field.type)) return Effect.succeed(undefined)
  const { footer: { fragmentStatisticsOffset: offset }, sections } = metadata
  if (offset === 0) return Effect.succeed(undefined)
  return Effect.flatMap(loadSections(access, sections, [offset]), ([tile]) =>
    attemptTile(() => {
      const statistics = decode(FragmentStatistics, tile.bytes, version, sections.uri)[slotOf(fragment, field.file)]
      if (statistics === undefined) return undefined
      const { min, max, nullCount } = statistics
      const hasBounds = field.var || (min.length === field.cellSize && max.length === field.cellSize)
      return { bounds: hasBounds ? { low: min, high: max } : undefined, nulls: nullCount }
    }))
}
