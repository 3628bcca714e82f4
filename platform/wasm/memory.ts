/**
 * The memory that all kernels in WebAssembly share, so that a chunk stays there from one to the next. It never grows: views
 * of it stay good. Kernels are synchronous, and none calls another, so each finds all of it as the last one left it.
 *
 * @module
 */

const PAGE = 65536
/** The most bytes that a kernel takes; chunks have 64 KiB, unless somebody asks for others. Untouched pages cost nothing. */
export const LARGEST: number = 1 << 21
/** A region, and a page of slack: kernels touch up to 128 bytes behind what they read and write. */
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
 * The kernel that `base64` holds, compiled when it is first asked for: a few kilobytes take a fraction of a millisecond.
 * `undefined` where there is no WebAssembly, or none with what the kernel needs.
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
 * Calls a kernel with the addresses of `input` and of `output`, which do not overlap. What lies outside the kernels' memory is
 * copied, once in and, if the answer is not 0, once out. False if it is 0, or if they are larger than kernels take.
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
 * Memory for a result of `size` bytes that is needed no longer than until the next but one is asked for, aligned and with
 * anything in it: in the kernels' memory, unless it is large. `input`, of which the result is made, keeps its place.
 */
export const scratch = (size: number, input: Uint8Array): Uint8Array => {
  if (size > LARGEST) return new Uint8Array(size)
  const all = bytes()
  const at = input.buffer === all.buffer && input.byteOffset < SCRATCH + REGION ? SCRATCH + REGION : SCRATCH
  return all.subarray(at, at + size)
}

/** Whether these bytes are soon overwritten. */
export const isScratch = (some: Uint8Array): boolean => some.buffer === memory?.buffer
