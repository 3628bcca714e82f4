/**
 * zstd without the runtime's help: fzstd decodes; frames are written with stored blocks only.
 *
 * @module
 */
import { decompress as fzstdDecompress } from "fzstd"
import type { Compressor } from "./codecs.ts"
import { exactly, guarded } from "./exact_size.ts"
import { BLOCK_MAX, readZstdFrame } from "./zstd_frame.ts"

const decompress = (input: Uint8Array, size: number): Uint8Array => {
  readZstdFrame(input, size)
  return exactly("zstd", guarded("zstd", "the frame is damaged", () => fzstdDecompress(input)), size)
}

/** A valid frame of raw and run-length blocks: what no encoder is at hand for is stored, not refused. */
const compress = (input: Uint8Array, _level: number): Uint8Array => {
  const size = input.length
  const out = new Uint8Array(size + 16 + 3 * Math.ceil(size / BLOCK_MAX))
  // Single segment, content size in eight bytes.
  out.set([0x28, 0xb5, 0x2f, 0xfd, 0xe0])
  for (let i = 0, rest = size; i < 8; i++, rest = Math.floor(rest / 256)) out[5 + i] = rest % 256
  let to = 13
  let from = 0
  do {
    const block = input.subarray(from, from + BLOCK_MAX)
    from += block.length
    const run = block.length > 1 && block.every((byte) => byte === block[0])
    const header = (from >= size ? 1 : 0) | (run ? 2 : 0) | (block.length << 3)
    out[to++] = header & 255
    out[to++] = (header >>> 8) & 255
    out[to++] = header >>> 16
    if (run) out[to++] = block[0]
    else {
      out.set(block, to)
      to += block.length
    }
  } while (from < size)
  return out.slice(0, to)
}

/** zstd in plain TypeScript. */
export const portableZstd: Compressor = { decompress, compress }
