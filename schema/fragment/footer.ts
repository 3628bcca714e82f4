/**
 * Footers of fragment metadata, formats 3–23: the plain bytes at the end of `__fragment_metadata.tdb`.
 *
 * @module
 */
import { boundedMemo } from "../binary/bounded_memo.ts"
import * as Schema from "effect/Schema"
import {
  bool,
  type Codec,
  type Field,
  field,
  list,
  ownVersion,
  since,
  struct,
  u32,
  u64,
  u64ColumnOf,
  utf8,
} from "../binary/mod.ts"
import { decodeByOwnVersion } from "../version/by_own_version.ts"
import { checkInnerPath } from "../name/inner_path.ts"
import { fitRanges, getRanges, putRanges, type Range, type RangeSize, rangesSchema } from "../array/range.ts"
import { Since } from "../version/version.ts"
import { OptionalSection } from "./optional_section.ts"

/** The properties of the fragment's schema that determine the layout of its footer. */
export interface FragmentShape {
  /** The number of attributes. */
  readonly attributes: number
  /** The size of one value of each dimension, in bytes. */
  readonly dimensions: ReadonlyArray<RangeSize>
}

/**
 * The positions of all parts of a fragment. Lists "by field" contain the attributes in schema order, one slot for
 * zipped coordinates, since format 5 the dimensions, and, if present, `t`, then `dt` and `dci`; see {@link fieldCount}.
 */
export interface FragmentFooter {
  /** The format version of the fragment. */
  readonly version: number
  /** The file name of the schema in `__schema`; "" before format 10, for `__array_schema.tdb`. */
  readonly schemaName: string
  /** Whether the fragment is dense: stores no coordinates. */
  readonly dense: boolean
  /** The range of the written cells in each dimension; `null` if there are no cells. */
  readonly nonEmptyDomain: ReadonlyArray<Range> | null
  /** The number of tiles of a sparse fragment; 0 in dense fragments. */
  readonly sparseTileCount: number
  /** The number of cells in the last tile of a sparse fragment; all other tiles are full. */
  readonly lastTileCells: number
  /** Whether every cell has a timestamp, as in consolidated fragments. */
  readonly hasTimestamps: boolean
  /** Whether every cell has the timestamp of its deletion. */
  readonly hasDeleteMetadata: boolean
  /** The size of each field's file in bytes; 0 for a missing file. */
  readonly fileSizes: Float64Array
  /** The sizes of the files of var-sized values, by field. */
  readonly varFileSizes: Float64Array
  /** The sizes of the validity files, by field. */
  readonly validityFileSizes: Float64Array
  /** The offset of the R-tree in the file. */
  readonly rtreeOffset: number
  /** The offset of the generic tile of each part in the file; empty if the version lacks the part. */
  readonly tileOffsets: Float64Array
  /** The offsets of the tile offsets of var-sized values, by field. */
  readonly varTileOffsets: Float64Array
  /** The offsets of the unfiltered tile sizes of var-sized values, by field. */
  readonly varTileSizes: Float64Array
  /** The offsets of the tile offsets of validity, by field. */
  readonly validityTileOffsets: Float64Array
  /** The offsets of the tile minimums, by field. */
  readonly tileMins: Float64Array
  /** The offsets of the tile maximums, by field. */
  readonly tileMaxes: Float64Array
  /** The offsets of the tile sums, by field. */
  readonly tileSums: Float64Array
  /** The offsets of the tile null counts, by field. */
  readonly tileNullCounts: Float64Array
  /** The offset of the fragment statistics; 0 before format 12. */
  readonly fragmentStatisticsOffset: number
  /** The offset of the processed conditions; 0 before format 16. */
  readonly processedConditionsOffset: number
  /** Sections added by later engines, which readers may skip. */
  readonly optionalSections: ReadonlyArray<OptionalSection>
}

type Flags = Pick<FragmentFooter, "hasTimestamps" | "hasDeleteMetadata">

/**
 * Returns the number of fields in the lists "by field": attributes, the slot of zipped coordinates, since format 5 the
 * dimensions, and, if present, `t`, `dt` and `dci`.
 *
 * ```ts
 * import { fieldCount } from "@tessera/array/schema"
 * import { assertEquals } from "@std/assert"
 *
 * const flags = { hasTimestamps: true, hasDeleteMetadata: false }
 * assertEquals(fieldCount(22, flags, { attributes: 3, dimensions: [4, 4] }), 3 + 1 + 2 + 1)
 * ```
 */
export const fieldCount = (version: number, flags: Flags, shape: FragmentShape): number =>
  shape.attributes + 1 + (version >= Since.splitDimensions ? shape.dimensions.length : 0) +
  (flags.hasTimestamps ? 1 : 0) + (flags.hasDeleteMetadata ? 2 : 0)

/** Returns the length of the lists of var-sized files: up to format 4 they contain only attributes. */
const varFieldCount = (version: number, flags: Flags, shape: FragmentShape): number =>
  version >= Since.splitDimensions ? fieldCount(version, flags, shape) : shape.attributes

/**
 * After a null flag the engine writes zeros for fixed-size dimensions, but its own reader fails on them since format 5,
 * so a writer must not produce a null domain.
 */
const nonEmptyDomain = (sizes: ReadonlyArray<RangeSize>): Field<ReadonlyArray<Range> | null> => {
  const zeros = sizes.reduce<number>((sum, size) => sum + (size === "var" ? 0 : 2 * size), 0)
  return field({
    schema: () => Schema.NullOr(rangesSchema()) as unknown as Schema.Schema<ReadonlyArray<Range> | null>,
    minBytes: 1,
    get: (c) => {
      if (!bool.get(c, undefined)) return getRanges(c, sizes)
      c.take(zeros)
      return null
    },
    put: (s, a) => {
      bool.put(s, a === null, undefined)
      if (a === null) s.append(new Uint8Array(zeros))
      else putRanges(s, a, sizes)
    },
    fit: (a) => a === null ? null : fitRanges(a, sizes),
  })
}

const noValues = new Float64Array(0)

const make = (shape: FragmentShape): Codec<FragmentFooter> => {
  const all = u64ColumnOf((self: FragmentFooter, version) => fieldCount(version, self, shape))
  const vars = u64ColumnOf((self: FragmentFooter, version) => varFieldCount(version, self, shape))
  const validity = since(Since.nullable, all, noValues)
  const statistics = since(Since.tileStatistics, all, noValues)
  return struct({
    version: ownVersion,
    schemaName: since(Since.schemaFolder, utf8(u64), ""),
    dense: bool,
    nonEmptyDomain: nonEmptyDomain(shape.dimensions),
    sparseTileCount: u64,
    lastTileCells: u64,
    hasTimestamps: since(Since.timestamps, bool, false),
    hasDeleteMetadata: since(Since.deleteMetadata, bool, false),
    fileSizes: all,
    varFileSizes: vars,
    validityFileSizes: validity,
    rtreeOffset: u64,
    tileOffsets: all,
    varTileOffsets: vars,
    varTileSizes: vars,
    validityTileOffsets: validity,
    tileMins: statistics,
    tileMaxes: statistics,
    tileSums: statistics,
    tileNullCounts: statistics,
    fragmentStatisticsOffset: since(Since.fragmentStatistics, u64, 0),
    processedConditionsOffset: since(Since.deletes, u64, 0),
    optionalSections: since<ReadonlyArray<OptionalSection>>(Since.optionalSections, list(u32, OptionalSection), []),
  })
}

/**
 * Returns the codec of a footer for a fragment of this shape, at the version stored in it. Engines since 2.8 append
 * eight unused bytes to footers of format 11: decode with `rest`, or use {@link decodeFooter}. Memoised. Format:
 * `fragment.md`, "Footer".
 *
 * ```ts
 * import { decode, FormatError, fragmentFooter } from "@tessera/array/schema"
 * import { assertEquals, assertThrows } from "@std/assert"
 *
 * const Footer = fragmentFooter({ attributes: 1, dimensions: [4] })
 * assertEquals(Footer, fragmentFooter({ attributes: 1, dimensions: [4] }))
 * assertThrows(() => decode(Footer, Uint8Array.of(22, 0, 0, 0, 1), 22, "mem://a"), FormatError, "schemaName")
 * ```
 */
export const fragmentFooter: (shape: FragmentShape) => Codec<FragmentFooter> = boundedMemo(
  (shape: FragmentShape) => `${shape.attributes},${shape.dimensions.join()}`,
  make,
)

/**
 * Decodes a footer, using the version at its start. Throws `FormatError`.
 *
 * ```ts
 * import { localFiles } from "@tessera/array/platform"
 * import { decodeFooter } from "@tessera/array/schema"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 *
 * const folder = "tests/golden/demo/weather/__fragments"
 * const [{ name }] = Effect.runSync(localFiles.list(folder))
 * const file = Effect.runSync(localFiles.read(`${folder}/${name}/__fragment_metadata.tdb`))
 * const length = Number(new DataView(file.buffer, file.byteOffset).getBigUint64(file.length - 8, true))
 * const footer = decodeFooter(file.subarray(-8 - length, -8), { attributes: 2, dimensions: [4, 4] }, folder)
 * assertEquals([footer.version, footer.dense, footer.nonEmptyDomain?.length], [22, true, 2])
 * ```
 */
export const decodeFooter = (bytes: Uint8Array, shape: FragmentShape, uri: string, base = 0): FragmentFooter =>
  decodeByOwnVersion(fragmentFooter(shape), bytes, uri, {
    base,
    rest: bytes.byteLength >= 4 && bytes[0] === Since.tileStatistics,
  })

const schemaNameHead = struct({ version: ownVersion, schemaName: since(Since.schemaFolder, utf8(u64), "") })

/**
 * Returns the name of the schema of a footer, which determines its shape; "" before format 10, for
 * `__array_schema.tdb`. Reads only the start of the footer. Throws `FormatError`, also for a name that is not a file
 * name.
 *
 * ```ts
 * import { footerSchemaName } from "@tessera/array/schema"
 * import { assertEquals } from "@std/assert"
 *
 * const footer = Uint8Array.of(22, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 0x5f, 0x5f, 0x31)
 * assertEquals(footerSchemaName(footer, "mem://a"), "__1")
 * ```
 */
export const footerSchemaName = (bytes: Uint8Array, uri: string, base = 0): string => {
  const { version, schemaName } = decodeByOwnVersion(schemaNameHead, bytes, uri, { base, rest: true })
  // "" before format 10
  if (schemaName !== "") checkInnerPath(schemaName, { uri, path: "schemaName", version, offset: base }, "file")
  return schemaName
}

/**
 * Returns the length of the footer at the end of the file in bytes, or "trailing" if the last 8 bytes of the file
 * contain the length of the footer before them. `version` is the version in the fragment's name; 3 and 4 give the same
 * result.
 *
 * ```ts
 * import { footerLength } from "@tessera/array/schema"
 * import { assertEquals } from "@std/assert"
 *
 * assertEquals(footerLength(22, { attributes: 1, dimensions: [4] }), "trailing")
 * assertEquals(footerLength(5, { attributes: 1, dimensions: [4] }), 158)
 * ```
 */
export const footerLength = (version: number, shape: FragmentShape): number | "trailing" => {
  if (version >= Since.schemaFolder || shape.dimensions.includes("var")) return "trailing"
  const flags = { hasTimestamps: false, hasDeleteMetadata: false }
  const all = fieldCount(version, flags, shape)
  const vars = varFieldCount(version, flags, shape)
  const domain = (shape.dimensions as ReadonlyArray<number>).reduce((sum, size) => sum + 2 * size, 0)
  // version 4, dense 1, null 1, tile count and last tile 16, R-tree 8
  return 30 + domain + 8 * (2 * all + 3 * vars + (version >= Since.nullable ? 2 * all : 0))
}
