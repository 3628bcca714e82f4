/** Copies: new arrays from arrays of all format versions, with the same schema, cells and metadata. */
import { describe, it } from "node:test"
import { assert, assertEquals, assertStringIncludes } from "@std/assert"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import {
  ArraySchema,
  Attr,
  Cells,
  type Codecs,
  Dense,
  Dim,
  type InvalidOption,
  Sparse,
  StorageService,
  TileArray,
} from "../../../mod.ts"
import { layerNative, layerWebp, makeMemoryStorage, withFaults } from "../../../platform/mod.ts"
import { describeMetadata, describeSchema, type JsonObject } from "../../../src/array/describe/describe.ts"
import { type PackedArray, packedArrays } from "../../support/packed_arrays.ts"
import { inMemory } from "../../support/in_memory.ts"
import { withoutDuplicates } from "../../support/repeated_cells.ts"

const codecs = Layer.provide(layerWebp, layerNative)

/** Runs an effect over the files of a packed array. */
const over = <A, E>(
  { files }: Pick<PackedArray, "files">,
  effect: Effect.Effect<A, E, StorageService | Codecs>,
): Promise<A> =>
  Effect.runPromise(
    Effect.provide(effect, Layer.merge(Layer.succeed(StorageService, makeMemoryStorage(new Map(files))), codecs)),
  )

const packed = (path: string): PackedArray => {
  const packed = packedArrays(path.split("/")[0]).find((array) => array.path === path)
  if (packed === undefined) throw new TypeError(`${path} is not packed`)
  return packed
}

/** Returns all cells as JSON. */
const cellsOf = (array: TileArray.AnyTileArray) => {
  const columns = (columnsByName: Readonly<Record<string, Cells.Column>>) =>
    Object.entries(columnsByName).map(([name, column]) => [name, Cells.columnJson(column)])
  const open = array as TileArray.TileArray
  return array.schema.arrayType === "sparse"
    ? Effect.map(Sparse.read(open), (read) => columns(read.columns))
    : Effect.map(Dense.read(open), ({ shape, columns: values }) => [shape, columns(values)])
}

/** Returns a schema without its version, and without the properties that older formats do not store. */
const schemaOf = (array: TileArray.AnyTileArray, oldest: number): unknown => {
  const { version: _, validity_filters, ...rest } = describeSchema(array.schema) as Record<string, unknown>
  const dimensions = (rest.dimensions as ReadonlyArray<JsonObject>).map(({ filters, ...d }) =>
    oldest < 5 ? d : { ...d, filters }
  )
  return { ...rest, dimensions, ...(oldest < 7 ? {} : { validity_filters }) }
}

/** Copies an array, and returns the contents of the array and of its copy. */
const compared = (array: PackedArray, formatVersion: number) =>
  over(
    array,
    Effect.gen(function* () {
      const key = array.key === undefined ? {} : { key: array.key }
      const source = yield* TileArray.open(array.path, key)
      const metadata = formatVersion > 3
      yield* TileArray.copy(source, "mem://copy", { ...key, formatVersion, metadata })
      const copy = yield* TileArray.open("mem://copy", key)
      const oldest = Math.min(formatVersion, source.schema.version)
      const all = (array: TileArray.TileArray) =>
        Effect.gen(function* () {
          return {
            schema: schemaOf(array, oldest),
            cells: yield* cellsOf(array),
            metadata: metadata ? describeMetadata(yield* TileArray.metadata(array)) : [],
          }
        })
      assertEquals(copy.schema.version, formatVersion)
      return [yield* all(source), yield* all(copy)] as const
    }),
  )

/** An array of every format version and kind, each with the format of its copy. */
const cases: ReadonlyArray<readonly [path: string, formatVersion: number]> = [
  ["v1/dense_var/array", 22],
  ["v1/sparse_types/array_uint64", 13],
  ["v2/dense_sparse_write/array", 22],
  ["v3/dense_2d_overlap/array", 3],
  ["v22/sparse_float/array", 3],
  ["v4/dense_fill_var/array", 22],
  ["v5/sparse_string/array", 5],
  ["v8/sparse_hilbert/array", 8],
  ["v8/sparse_hilbert/array", 22],
  ["v9/fuzz_01/array", 9],
  ["v11/sparse_nullable/array", 11],
  ["v12/evolved/array", 12],
  ["v18/deletes/array", 16],
  ["v18/dimension_labels/array", 18],
  ["v20/metadata/array", 4],
  ["v22/dense_2d_mixed_order_global/array", 7],
  ["v22/encrypted_sparse/array", 22],
  ["v22/enumerations/array", 21],
  ["v21/filters_single/array", 21],
  ["v22/sparse_dups/array", 22],
  ["v22/current_domain_dense/array", 22],
  ["v22/dense_empty/array", 22],
]

describe("a copy", () => {
  it("in formats that have a folder for a field with a slash in its name", () =>
    inMemory(Effect.gen(function* () {
      const schema = ArraySchema.dense({
        dims: { x: Dim.int32([0, 3], { tile: 2 }) },
        attrs: { "a/b": Attr.int32(), c: Attr.int32() },
      })
      const source = yield* TileArray.create("mem://source", schema)
      yield* Dense.write(source, {}, { "a/b": Int32Array.of(1, 2, 3, 4), c: Int32Array.of(5, 6, 7, 8) })
      for (const formatVersion of [5, 7, 8]) {
        const target = `mem://copy${formatVersion}`
        yield* TileArray.copy("mem://source", target, { formatVersion })
        const { columns } = yield* Dense.read(yield* TileArray.open(target, schema))
        assertEquals([...columns["a/b"], ...columns.c], [1, 2, 3, 4, 5, 6, 7, 8])
      }
    })))

  for (const [path, formatVersion] of cases) {
    it(`has the contents of ${path}, as format ${formatVersion}`, async () => {
      const [source, copy] = await compared(packed(path), formatVersion)
      assertEquals(copy, source)
    })
  }

  it("contains the selected cells at the selected time", async () => {
    const results = await over(
      packed("v22/dense_2d_overlap/array"),
      Effect.gen(function* () {
        const now = yield* TileArray.open("v22/dense_2d_overlap/array")
        const [first] = yield* TileArray.fragments(now)
        const then = yield* TileArray.open(now.uri, { at: Number(first.end) })
        const [y] = now.schema.dimensions
        const select = [now.schema.attributes[0].name]
        const ranges = { [y.name]: [2, 3] } as const
        yield* TileArray.copy(then, "mem://copy", { select, region: ranges })
        const copy = yield* TileArray.open("mem://copy")
        return [yield* Dense.read(copy), yield* Dense.read(then, { select, region: ranges })] as const
      }),
    )
    const json = (
      { shape, columns }: (typeof results)[0],
    ) => [shape, Object.values(columns).map((c) => Cells.columnJson(c))]
    assertEquals(json(results[0]), json(results[1]))
    assertEquals(Object.keys(results[0].columns).length, 1)
  })

  it("can be encrypted, or be a decrypted copy", async () => {
    const { path, files, key } = packed("v22/encrypted_dense/array")
    const other = new Uint8Array(32).fill(7)
    const cells = await over(
      { files },
      Effect.gen(function* () {
        const source = yield* TileArray.open(path, { key })
        yield* TileArray.copy(source, "mem://same")
        yield* TileArray.copy(source, "mem://plain", { key: null })
        yield* TileArray.copy(source, "mem://other", { key: other })
        for (const options of [{ key }, {}]) {
          const error = yield* Effect.flip(TileArray.open("mem://other", options))
          assertEquals(error._tag, "DecryptionFailed")
        }
        return [
          yield* cellsOf(source),
          yield* cellsOf(yield* TileArray.open("mem://same", { key })),
          yield* cellsOf(yield* TileArray.open("mem://plain")),
          yield* cellsOf(yield* TileArray.open("mem://other", { key: other })),
        ]
      }),
    )
    for (const copy of cells.slice(1)) assertEquals(copy, cells[0])
  })

  it("does not write unwritten cells, and copies overlapping cells once", async () => {
    const Far = ArraySchema.dense({ dims: { x: Dim.int64([0, 2 ** 40], { tile: 4 }) }, attrs: { a: Attr.uint8() } })
    const copied = await inMemory(Effect.gen(function* () {
      const far = yield* TileArray.create("mem://far", Far)
      for (const x of [0, 2 ** 40 - 9, 2]) {
        yield* Dense.write(far, { x: [x, x + 4] }, { a: Uint8Array.of(1, 2, 3, 4, x) })
      }
      // in one fragment, the copy would contain all cells between the boxes
      const error = yield* Effect.flip(TileArray.copy("mem://far", "mem://older", { formatVersion: 10 }))
      assertStringIncludes(error.message, "15 cells were written in boxes, which formats before 12 copy as one")
      assertEquals((yield* Effect.flip(TileArray.open("mem://older")))._tag, "ArrayNotFound")
      const { cells, fragments } = yield* TileArray.copy("mem://far", "mem://copy")
      const copy = yield* TileArray.open("mem://copy", Far)
      const read = (at: number) =>
        Effect.map(Dense.read(copy, { region: { x: [at, at + 7] } }), (result) => [...result.columns.a])
      return { cells, fragments: fragments.length, near: yield* read(0), far: yield* read(2 ** 40 - 9) }
    }))
    assertEquals(copied, {
      cells: 15,
      fragments: 3,
      near: [1, 2, 1, 2, 3, 4, 2, 255],
      far: [1, 2, 3, 4, (2 ** 40 - 9) & 255, 255, 255, 255],
    })
  })

  it("is written in batches within a small budget, and reports its progress", async () => {
    const Log = ArraySchema.sparse({
      dims: { t: Dim.int64([0, 10_000_000], { tile: 1_000_000 }) },
      attrs: { text: Attr.utf8(), n: Attr.nullable(Attr.int32()) },
      capacity: 500,
    })
    const n = 40_000
    const seen: Array<TileArray.CopyProgress> = []
    const [one, two] = await inMemory(Effect.gen(function* () {
      const log = yield* TileArray.create("mem://log", Log)
      for (const part of [0, 1]) {
        const ids = Array.from({ length: n }, (_, i) => i * 7 + part)
        yield* Sparse.write(log, {
          t: ids,
          text: ids.map((id) => `line ${id}`),
          n: ids.map((id) => id % 5 === 0 ? null : id),
        })
      }
      yield* TileArray.copy(yield* TileArray.open("mem://log"), "mem://copy", {
        memory: 2 ** 20,
        onProgress: (progress) => seen.push(progress),
      })
      return [yield* cellsOf(yield* TileArray.open("mem://log")), yield* cellsOf(yield* TileArray.open("mem://copy"))]
    }))
    assertEquals(two, one)
    assert(seen.length > 5, `${seen.length} batches`)
    assertEquals([seen.at(-1)!.cells, seen.at(-1)!.expected], [2 * n, 2 * n])
  })

  it("is rejected with invalid options, and leaves no files", async () => {
    const { files } = packed("v22/metadata/array")
    const why = await over(
      { files },
      Effect.gen(function* () {
        const source = yield* TileArray.open("v22/metadata/array")
        const storage = yield* StorageService
        const refused = (target: string, options: TileArray.CopyOptions) =>
          Effect.map(Effect.flip(TileArray.copy(source, target, options)), ({ _tag, message }) => `${_tag}: ${message}`)
        const all = [
          yield* refused("mem://copy", { formatVersion: 3 }),
          yield* refused("mem://copy", { formatVersion: 2 }),
          yield* refused("mem://copy", { select: ["nothing"] }),
          yield* refused("mem://copy", { select: [] }),
          yield* refused("mem://copy", { into: 1 } as TileArray.CopyOptions),
          yield* refused(source.uri, {}),
        ]
        assertEquals(yield* storage.list("mem://copy"), [])
        return all
      }),
    )
    assertStringIncludes(why[0], "InvalidOption: mem://copy: formatVersion: there are")
    assertStringIncludes(why[1], "InvalidOption: mem://copy: formatVersion: 2 is not a writable format version")
    assertStringIncludes(why[2], "SelectionError: v22/metadata/array: nothing: there is no such attribute")
    assertStringIncludes(why[3], "SelectionError: v22/metadata/array: a dense array has at least one attribute")
    assertStringIncludes(why[4], "InvalidOption: mem://copy: into: unknown option")
    assertEquals(
      why[5],
      "AlreadyExists: v22/metadata/array: there is an array here already; set `overwrite`, or choose another target",
    )
  })

  it("leaves no files when writing fails", async () => {
    const { path, files } = packed("v22/dense_var/array")
    let tried = 0
    for (let at = 0;; at += 3) {
      const storage = makeMemoryStorage(new Map(files))
      const faulty = withFaults(storage, { at, fault: at % 2 === 0 ? "fail" : "partial" })
      const layer = Layer.merge(Layer.succeed(StorageService, faulty.storage), codecs)
      const exit = await Effect.runPromise(Effect.either(Effect.provide(TileArray.copy(path, "mem://copy"), layer)))
      if (faulty.struck() === undefined) break
      if (exit._tag === "Right") continue
      tried++
      assertEquals(await Effect.runPromise(storage.list("mem://copy")), [], `call ${at}: ${faulty.struck()!.op}`)
    }
    assert(tried > 5, `${tried} faults`)
  })
})

describe("copies of arrays in which one fragment contains a cell several times", () => {
  const schema = ArraySchema.sparse({
    dims: { x: Dim.int32([0, 99], { tile: 10 }) },
    attrs: { v: Attr.int32() },
    allowsDuplicates: true,
    capacity: 2,
  })
  /** Returns the option of the copy, its schema's rule and its cells, or the reason of its failure. */
  const copies = (duplicates: TileArray.CopyOptions["duplicates"], maxFragmentSize?: number) =>
    inMemory(Effect.gen(function* () {
      const array = yield* TileArray.create("mem://a", schema)
      yield* Sparse.write(array, { x: [5, 1, 5, 7, 5, 7], v: [1, 2, 3, 4, 5, 6] }, { at: 1 })
      yield* Sparse.write(array, { x: [5, 5], v: [10, 11] }, { at: 2 })
      const source = withoutDuplicates(yield* TileArray.open("mem://a"))
      const options = { duplicates, ...(maxFragmentSize === undefined ? {} : { maxFragmentSize }) }
      const copied = yield* Effect.either(TileArray.copy(source, "mem://copy", options))
      if (copied._tag === "Left") return [copied.left._tag, (copied.left as { readonly reason?: string }).reason]
      const copy = yield* TileArray.open("mem://copy", schema)
      const { columns } = yield* Sparse.read(copy)
      return [copy.schema.allowsDuplicates, [...columns.x], [...columns.v]]
    }))

  it("fail, keep all of them, the first or the last", async () => {
    assertEquals(await copies(undefined), ["WriteError", "Duplicate"])
    assertEquals(await copies("keep"), [true, [1, 5, 5, 7, 7], [2, 10, 11, 4, 6]])
    assertEquals(await copies("first"), [false, [1, 5, 7], [2, 10, 4]])
    assertEquals(await copies("last"), [false, [1, 5, 7], [2, 11, 6]])
    assertEquals(await copies("last", 1), [false, [1, 5, 7], [2, 11, 6]])
  })

  it("reject the option if it has no effect", () =>
    inMemory(Effect.gen(function* () {
      const array = yield* TileArray.create("mem://a", schema)
      const { option, reason } = yield* Effect.flip(
        TileArray.copy(array, "mem://copy", { duplicates: "first" }),
      ) as Effect.Effect<InvalidOption>
      assertEquals([option, reason], ["duplicates", "Conflict"])
      assertEquals((yield* TileArray.copy(array, "mem://copy", { duplicates: "keep" })).cells, 0)
    })))
})
