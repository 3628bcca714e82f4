/**
 * WebP: encodes the bytes of a tile as the colours of a picture.
 *
 * @module
 */
import { CodecError } from "../../../platform/errors.ts"
import type { WebpFormat } from "../../../schema/array/filter.ts"
import { eachPart } from "../part/part_sizes.ts"
import { checkSize, damaged, type FilterOf, Refusal, type Transform } from "../part/transform.ts"
import { concat } from "../../kernel/copy/concat.ts"
import { u32Bytes } from "../part/words.ts"

/** The position of each byte of a cell in an RGBA pixel. */
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
        detail: `${context.uri} contains WebP pictures; provide a layer with the WebP codec`,
      })
    }
    const order = channels[filter.format]
    if (order.length === 0) throw damaged("the colour format is not set")
    const pictures: Array<Uint8Array> = []
    let total = 0
    const metadata = eachPart(chunk, (start, end) => {
      const encoded = chunk.data.subarray(start, end)
      let picture
      try {
        // a pixel has at least `order.length` bytes of cells: the codec rejects larger pictures by their header
        picture = codec.decode(encoded, Math.floor((limit - total) / order.length))
      } catch (error) {
        throw error instanceof CodecError ? damaged(error.detail) : error
      }
      const row = rowBytes(picture.width, order.length, filter.extentX)
      checkSize(total += row * picture.height, limit)
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
  forward: (filter, parts, context) => {
    const codec = context.webpEncoder
    if (codec === undefined) {
      const reason = `${context.uri} uses the WebP filter; provide a layer with the WebP encoder`
      throw new CodecError({ codec: "webp", reason: "Missing", detail: reason })
    }
    const { extentX, extentY, lossless, quality } = filter
    const order = channels[filter.format]
    if (order.length === 0) throw new Refusal("the colour format is not set")
    const { data } = parts
    if (data.length !== extentX * extentY) {
      throw new Refusal(`${data.length} bytes are not a picture of ${extentY} rows of ${extentX} bytes`)
    }
    const width = Math.floor(extentX / order.length)
    const rgba = new Uint8Array(4 * width * extentY).fill(255)
    for (let y = 0, to = 0; y < extentY; y++) {
      for (let x = 0, from = y * extentX; x < width; x++, to += 4) {
        for (let i = 0; i < order.length; i++) rgba[to + order[i]] = data[from++]
      }
    }
    const file = codec.encode({ width, height: extentY, rgba }, lossless ? "lossless" : quality)
    return { metadata: [u32Bytes(1, file.length), ...parts.metadata], data: file }
  },
}

/** Returns the bytes of a row: the width of the tile, even if it is not a multiple of the pixel size. */
const rowBytes = (width: number, depth: number, extent: number): number =>
  Math.floor(extent / depth) === width ? extent : width * depth
