/**
 * The current domain (since format 22): the part of the domain in which cells may be written.
 *
 * @module
 */
import * as Schema from "effect/Schema"
import { bool, type Field, field, layoutVersion, literal } from "../binary/mod.ts"
import { coordinateSize, type Dimension } from "./dimension.ts"
import { fitRanges, getRanges, putRanges, type Range, type RangeSize, rangesSchema } from "./range.ts"

/** The current domain: empty (not set), or one range per dimension. */
export type CurrentDomain =
  | { readonly empty: true }
  | { readonly empty: false; readonly ranges: ReadonlyArray<Range> }

const layout = layoutVersion([0], "current domain")
const shape = literal({ rectangle: 0 }, "type of a current domain")

type Within = { readonly dimensions: ReadonlyArray<Dimension> }
const sizes = (self: Within): ReadonlyArray<RangeSize> => self.dimensions.map(coordinateSize)

/**
 * The codec of the current domain in an array schema. The size of its ranges depends on the dimensions of the schema;
 * without them, only an empty current domain can be read and written. Format: `current_domain.md`.
 *
 * ```ts
 * import { CurrentDomain, encode } from "@tessera/array/schema"
 * import { assertEquals } from "@std/assert"
 *
 * assertEquals(encode(CurrentDomain, { empty: true }, 22), Uint8Array.of(0, 0, 0, 0, 1))
 * ```
 */
export const CurrentDomain: Field<CurrentDomain> = field({
  schema: () =>
    Schema.Union(
      Schema.Struct({ empty: Schema.Literal(true) }),
      Schema.Struct({ empty: Schema.Literal(false), ranges: rangesSchema() }),
    ) as unknown as Schema.Schema<CurrentDomain>,
  minBytes: 5,
  get: (c, self: Within) => {
    layout.get(c, undefined)
    if (bool.get(c, undefined)) return { empty: true }
    shape.get(c, undefined)
    return { empty: false, ranges: getRanges(c, sizes(self)) }
  },
  put: (s, a, self: Within) => {
    layout.put(s, 0, undefined)
    bool.put(s, a.empty, undefined)
    if (a.empty) return
    shape.put(s, "rectangle", undefined)
    putRanges(s, a.ranges, sizes(self))
  },
  fit: (a, _, self: Within) => a.empty ? a : { empty: false, ranges: fitRanges(a.ranges, sizes(self)) },
})
