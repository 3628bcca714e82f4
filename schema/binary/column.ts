/** Bulk columns: whole typed arrays that never pass through Schema cell by cell. */
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
 * A `count u64` and that many u64, as numbers in a `Float64Array`; values past 2^53 − 1 are refused. Reads 100,000 in
 * well under a millisecond where a list of fields would take tens.
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

/** A length in **bytes** (u64) and so many u64: how conditions and enumerations keep offsets. */
export const u64ColumnByBytes: Field<Float64Array> = primitive(
  schema,
  8,
  (c) => {
    const at = c.offset
    const length = u64.get(c, undefined)
    if (length % 8 !== 0) throw new BinaryIssue(at, `${length} bytes of offsets are not whole`)
    return getValues(c, length / 8)
  },
  (s, a) => {
    u64.put(s, a.length * 8, undefined)
    putValues(s, a)
  },
)

/** u64s whose number follows from the fields before them. */
// deno-lint-ignore no-explicit-any
export const u64ColumnOf = (count: (self: any, version: number) => number): Field<Float64Array> =>
  field({
    schema,
    least: 0,
    get: (c, self) => getValues(c, count(self, c.version)),
    put: (s, a, self) => {
      const want = count(self, s.version)
      if (a.length !== want) throw new BinaryIssue(s.offset, `${a.length} values where ${want} belong`)
      putValues(s, a)
    },
    fit: (a, version, self) => {
      const out = new Float64Array(count(self, version))
      out.set(a.subarray(0, out.length))
      return out
    },
  })
