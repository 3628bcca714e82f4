/**
 * The memory that all kernels in WebAssembly share, so that a chunk stays there from one to the next. It never grows: views
 * of it stay good. Kernels are synchronous, and none calls another, so each finds all of it as the last one left it.
 *
 * Each thread has one memory of 8.3 MiB, and not one for each codec service. Untouched pages cost nothing.
 * Programs may provide a layer for each call, and a memory with five modules of its own would cost each of them, in Deno and
 * Bun: 1.0 and 1.8 ms to compile the modules, or 35 and 119 µs with compiled modules, and 270 and 340 µs instead of 4 and
 * 3 µs to touch the first 64 KiB of each region; for comparison, the read of a small array takes 3 to 7 ms on the same
 * machine. The memory would be released only by the garbage collector, which made single calls take 18 to 177 ms. No result
 * depends on its content, which is why it is not part of a service.
 *
 * @module
 */

const PAGE = 65536
/** Maximum input size of a module in bytes; chunks have 64 KiB by default. Untouched pages cost nothing. */
export const LARGEST: number = 1 << 21
/** A region, with a page of slack: modules access up to 128 bytes past their input and output. */
const REGION = LARGEST + PAGE

/** Where inputs and results are put that lie elsewhere; before them is a page for the kernels' own use. */
const INPUT = PAGE
const RESULT = INPUT + REGION
const SCRATCH = RESULT + REGION
const END = SCRATCH + 2 * REGION

let memory: Uint8Array | undefined
let shared: WebAssembly.Memory | undefined | null = null

/** The memory as kernels take it; undefined where there is no WebAssembly. */
const wasm = (): WebAssembly.Memory | undefined => {
  if (shared !== null) return shared
  try {
    shared = new WebAssembly.Memory({ initial: END / PAGE, maximum: END / PAGE })
  } catch {
    shared = undefined
  }
  return shared
}

const bytes = (): Uint8Array => memory ??= new Uint8Array(wasm()?.buffer ?? new ArrayBuffer(END))

/**
 * Returns a loader of the module in `base64`, compiled on first use: a few kilobytes take a fraction of a millisecond.
 * `undefined` without WebAssembly, or without the required features.
 */
export const lazyKernel = <Exports>(base64: string): () => Exports | undefined => {
  let started: Exports | undefined | null = null
  return () => {
    if (started !== null) return started
    started = undefined
    const currentMemory = wasm()
    if (currentMemory === undefined) return started
    try {
      const module = new WebAssembly.Module(Uint8Array.from(atob(base64), (c) => c.charCodeAt(0)))
      started = new WebAssembly.Instance(module, { kernel: { memory: currentMemory } }).exports as unknown as Exports
    } catch {
      // the twins in TypeScript do it
    }
    return started
  }
}

/**
 * Calls a module with the addresses of `input` and `output`, which do not overlap. Data outside the modules' memory is
 * copied in and, unless the module returns 0, out. Returns false if it returns 0, or if the data is too large.
 */
export const withWasmMemory = (
  input: Uint8Array,
  output: Uint8Array,
  call: (input: number, output: number) => number | void,
): boolean => {
  if (input.length > LARGEST || output.length > LARGEST) return false
  const all = bytes()
  let from = input.byteOffset
  if (input.buffer !== all.buffer) all.set(input, from = INPUT)
  const inside = output.buffer === all.buffer
  const to = inside ? output.byteOffset : RESULT
  if (call(from, to) === 0) return false
  if (!inside) output.set(all.subarray(to, to + output.length))
  return true
}

/**
 * Returns memory for a result of `size` bytes that is valid until the next but one call; aligned, with undefined
 * content. It is in the modules' memory, unless it is large. `input`, the source of the result, stays valid.
 */
export const scratch = (size: number, input: Uint8Array): Uint8Array => {
  if (size > LARGEST) return new Uint8Array(size)
  const all = bytes()
  const at = input.buffer === all.buffer && input.byteOffset < SCRATCH + REGION ? SCRATCH + REGION : SCRATCH
  return all.subarray(at, at + size)
}

/** Whether these bytes are soon overwritten. */
export const isScratch = (some: Uint8Array): boolean => some.buffer === memory?.buffer
