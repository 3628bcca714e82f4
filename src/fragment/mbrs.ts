/**
 * Loads the MBRs of a fragment's tiles, which are the leaves of its R-tree.
 */
import * as Effect from "effect/Effect"
import type { Storage } from "../../platform/storage/service.ts"
import type { ArraySchema } from "../../schema/array/array_schema.ts"
import { decode } from "../../schema/binary/mod.ts"
import { VAR } from "../../schema/array/cell_val_num.ts"
import { sizeOf } from "../../schema/array/datatype.ts"
import { FormatError } from "../../schema/errors/format_error.ts"
import type { LegacyMetadata } from "../../schema/fragment/legacy_metadata.ts"
import { type MbrLevel, mbrsOfBytes, rtree, type RTreeDimension } from "../../schema/fragment/rtree.ts"
import { cacheKind } from "../kernel/bounded_cache.ts"
import { attemptTile } from "../tile/attempt.ts"
import type { TileAccess } from "../tile/generic_tile.ts"
import type { Fragment } from "./fragment.ts"
import { loadSections, type SectionError } from "./sections.ts"

/** Returns the properties of the dimensions that decoding R-trees requires. */
export const rtreeDimensions = (schema: ArraySchema): ReadonlyArray<RTreeDimension> =>
  schema.dimensions.map((d) => ({ type: d.type, var: d.cellValNum === VAR }))

/** Returns the MBRs in the metadata of formats 1 and 2. */
export const mbrCount = (legacy: LegacyMetadata, schema: ArraySchema): number =>
  legacy.mbrs.byteLength / schema.dimensions.reduce((sum, d) => sum + 2 * sizeOf(d.type), 0)

const MBRS = cacheKind<MbrLevel>("mbrs")

const bytesOf = ({ dimensions }: MbrLevel): number =>
  dimensions.reduce(
    (sum, mbrColumn) =>
      sum + (mbrColumn.kind === "fixed"
        ? mbrColumn.values.byteLength
        : mbrColumn.bytes.byteLength + mbrColumn.offsets.byteLength),
    0,
  )

/** Loads the MBRs of a sparse fragment's tiles, by dimension. */
export const loadMbrs = (
  access: TileAccess,
  fragment: Fragment,
): Effect.Effect<MbrLevel, SectionError, Storage> =>
  Effect.gen(function* () {
    const existing = fragment.cache.get(MBRS, 0)
    if (existing !== undefined) return existing
    const { metadata, schema } = fragment
    const dimensions = rtreeDimensions(schema)
    let level: MbrLevel
    if (metadata.kind === "legacy") level = mbrsOfBytes(metadata.legacy.mbrs, dimensions)
    else {
      const { footer, sections } = metadata
      const [tile] = yield* loadSections(access, sections, [footer.rtreeOffset])
      fragment.engineVersion ??= tile.version
      level = yield* attemptTile(() => {
        const tree = decode(rtree(dimensions), tile.bytes, fragment.version, sections.uri)
        const leaves = tree.levels[tree.levels.length - 1]
        if ((leaves?.count ?? 0) !== fragment.tileCount) {
          throw new FormatError({
            uri: sections.uri,
            path: "rtree",
            offset: footer.rtreeOffset,
            version: fragment.version,
            detail: `${leaves?.count ?? 0} rectangles for ${fragment.tileCount} tiles`,
          })
        }
        return leaves ?? { count: 0, dimensions: [] }
      })
    }
    fragment.cache.set(MBRS, 0, level, bytesOf(level))
    return level
  })
