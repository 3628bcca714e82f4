/** Compares rewritten arrays with the engine's: whole files, tiles, sections of metadata. */
import * as Effect from "effect/Effect"
import { Storage } from "../../platform/storage/service.ts"
import { decode } from "../../schema/binary/mod.ts"
import { FragmentStatistics } from "../../schema/fragment/fragment_statistics.ts"
import type { FragmentFooter } from "../../schema/fragment/footer.ts"
import { TileOffsets } from "../../schema/fragment/tile_offsets.ts"
import { dataFile, type DataPart, FRAGMENT_METADATA_FILE } from "../../schema/name/data_file.ts"
import type { FilterPipeline } from "../../schema/array/filter_pipeline.ts"
import { readScalar } from "../../schema/array/scalar.ts"
import { Since } from "../../schema/version/version.ts"
import type { TileContext } from "../../src/filter/pipeline/pipeline.ts"
import { axisOf } from "../../src/fragment/dense_tiles.ts"
import { type Field, fieldsOf, zippedCoordinates } from "../../src/fragment/field.ts"
import { type Fragment, slotOf } from "../../src/fragment/fragment.ts"
import { fieldFilters } from "../../src/fragment/store/filter_tile.ts"
import { loadSections } from "../../src/fragment/sections.ts"
import { openGenericTile, type TileAccess } from "../../src/tile/generic_tile.ts"
import { compareTiles } from "../filter/refilter.ts"
import { deviations, type Difference } from "./deviations.ts"
import type { RewrittenArray, RewrittenFile, RewrittenFragment } from "./rewrite.ts"

/** The result of comparisons. */
export interface Compared {
  /** The number of byte-identical files. */
  files: number
  /** The number of equivalent tiles in other files: identical except for the output of a codec, or an IV. */
  tiles: number
  /** The number of identical sections of metadata and structures. */
  sections: number
  /** The number of occurrences of each deviation, by name. */
  readonly deviating: Map<string, number>
  readonly faults: Array<string>
}

/** Returns an empty result. */
export const nothingCompared = (): Compared => ({ files: 0, tiles: 0, sections: 0, deviating: new Map(), faults: [] })

const same = (a: Uint8Array, b: Uint8Array): boolean => a.length === b.length && a.every((byte, i) => byte === b[i])

/** Whether the box of a dense fragment fills its tiles. */
const isWhole = ({ schema, nonEmptyDomain }: Fragment): boolean =>
  schema.dimensions.every((dimension, d) => {
    const { low, extent } = axisOf(dimension)
    const start = BigInt(readScalar(dimension.type, nonEmptyDomain![d].low))
    const end = BigInt(readScalar(dimension.type, nonEmptyDomain![d].high))
    return (start - low) % extent === 0n && (end + 1n - low) % extent === 0n
  })

const none: FilterPipeline = { maxChunkSize: 0, filters: [] }

/** Records a difference: a known deviation, or a fault. */
const differ = (
  seen: Compared,
  fragment: Fragment,
  version: number,
  field: Field | undefined,
  part: Difference["part"],
  { how = "others", last = false }: Partial<Difference> = {},
): void => {
  const { uri, dense, name } = fragment
  const difference: Difference = {
    version,
    dense,
    global: name.start !== name.end || /_global/.test(uri),
    whole: !dense || isWhole(fragment),
    field,
    filters: field?.filters ?? none,
    part,
    last,
    how,
  }
  const existing = deviations.find(({ applies }) => applies(difference))
  if (existing === undefined) seen.faults.push(`${uri}: ${part} of ${field?.name ?? "no field"}: ${how}`)
  else seen.deviating.set(existing.name, (seen.deviating.get(existing.name) ?? 0) + 1)
}

/** Replaces names in bytes with other names of the same length. */
const renamed = (bytes: Uint8Array, names: ReadonlyMap<string, string>): Uint8Array => {
  let text = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("")
  for (const [ours, theirs] of names) text = text.replaceAll(ours, theirs)
  return Uint8Array.from(text, (c) => c.charCodeAt(0))
}

const compareFile = (access: TileAccess, { theirs, ours, names, kind }: RewrittenFile, seen: Compared) =>
  Effect.gen(function* () {
    const storage = yield* Storage
    const [a, b] = [yield* storage.read(theirs), yield* storage.read(ours)]
    if (same(a, b)) seen.files++
    const [x, y] = [openGenericTile(access, theirs, a), openGenericTile(access, ours, b)]
    if (x.version === y.version && same(x.bytes, renamed(y.bytes, names))) seen.sections++
    else seen.faults.push(`${theirs}: another ${kind}`)
  })

/** Returns the fields of a fragment that have files, in the order of its metadata. */
const fieldsIn = ({ schema, dense, version, hasTimestamps, hasDeleteMetadata }: Fragment): ReadonlyArray<Field> => {
  const { attributes, dimensions, timestamps, deleteTimes, deleteConditions } = fieldsOf(schema)
  const coordinates = version >= Since.splitDimensions ? dimensions : [zippedCoordinates(schema)]
  return [
    ...attributes,
    ...(dense ? [] : coordinates),
    ...(hasTimestamps ? [timestamps] : []),
    ...(hasDeleteMetadata ? [deleteTimes, deleteConditions] : []),
  ]
}

const lists = [
  "tileOffsets",
  "varTileOffsets",
  "varTileSizes",
  "validityTileOffsets",
  "tileMins",
  "tileMaxes",
  "tileSums",
  "tileNullCounts",
] as const satisfies ReadonlyArray<keyof FragmentFooter>

const offsetsOf = { fixed: "tileOffsets", var: "varTileOffsets", validity: "validityTileOffsets" } as const

/** Returns the values of a footer except positions. */
const footerValues = (fragment: Fragment) => ({
  version: fragment.version,
  schemaName: fragment.schemaName,
  dense: fragment.dense,
  nonEmptyDomain: fragment.nonEmptyDomain,
  tileCount: fragment.tileCount,
  lastTileCells: fragment.lastTileCells,
  hasTimestamps: fragment.hasTimestamps,
  hasDeleteMetadata: fragment.hasDeleteMetadata,
})

const compareFragment = (access: TileAccess, { theirs, ours }: RewrittenFragment, seen: Compared) =>
  Effect.gen(function* () {
    const storage = yield* Storage
    const where = theirs.uri
    if (theirs.metadata.kind !== "sections" || ours.metadata.kind !== "sections") return
    const [a, b] = [theirs.metadata, ours.metadata]
    const [{ version: engineVersion }] = yield* loadSections(access, a.sections, [a.footer.rtreeOffset])
    const load = (of: typeof a, at: number) =>
      Effect.map(loadSections(access, of.sections, [at]), ([tile]) => tile.bytes)
    const bytes = (value: unknown): string => JSON.stringify(value, (_, v) => v instanceof Uint8Array ? [...v] : v)
    if (bytes(footerValues(theirs)) === bytes(footerValues(ours))) seen.sections++
    else seen.faults.push(`${where}: another footer: ${bytes(footerValues(ours))} ${bytes(footerValues(theirs))}`)
    const files = (fragment: Fragment) =>
      Effect.map(storage.list(fragment.uri), (entries) => entries.map(({ name }) => name).sort())
    const [left, right] = [yield* files(theirs), yield* files(ours)]
    if (left.join() !== right.join()) seen.faults.push(`${where}: other files: ${right}, not ${left}`)

    const section = (part: Difference["part"], x: number, y: number, field?: Field) =>
      Effect.gen(function* () {
        const [want, actual] = [yield* load(a, x), yield* load(b, y)]
        if (same(want, actual)) seen.sections++
        else differ(seen, theirs, engineVersion, field, part)
      })

    const pairs: Array<readonly [Uint8Array, Uint8Array]> = []
    for (const field of fieldsIn(theirs)) {
      const slot = slotOf(theirs, field.file)
      const webp = field.filters.filters.some((f) => f.type === "webp") ? yield* access.codecs.webp : undefined
      const filters = fieldFilters(access, theirs.version, theirs.schema, field, undefined)
      const parts: ReadonlyArray<DataPart> = [
        "fixed",
        ...(field.var ? ["var" as const] : []),
        ...(field.nullable ? ["validity" as const] : []),
      ]
      for (const part of parts) {
        const name = dataFile(theirs.version, field.file, part)
        const [x, y] = [yield* storage.read(`${theirs.uri}/${name}`), yield* storage.read(`${ours.uri}/${name}`)]
        pairs.push([x, y])
        const list = offsetsOf[part]
        if (same(x, y)) {
          seen.files++
          yield* section(list, a.footer[list][slot], b.footer[list][slot], field)
          continue
        }
        const starts = (of: typeof a) =>
          Effect.map(load(of, of.footer[list][slot]), (tile) => decode(TileOffsets, tile, theirs.version, where))
        const [from, to] = [yield* starts(a), yield* starts(b)]
        const context = filters[part] as TileContext
        const tile = (bytes: Uint8Array, all: Float64Array, i: number) => bytes.subarray(all[i], all[i + 1])
        from.forEach((at, i) => {
          const tileContext = {
            ...context,
            webp,
            engineVersion,
            offset: at,
            uri: `${theirs.uri}/${name}`,
          }
          const how = compareTiles(tile(x, from, i), tile(y, to, i), tileContext)
          if (how === "equal" || how === "coded") seen.tiles++
          else differ(seen, theirs, engineVersion, field, part, { how, last: i === from.length - 1 })
        })
      }
      for (const list of lists) {
        if (list.endsWith("Offsets") || slot >= a.footer[list].length) continue
        yield* section(list, a.footer[list][slot], b.footer[list][slot], field)
      }
    }
    yield* section("R-tree", a.footer.rtreeOffset, b.footer.rtreeOffset)
    // the slot of zipped coordinates, which has no cells
    const dead = theirs.schema.attributes.length
    for (const list of theirs.version >= Since.splitDimensions ? lists : []) {
      if (dead < a.footer[list].length) yield* section(list, a.footer[list][dead], b.footer[list][dead])
    }
    if (theirs.version >= Since.fragmentStatistics) {
      const of = (from: typeof a) =>
        Effect.map(
          load(from, from.footer.fragmentStatisticsOffset),
          (tile) => decode(FragmentStatistics, tile, theirs.version, where),
        )
      const [x, y] = [yield* of(a), yield* of(b)]
      if (x.length !== y.length) seen.faults.push(`${where}: statistics of ${y.length} fields, not ${x.length}`)
      for (const [slot, actual] of y.entries()) {
        const field = fieldsIn(theirs).find((f) => slotOf(theirs, f.file) === slot)
        const parts = {
          min: same(x[slot].min, actual.min),
          max: same(x[slot].max, actual.max),
          sum: same(x[slot].sum, actual.sum),
          nullCount: x[slot].nullCount === actual.nullCount,
        }
        for (const [part, equal] of Object.entries(parts)) {
          if (equal) seen.sections++
          else differ(seen, theirs, engineVersion, field, part as "min")
        }
      }
    }
    if (theirs.version >= Since.deletes) {
      yield* section("processed conditions", a.footer.processedConditionsOffset, b.footer.processedConditionsOffset)
    }
    const metadata = (fragment: Fragment) => storage.read(`${fragment.uri}/${FRAGMENT_METADATA_FILE}`)
    if (same(yield* metadata(theirs), yield* metadata(ours))) seen.files++
  })

/** Compares a rewritten array. */
export const compareArray = (array: RewrittenArray, seen: Compared) =>
  Effect.gen(function* () {
    for (const file of array.files) yield* compareFile(array.access, file, seen)
    for (const fragment of array.fragments) yield* compareFragment(array.access, fragment, seen)
  })
