/**
 * Raw LZ4 blocks by a kernel of half a kilobyte of WebAssembly, which copies 16 bytes at a time. `lz4_kernel.wat` is its
 * source; this is what `npx -p wabt wat2wasm lz4_kernel.wat` makes of it, in base64. What the kernel does not take, and
 * what it finds damaged, goes to its twin in TypeScript, which says what is wrong.
 *
 * @module
 */
import { lz4 } from "./codec_lz4.ts"
import type { Compressor } from "./codecs.ts"
import { plausible } from "./exact_size.ts"

const KERNEL = [
  "AGFzbQEAAAABCQFgBH9/f38BfwMCAQAFAwEAAwcTAgZtZW1vcnkCAAZkZWNvZGUAAArxAwHuAwEKfyAAIAFqIQQgAiADaiEFIAIhBgNAIAAgBE8EQEEA",
  "DwsgAC0AACEHIABBAWohACAHQQR2IQggCEEPRgRAA0AgACAETwRAQQAPCyAALQAAIQkgAEEBaiEAIAggCWohCCAJQf8BRg0ACwsgCCAEIABrSwRAQQAP",
  "CyAIIAUgBmtLBEBBAA8LIAYgCGohDCAIBEAgACEKIAYhCwNAIAsgCv0ABAD9CwQAIApBEGohCiALQRBqIQsgCyAMSQ0ACwsgACAIaiEAIAwhBiAAIARG",
  "BEAgBiAFRg8LIAQgAGtBAkkEQEEADwsgAC8BACENIABBAmohACANRQRAQQAPCyANIAYgAmtLBEBBAA8LIAdBD3EhCCAIQQ9GBEADQCAAIARPBEBBAA8L",
  "IAAtAAAhCSAAQQFqIQAgCCAJaiEIIAlB/wFGDQALCyAIQQRqIQggCCAFIAZrSwRAQQAPCyAGIA1rIQogBiELIAYgCGohDCANQRBPBEADQCALIAr9AAQA",
  "/QsEACAKQRBqIQogC0EQaiELIAsgDEkNAAsFIA1BCE8EQANAIAsgCikDADcDACAKQQhqIQogC0EIaiELIAsgDEkNAAsFA0AgCyAKLQAAOgAAIApBAWoh",
  "CiALQQFqIQsgCyAMSQ0ACwsLIAwhBgwACwAL",
].join("")

interface Kernel {
  readonly memory: WebAssembly.Memory
  /** 1 if the block is whole and makes `size` bytes, else 0. */
  readonly decode: (input: number, length: number, out: number, size: number) => number
}

/** Bytes that the kernel touches behind what it copies. */
const SLACK = 16
const PAGE = 65536
/** Tiles have chunks of 64 KiB, unless somebody asks for others; memory for more than this is not kept. */
const LARGEST = 4 << 20

let started: Kernel | undefined | null = null

/** The kernel, compiled when it is first used; undefined where there is no WebAssembly, or none with vectors. */
const kernel = (): Kernel | undefined => {
  if (started !== null) return started
  try {
    const module = new WebAssembly.Module(Uint8Array.from(atob(KERNEL), (c) => c.charCodeAt(0)))
    started = new WebAssembly.Instance(module).exports as unknown as Kernel
  } catch {
    started = undefined
  }
  return started
}

const decompress = (input: Uint8Array, size: number): Uint8Array => {
  plausible("lz4", input.length, size, 255)
  const at = size + SLACK
  const needed = at + input.length + SLACK
  const its = needed > LARGEST ? undefined : kernel()
  if (its === undefined) return lz4.decompress(input, size)
  const missing = needed - its.memory.buffer.byteLength
  if (missing > 0) its.memory.grow(Math.ceil(missing / PAGE))
  const memory = new Uint8Array(its.memory.buffer)
  memory.set(input, at)
  return its.decode(at, input.length, 0, size) === 1 ? memory.slice(0, size) : lz4.decompress(input, size)
}

/** LZ4 as `lz4` has it, faster to decompress. */
export const lz4WithKernel: Compressor = { decompress, compress: lz4.compress }
