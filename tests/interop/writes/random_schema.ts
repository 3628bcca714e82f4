/**
 * Random schemas of a format version: all datatypes, all cell sizes, filters, orders, domains, fill values,
 * enumerations, current domains.
 */
import { ArraySchema, Attr, Dim, Filter, SchemaError } from "../../../mod.ts"
import { type Datatype, datatypes, isFloat, isTemporal, sizeOf } from "../../../schema/array/datatype.ts"
import type { Filter as AnyFilter } from "../../../schema/array/filter.ts"
import { checkFormatVersion } from "../../../src/array/create/check_format_version.ts"
import type { Random } from "../../hostile/random.ts"

/** The purpose of a random schema. */
export interface SchemaKind {
  readonly version: number
  readonly sparse: boolean
  /** One dimension with thousands of cells, and few attributes. */
  readonly large: boolean
  /** For an engine of the array's format version. */
  readonly old: boolean
}

const text: ReadonlyArray<Datatype> = datatypes.filter((type) => Attr.of(type).cellValNum === "var")

const folds: ReadonlyArray<AnyFilter> = [Filter.rle(), Filter.dictionary()]
const scales: ReadonlyArray<AnyFilter> = [
  Filter.scale_float({ scale: 1, offset: 0, byteWidth: 8 }),
  Filter.scale_float({ scale: 0.5, offset: -1, byteWidth: 2 }),
]

const filters: ReadonlyArray<() => AnyFilter> = [
  () => Filter.gzip({ level: 5 }),
  () => Filter.zstd(),
  () => Filter.lz4(),
  () => Filter.bzip2({ level: 1 }),
  () => Filter.rle(),
  () => Filter.byteshuffle(),
  () => Filter.bitshuffle(),
  () => Filter.bit_width_reduction(),
  () => Filter.bit_width_reduction({ maxWindow: 16 }),
  () => Filter.double_delta(),
  () => Filter.delta(),
  () => Filter.positive_delta(),
  () => Filter.positive_delta({ maxWindow: 40 }),
  () => Filter.xor(),
  () => Filter.checksum_md5(),
  () => Filter.checksum_sha256(),
  () => Filter.noop(),
]

/** The kind of cells that filters accept: any, small ones, or all the same. */
export type Temper = "any" | "small" | "same"

/** Returns the kind of cells that all filters accept. */
export const temperOf = (all: ReadonlyArray<AnyFilter>): Temper =>
  all.some(({ type }) => type === "positive_delta")
    ? "same"
    : all.some(({ type }) => ["delta", "double_delta", "scale_float"].includes(type))
    ? "small"
    : "any"

/**
 * Returns a pipeline that the engine can read: after a filter with its own metadata, filters must accept any bytes.
 */
const pipeline = (random: Random, type: Datatype, version: number): ReadonlyArray<AnyFilter> => {
  const chosen = Array.from({ length: random.pick([0, 0, 1, 1, 1, 2, 3]) }, () => random.pick(filters)())
  // picked more often, since few types support these filters
  const own = isFloat(type) ? scales : type === "string_ascii" || type === "string_utf8" ? folds : []
  if (own.length > 0 && random.below(3) === 0) chosen[0] = random.pick(own)
  // these filters change the type for the following filters, in which engines before format 20 differ
  const changes = chosen.some((f) => f.type === "scale_float" || (f.type === "xor" && version < 20))
  const fits = (filter: AnyFilter, i: number): boolean =>
    (i === 0 || !["rle", "dictionary", "delta", "double_delta", "scale_float", "xor"].includes(filter.type)) &&
    (filter.type !== "dictionary" || text.includes(type)) && (filter.type !== "scale_float" || isFloat(type))
  return chosen.filter(fits).filter((f, i) => !changes || i === 0 || f.type === "gzip" || f.type === "zstd")
}

const attribute = (random: Random, { version, large }: SchemaKind): Attr.Attribute => {
  const type = random.pick(datatypes)
  let made: Attr.Attribute = Attr.of(type, { filters: [...pipeline(random, type, version)] })
  const form = random.below(10)
  if (!text.includes(type) && form === 0) made = Attr.varSized(made)
  if (!text.includes(type) && form === 1) made = Attr.multiValue(made, 2 + random.below(2))
  if (version >= 7 && random.below(3) === 0) made = Attr.nullable(made)
  if (version >= 6 && random.below(4) === 0 && made.cellValNum === 1 && !isTemporal(type)) {
    made = Attr.fill(made, 1, { valid: random.below(2) === 0 })
  }
  // small chunks, so that small tiles have several chunks
  const maxChunkSize = random.below(large ? 3 : 6) === 0 ? random.pick([40, 300, 1000]) : made.filters.maxChunkSize
  return { ...made, filters: { ...made.filters, maxChunkSize } }
}

/** Returns an attribute whose cells are codes of an enumeration. */
const enumerated = (random: Random, name: string): Attr.Attribute => {
  const type = random.pick(["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"] as const)
  const made = Attr.enumerated(
    Attr.of(type, { filters: [...random.pick([[], [Filter.zstd()], [Filter.bit_width_reduction()]])] }),
    name,
  )
  return random.below(2) === 0 ? Attr.nullable(made) : made
}

const enumerations: ReadonlyArray<ArraySchema.EnumerationInput> = [
  ["red", "green", "blue", ""],
  { values: ["a", "größe", "漢"], ordered: true },
  { values: ["x", "yy", "zzz"], type: "string_ascii", ordered: true },
  Int32Array.of(10, -20, 30),
  { values: [1.5, 2.5], type: "float32" },
  [2n ** 60n, -1n],
]

const wholeTypes = ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"] as const

/** Returns the lower bound of a dimension: a small one, or the minimum of the datatype. */
const lowOf = (random: Random, type: Datatype, { old, sparse, version }: SchemaKind): bigint => {
  // engines before 2.10 crash or hang on many of their own dense arrays with negative coordinates: a few such arrays
  // are enough
  const fails = old && !sparse && version < 14 && random.below(8) > 0
  if (fails || type.startsWith("u")) return 0n
  if (isTemporal(type) || random.below(4) > 0) return -7n
  return -(2n ** BigInt(8 * sizeOf(type) - 1)) + (random.below(2) === 0 ? 0n : 1n)
}

const coordinateFilters = (random: Random, type: Datatype): ReadonlyArray<AnyFilter> => {
  const any = [[Filter.zstd()], [Filter.gzip()], [Filter.lz4()], [Filter.bzip2({ level: 2 })], [
    Filter.checksum_md5(),
    Filter.zstd(),
  ]]
  if (type === "string_ascii") {
    return random.pick([...any, [Filter.rle()], [Filter.dictionary()], [Filter.rle(), Filter.gzip()]])
  }
  const shuffles = [[Filter.byteshuffle(), Filter.zstd()], [Filter.bitshuffle()], [Filter.rle()]]
  if (isFloat(type)) return random.pick([...any, ...shuffles])
  return random.pick([...any, ...shuffles, [Filter.double_delta()], [Filter.bit_width_reduction(), Filter.zstd()]])
}

/** Returns a dimension of `length` values, or of text. */
const dimension = (random: Random, type: Dim.DimensionType, kind: SchemaKind, length: number): Dim.Dimension => {
  const own = kind.version >= 5 && random.below(3) === 0 ? { filters: coordinateFilters(random, type) } : {}
  if (type === "string_ascii") return Dim.ascii(own)
  if (type === "float32" || type === "float64") return Dim[type]([-8, 8], { tile: random.pick([1, 4, 16]), ...own })
  const low = lowOf(random, type, kind)
  // the engine counts the cells of such tiles in 8 bits: see known_engine_defects.ts
  const maxExtent = !kind.sparse && sizeOf(type) === 1 ? Math.min(length, 11) : length
  const tile = 1 + random.below(kind.large ? random.pick([length, 500]) : maxExtent)
  const value = (n: bigint): number | bigint => sizeOf(type) === 8 ? n : Number(n)
  // a single tile whose length exceeds the signed datatype
  if (kind.sparse && !kind.old && low < 0n && random.below(5) === 0) {
    const half = 2n ** BigInt(8 * sizeOf(type) - 1)
    return Dim.of(type, [value(2n - half), value(half - 2n)] as never, own)
  }
  return Dim.of(type, [value(low), value(low + BigInt(length - 1))] as never, {
    tile: value(BigInt(tile)) as never,
    ...own,
  })
}

const dimensions = (random: Random, kind: SchemaKind, slack: number): Record<string, Dim.Dimension> => {
  const { sparse, version, large } = kind
  const count = large ? 1 : 1 + random.below(3)
  const dates = datatypes.filter((type) => isTemporal(type) && (version >= 9 || type.startsWith("datetime_")))
  const whole = large ? wholeTypes.filter((type) => sizeOf(type) > 1) : wholeTypes
  const any = [
    ...whole,
    ...dates.slice(0, 3),
    random.pick(dates),
    // 1.x sorts floats differently; in that order the newest engine returns cells twice
    ...(large || (version < 5 && !kind.old) ? [] : ["float32", "float64"]),
    ...(large || version < 5 ? [] : ["string_ascii", "string_ascii"]),
  ]
  const dense = [...whole, random.pick(dates)]
  const one = random.pick(sparse ? any : dense)
  const names = ["x", "y", "the z"]
  return Object.fromEntries(
    names.slice(0, count).map((name) => {
      const type = sparse && version >= 5 ? random.pick(any) : one
      const length = large ? 4000 + random.below(8000) : sparse ? 40 : 3 + random.below(9)
      return [name, dimension(random, type as Dim.DimensionType, kind, length + random.below(slack + 1))]
    }),
  )
}

/** Returns a current domain: a part of each domain, as long as a domain without a current domain. */
const currentDomain = (random: Random, dims: Record<string, Dim.Dimension>, { sparse }: SchemaKind) =>
  Object.fromEntries(
    Object.entries(dims).map(([name, { type, domain }]) => {
      if (type === "string_ascii") return [name, ["0", "kkz"]]
      const [low, high] = domain!
      if (isFloat(type)) return [name, random.pick([[low, high], [-7.5, 7.25]])]
      const length = Math.min(Number(BigInt(high) - BigInt(low)) + 1, sparse ? 40 : 11)
      const from = BigInt(low) + BigInt(random.below(Number(BigInt(high) - BigInt(low)) + 2 - length))
      const value = (n: bigint): number | bigint => sizeOf(type) === 8 ? n : Number(n)
      return [name, [value(from), value(from + BigInt(length - 1))]]
    }),
  )

const once = (random: Random, kind: SchemaKind): ArraySchema.ArraySchema => {
  const { sparse, version, large } = kind
  const names = ["a", "b c", "é", "d-1", "e&f"].slice(0, 1 + random.below(large ? 2 : 5))
  const attrs = Object.fromEntries(names.map((name) => [name, attribute(random, kind)]))
  const lists: Record<string, ArraySchema.EnumerationInput> = {}
  if (version >= 20 && random.below(4) === 0) {
    lists.kinds = random.pick(enumerations)
    attrs.kind = enumerated(random, "kinds")
    if (random.below(3) === 0) attrs["other kind"] = enumerated(random, "kinds")
  }
  const bounded = version >= 22 && !large && random.below(4) === 0
  const dims = dimensions(random, kind, bounded ? 20 : 0)
  const columns = Object.values(dims)[1]?.tile
  if (!sparse && !kind.old && version >= 17 && Object.keys(dims).length === 2 && random.below(2) === 0) {
    const format = Number(columns) % 3 === 0
      ? random.pick(["rgb", "bgr"] as const)
      : random.pick(["rgba", "bgra"] as const)
    attrs.picture = Attr.uint8({ filters: [Filter.webp({ format, lossless: true })] })
  }
  const common = {
    dims,
    attrs,
    enumerations: lists,
    ...(bounded ? { currentDomain: currentDomain(random, dims, kind) as never } : {}),
    tileOrder: random.pick(["row-major", "col-major"] as const),
    offsetsFilters: [
      random.pick([Filter.zstd(), Filter.gzip({ level: 3 }), Filter.double_delta(), Filter.positive_delta()]),
    ],
    coordsFilters: random.pick([[Filter.zstd()], [Filter.lz4(), Filter.gzip()], [
      Filter.byteshuffle(),
      Filter.zstd({ level: 3 }),
    ]]),
    validityFilters: random.pick([[Filter.rle()], [Filter.gzip()], []]),
  }
  const orders = ["row-major", "col-major"] as const
  return sparse
    ? ArraySchema.sparse({
      ...common,
      // formats 7 and 8 have another Hilbert order; in that order the newest engine returns cells twice
      order: random.pick(version >= 9 ? [...orders, "hilbert"] : orders),
      capacity: random.pick(large ? [100, 1000, 100_000] : [1, 4, 10, 1000]),
      allowsDuplicates: version >= 5 && random.below(4) === 0,
    })
    : ArraySchema.dense({ ...common, order: random.pick(orders) })
}

/** Returns a random schema that the format version supports. */
export const randomSchema = (random: Random, kind: SchemaKind): ArraySchema.ArraySchema => {
  for (;;) {
    try {
      const schema = once(random, kind)
      checkFormatVersion(ArraySchema.toStructure(schema, { version: kind.version, enumerationFile: (name) => name }))
      return schema
    } catch (error) {
      if (!(error instanceof SchemaError)) throw error
    }
  }
}
