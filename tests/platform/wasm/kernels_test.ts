/** Checks the kernels' memory, and that the code in `kernels.ts` was generated from the sources in its folder. */
import { describe, it } from "node:test"
import { assertEquals, assertNotEquals } from "@std/assert"
import { readFileSync } from "node:fs"
import { isScratch, lazyKernel, MAX_BUFFER_SIZE, scratch, withWasmMemory } from "../../../platform/wasm/memory.ts"
import { digestOf, kernels } from "../../../bundle/wasm.ts"

describe("kernels", () => {
  it("are generated from their sources: run `deno task kernels` after a change", () => {
    const code = readFileSync(new URL("../../../platform/wasm/modules_generated.ts", import.meta.url), "utf8")
    const digests = [...code.matchAll(/`(\w+\.wat)`; SHA-256 of the source: (\w+)/g)].map((
      [, name, sum],
    ) => [name, sum])
    assertEquals(digests, Object.values(kernels).map((source) => [source, digestOf(source)]))
  })

  it("that cannot be compiled are undefined", () => {
    assertEquals(lazyKernel("AGFzbQEAAAA=")() === undefined, false)
    assertEquals(lazyKernel("AGFzbQIAAAA=")(), undefined)
  })
})

describe("the memory of kernels", () => {
  it("contains inputs and results in different places", () => {
    const a = scratch(100, new Uint8Array(8))
    const b = scratch(MAX_BUFFER_SIZE, a)
    const c = scratch(100, b)
    assertNotEquals(a.byteOffset, b.byteOffset)
    assertEquals(a.byteOffset, c.byteOffset)
    assertEquals(scratch(10, a.subarray(50)).byteOffset, b.byteOffset)
    assertEquals([a, b].map((bytes) => bytes.byteOffset % 16), [0, 0])
    assertEquals([isScratch(a), isScratch(b), isScratch(new Uint8Array(1))], [true, true, false])
  })

  it("is not used for data above the limit of the kernels", () => {
    assertEquals(isScratch(scratch(MAX_BUFFER_SIZE + 1, new Uint8Array(8))), false)
    const call = () => {
      throw new Error("called")
    }
    assertEquals(withWasmMemory(new Uint8Array(MAX_BUFFER_SIZE + 1), new Uint8Array(1), call), false)
    assertEquals(withWasmMemory(new Uint8Array(1), new Uint8Array(MAX_BUFFER_SIZE + 1), call), false)
  })

  it("copies inputs and results from and to other memory, but no result of a kernel that fails", () => {
    const [input, output] = [Uint8Array.of(1, 2, 3), Uint8Array.of(9, 9, 9)]
    const inside = scratch(3, input)
    inside.set([7, 8, 9])
    assertEquals(withWasmMemory(input, output, () => 0), false)
    assertEquals(output, Uint8Array.of(9, 9, 9))
    const memory = new Uint8Array(inside.buffer)
    const copy = (from: number, to: number) => {
      memory.copyWithin(to, from, from + 3)
    }
    assertEquals(withWasmMemory(input, output, copy), true)
    assertEquals(output, input)
    assertEquals(withWasmMemory(inside, output, (from, to) => copy(from, to)), true)
    assertEquals(output, Uint8Array.of(7, 8, 9))
    assertEquals(withWasmMemory(input, inside, (from, to) => copy(from, to)), true)
    assertEquals(Uint8Array.from(inside), input)
  })
})
