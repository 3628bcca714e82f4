/** Declared schemas for the type tests; the first is the schema of the demo array. */
import { ArraySchema, Attr, Dim, Filter } from "../../mod.ts"

const dims = { day: Dim.int32([1, 366], { tile: 7 }), station: Dim.int32([1, 100], { tile: 10 }) }

/** The demo array. */
export const Weather = ArraySchema.dense({
  dims,
  attrs: {
    temperature: Attr.float32({ filters: [Filter.byteshuffle(), Filter.zstd({ level: 5 })] }),
    note: Attr.ascii({ filters: [Filter.gzip({ level: 9 })] }),
  },
})

/** An array with one attribute of every form. */
export const Forms = ArraySchema.sparse({
  dims: {
    id: Dim.uint64([0, 1000]),
    at: Dim.datetime("ms", ["2024-01-01", "2024-12-31"]),
    name: Dim.ascii(),
    x: Dim.float32([0, 1]),
  },
  attrs: {
    fixed: Attr.int16(),
    wide: Attr.int64(),
    nullable: Attr.nullable(Attr.uint8()),
    text: Attr.utf8(),
    nullableText: Attr.nullable(Attr.utf16()),
    three: Attr.multiValue(Attr.float64(), 3),
    many: Attr.varSized(Attr.uint32()),
    when: Attr.datetime("ns"),
    whenever: Attr.nullable(Attr.datetime("day")),
    duration: Attr.time("sec"),
    raw: Attr.blob(),
    code: Attr.char(),
    color: Attr.enumerated(Attr.int8(), "colors"),
  },
  enumerations: { colors: ["red", "green"] },
})
