/**
 * The memory that all WebAssembly kernels share, so that a chunk stays in it from one kernel to the next. It never
 * grows, so views of it remain valid. Kernels are synchronous and do not call each other, so each one finds the memory
 * as the previous one left it.
 *
 * There is one memory of 8.3 MiB per thread, not one per codec service. Untouched pages cost nothing. Programs may
 * provide a layer for each call. If every layer had a memory with five modules, each call would take longer, in Deno
 * and Bun: 1.0 and 1.8 ms to compile the modules, or 35 and 119 µs with compiled modules, and 270 and 340 µs instead of
 * 4 and 3 µs to touch the first 64 KiB of each region; for comparison, reading a small array takes 3 to 7 ms on the
 * same machine. Only the garbage collector would release the memory, which made single calls take 18 to 177 ms. No
 * result depends on the content of the memory, which is why it is not part of a service.
 *
 * @module
 */

const PAGE_SIZE = 65536
/** Maximum input size of a kernel in bytes; chunks have 64 KiB by default. Untouched pages cost nothing. */
export const MAX_BUFFER_SIZE: number = 1 << 21
/** Size of a region, with one page of slack: kernels access up to 128 bytes past their input and output. */
const REGION_SIZE = MAX_BUFFER_SIZE + PAGE_SIZE

/**
 * Addresses of inputs and results that are copied from and to other memory. The page before them is for the kernels'
 * own use.
 */
const INPUT = PAGE_SIZE
const RESULT = INPUT + REGION_SIZE
const SCRATCH = RESULT + REGION_SIZE
const END = SCRATCH + 2 * REGION_SIZE

let memory: Uint8Array | undefined
let shared: WebAssembly.Memory | undefined | null = null

/** Returns the memory for the kernels; `undefined` without WebAssembly. */
const wasm = (): WebAssembly.Memory | undefined => {
  if (shared !== null) return shared
  try {
    shared = new WebAssembly.Memory({ initial: END / PAGE_SIZE, maximum: END / PAGE_SIZE })
  } catch {
    shared = undefined
  }
  return shared
}

const bytes = (): Uint8Array => memory ??= new Uint8Array(wasm()?.buffer ?? new ArrayBuffer(END))

/**
 * Returns a loader of the kernel in `base64`. The loader compiles it on first use: a few kilobytes take a fraction of a
 * millisecond. It returns `undefined` without WebAssembly, or without the required features.
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
      // callers use the implementations in TypeScript
    }
    return started
  }
}

/**
 * Calls a kernel with the addresses of `input` and `output`, which must not overlap. Data outside the kernels' memory
 * is copied in and, unless the kernel returns 0, out. Returns false if the kernel returns 0, or if the data is too
 * large.
 */
export const withWasmMemory = (
  input: Uint8Array,
  output: Uint8Array,
  call: (input: number, output: number) => number | void,
): boolean => {
  if (input.length > MAX_BUFFER_SIZE || output.length > MAX_BUFFER_SIZE) return false
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
 * Returns aligned memory with undefined content for a result of `size` bytes. It is valid until the second call after
 * this one. It is part of the kernels' memory, unless it is large. `input`, the source of the result, stays valid.
 */
export const scratch = (size: number, input: Uint8Array): Uint8Array => {
  if (size > MAX_BUFFER_SIZE) return new Uint8Array(size)
  const all = bytes()
  const at = input.buffer === all.buffer && input.byteOffset < SCRATCH + REGION_SIZE ? SCRATCH + REGION_SIZE : SCRATCH
  return all.subarray(at, at + size)
}

/** Whether these bytes are in the kernels' memory, which later calls overwrite. */
export const isScratch = (some: Uint8Array): boolean => some.buffer === memory?.buffer
