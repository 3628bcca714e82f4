/**
 * Double delta by kernels of WebAssembly, which has integers of 64 bits; `double_delta.wat` and
 * `double_delta_encode.wat` are their sources. The filter is their twin in TypeScript, which does what they do not take.
 *
 * They are hand-written because the stream of double delta is a format of TileDB, which no package has. Decoder and twin, for
 * 64 KiB of 8-byte values in changes of 11 bits: 37 and 63 µs in Deno, 22 and 48 µs in Bun.
 *
 * @module
 */
import { LARGEST, lazyKernel, scratch, withWasmMemory } from "./memory.ts"
import { DOUBLE_DELTA, DOUBLE_DELTA_ENCODE } from "./modules_generated.ts"

const decoder = lazyKernel<{
  readonly decode: (input: number, bits: number, output: number, count: number, size: number) => void
}>(DOUBLE_DELTA)

/**
 * Decodes values of `size` bytes into `output`, at least two: `input` contains the first two values and then the stream
 * of changes with `bits` bits each. Returns false, without effect, if the module cannot decode them.
 */
export const doubleDeltaByKernel = (input: Uint8Array, bits: number, size: number, output: Uint8Array): boolean => {
  const item = decoder()
  if (item === undefined) return false
  return withWasmMemory(input, output, (from, to) => item.decode(from, bits, to, output.length / size, size))
}

const encoder = lazyKernel<{
  readonly encode: (input: number, length: number, output: number, flip: bigint, first: bigint) => number
}>(DOUBLE_DELTA_ENCODE)

const OVERFLOW = 255

/**
 * Encodes at least three 64-bit values: returns the bits per change of the steps, and the stream of changes, which is
 * overwritten by the next call; no stream for 63 bits or more. `undefined` if the module cannot encode them, or if more
 * than 64 bits are needed.
 */
export const encodeDoubleDeltaByKernel = (
  values: Uint8Array,
  unsigned: boolean,
  countFirst: boolean,
): { readonly bits: number; readonly stream: Uint8Array } | undefined => {
  const item = values.length <= LARGEST ? encoder() : undefined
  if (item === undefined) return undefined
  const output = scratch(values.length, values)
  const flip = unsigned ? 1n << 63n : 0n
  let bits = OVERFLOW
  withWasmMemory(values, output, (from, to) => {
    bits = item.encode(from, values.length, to, flip, countFirst ? -1n : 0n)
  })
  if (bits === OVERFLOW) return undefined
  const words = bits < 63 ? Math.ceil((values.length / 8 - 2) * (bits + 1) / 64) : 0
  return { bits, stream: output.subarray(0, 8 * words) }
}
