/**
 * Metadata of arrays and groups: the entries of one file in `__meta`.
 *
 * @module
 */
import { bool, bytes, bytesOf, type Codec, codec, type Field, field, listToEnd, struct, u32 } from "./binary/mod.ts"
import { type Datatype, DatatypeField, sizeOf } from "./array/datatype.ts"

/** A key set or deleted. */
export interface MetadataEntry {
  /** raw; keys are compared bytewise, and may be empty */
  readonly key: Uint8Array
  /** Whether the key was deleted: then there is no value. */
  readonly deleted: boolean
  /** "any" if deleted */
  readonly type: Datatype
  /** values; 0 is an empty value */
  readonly count: number
  /** The values, raw. */
  readonly value: Uint8Array
}

/** A field that deleted entries lack. */
const unlessDeleted = <A>(its: Field<A>, absent: A): Field<A> =>
  field({
    schema: () => its.schema,
    least: 0,
    get: (c, self: MetadataEntry) => self.deleted ? absent : its.get(c, self),
    put: (s, a, self: MetadataEntry) => {
      if (!self.deleted) its.put(s, a, self)
    },
    fit: (a, v, self: MetadataEntry) => self.deleted ? absent : its.fit(a, v, self),
  })

const small: Field<number> = field({
  ...u32,
  // the value's size follows from it
  schema: () => u32.schema.annotations({ arbitrary: () => (fc) => fc.nat(20) }),
})

/**
 * One entry. Format: `metadata.md`, "Metadata File".
 *
 * ```ts
 * import { decode, encode, MetadataEntry } from "@tessera/array/schema"
 * import { assertEquals } from "@std/assert"
 *
 * const key = new TextEncoder().encode("unit")
 * const entry: MetadataEntry = { key, deleted: false, type: "string_utf8", count: 2, value: Uint8Array.of(0xc2, 0xb0) }
 * assertEquals(decode(MetadataEntry, encode(MetadataEntry, entry, 22), 22, "mem://a"), entry)
 * ```
 */
export const MetadataEntry: Codec<MetadataEntry> = struct({
  key: bytes(u32),
  deleted: bool,
  type: unlessDeleted<Datatype>(DatatypeField, "any"),
  count: unlessDeleted(small, 0),
  value: bytesOf((self: MetadataEntry) => self.deleted ? 0 : self.count * sizeOf(self.type)),
})

/**
 * All entries of a file, in the order in which they were made: of a key that comes twice the later one counts. Format:
 * `metadata.md`.
 *
 * ```ts
 * import { encode, MetadataEntries, MetadataEntry } from "@tessera/array/schema"
 * import { assertEquals } from "@std/assert"
 *
 * const key = new TextEncoder().encode("unit")
 * const deleted: MetadataEntry = { key, deleted: true, type: "any", count: 0, value: new Uint8Array(0) }
 * assertEquals(encode(MetadataEntries, [deleted], 22).length, 4 + 4 + 1)
 * ```
 */
export const MetadataEntries: Codec<ReadonlyArray<MetadataEntry>> = codec(listToEnd(MetadataEntry))
