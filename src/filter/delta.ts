/**
 * Delta: the first value, then the steps.
 *
 * @module
 */
import { Cursor, u64 } from "../../schema/binary/mod.ts"
import { type Datatype, isFloat, isString, sizeOf } from "../../schema/datatype.ts"
import { forwardParts, reverseParts } from "./part_frame.ts"
import { differences, runningSum } from "./running_sum.ts"
import { checkSize, damaged, type FilterOf, type Transform } from "./transform.ts"

/** Bytes of one value for delta and double delta: text goes byte by byte; floats they do not take. */
export const deltaSize = (filter: FilterOf<"delta" | "double_delta">, type: Datatype): number => {
  const acting = filter.reinterpretDatatype === "any" ? type : filter.reinterpretDatatype
  if (isFloat(acting)) throw damaged(`${filter.type} does not act on ${acting}`)
  return isString(acting) ? 1 : sizeOf(acting)
}

/** The delta filter (since 2.16). */
export const delta: Transform<FilterOf<"delta">> = {
  reverse: (filter, chunk, context, limit) => {
    const size = deltaSize(filter, context.type)
    return reverseParts(chunk, 8, limit, (part, bytes) => {
      if (bytes === 0) return part.subarray(0, 0)
      const cursor = new Cursor(part, context.version)
      const count = u64.get(cursor, undefined)
      if (count * size !== bytes) throw damaged(`${count} values of ${size} bytes instead of ${bytes} bytes`)
      const steps = cursor.bytesOf(bytes)
      // 2.16 writes one step too many
      if (cursor.remaining > 0 && cursor.remaining !== size) {
        throw damaged(`${cursor.remaining} bytes are left over after the last step`)
      }
      const out = new Uint8Array(bytes)
      runningSum(size, steps, out, 0, 0)
      return out
    })
  },
  forward: (filter, parts, context) => {
    const size = deltaSize(filter, context.type)
    return forwardParts(parts, (part) => {
      if (part.byteLength === 0 || part.byteLength % size !== 0) {
        throw damaged(`${part.byteLength} bytes are no whole number of ${size}-byte values`)
      }
      checkSize(part.byteLength, 0xffffffff)
      const stored = new Uint8Array(8 + part.byteLength)
      new DataView(stored.buffer).setUint32(0, part.byteLength / size, true)
      differences(size, part, stored.subarray(8))
      return { stored }
    })
  },
}
