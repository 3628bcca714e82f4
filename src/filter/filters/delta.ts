/**
 * Delta: the first value, then the steps.
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

/** Bytes of one value for delta and double delta: text goes byte by byte; floats they do not take. */
export const deltaSize = (filter: AnyDelta, type: Datatype): number => {
  const acting = actingOn(filter, type)
  if (isFloat(acting)) throw damaged(`${filter.type} does not act on ${acting}`)
  return isString(acting) ? 1 : sizeOf(acting)
}

/** What delta and double delta take the values for when they are written. */
export const deltaType = (filter: AnyDelta, type: Datatype): Datatype => {
  const acting = actingOn(filter, type)
  if (isFloat(acting)) throw new Refusal(`it takes integers, not ${acting}`)
  return isString(acting) ? "uint8" : acting
}

/**
 * Delta and double delta take the metadata of the filters before them for values as well: what is not a whole number of them
 * could not be read again.
 */
export const checkDeltaParts = (parts: Parts, size: number): void => {
  if (parts.metadata.some((part) => part.byteLength % size !== 0)) {
    throw new Refusal("a filter before it writes metadata that are no whole number of values, and would be lost")
  }
  if (parts.data.byteLength % size !== 0) {
    throw new Refusal(`${parts.data.byteLength} bytes are no whole number of ${size}-byte values`)
  }
}

/** The delta filter (since 2.16). */
export const delta: Transform<FilterOf<"delta">> = {
  reverse: (filter, chunk, context, limit, room) => {
    const size = deltaSize(filter, context.type)
    return reverseParts(chunk, 8, limit, room, (part, bytes, its) => {
      if (bytes === 0) return part.subarray(0, 0)
      const cursor = new Cursor(part, context.version)
      const count = u64.get(cursor, undefined)
      if (count * size !== bytes) throw damaged(`${count} values of ${size} bytes instead of ${bytes} bytes`)
      const steps = cursor.bytesOf(bytes)
      // 2.16 writes one step too many
      if (cursor.remaining > 0 && cursor.remaining !== size) {
        throw damaged(`${cursor.remaining} bytes are left over after the last step`)
      }
      const out = its(bytes)
      runningSum(size, steps, out, 0, 0)
      return out
    })
  },
  forward: (filter, parts, context) => {
    const size = sizeOf(deltaType(filter, context.type))
    checkDeltaParts(parts, size)
    return forwardParts(parts, (part) => {
      if (part.byteLength === 0) throw new Refusal("a tile without values is nothing that the engines read")
      // the one release of format 19 writes a step too many, and may want it
      const more = context.engineVersion === Since.deltaReinterpret && part.byteLength > size ? size : 0
      const stored = new Uint8Array(8 + part.byteLength + more)
      new DataView(stored.buffer).setUint32(0, part.byteLength / size, true)
      differences(size, part, stored.subarray(8, 8 + part.byteLength))
      return { stored }
    })
  },
}
