/**
 * Double delta undone by a kernel of WebAssembly, which has integers of 64 bits; `double_delta_kernel.wat` is its source. The
 * filter is its twin in TypeScript, which does what it does not take.
 *
 * @module
 */
import { lazyKernel, onKernel } from "./kernel_memory.ts"
import { DOUBLE_DELTA } from "./kernels.ts"

const kernel = lazyKernel<{
  readonly decode: (input: number, bits: number, output: number, count: number, size: number) => void
}>(DOUBLE_DELTA)

/**
 * Puts the values of `size` bytes of which `input` holds the first two and, behind them, the stream of changes with `bits`
 * bits each into `output`, at least two. False, with nothing done, where the kernel cannot.
 */
export const doubleDeltaByKernel = (input: Uint8Array, bits: number, size: number, output: Uint8Array): boolean => {
  const its = kernel()
  if (its === undefined) return false
  return onKernel(input, output, (from, to) => its.decode(from, bits, to, output.length / size, size))
}
