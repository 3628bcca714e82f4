/** Random schemas of a format version: all datatypes, cells of every form, filters, orders, domains, fill values. */
import { ArraySchema, Attr, Dim, Filter, SchemaError } from "../../../mod.ts"
import { type Datatype, datatypes, isFloat, isTemporal, sizeOf } from "../../../schema/datatype.ts"
import type { Filter as AnyFilter } from "../../../schema/filter.ts"
import { checkFormatVersion } from "../../../src/array/check_format_version.ts"
import type { Random } from "../../hostile/random.ts"

/** What a random schema is for. */
export interface SchemaKind {
  readonly version: number
  readonly sparse: boolean
}

const text: ReadonlyArray<Datatype> = datatypes.filter((type) => Attr.of(type).cellValNum === "var")

const filters: ReadonlyArray<() => AnyFilter> = [
  () => Filter.gzip(5),
  () => Filter.zstd(),
  () => Filter.lz4(),
  () => Filter.bzip2(1),
  () => Filter.rle,
  () => Filter.byteShuffle,
  () => Filter.bitShuffle,
  () => Filter.bitWidthReduction(),
  () => Filter.doubleDelta(),
  () => Filter.delta(),
  () => Filter.positiveDelta(),
  () => Filter.xor,
  () => Filter.checksumMd5,
  () => Filter.checksumSha256,
  () => Filter.dictionary,
  () => Filter.scaleFloat({ scale: 1, offset: 0, byteWidth: 8 }),
  () => Filter.noop,
]

/** Whether cells of a field must be small, and run up: filters refuse others. */
export const isTame = (all: ReadonlyArray<AnyFilter>): boolean =>
  all.some(({ type }) => ["delta", "double_delta", "positive_delta", "scale_float"].includes(type))

/** A pipeline that the engine can read again: what comes behind a filter with metadata of its own must take any bytes. */
const pipeline = (random: Random, type: Datatype, version: number): ReadonlyArray<AnyFilter> => {
  const chosen = Array.from({ length: random.pick([0, 0, 1, 1, 1, 2, 3]) }, () => random.pick(filters)())
  // what comes out of these is another type to the filters behind them, on which engines before format 20 do not agree
  const changes = chosen.some((f) => f.type === "scale_float" || (f.type === "xor" && version < 20))
  const fits = (filter: AnyFilter, i: number): boolean =>
    (i === 0 || !["rle", "dictionary", "delta", "double_delta", "scale_float", "xor"].includes(filter.type)) &&
    (filter.type !== "dictionary" || text.includes(type)) && (filter.type !== "scale_float" || isFloat(type))
  return chosen.filter(fits).filter((f, i) => !changes || i === 0 || f.type === "gzip" || f.type === "zstd")
}

const attribute = (random: Random, { version }: SchemaKind): Attr.Attribute => {
  const type = random.pick(datatypes)
  let made: Attr.Attribute = Attr.of(type, ...pipeline(random, type, version))
  const form = random.below(10)
  if (!text.includes(type) && form === 0) made = Attr.varSized(made)
  if (!text.includes(type) && form === 1) made = Attr.multiValue(made, 2 + random.below(2))
  if (version >= 7 && random.below(3) === 0) made = Attr.nullable(made)
  if (version >= 6 && random.below(4) === 0 && made.cellValNum === 1 && !isTemporal(type)) {
    made = Attr.fill(made, 1, { valid: random.below(2) === 0 })
  }
  return made
}

const wholeTypes = ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"] as const
const lowOf = (type: string): number => type.startsWith("u") ? 0 : -7

/** A dimension of so many values, or of text. */
const dimension = (random: Random, type: Dim.DimensionType, sparse: boolean, version: number): Dim.Dimension => {
  const own = version >= 5 && random.below(3) === 0
    ? { filters: [random.pick([Filter.zstd(), Filter.gzip(), Filter.lz4()])] }
    : {}
  if (type === "string_ascii") return Dim.ascii(own)
  if (type === "float32" || type === "float64") return Dim[type]([-8, 8], { tile: random.pick([1, 4, 16]), ...own })
  const length = sparse ? 40 : 3 + random.below(9)
  const low = lowOf(type)
  const tile = 1 + random.below(length)
  const wide = sizeOf(type) === 8
  const make = type.startsWith("datetime_")
    ? (d: readonly [bigint, bigint], t: bigint) => Dim.datetime(type.slice(9) as "ms", d, { tile: t, ...own })
    : type.startsWith("time_")
    ? (d: readonly [bigint, bigint], t: bigint) => Dim.time(type.slice(5) as "ms", d, { tile: t, ...own })
    // deno-lint-ignore no-explicit-any
    : (d: any, t: any) => Dim[type as "int32"](d, { tile: t, ...own })
  return wide
    // deno-lint-ignore no-explicit-any
    ? (make as any)([BigInt(low), BigInt(low + length - 1)], BigInt(tile))
    // deno-lint-ignore no-explicit-any
    : (make as any)([low, low + length - 1], tile)
}

const dimensions = (random: Random, { sparse, version }: SchemaKind): Record<string, Dim.Dimension> => {
  const count = 1 + random.below(3)
  const dates = datatypes.filter((type) => isTemporal(type) && (version >= 9 || type.startsWith("datetime_")))
  const any = [
    ...wholeTypes,
    ...dates.slice(0, 3),
    random.pick(dates),
    "float32",
    "float64",
    ...(version >= 5 ? ["string_ascii"] : []),
  ]
  const dense = [...wholeTypes, random.pick(dates)]
  const one = random.pick(sparse ? any : dense)
  const names = ["x", "y", "the z"]
  return Object.fromEntries(
    names.slice(0, count).map((name) => {
      const type = sparse && version >= 5 ? random.pick(any) : one
      return [name, dimension(random, type as Dim.DimensionType, sparse, version)]
    }),
  )
}

const once = (random: Random, kind: SchemaKind): ArraySchema.ArraySchema => {
  const { sparse, version } = kind
  const names = ["a", "b c", "é", "d-1", "e&f"].slice(0, 1 + random.below(5))
  const attrs = Object.fromEntries(names.map((name) => [name, attribute(random, kind)]))
  const common = {
    dims: dimensions(random, kind),
    attrs,
    tileOrder: random.pick(["row-major", "col-major"] as const),
    offsetsFilters: [random.pick([Filter.zstd(), Filter.gzip(3), Filter.doubleDelta(), Filter.positiveDelta()])],
    coordsFilters: random.pick([[Filter.zstd()], [Filter.lz4(), Filter.gzip()], [Filter.byteShuffle, Filter.zstd(3)]]),
    validityFilters: random.pick([[Filter.rle], [Filter.gzip()], []]),
  }
  const orders = ["row-major", "col-major"] as const
  return sparse
    ? ArraySchema.sparse({
      ...common,
      // engines of formats 7 and 8 had another Hilbert order, by which the newest finds cells twice
      order: random.pick(version >= 9 ? [...orders, "hilbert"] : orders),
      capacity: random.pick([1, 4, 10, 1000]),
      allowsDuplicates: version >= 5 && random.below(4) === 0,
    })
    : ArraySchema.dense({ ...common, order: random.pick(orders) })
}

/** A schema that arrays of the version can have. */
export const randomSchema = (random: Random, kind: SchemaKind): ArraySchema.ArraySchema => {
  for (;;) {
    try {
      const schema = once(random, kind)
      checkFormatVersion(ArraySchema.toStructure(schema, { version: kind.version }))
      return schema
    } catch (error) {
      if (!(error instanceof SchemaError)) throw error
    }
  }
}
