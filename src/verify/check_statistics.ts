/**
 * Checks the stored statistics of a fragment: they can be decoded, and the statistics of the fragment follow from those
 * of its tiles. Format: `fragment.md`.
 */
import * as Effect from "effect/Effect"
import type { Storage } from "../../platform/storage/service.ts"
import { decode } from "../../schema/binary/mod.ts"
import { FragmentStatistics } from "../../schema/fragment/fragment_statistics.ts"
import { ProcessedConditions } from "../../schema/fragment/processed_conditions.ts"
import { TileNullCounts, TileStatistic, TileSums } from "../../schema/fragment/tile_statistics.ts"
import type { Field } from "../fragment/field.ts"
import { type Fragment, slotOf } from "../fragment/fragment.ts"
import { type FragmentBounds, loadFragmentBounds } from "../fragment/load/load_fragment_statistics.ts"
import { loadTileBounds, type TileBounds } from "../fragment/load/load_statistics.ts"
import { loadSections } from "../fragment/sections.ts"
import { attemptTile } from "../tile/attempt.ts"
import type { TileAccess } from "../tile/generic_tile.ts"
import { containsRange, isBefore } from "./bounds.ts"
import type { Subject } from "./finding.ts"
import type { Findings } from "./findings.ts"

/** Returns how the statistics of a fragment contradict those of its tiles. */
const contradiction = (
  { tileCount }: Fragment,
  field: Field,
  { bounds, nulls }: FragmentBounds,
  tiles: TileBounds,
): string | undefined => {
  let [low, high]: [Uint8Array | undefined, Uint8Array | undefined] = [undefined, undefined]
  let sum = 0
  for (let tile = 0; tile < tileCount; tile++) {
    sum += tiles.nullsIn(tile)
    const range = tiles.boundsOf(tile)
    if (range === undefined) continue
    if (low === undefined || isBefore(field, range.low, low)) low = range.low
    if (high === undefined || isBefore(field, high, range.high)) high = range.high
  }
  if (field.nullable && sum !== nulls) return `${nulls} null cells; its tiles have ${sum}`
  if (low === undefined || high === undefined || bounds === undefined) return undefined
  const inside = containsRange(field, bounds, { low, high }) && containsRange(field, { low, high }, bounds)
  return inside ? undefined : "a minimum or maximum that differs from those of its tiles"
}

/** Checks the stored statistics and the processed conditions. `fields` have valid tile offsets. */
export const checkStatistics = (
  access: TileAccess,
  fragment: Fragment,
  fields: ReadonlyArray<Field>,
  subject: Subject,
  findings: Findings,
): Effect.Effect<void, never, Storage> =>
  Effect.gen(function* () {
    const { metadata, version } = fragment
    if (metadata.kind === "legacy") return
    const { footer, sections } = metadata
    const valid: Array<Field> = []
    for (const field of footer.tileMins.length === 0 ? [] : fields) {
      const slot = slotOf(fragment, field.file)
      const at = { ...subject, field: field.name }
      const requested = [footer.tileMins, footer.tileMaxes, footer.tileSums, footer.tileNullCounts]
      const decoding = Effect.flatMap(
        loadSections(access, sections, requested.map((offsets) => offsets[slot])),
        ([mins, maxes, sums, nulls]) =>
          attemptTile(() => {
            decode(TileStatistic, mins.bytes, version, sections.uri)
            decode(TileStatistic, maxes.bytes, version, sections.uri)
            decode(TileSums, sums.bytes, version, sections.uri)
            decode(TileNullCounts, nulls.bytes, version, sections.uri)
            return true
          }),
      )
      if (yield* findings.attempt(decoding, at, "TileStatistics")) valid.push(field)
    }
    const load = (offset: number) => loadSections(access, sections, [offset])
    if (footer.fragmentStatisticsOffset > 0) {
      const decoding = Effect.flatMap(load(footer.fragmentStatisticsOffset), ([tile]) =>
        attemptTile(() => decode(FragmentStatistics, tile.bytes, version, sections.uri)))
      const statistics = yield* findings.attempt(decoding, subject, "FragmentStatistics")
      for (const field of statistics === undefined ? [] : valid) {
        const at = { ...subject, field: field.name }
        const tiles = yield* findings.attempt(loadTileBounds(access, fragment, field), at, "TileStatistics")
        const bounds = yield* findings.attempt(loadFragmentBounds(access, fragment, field), at, "FragmentStatistics")
        if (tiles === undefined || bounds === undefined) {
          continue
        }
        const problem = contradiction(fragment, field, bounds, tiles)
        if (problem === undefined) {
          continue
        }
        findings.add("FragmentStatistics", at, `${subject.path}: the statistics of ${field.name} contain ${problem}`)
      }
    }
    if (footer.processedConditionsOffset > 0) {
      const decoding = Effect.flatMap(load(footer.processedConditionsOffset), ([tile]) =>
        attemptTile(() =>
          decode(ProcessedConditions, tile.bytes, version, sections.uri)
        ))
      yield* findings.attempt(decoding, subject, "ProcessedConditions")
    }
  })
