/** Changes the metadata of a fragment: decodes all sections and the footer, and encodes them again. */
import * as Effect from "effect/Effect"
import { Codecs, layerNative } from "../../platform/mod.ts"
import { encode } from "../../schema/binary/mod.ts"
import { decodeFooter, type FragmentFooter, fragmentFooter, type FragmentShape } from "../../schema/fragment/footer.ts"
import { closeGenericTile, openGenericTile, type TileAccess } from "../../src/tile/generic_tile.ts"

/** A footer that can be changed. */
export type EditedFooter = { -readonly [K in keyof FragmentFooter]: FragmentFooter[K] }

/** The parts of a fragment's metadata. */
export interface EditedMetadata {
  /** The footer with the positions of the original file. They are changed to the new positions afterwards. */
  readonly footer: EditedFooter
  /** The unfiltered sections by their original position. A change replaces the bytes. */
  readonly sections: Map<number, Uint8Array>
}

/** The access for unencrypted tiles. */
export const plainAccess: TileAccess = {
  codecs: Effect.runSync(Effect.provide(Codecs, layerNative)),
  key: undefined,
  verifyChecksums: true,
}

const columns = [
  "tileOffsets",
  "varTileOffsets",
  "varTileSizes",
  "validityTileOffsets",
  "tileMins",
  "tileMaxes",
  "tileSums",
  "tileNullCounts",
] as const

const scalars = ["rtreeOffset", "fragmentStatisticsOffset", "processedConditionsOffset"] as const

/** Returns the changed metadata file of a fragment of format 22. */
export const editMetadata = (
  file: Uint8Array,
  shape: FragmentShape,
  edit: (parts: EditedMetadata) => void,
): Uint8Array => {
  const length = Number(new DataView(file.buffer, file.byteOffset, file.byteLength).getBigUint64(file.length - 8, true))
  const end = file.length - 8 - length
  const footer: EditedFooter = { ...decodeFooter(file.subarray(end, end + length), shape, "") }
  const { version } = footer
  const starts = [...columns.flatMap((name) => [...footer[name]]), ...scalars.map((name) => footer[name])]
  const sections = new Map(
    [...new Set(starts)].sort((a, b) => a - b).map((start) =>
      [start, openGenericTile(plainAccess, "", file, start).bytes.slice()] as const
    ),
  )
  edit({ footer, sections })
  const parts: Array<Uint8Array> = []
  const moved = new Map<number, number>()
  let at = 0
  for (const [start, bytes] of sections) {
    const tile = closeGenericTile(plainAccess, bytes, version)
    moved.set(start, at)
    parts.push(tile)
    at += tile.length
  }
  for (const name of columns) footer[name] = footer[name].map((start) => moved.get(start)!)
  for (const name of scalars) footer[name] = moved.get(footer[name])!
  const bytes = encode(fragmentFooter(shape), footer, version)
  parts.push(bytes, new Uint8Array(BigUint64Array.of(BigInt(bytes.length)).buffer))
  return Uint8Array.from(parts.flatMap((part) => [...part]))
}
