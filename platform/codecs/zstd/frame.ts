/**
 * The outline of a zstd frame: the values of its headers, and its end. It is read before any decoder runs, because
 * runtimes treat a second frame, trailing bytes and forged windows differently.
 *
 * @module
 */
import { CodecError } from "../../errors.ts"
import { plausible, wrongSize } from "../bounds.ts"

/** Maximum size of a block in bytes. */
export const BLOCK_MAX = 131072

/** The headers of a frame. */
export interface ZstdFrame {
  /** Offset of the first block header. */
  readonly start: number
  /** Maximum distance of a match in bytes. */
  readonly window: number
  /** Whether four bytes of XXH64 follow the last block. */
  readonly checksum: boolean
  /** Whether the header contains the content size. */
  readonly sized: boolean
}

const damaged = (reason: string): CodecError => new CodecError({ codec: "zstd", detail: reason })

/** Returns the outline of `input`, which must be one frame whose content can have `size` bytes. */
export const readZstdFrame = (input: Uint8Array, size: number): ZstdFrame => {
  const length = input.length
  if (length < 5 || input[0] !== 0x28 || input[1] !== 0xb5 || input[2] !== 0x2f || input[3] !== 0xfd) {
    throw damaged("the bytes do not start as a zstd frame does")
  }
  const flags = input[4]
  const single = (flags & 32) !== 0
  const checksum = (flags & 4) !== 0
  if (flags & 8) throw damaged("a reserved bit is set in the frame header")
  if (flags & 3) throw damaged("the frame needs a dictionary, which the format does not have")
  let at = 5
  const sizeBytes = flags >>> 6 === 0 ? (single ? 1 : 0) : 1 << (flags >>> 6)
  if (length < at + (single ? 0 : 1) + sizeBytes) throw damaged("the frame header is cut short")
  let window = 0
  if (!single) {
    const exponent = input[at] >>> 3
    window = 2 ** (10 + exponent) * (1 + (input[at] & 7) / 8)
    at++
  }
  if (sizeBytes > 0) {
    let content = 0
    for (let i = sizeBytes - 1; i >= 0; i--) content = content * 256 + input[at + i]
    if (sizeBytes === 2) content += 256
    if (content !== size) throw content > size ? wrongSize("zstd", "more", size) : wrongSize("zstd", content, size)
    if (single) window = content
  }
  at += sizeBytes
  const start = at
  // walk the blocks: their capacity bounds the result, and the frame must end with the input
  let capacity = 0
  for (let last = false; !last;) {
    if (length < at + 3) throw damaged("the frame ends early; it is cut short")
    const header = input[at] | (input[at + 1] << 8) | (input[at + 2] << 16)
    at += 3
    last = (header & 1) !== 0
    const type = (header >>> 1) & 3
    const blockSize = header >>> 3
    if (type === 3 || blockSize > BLOCK_MAX) throw damaged("a block header is not one")
    capacity += type === 2 ? BLOCK_MAX : blockSize
    at += type === 1 ? 1 : blockSize
  }
  if (checksum) at += 4
  if (at > length) throw damaged("the frame ends early; it is cut short")
  if (at < length) throw damaged(`${length - at} bytes follow the frame`)
  plausible("zstd", 1, size, capacity)
  return { start, window, checksum, sized: sizeBytes > 0 }
}
