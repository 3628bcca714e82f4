/**
 * Format versions, and the version that introduced each feature.
 *
 * @module
 */

/**
 * The oldest format version.
 *
 * ```ts
 * import { OLDEST_VERSION, refusal } from "@tessera/array/schema"
 * import { assertEquals } from "@std/assert"
 *
 * assertEquals(refusal(OLDEST_VERSION), undefined)
 * assertEquals(refusal(OLDEST_VERSION - 1) !== undefined, true)
 * ```
 */
export const OLDEST_VERSION = 1
/**
 * The version that the released engines (2.25 – 2.30) write, and the default for writes.
 *
 * ```ts
 * import { CURRENT_VERSION } from "@tessera/array/schema"
 * import { assertEquals } from "@std/assert"
 *
 * assertEquals(CURRENT_VERSION, 22)
 * ```
 */
export const CURRENT_VERSION = 22
/**
 * The newest supported version: 23, as defined by the engine's development branch.
 *
 * ```ts
 * import { NEWEST_VERSION, refusal } from "@tessera/array/schema"
 * import { assertEquals } from "@std/assert"
 *
 * assertEquals(refusal(NEWEST_VERSION), undefined)
 * assertEquals(refusal(NEWEST_VERSION + 1) !== undefined, true)
 * ```
 */
export const NEWEST_VERSION = 23

/**
 * The format version that introduced each feature.
 *
 * ```ts
 * import { Since } from "@tessera/array/schema"
 * import { assertEquals } from "@std/assert"
 *
 * assertEquals([Since.nullable, Since.enumerations], [7, 20])
 * ```
 */
export const Since = {
  /** Fragment metadata in parts with a footer; `__t1_t2_uuid` names. */
  footer: 3,
  /** `__meta/`. */
  metadata: 4,
  /** One file per dimension, a datatype per dimension, `.ok` files. */
  splitDimensions: 5,
  /** Fill values in the schema. */
  fillValue: 6,
  /** Cells in Hilbert order. */
  hilbert: 7,
  /** Nullable attributes and validity files. */
  nullable: 7,
  /** Field file names percent-encoded. */
  encodedFileNames: 8,
  /** Field files `a0.tdb`, `d0.tdb`. */
  numberedFileNames: 9,
  /** Hilbert buckets computed from the distance between the domain bounds instead of the number of values. */
  hilbertDistance: 9,
  /** Chunks of var-sized values have sizes independent of their offsets. */
  ownVarChunks: 9,
  /** `__schema/`, and the schema's name in the footer. */
  schemaFolder: 10,
  /** Chunks of var-sized values end at cell boundaries. */
  wholeVarCells: 11,
  /** Minimum, maximum, sum and null count of every tile. */
  tileStatistics: 11,
  /** `__fragments/`, `__commits/`, `__fragment_meta/`. */
  folders: 12,
  /** Statistics of the whole fragment. */
  fragmentStatistics: 12,
  /** RLE folds the offsets of ASCII strings into the data. */
  foldedRle: 12,
  /** The dictionary filter folds the offsets of ASCII strings into the data. */
  foldedDictionary: 13,
  /** `t.tdb`. */
  timestamps: 14,
  /** `dt.tdb` and `dci.tdb`. */
  deleteMetadata: 15,
  /** Sparse fragments that overlap the time range are read, and their cells are filtered by timestamp. */
  timestampOverlap: 15,
  /** `.del` files; processed conditions in the footer. */
  deletes: 16,
  /** Folded strings may pass through further filters. */
  foldedChains: 16,
  /** The order of an attribute; folding of UTF-8 strings. */
  attributeOrder: 17,
  foldedUtf8: 17,
  dimensionLabels: 18,
  /** Vacuum files with lines relative to the array. */
  relativeVacuum: 19,
  /** The reinterpret type of delta. */
  deltaReinterpret: 19,
  enumerations: 20,
  /** The reinterpret type of double delta; bit-width reduction and positive delta on dates and times. */
  doubleDeltaReinterpret: 20,
  dateFilters: 20,
  /** Each filter receives the output type of the previous one, depending on the version of the engine that wrote. */
  typeFlow: 20,
  currentDomain: 22,
  optionalSections: 23,
} as const satisfies Record<string, number>

/**
 * Returns the reason why a version is not supported; `undefined` for supported versions.
 *
 * ```ts
 * import { refusal } from "@tessera/array/schema"
 * import { assertEquals, assertMatch } from "@std/assert"
 *
 * assertEquals(refusal(22), undefined)
 * assertMatch(refusal(24)!, /newer than 23/)
 * ```
 */
export const refusal = (version: number): string | undefined =>
  version === 0xffffffff
    ? "written by an experimental build (format version 4294967295), which no engine reads"
    : version > NEWEST_VERSION
    ? `format version ${version} is newer than ${NEWEST_VERSION}, the newest that this engine reads: use a newer tessera ` +
      `(or these bytes are from before TileDB 1.4, which is no longer supported)`
    : version < OLDEST_VERSION || !Number.isInteger(version)
    ? `${version} is not a format version: the array predates TileDB 1.4, or these are not TileDB bytes`
    : undefined

/**
 * Whether an unsupported version may belong to a later release; larger numbers are damage. Experimental builds wrote
 * all bits set.
 *
 * ```ts
 * import { isLater } from "@tessera/array/schema"
 * import { assertEquals } from "@std/assert"
 *
 * assertEquals([isLater(24), isLater(0x12345678)], [true, false])
 * ```
 */
export const isLater = (version: number): boolean =>
  version > NEWEST_VERSION && (version < 0x10000 || version === 0xffffffff)
