/**
 * Raw LZ4 blocks by a kernel of WebAssembly, which copies 16 bytes at a time; `lz4_kernel.wat` is its source. What the kernel
 * does not take, and what it finds damaged, goes to its twin in TypeScript, which says what is wrong.
 *
 * @module
 */
import { lz4 } from "./codec_lz4.ts"
import type { Compressor } from "./codecs.ts"
import { plausible } from "./exact_size.ts"
import { LARGEST, lazyKernel, onKernel } from "./kernel_memory.ts"
import { LZ4 } from "./kernels.ts"

const kernel = lazyKernel<{
  /** 1 if the block is whole and makes `size` bytes, else 0. */
  readonly decode: (input: number, length: number, output: number, size: number) => number
}>(LZ4)

const decompress: Compressor["decompress"] = (input, size, room = (n) => new Uint8Array(n)) => {
  plausible("lz4", input.length, size, 255)
  const its = size <= LARGEST ? kernel() : undefined
  if (its === undefined) return lz4.decompress(input, size)
  const output = room(size)
  const done = onKernel(input, output, (from, to) => its.decode(from, input.length, to, size))
  return done ? output : lz4.decompress(input, size)
}

/** LZ4 as `lz4` has it, faster to decompress. */
export const lz4WithKernel: Compressor = { decompress, compress: lz4.compress }
