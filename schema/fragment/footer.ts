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

/** What the fragment's schema says about the layout of its footer. */
export interface FragmentShape {
  /** how many attributes */
  readonly attributes: number
  /** bytes of one value of each dimension */
  readonly dimensions: ReadonlyArray<RangeSize>
}

/**
 * Where everything in a fragment is. Lists "per field" run: attributes in the order of the schema, one slot of the zipped
 * coordinates, since format 5 the dimensions, and `t`, then `dt` and `dci` where cells have them; see {@link fieldCount}.
 */
export interface FragmentFooter {
  /** The format version of the fragment. */
  readonly version: number
  /** file name of the schema in `__schema`; "" before format 10: `__array_schema.tdb` */
  readonly schemaName: string
  /** Whether its cells lie without coordinates. */
  readonly dense: boolean
  /** one range per dimension */
  readonly nonEmptyDomain: ReadonlyArray<Range> | null
  /** 0 in dense fragments */
  readonly sparseTileCount: number
  /** Cells of the last tile of a sparse fragment; the others are full. */
  readonly lastTileCells: number
  /** Whether every cell has a time of its own: of consolidated fragments. */
  readonly hasTimestamps: boolean
  /** Whether every cell says when it was deleted. */
  readonly hasDeleteMetadata: boolean
  /** bytes of each field's files; 0 where there is none */
  readonly fileSizes: Float64Array
  /** Bytes of the files of var-sized values, by field. */
  readonly varFileSizes: Float64Array
  /** Bytes of the files of validity, by field. */
  readonly validityFileSizes: Float64Array
  /** Where the R-tree starts in the file. */
  readonly rtreeOffset: number
  /** where each part's generic tile starts in the file; no elements where the version has no such part */
  readonly tileOffsets: Float64Array
  /** Where the offsets of tiles of var-sized values start, by field. */
  readonly varTileOffsets: Float64Array
  /** Where the sizes of unfiltered tiles of var-sized values start, by field. */
  readonly varTileSizes: Float64Array
  /** Where the offsets of tiles of validity start, by field. */
  readonly validityTileOffsets: Float64Array
  /** Where the smallest values of the tiles start, by field. */
  readonly tileMins: Float64Array
  /** Where the largest values of the tiles start, by field. */
  readonly tileMaxes: Float64Array
  /** Where the sums of the tiles start, by field. */
  readonly tileSums: Float64Array
  /** Where the null counts of the tiles start, by field. */
  readonly tileNullCounts: Float64Array
  /** 0 before format 12 */
  readonly fragmentStatisticsOffset: number
  /** 0 before format 16 */
  readonly processedConditionsOffset: number
  /** What later engines added, which others may pass over. */
  readonly optionalSections: ReadonlyArray<OptionalSection>
}

type Flags = Pick<FragmentFooter, "hasTimestamps" | "hasDeleteMetadata">

/**
 * How many fields the lists "per field" have: attributes, the slot of the zipped coordinates, since format 5 the dimensions,
 * and those of `t`, `dt` and `dci`.
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

/** The entries of the lists of var-length files: until format 4 the attributes only. */
const varFieldCount = (version: number, flags: Flags, shape: FragmentShape): number =>
  version >= Since.splitDimensions ? fieldCount(version, flags, shape) : shape.attributes

/**
 * Behind a null flag the engine writes zeros for fixed dimensions (and its own reader of format 5 and later then
 * stumbles over them: a writer must not produce it).
 */
const nonEmptyDomain = (sizes: ReadonlyArray<RangeSize>): Field<ReadonlyArray<Range> | null> => {
  const zeros = sizes.reduce<number>((sum, size) => sum + (size === "var" ? 0 : 2 * size), 0)
  return field({
    schema: () => Schema.NullOr(rangesSchema()) as unknown as Schema.Schema<ReadonlyArray<Range> | null>,
    least: 1,
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
 * The footer of a fragment of that shape, at the version that it says itself. Engines from 2.8 on leave eight stray bytes
 * behind a footer of format 11: decode with `rest`, or use {@link decodeFooter}. Memoised. Format: `fragment.md`, "Footer".
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
 * Decodes a footer by the version that it begins with; throws `FormatError`.
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
 * The schema that a footer was written by, which says its shape; "" before format 10: `__array_schema.tdb`. Reads no more
 * than the footer's beginning; throws `FormatError`, also for a name that is not a file name.
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
 * How long the footer at the end of the file is: a number of bytes, or "trailing" where the file's last 8 bytes hold the
 * length of the footer before them. The version is the one of the fragment's name; for 3 and 4 the answer is the same.
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
