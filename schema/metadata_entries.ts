/**
 * Metadata of arrays and groups: the entries of one file in `__meta`.
 *
 * @module
 */
import { bool, bytes, bytesOf, type Codec, codec, type Field, field, listToEnd, struct, u32 } from "./binary/mod.ts"
import { type Datatype, DatatypeField, sizeOf } from "./array/datatype.ts"

/** A metadata entry: a key that was set or deleted. */
export interface MetadataEntry {
  /** The raw key. Keys are compared bytewise and may be empty. */
  readonly key: Uint8Array
  /** Whether the key was deleted; if so, there is no value. */
  readonly deleted: boolean
  /** The datatype of the value; "any" if deleted. */
  readonly type: Datatype
  /** The number of values; 0 is an empty value. */
  readonly count: number
  /** The values, raw. */
  readonly value: Uint8Array
}

/** A field that deleted entries do not have. */
const unlessDeleted = <A>(stored: Field<A>, absent: A): Field<A> =>
  field({
    schema: () => stored.schema,
    minBytes: 0,
    get: (c, self: MetadataEntry) => self.deleted ? absent : stored.get(c, self),
    put: (s, a, self: MetadataEntry) => {
      if (!self.deleted) stored.put(s, a, self)
    },
    fit: (a, v, self: MetadataEntry) => self.deleted ? absent : stored.fit(a, v, self),
  })

const small: Field<number> = field({
  ...u32,
  // the size of the value depends on it
  schema: () => u32.schema.annotations({ arbitrary: () => (fc) => fc.nat(20) }),
})

/**
 * The codec of an entry. Format: `metadata.md`, "Metadata File".
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
 * The codec of the entries of a file, in the order of their creation: if a key occurs twice, the later entry applies.
 * Format: `metadata.md`.
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
