/** Random arrays, cells, metadata and schema changes, each with the result expected from the engine. */
import { ArraySchema, Attr, Dim, Filter, Metadata } from "../../../mod.ts"
import { arrayOf, type Datatype, datatypes, sizeOf } from "../../../schema/array/datatype.ts"
import { isText } from "../../../schema/array/scalar.ts"
import type { MetadataInput } from "../../../src/array/metadata/metadata_input.ts"
import type { Random } from "../../hostile/random.ts"

/** A metadata entry as the engine reports it; the number of values of an empty entry is 1. */
export interface MeantEntry {
  readonly key: string
  readonly type: string
  readonly num: number
  readonly value: unknown
}

/** A kind of attribute: creates the attribute, and random cells of it. */
interface Kind {
  readonly make: () => Attr.Attribute
  readonly cell: (random: Random) => unknown
}

const word = (random: Random): string =>
  Array.from({ length: random.below(6) }, () => random.pick(["a", "b", "c", "ö", "漢", " ", "0"])).join("")
const ascii = (random: Random): string =>
  // in some cases engines lose the cells after an empty cell: see known_engine_defects.ts
  Array.from({ length: 1 + random.below(6) }, () => random.pick(["a", "b", "c", "x", " ", "0"])).join("")
const nullOr = (cell: Kind["cell"]): Kind["cell"] => (random) => random.below(4) === 0 ? null : cell(random)

/** The attributes of the arrays. */
export const kinds: Readonly<Record<string, Kind>> = {
  whole: {
    make: () => Attr.int32({ filters: [Filter.byteshuffle(), Filter.zstd()] }),
    cell: (r) => r.below(1000) - 500,
  },
  maybe: {
    make: () => Attr.nullable(Attr.float64({ filters: [Filter.gzip()] })),
    cell: nullOr((r) => r.below(1000) / 8),
  },
  text: { make: () => Attr.utf8({ filters: [Filter.zstd()] }), cell: (r) => word(r) + "." },
  note: { make: () => Attr.nullable(Attr.ascii({ filters: [Filter.rle()] })), cell: nullOr(ascii) },
  when: { make: () => Attr.datetime("ms", { filters: [Filter.lz4()] }), cell: (r) => BigInt(r.below(2 ** 31)) * 1000n },
  color: {
    make: () => Attr.fill(Attr.multiValue(Attr.uint8(), 3), [1, 2, 3]),
    cell: (r) => [r.below(9), 0, r.below(9)],
  },
  filled: {
    make: () => Attr.fill(Attr.int16({ filters: [Filter.bit_width_reduction()] }), -7),
    cell: (r) => r.below(30),
  },
  nullableFill: {
    make: () => Attr.fill(Attr.nullable(Attr.int64()), 5, { valid: true }),
    cell: nullOr((r) => r.below(99)),
  },
}

/** Returns a random initial schema. */
export const firstSchema = (random: Random, formatVersion: number): ArraySchema.ArraySchema => {
  const names = ["whole", "text", "maybe"].slice(0, 1 + random.below(3))
  const attrs: Record<string, Attr.Attribute> = Object.fromEntries(names.map((name) => [name, kinds[name].make()]))
  const enumerations: Record<string, ReadonlyArray<string>> = {}
  if (formatVersion >= 20) {
    enumerations.sizes = ["small", "large"]
    attrs.size = Attr.enumerated(Attr.uint8(), "sizes")
  }
  return random.below(2) === 0
    ? ArraySchema.dense({
      dims: { y: Dim.int32([1, 8], { tile: 3 }), x: Dim.int32([1, 6], { tile: 4 }) },
      attrs,
      enumerations,
      order: random.pick(["row-major", "col-major"]),
      ...(formatVersion < 18 || random.below(2) === 0 ? {} : {
        labels: {
          lat: { dim: "y", type: "float64", order: "decreasing" },
          key: { dim: "x", type: "string_ascii", order: "increasing" },
        },
      }),
    })
    : ArraySchema.sparse({
      dims: { x: Dim.int64([0, 99], { tile: 10 }), name: Dim.ascii() },
      attrs,
      enumerations,
      capacity: 5,
      // formats 7 and 8 have another Hilbert order, which engines do not merge with that of later formats
      order: random.pick(["row-major", "col-major", ...(formatVersion < 9 ? [] : ["hilbert" as const])]),
    })
}

/** Whether the engine's record shows the values as one text; other values are a list, 64-bit values as strings. */
const isShownAsText = (type: Datatype): boolean => isText(type) || type === "geom_wkb"
const shown = (type: Datatype, value: number): unknown =>
  sizeOf(type) === 8 && type !== "float64" ? String(value) : value
const textOf = (values: ReadonlyArray<number>): unknown =>
  values.every((v) => v >= 32 || v === 9 || v === 10)
    ? String.fromCharCode(...values)
    : { hex: values.map((v) => v.toString(16).padStart(2, "0")).join("") }

/** Returns a random metadata value and its entries. */
export const randomMetadata = (
  random: Random,
  key: string,
): { readonly input: MetadataInput; readonly entries: ReadonlyArray<MeantEntry> } => {
  const one = (input: MetadataInput, type: string, num: number, value: unknown) => ({
    input,
    entries: [{ key, type, num: Math.max(num, 1), value: num === 0 ? null : value }],
  })
  const list = Array.from({ length: random.below(4) }, () => random.below(100))
  const type = random.pick(datatypes.filter((type) => type !== "any"))
  switch (random.below(8)) {
    case 0: {
      const text = word(random)
      return one(text, "string_utf8", new TextEncoder().encode(text).length, text)
    }
    case 1:
      return one(list[0] ?? -1, "int64", 1, [String(list[0] ?? -1)])
    case 2:
      return one(list.length + 0.5, "float64", 1, [list.length + 0.5])
    case 3:
      return one(Uint8Array.from(list), "blob", list.length, list)
    case 4:
      return one(list, "int64", list.length, list.map(String))
    case 5:
    case 6: {
      const values = new (arrayOf(type))(list.length)
      list.forEach((v, i) => values[i] = (sizeOf(type) === 8 && type !== "float64" ? BigInt(v) : v) as never)
      const value = isShownAsText(type) ? textOf(list) : list.map((v) => shown(type, v))
      return one(Metadata.of(type, values), type, list.length, value)
    }
    default: {
      const flat: MeantEntry = { key: `__np_flat_${key}`, type: "int32", num: 2, value: [1, list.length] }
      const shape: MeantEntry = { key: `__np_shape_${key}`, type: "int64", num: 2, value: ["1", "2"] }
      const flatOnly = random.below(2) === 0
      const input = Metadata.numpy(Int32Array.of(1, list.length), flatOnly ? {} : { shape: [1, 2] })
      return { input, entries: flatOnly ? [flat] : [flat, shape] }
    }
  }
}
