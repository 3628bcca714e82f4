/**
 * Delta: stores the first value, then the differences between consecutive values.
 *
 * @module
 */
import { Cursor, u64 } from "../../../schema/binary/mod.ts"
import { type Datatype, isFloat, isString, sizeOf } from "../../../schema/array/datatype.ts"
import { Since } from "../../../schema/version/version.ts"
import { forwardParts, reverseParts } from "../part/part_frame.ts"
import { differences, runningSum } from "../part/running_sum.ts"
import { damaged, type FilterOf, type Parts, Refusal, type Transform } from "../part/transform.ts"

type AnyDelta = FilterOf<"delta" | "double_delta">

const actingOn = (filter: AnyDelta, type: Datatype): Datatype =>
  filter.reinterpretDatatype === "any" ? type : filter.reinterpretDatatype

/** Returns the size of a value for delta and double delta when reading: one byte for text. Floats are not supported. */
export const deltaSize = (filter: AnyDelta, type: Datatype): number => {
  const acting = actingOn(filter, type)
  if (isFloat(acting)) throw damaged(`${filter.type} does not act on ${acting}`)
  return isString(acting) ? 1 : sizeOf(acting)
}

/** Returns the datatype of the values for delta and double delta when writing. */
export const deltaType = (filter: AnyDelta, type: Datatype): Datatype => {
  const acting = actingOn(filter, type)
  if (isFloat(acting)) throw new Refusal(`integers are required, not ${acting}`)
  return isString(acting) ? "uint8" : acting
}

/**
 * Checks the parts of a chunk. Delta and double delta also process the metadata of previous filters as values; metadata
 * that are not a multiple of the value size could not be decoded.
 */
export const checkDeltaParts = (parts: Parts, size: number): void => {
  if (parts.metadata.some((part) => part.byteLength % size !== 0)) {
    throw new Refusal("the metadata of a previous filter are not a multiple of the value size and would be lost")
  }
  if (parts.data.byteLength % size !== 0) {
    throw new Refusal(`${parts.data.byteLength} bytes are not a multiple of the value size ${size}`)
  }
}

/** The delta filter (since 2.16). */
export const delta: Transform<FilterOf<"delta">> = {
  reverse: (filter, chunk, context, limit, allocate) => {
    const size = deltaSize(filter, context.type)
    return reverseParts(chunk, 8, limit, allocate, (part, bytes, allocatePart) => {
      if (bytes === 0) return part.subarray(0, 0)
      const cursor = new Cursor(part, context.version)
      const count = u64.get(cursor, undefined)
      if (count * size !== bytes) throw damaged(`${count} values of ${size} bytes instead of ${bytes} bytes`)
      const steps = cursor.bytesOf(bytes)
      // 2.16 writes an extra step at the end
      if (cursor.remaining > 0 && cursor.remaining !== size) {
        throw damaged(`${cursor.remaining} unexpected bytes after the last step`)
      }
      const out = allocatePart(bytes)
      runningSum(size, steps, out, 0, 0)
      return out
    })
  },
  forward: (filter, parts, context) => {
    const size = sizeOf(deltaType(filter, context.type))
    checkDeltaParts(parts, size)
    return forwardParts(parts, (part) => {
      if (part.byteLength === 0) throw new Refusal("engines cannot read a tile without values")
      // the release of format 19 writes an extra step, and may require it
      const more = context.engineVersion === Since.deltaReinterpret && part.byteLength > size ? size : 0
      const stored = new Uint8Array(8 + part.byteLength + more)
      new DataView(stored.buffer).setUint32(0, part.byteLength / size, true)
      differences(size, part, stored.subarray(8, 8 + part.byteLength))
      return { stored }
    })
  },
}
