/**
 * Finds the tiles of a combined dense fragment that are equal to a tile of an input: the newest fragment of the space
 * tile wrote all of its cells, with the same schema and format version. Their bytes are copied without decoding them.
 */
import * as Effect from "effect/Effect"
import type { Storage } from "../../../platform/storage/service.ts"
import { readScalar } from "../../../schema/array/scalar.ts"
import { Since } from "../../../schema/version/version.ts"
import type { OpenedArray } from "../../array/open/open.ts"
import { axisOf, denseCells } from "../../fragment/dense_tiles.ts"
import { type Field, fieldsOf } from "../../fragment/field.ts"
import { loadFieldTiles } from "../../fragment/field_tiles.ts"
import type { Fragment } from "../../fragment/fragment.ts"
import { loadStoredStatistics } from "../../fragment/load/load_statistics.ts"
import { readStoredTiles } from "../../fragment/read/read_stored.ts"
import type { ReadTilesError } from "../../fragment/read/read_tiles.ts"
import type { TileAccess } from "../../tile/generic_tile.ts"
import type { CopiedTile, FragmentTarget } from "../../write/fragment/fragment_writer.ts"
import type { Box } from "../../write/input/box.ts"

/** A tile of an input. */
export interface CopySource {
  readonly fragment: Fragment
  readonly tile: number
}

/** The tiles of a box in tile order. */
export interface CopySources {
  readonly count: number
  /** Number of neighbouring tiles along the fastest dimension. */
  readonly rowLength: number
  /** Returns the tile that is equal to tile `i` of the box; `undefined` if no tile is. */
  readonly source: (i: number) => CopySource | undefined
}

/**
 * Returns whether tiles of a fragment can be copied: the result stores its tiles in the same form, and the statistics of
 * the tiles are known.
 */
const isCopyable = (
  access: TileAccess,
  fragment: Fragment,
  { version, schemaName }: FragmentTarget,
): Effect.Effect<boolean, ReadTilesError, Storage> =>
  Effect.gen(function* () {
    const { attributes } = fieldsOf(fragment.schema)
    if (fragment.version !== version || fragment.schemaName !== schemaName || version < Since.tileStatistics) {
      return false
    }
    if (attributes.some((field) => field.var)) return false
    for (const field of attributes) {
      if ((yield* loadStoredStatistics(access, fragment, field)) === undefined) return false
    }
    // the form of tiles depends on the engine that wrote them
    yield* loadFieldTiles(access, fragment, attributes)
    const { engineVersion = version } = fragment
    return engineVersion === version || (engineVersion >= Since.typeFlow && version >= Since.typeFlow)
  }).pipe(Effect.catchTag("FormatError", () => Effect.succeed(false)))

/** The tiles of a fragment along one dimension, counted from the first tile of the box. */
interface AxisTiles {
  readonly first: number
  readonly last: number
  /** The tiles whose cells are all inside of the fragment. */
  readonly firstWhole: number
  readonly lastWhole: number
}

/** Finds the sources of the tiles of a box; `undefined` if no tile has one. */
export const findSources = (
  access: TileAccess,
  { schema, fragments }: OpenedArray,
  target: FragmentTarget,
  box: Box,
): Effect.Effect<CopySources | undefined, ReadTilesError, Storage> =>
  Effect.gen(function* () {
    if (fragments.some(({ dense }) => !dense)) return undefined
    const copyable = yield* Effect.forEach(fragments, (fragment) => isCopyable(access, fragment, target))
    if (!copyable.includes(true)) return undefined
    const axes = schema.dimensions.map(axisOf)
    const starts = axes.map(({ low, extent }, d) => (box[d].low - low) / extent)
    const counts = axes.map(({ low, extent }, d) => Number((box[d].high - low) / extent - starts[d]) + 1)
    const placed = fragments.flatMap((fragment, f) => {
      const domain = fragment.nonEmptyDomain
      if (domain === undefined) return []
      const tiles = axes.map(({ low, extent }, d): AxisTiles => {
        const { type } = schema.dimensions[d]
        const from = BigInt(readScalar(type, domain[d].low)) - low - starts[d] * extent
        const to = BigInt(readScalar(type, domain[d].high)) - low - starts[d] * extent
        return {
          first: Number(from / extent),
          last: Number(to / extent),
          firstWhole: Number((from + extent - 1n) / extent),
          lastWhole: Number((to + 1n) / extent) - 1,
        }
      })
      return [{ fragment, tiles, isCopyable: copyable[f] }]
    }).reverse()
    // from the fastest to the slowest dimension
    const order = axes.map((_, d) => schema.tileOrder === "col-major" ? d : axes.length - 1 - d)
    const place = new Array<number>(axes.length)
    const source = (i: number): CopySource | undefined => {
      for (const d of order) {
        place[d] = i % counts[d]
        i = Math.floor(i / counts[d])
      }
      const newest = placed.find(({ tiles }) =>
        tiles.every(({ first, last }, d) => first <= place[d] && place[d] <= last)
      )
      if (newest === undefined || !newest.isCopyable) return undefined
      let tile = 0
      let stride = 1
      for (const d of order) {
        const { first, last, firstWhole, lastWhole } = newest.tiles[d]
        if (place[d] < firstWhole || place[d] > lastWhole) return undefined
        tile += (place[d] - first) * stride
        stride *= last - first + 1
      }
      return { fragment: newest.fragment, tile }
    }
    const count = counts.reduce((product, n) => product * n, 1)
    for (let i = 0; i < count; i++) {
      if (source(i) !== undefined) return { count, rowLength: counts[order[0]], source }
    }
    return undefined
  })

/** Reads tiles of a fragment as stored: by tile, then by attribute. `tiles` are ascending. */
export const readCopies = (
  access: TileAccess,
  fragment: Fragment,
  attributes: ReadonlyArray<Field>,
  tiles: ReadonlyArray<number>,
): Effect.Effect<ReadonlyArray<ReadonlyArray<CopiedTile>>, ReadTilesError, Storage> =>
  Effect.gen(function* () {
    const cells = denseCells(fragment.schema)
    const byField = yield* Effect.forEach(attributes, (field) =>
      Effect.gen(function* () {
        const statistics = (yield* loadStoredStatistics(access, fragment, field))!
        const stored = yield* readStoredTiles(access, fragment, field, tiles)
        return stored.map((tile, i): CopiedTile => ({ stored: tile, statistics: statistics(tiles[i]), cells }))
      }))
    return tiles.map((_, i) => byField.map((field) => field[i]))
  })
