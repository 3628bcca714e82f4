/** Columns of numbers: whole typed arrays that Schema does not process cell by cell. */
import * as Schema from "effect/Schema"
import type { Cursor } from "./cursor.ts"
import { type Field, field, primitive, u64 } from "./field.ts"
import { BinaryIssue } from "./issue.ts"
import type { Sink } from "./sink.ts"

const schema = (): Schema.Schema<Float64Array> =>
  Schema.instanceOf(Float64Array).annotations({
    arbitrary: () => (fc) =>
      fc.array(fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER })).map((a) => Float64Array.from(a)),
  }) as unknown as Schema.Schema<Float64Array>

const getValues = (c: Cursor, n: number): Float64Array => {
  c.checkCount(n, 8)
  const out = new Float64Array(n)
  const view = c.view
  let at = c.take(8 * n)
  for (let i = 0; i < n; i++, at += 8) {
    const high = view.getUint32(at + 4, true)
    if (high > 0x1fffff) throw new BinaryIssue(at, `${view.getBigUint64(at, true)} is past 2^53 - 1`)
    out[i] = high * 0x100000000 + view.getUint32(at, true)
  }
  return out
}

const putValues = (s: Sink, a: Float64Array): void => {
  let at = s.reserve(8 * a.length)
  const view = s.view
  for (let i = 0; i < a.length; i++, at += 8) {
    view.setUint32(at, a[i] % 0x100000000, true)
    view.setUint32(at + 4, Math.floor(a[i] / 0x100000000), true)
  }
}

/**
 * A u64 count, followed by this number of u64 values, as a `Float64Array`. Values above 2^53 − 1 are rejected. 100,000
 * values take less than a millisecond; a list of fields takes tens of milliseconds.
 */
export const u64Column: Field<Float64Array> = primitive(
  schema,
  8,
  (c) => getValues(c, u64.get(c, undefined)),
  (s, a) => {
    u64.put(s, a.length, undefined)
    putValues(s, a)
  },
)

/** A length in **bytes** (u64), followed by u64 values: the offsets of conditions and enumerations. */
export const u64ColumnByBytes: Field<Float64Array> = primitive(
  schema,
  8,
  (c) => {
    const at = c.offset
    const length = u64.get(c, undefined)
    if (length % 8 !== 0) throw new BinaryIssue(at, `${length} bytes of offsets are not a multiple of 8`)
    return getValues(c, length / 8)
  },
  (s, a) => {
    u64.put(s, a.length * 8, undefined)
    putValues(s, a)
  },
)

/** u64 values whose number depends on earlier fields. */
// deno-lint-ignore no-explicit-any
export const u64ColumnOf = (count: (self: any, version: number) => number): Field<Float64Array> =>
  field({
    schema,
    minBytes: 0,
    get: (c, self) => getValues(c, count(self, c.version)),
    put: (s, a, self) => {
      const length = count(self, s.version)
      if (a.length !== length) throw new BinaryIssue(s.offset, `${a.length} values; expected ${length}`)
      putValues(s, a)
    },
    fit: (a, version, self) => {
      const out = new Float64Array(count(self, version))
      out.set(a.subarray(0, out.length))
      return out
    },
  })
