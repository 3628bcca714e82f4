/**
 * Double delta by kernels of WebAssembly, which has integers of 64 bits; `double_delta.wat` and
 * `double_delta_encode.wat` are their sources. The filter is their twin in TypeScript, which does what they do not take.
 *
 * @module
 */
import { LARGEST, lazyKernel, scratch, withWasmMemory } from "./memory.ts"
import { DOUBLE_DELTA, DOUBLE_DELTA_ENCODE } from "./modules_generated.ts"

const decoder = lazyKernel<{
  readonly decode: (input: number, bits: number, output: number, count: number, size: number) => void
}>(DOUBLE_DELTA)

/**
 * Puts the values of `size` bytes of which `input` holds the first two and, behind them, the stream of changes with `bits`
 * bits each into `output`, at least two. False, with nothing done, where the kernel cannot.
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
 * The bits that the changes of the steps take among at least three 64-bit values, and the stream of them, which is soon
 * overwritten; at 63 bits or more there is none. `undefined` where the kernel cannot, or where more than 64 bits are needed.
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
