/**
 * WebP: the bytes of a tile as the colours of a picture.
 *
 * @module
 */
import { CodecError } from "../../platform/errors.ts"
import type { WebpFormat } from "../../schema/filter.ts"
import { eachPart } from "./part_sizes.ts"
import { checkSize, damaged, type FilterOf, type Transform } from "./transform.ts"
import { concat } from "./words.ts"

/** Which bytes of an RGBA pixel a cell's bytes are. */
const channels: Record<WebpFormat, ReadonlyArray<number>> = {
  none: [],
  rgb: [0, 1, 2],
  bgr: [2, 1, 0],
  rgba: [0, 1, 2, 3],
  bgra: [2, 1, 0, 3],
}

/** The WebP filter. */
export const webp: Transform<FilterOf<"webp">> = {
  reverse: (filter, chunk, context, limit) => {
    const codec = context.webp
    if (codec === undefined) {
      throw new CodecError({
        codec: "webp",
        reason: `${context.uri} holds WebP pictures; provide a layer with the codec`,
      })
    }
    const order = channels[filter.format]
    if (order.length === 0) throw damaged("no colour format is set")
    const pictures: Array<Uint8Array> = []
    let total = 0
    const metadata = eachPart(chunk, (start, end) => {
      const encoded = chunk.data.subarray(start, end)
      const claimed = dimensions(encoded)
      checkSize(total += rowBytes(claimed.width, order.length, filter.extentX) * claimed.height, limit)
      let picture
      try {
        picture = codec.decode(encoded)
      } catch (error) {
        throw error instanceof CodecError ? damaged(error.reason) : error
      }
      if (picture.width !== claimed.width || picture.height !== claimed.height) {
        throw damaged(
          `a picture of ${picture.width} × ${picture.height} instead of ${claimed.width} × ${claimed.height}`,
        )
      }
      const row = rowBytes(picture.width, order.length, filter.extentX)
      const out = new Uint8Array(row * picture.height)
      for (let y = 0, from = 0; y < picture.height; y++) {
        for (let x = 0, to = y * row; x < picture.width; x++, from += 4) {
          for (let i = 0; i < order.length; i++) out[to++] = picture.rgba[from + order[i]]
        }
      }
      pictures.push(out)
    })
    return { metadata, data: concat(pictures) }
  },
}

/** A row is as long as the tile is wide, even if that is no whole number of pixels. */
const rowBytes = (width: number, depth: number, extent: number): number =>
  Math.floor(extent / depth) === width ? extent : width * depth

/** What the file's header says, read before the codec allocates the picture. */
const dimensions = (file: Uint8Array): { readonly width: number; readonly height: number } => {
  const tag = (at: number) => String.fromCharCode(...file.subarray(at, at + 4))
  if (file.byteLength < 30 || tag(0) !== "RIFF" || tag(8) !== "WEBP") throw damaged("not a WebP file")
  const u24 = (at: number) => file[at] | (file[at + 1] << 8) | (file[at + 2] << 16)
  switch (tag(12)) {
    case "VP8X":
      return { width: u24(24) + 1, height: u24(27) + 1 }
    case "VP8L":
      return { width: (u24(21) & 0x3fff) + 1, height: ((u24(22) >>> 6) & 0x3fff) + 1 }
    case "VP8 ":
      return { width: u24(26) & 0x3fff, height: u24(28) & 0x3fff }
    default:
      throw damaged(`a WebP file of an unknown kind`)
  }
}
