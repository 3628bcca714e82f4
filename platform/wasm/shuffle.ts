/**
 * Byteshuffle and bitshuffle, both ways, by a kernel of WebAssembly with vectors of 16 bytes; `shuffle.wat` is its
 * source. The filters are its twins in TypeScript, which do what it does not take.
 *
 * It is hand-written because no npm package shuffles raw bytes: numcodecs has shuffles only inside the frames of Blosc. Kernel
 * and twin, for 64 KiB of 8-byte values: bytes back in order in 6.8 and 28 µs in Deno, 11 and 18 µs in Bun; bits in 16 and
 * 117 µs in Deno, 28 and 95 µs in Bun.
 *
 * @module
 */
import { lazyKernel, withWasmMemory } from "./memory.ts"
import { SHUFFLE } from "./modules_generated.ts"

/** Of `length` bytes at `input` in values of 1 << `log` bytes. */
type Shuffle = (input: number, length: number, log: number, output: number) => void

/** What the kernel does. The two of bits take a multiple of 8 bytes that is a multiple of the values' too. */
export type ShuffleName = "shuffle" | "unshuffle" | "bitshuffle" | "bitunshuffle"

const kernel = lazyKernel<Readonly<Record<ShuffleName, Shuffle>>>(SHUFFLE)

/**
 * Puts the shuffled bytes of values of `size` bytes (2, 4 or 8; for bits 1, too) into `output`, which is as long and does not
 * overlap. False, with nothing done, where the kernel cannot.
 */
export const shuffleByKernel = (name: ShuffleName, input: Uint8Array, size: number, output: Uint8Array): boolean => {
  const item = kernel()
  if (item === undefined) return false
  const log = 31 - Math.clz32(size)
  return withWasmMemory(input, output, (from, to) => item[name](from, input.length, log, to))
}
