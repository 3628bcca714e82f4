/**
 * Reads and checks all tiles of a fragment, in batches of limited size.
 */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { turnIfDue, withTurns } from "../../platform/host/event_loop_turns.ts"
import type { Storage } from "../../platform/storage/service.ts"
import { decode } from "../../schema/binary/mod.ts"
import { ProcessedConditions } from "../../schema/fragment/processed_conditions.ts"
import type { Field } from "../fragment/field.ts"
import { loadFieldTiles } from "../fragment/field_tiles.ts"
import type { Fragment } from "../fragment/fragment.ts"
import { loadTileBounds } from "../fragment/load/load_statistics.ts"
import { loadMbrs } from "../fragment/mbrs.ts"
import { loadSections } from "../fragment/sections.ts"
import { attemptTile } from "../tile/attempt.ts"
import type { TileAccess } from "../tile/generic_tile.ts"
import { checkTileCells } from "./check_cells.ts"
import { CoordinateChecks } from "./check_coordinates.ts"
import type { LoadedFragment } from "./check_fragment.ts"
import { writtenWhole } from "./dense_inside.ts"
import type { Finding } from "./finding.ts"
import { Findings } from "./findings.ts"
import { type LocatedField, readBatch, tileBatches, tileSubject } from "./read_batches.ts"

/** Number of fields of a fragment that are checked concurrently. */
const FIELD_CONCURRENCY = 2

/** Returns the number of conditions that were applied to a fragment; 0 if they cannot be read. */
const conditionCount = (access: TileAccess, { metadata, version }: Fragment): Effect.Effect<number, never, Storage> => {
  if (metadata.kind === "legacy" || metadata.footer.processedConditionsOffset === 0) return Effect.succeed(0)
  const { footer, sections } = metadata
  const decoding = Effect.flatMap(
    loadSections(access, sections, [footer.processedConditionsOffset]),
    ([tile]) => attemptTile(() => decode(ProcessedConditions, tile.bytes, version, sections.uri).length),
  )
  return Effect.catchAll(decoding, () => Effect.succeed(0))
}

/** The tiles that are checked. */
export interface TileSource extends LoadedFragment {
  /** URI of the array, and the path of the array inside the verified array. */
  readonly uri: string
  readonly prefix: string
  /** Path of the fragment's folder, relative to the array. */
  readonly folder: string
  readonly access: TileAccess
  /** Number of values of each enumeration. */
  readonly enumerationSizes: ReadonlyMap<string, number>
}

/** Runs a check for each batch of tiles. Batches of fields that cannot be located are empty: they have findings. */
const inBatches = (
  { access, fragment }: TileSource,
  fields: ReadonlyArray<Field>,
  findings: Findings,
  start: Effect.Effect<(tiles: ReadonlyArray<number>) => Effect.Effect<void, never, Storage>, never, Storage>,
): Stream.Stream<Finding, never, Storage> =>
  Stream.unwrap(Effect.gen(function* () {
    const located = yield* Effect.option(loadFieldTiles(access, fragment, fields))
    if (located._tag === "None") return Stream.empty
    const places = fields.map((field, i): LocatedField => ({ field, tiles: located.value[i] }))
    const check = yield* start
    return Stream.fromIterable(tileBatches(fragment, places)).pipe(
      Stream.rechunk(1),
      Stream.mapEffect((tiles) => Effect.map(withTurns(check(tiles)), () => findings.take())),
      Stream.flattenIterables,
    )
  }))

/** Checks the coordinates of all tiles. */
const coordinateFindings = (
  source: TileSource,
  fields: ReadonlyArray<Field>,
): Stream.Stream<Finding, never, Storage> => {
  const { uri, prefix, folder, access, fragment } = source
  const findings = new Findings(uri, prefix)
  const start = Effect.map(Effect.option(loadMbrs(access, fragment)), (mbrs) => {
    const checks = new CoordinateChecks(
      access,
      fragment,
      folder,
      mbrs._tag === "Some" ? mbrs.value : undefined,
      findings,
    )
    return (tiles: ReadonlyArray<number>) => checks.check(tiles)
  })
  return inBatches(source, fields, findings, start)
}

/** Checks the cells of a field in all tiles. */
const fieldFindings = (source: TileSource, field: Field): Stream.Stream<Finding, never, Storage> => {
  const { uri, prefix, folder, access, fragment, enumerationSizes } = source
  const findings = new Findings(uri, prefix)
  const start = Effect.gen(function* () {
    const bounds = yield* Effect.option(loadTileBounds(access, fragment, field))
    const claims = {
      bounds: bounds._tag === "Some" ? bounds.value : undefined,
      enumerationSize: field.enumeration === undefined ? undefined : enumerationSizes.get(field.enumeration),
      conditions: field.file.kind === "deleteConditions" ? yield* conditionCount(access, fragment) : 0,
    }
    const isWritten = writtenWhole(fragment)
    return (tiles: ReadonlyArray<number>) =>
      Effect.gen(function* () {
        const contents = yield* readBatch(access, fragment, folder, field, tiles, findings)
        for (const [i, tile] of tiles.entries()) {
          const content = contents[i]
          if (content === undefined) continue
          const subject = tileSubject(folder, fragment, field, tile)
          checkTileCells(fragment, field, tile, content, claims, isWritten(tile), subject, findings)
          yield* turnIfDue
        }
      })
  })
  return inBatches(source, [field], findings, start)
}

const isCoordinate = ({ file: { kind } }: Field): boolean => kind === "dimension" || kind === "coords"

/** Checks all tiles of a fragment. Memory is bounded by the batches of two fields. */
export const checkTiles = (source: TileSource): Stream.Stream<Finding, never, Storage> => {
  const coordinates = source.fields.filter(isCoordinate)
  const others = source.fields.filter((field) => !isCoordinate(field))
  const { dimensions } = source.fragment.schema
  const isComplete = coordinates.length === dimensions.length || coordinates[0]?.file.kind === "coords"
  return Stream.fromIterable([
    ...isComplete && coordinates.length > 0 ? [coordinateFindings(source, coordinates)] : [],
    // without one of the dimensions, coordinates are only decoded
    ...(isComplete ? others : [...coordinates, ...others]).map((field) => fieldFindings(source, field)),
  ]).pipe(Stream.flatMap((findings) => findings, { concurrency: FIELD_CONCURRENCY }))
}
