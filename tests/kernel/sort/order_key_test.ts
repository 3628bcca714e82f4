/** Key words compare as the values do. */
import * as fc from "effect/FastCheck"
import { describe, it } from "node:test"
import { assertEquals } from "@std/assert"
import { keyWords } from "../../../src/kernel/sort/order_key.ts"
import { compareCells } from "../../../src/kernel/sort/sort_cells.ts"

type Value = number | bigint

/** −0 is 0, NaN comes last. */
const compareValues = (a: Value, b: Value): number => {
  const nanA = a !== a
  const nanB = b !== b
  if (nanA || nanB) return Number(nanA) - Number(nanB)
  return a < b ? -1 : a > b ? 1 : 0
}

const integers = (min: number, max: number) =>
  fc.oneof(fc.integer({ min, max }), fc.constantFrom(min, min + 1, 0, 1, max - 1, max))
const bigs = (min: bigint, max: bigint) =>
  fc.oneof(fc.bigInt({ min, max }), fc.constantFrom(min, min + 1n, 0n, 1n, 2n ** 32n - 1n, 2n ** 32n, max - 1n, max))
const special = fc.constantFrom(NaN, 0, -0, Infinity, -Infinity, 5e-324, -5e-324, 1.5e-45, -1.5e-45, 1, -1)
const floats = fc.oneof(fc.double(), special)

const types = {
  int8: [Int8Array, integers(-128, 127)],
  uint8: [Uint8Array, integers(0, 255)],
  int16: [Int16Array, integers(-32768, 32767)],
  uint16: [Uint16Array, integers(0, 65535)],
  int32: [Int32Array, integers(-(2 ** 31), 2 ** 31 - 1)],
  uint32: [Uint32Array, integers(0, 2 ** 32 - 1)],
  int64: [BigInt64Array, bigs(-(2n ** 63n), 2n ** 63n - 1n)],
  uint64: [BigUint64Array, bigs(0n, 2n ** 64n - 1n)],
  float32: [Float32Array, floats.map(Math.fround)],
  float64: [Float64Array, floats],
} as const

describe("key words", () => {
  for (const [name, [make, values]] of Object.entries(types)) {
    it(`of ${name} compare as values`, () => {
      fc.assert(
        fc.property(fc.array(values as fc.Arbitrary<Value>, { minLength: 2, maxLength: 12 }), (values) => {
          const column = new (make as unknown as new (n: number) => Float64Array)(values.length)
          values.forEach((v, i) => column[i] = v as number)
          const words = keyWords(column)
          for (let a = 0; a < values.length; a++) {
            for (let b = 0; b < values.length; b++) {
              assertEquals(
                compareCells(words, a, b),
                compareValues(column[a], column[b]),
                `${String(values[a])} and ${String(values[b])}`,
              )
            }
          }
        }),
        { seed: 1 },
      )
    })
  }

  it("are equal for every NaN, with any bits and sign", () => {
    const bits32 = Uint32Array.of(0x7fc00000, 0xffc00000, 0x7f800001, 0xff800001, 0x7fffffff)
    assertEquals([...keyWords(new Float32Array(bits32.buffer))[0]], new Array(5).fill(0xffffffff))
    const bits64 = BigUint64Array.of(0x7ff8000000000000n, 0xfff8000000000000n, 0x7ff0000000000001n, 0xfff0000000000001n)
    for (const word of keyWords(new Float64Array(bits64.buffer))) assertEquals([...word], new Array(4).fill(0xffffffff))
  })
})
