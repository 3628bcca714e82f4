/**
 * The domain of an array: the list of its dimensions.
 *
 * @module
 */
import * as Arbitrary from "effect/Arbitrary"
import * as Schema from "effect/Schema"
import { BinaryIssue, type Codec, codec, field, list, u32 } from "../binary/mod.ts"
import { DatatypeField } from "./datatype.ts"
import { type Dimension, dimensionOf } from "./dimension.ts"
import { Since } from "../version/version.ts"

/** A placeholder that is never read: since format 5 each dimension has its own datatype. */
const OWN = "any"

const Dimensions = list(u32, dimensionOf(OWN))

/**
 * The codec of the dimensions, at least one. Up to format 4 all dimensions share one datatype, which is stored before
 * them; dimensions of several datatypes cannot be written in these formats. Format: `array_schema.md`, "Domain".
 *
 * ```ts
 * import { BinaryIssue, decode, Domain, encode, noFilters } from "@tessera/array/schema"
 * import { assertEquals, assertThrows } from "@std/assert"
 *
 * const one = { cellValNum: 1, filters: noFilters, tileExtent: null }
 * const domain = [
 *   { ...one, name: "x", type: "uint8" as const, domain: Uint8Array.of(0, 9) },
 *   { ...one, name: "y", type: "int8" as const, domain: Uint8Array.of(0, 9) },
 * ]
 * assertEquals(decode(Domain, encode(Domain, domain, 5), 5, "mem://a"), domain)
 * assertThrows(() => encode(Domain, domain, 4), BinaryIssue, "need format version 5")
 * ```
 */
export const Domain: Codec<ReadonlyArray<Dimension>> = codec<ReadonlyArray<Dimension>>(field({
  schema: () =>
    Dimensions.schema.pipe(
      Schema.filter((dimensions) => dimensions.length > 0, {
        arbitrary: () => (fc) =>
          fc.array(Arbitrary.makeLazy(dimensionOf(OWN).schema)(fc), { minLength: 1, maxLength: 4 }),
      }),
    ) as unknown as Schema.Schema<ReadonlyArray<Dimension>>,
  minBytes: 4,
  get: (c) => {
    const at = c.offset
    const dimensions = c.version < Since.splitDimensions
      ? list(u32, dimensionOf(DatatypeField.get(c, undefined))).get(c, undefined)
      : Dimensions.get(c, undefined)
    if (dimensions.length === 0) throw new BinaryIssue(at, "an array has at least one dimension")
    return dimensions
  },
  put: (s, dimensions) => {
    if (s.version >= Since.splitDimensions) return Dimensions.put(s, dimensions, undefined)
    const { type } = dimensions[0]
    if (dimensions.some((d) => d.type !== type)) {
      throw new BinaryIssue(s.offset, `dimensions of several types need format version ${Since.splitDimensions}`)
    }
    DatatypeField.put(s, type, undefined)
    list(u32, dimensionOf(type)).put(s, dimensions, undefined)
  },
  fit: (dimensions, v) =>
    v >= Since.splitDimensions
      ? Dimensions.fit(dimensions, v, undefined)
      : list(u32, dimensionOf(dimensions[0].type)).fit(dimensions, v, undefined),
}))
