/** Bulk columns: whole typed arrays that never pass through Schema cell by cell. */
import * as Schema from "effect/Schema"
import { type Field, primitive, u64 } from "./field.ts"
import { BinaryIssue } from "./issue.ts"

/**
 * A `count u64` and that many u64, as numbers in a `Float64Array`; values past 2^53 − 1 are refused. Reads 100,000 in
 * well under a millisecond where a list of fields would take tens.
 */
export const u64Column: Field<Float64Array> = primitive(
  Schema.instanceOf(Float64Array).annotations({
    arbitrary: () => (fc) =>
      fc.array(fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER })).map((a) => Float64Array.from(a)),
  }) as unknown as Schema.Schema<Float64Array>,
  8,
  (c) => {
    const n = u64.get(c, undefined)
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
  },
  (s, a) => {
    u64.put(s, a.length, undefined)
    let at = s.reserve(8 * a.length)
    const view = s.view
    for (let i = 0; i < a.length; i++, at += 8) {
      view.setUint32(at, a[i] % 0x100000000, true)
      view.setUint32(at + 4, Math.floor(a[i] / 0x100000000), true)
    }
  },
)
