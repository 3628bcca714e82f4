/** Forged arrays: no path in a file of an array leads reads, writes or copies outside of it. */
import { describe } from "node:test"
import { assert, assertEquals, assertStringIncludes } from "@std/assert"
import * as Effect from "effect/Effect"
import { ArraySchema, Attr, Dense, Dim, Sparse, TileArray } from "../../../mod.ts"
import { Storage } from "../../../platform/storage/service.ts"
import { makeCounters, withCounters } from "../../../platform/storage/middleware/counters.ts"
import { ArraySchema as SchemaCodec, type ArraySchema as Structure } from "../../../schema/array/array_schema.ts"
import { encode } from "../../../schema/binary/mod.ts"
import { ConsolidatedCommits } from "../../../schema/commit/consolidated_commits.ts"
import {
  ConsolidatedFragmentMetadata,
  consolidateFooters,
} from "../../../schema/commit/consolidated_fragment_metadata.ts"
import { FormatError } from "../../../schema/errors/format_error.ts"
import { ProcessedConditions } from "../../../schema/fragment/processed_conditions.ts"
import { genericTile } from "../../support/build_array.ts"
import { onEachStorage } from "../../support/change_array.ts"

const uuid = (n: number): string => n.toString(16).padStart(32, "0")
const text = (...lines: ReadonlyArray<string>): Uint8Array => new TextEncoder().encode(lines.join("\n") + "\n")

const Labelled = ArraySchema.dense({
  dims: { x: Dim.int32([0, 3], { tile: 4 }) },
  attrs: { a: Attr.enumerated(Attr.int32(), "e") },
  enumerations: { e: ["zero", "one"] },
  labels: { l: { dim: "x", type: "int64", order: "increasing" } },
})
const Plain = ArraySchema.dense({ dims: { x: Dim.int32([0, 3], { tile: 4 }) }, attrs: { a: Attr.int32() } })

/** Returns the URIs of the array and of the target of copies; everything else below `root` belongs to others. */
const placesIn = (root: string) => ({ array: `${root}/lab/array`, target: `${root}/lab/target` })

/** Creates the array, with arrays and files of others around it. */
const makeWorld = (root: string) =>
  Effect.gen(function* () {
    const storage = yield* Storage
    const { array } = placesIn(root)
    const made = yield* TileArray.create(array, Labelled)
    yield* Dense.write(made, {}, { a: Int32Array.of(0, 1, 0, 1), l: BigInt64Array.of(1n, 2n, 3n, 4n) }, { at: 10 })
    yield* Dense.write(made, {}, { a: Int32Array.of(1, 1, 1, 1) }, { at: 20 })
    for (const stranger of ["other", "lab/other", "lab/l0"]) yield* TileArray.create(`${root}/${stranger}`, Plain)
    yield* storage.write(`${root}/x.wrt`, text("secret"))
    yield* storage.write(`${root}/lab/x.wrt`, text("secret"))
  })

/** Runs an effect, and fails if a call to the storage names anything other than the array and the target. */
const watched = <A, E, R>(root: string, effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R | Storage> =>
  Effect.gen(function* () {
    const { array, target } = placesIn(root)
    const calls: Array<string> = []
    const storage = withCounters(yield* Storage, makeCounters(), ({ uri }) => void calls.push(uri))
    const exit = yield* Effect.exit(Effect.provideService(effect, Storage, storage))
    for (const uri of calls) {
      const inside = [array, target].some((folder) => uri === folder || uri.startsWith(`${folder}/`))
      assert(inside && !/(^|[/\\])\.\.?([/\\]|$)/.test(uri) && !/[?#]/.test(uri), `a call names ${uri}`)
    }
    return yield* exit
  })

/**
 * Uses everything that follows paths of an array: reads cells, labels, enumerations, metadata and fragments; writes;
 * copies.
 */
const useAll = (root: string) =>
  Effect.gen(function* () {
    const { array, target } = placesIn(root)
    const opened = yield* TileArray.open(array)
    yield* TileArray.enumerations(opened)
    yield* TileArray.fragments(opened)
    yield* TileArray.metadata(opened)
    yield* Dense.read(opened)
    yield* Dense.read(opened, { region: { l: [1n, 2n] } as never })
    yield* Dense.write(opened, {}, { a: Int32Array.of(1, 0, 1, 0) } as never)
    yield* TileArray.copy(opened, target)
  })

const refusal = (root: string) =>
  Effect.map(Effect.flip(watched(root, useAll(root))), (error) => {
    assert(error instanceof FormatError, String(error))
    return error
  })

/** Returns the URI of the schema file of the array, and the decoded schema. */
const schemaOf = (array: string) =>
  Effect.gen(function* () {
    const storage = yield* Storage
    const { schema } = yield* TileArray.open(array)
    const [file] = (yield* storage.list(`${array}/__schema`)).filter((e) => e.kind === "file")
    return { schema, uri: `${array}/__schema/${file.name}` }
  })

const forgeSchema = (array: string, forge: (schema: Structure) => Structure) =>
  Effect.gen(function* () {
    const storage = yield* Storage
    const { schema, uri } = yield* schemaOf(array)
    yield* storage.write(uri, genericTile(encode(SchemaCodec, forge(schema), schema.version)))
    return uri
  })

const withLabel = (label: Partial<Structure["dimensionLabels"][number]>) => (schema: Structure): Structure => ({
  ...schema,
  dimensionLabels: schema.dimensionLabels.map((l) => ({ ...l, ...label })),
})

const hostile = [
  "../other",
  "../../other",
  "http://evil/x",
  "https://evil/x?sig=1",
  "/etc",
  "__labels/../../other",
  "__labels/l0/../../../other",
  "__labels/l0?x",
  "__labels/l0#x",
  "__labels//l0",
  "__labels/./l0",
  "__labels\\..\\..\\other",
  "%2e%2e/other",
  "__labels%2f..%2f..%2fother",
  "__labels/l0\0",
  "",
]

describe("an array with a forged schema", () => {
  onEachStorage("works if the schema is not forged", (root) =>
    Effect.gen(function* () {
      yield* makeWorld(root)
      yield* watched(root, useAll(root))
      const copied = yield* TileArray.open(placesIn(root).target)
      const { shape } = yield* Dense.read(copied, { region: { l: [2n, 3n] } as never })
      assertEquals(shape, [2])
    }))

  onEachStorage("rejects labels outside of the array", (root) =>
    Effect.gen(function* () {
      const { array } = placesIn(root)
      yield* makeWorld(root)
      const { schema } = yield* schemaOf(array)
      for (const uri of hostile) {
        const file = yield* forgeSchema(array, withLabel({ uri }))
        const error = yield* refusal(root)
        assertEquals([error.uri, error.path], [file, "dimensionLabels.0.uri"], uri)
        // no file of the copy remains; the original is restored for the next forgery
        assertEquals(yield* Effect.flatMap(Storage, (s) => s.list(placesIn(root).target)), [])
        const storage = yield* Storage
        yield* storage.write(file, genericTile(encode(SchemaCodec, schema, schema.version)))
      }
    }))

  onEachStorage(
    "does not open labels that are stored elsewhere, and is read without them",
    (root) =>
      Effect.gen(function* () {
        const { array, target } = placesIn(root)
        yield* makeWorld(root)
        const uri = `https://me:password@evil/x?sig=signature`
        const file = yield* forgeSchema(array, withLabel({ relative: false, external: true, uri }))
        const opened = yield* TileArray.open(array)
        const error = yield* Effect.flip(watched(root, Dense.read(opened, { region: { l: [1n, 2n] } as never })))
        assert(error instanceof FormatError && error.reason === "Unsupported", String(error))
        assertEquals([error.uri, error.path], [file, "dimensionLabels.0.uri"])
        assertStringIncludes(error.message, 'the label "l" is stored outside of the array, at "https://evil/x?…"')
        assert(!/password|signature/.test(error.message), error.message)
        const { columns } = yield* watched(root, Dense.read(opened))
        assertEquals(columns.a.values, Int32Array.of(1, 1, 1, 1))
        const written = yield* Effect.flip(
          watched(root, Dense.write(opened, {}, { a: Int32Array.of(1, 0, 1, 0), l: BigInt64Array.of(1n) } as never)),
        )
        assert(!/password|signature/.test(written.message), written.message)
        yield* watched(root, TileArray.copy(opened, target))
        assertEquals((yield* Dense.read(yield* TileArray.open(target))).columns.a.values, Int32Array.of(1, 1, 1, 1))
        // local arrays are not opened either
        yield* forgeSchema(array, withLabel({ relative: false, external: true, uri: `${root}/other` }))
        const again = yield* TileArray.open(array)
        const local = yield* Effect.flip(watched(root, Dense.read(again, { region: { l: [1n, 2n] } as never })))
        assertEquals(local._tag, "FormatError")
      }),
  )

  onEachStorage("rejects enumerations outside of the array", (root) =>
    Effect.gen(function* () {
      const { array } = placesIn(root)
      yield* makeWorld(root)
      const storage = yield* Storage
      const { schema } = yield* schemaOf(array)
      for (const fileName of [...hostile, "a/b", "..", "."]) {
        const enumerations = schema.enumerations.map((e) => ({ ...e, fileName }))
        const file = yield* forgeSchema(array, () => ({ ...schema, enumerations }))
        const error = yield* refusal(root)
        assertEquals([error.uri, error.path], [file, "enumerations.0.fileName"], fileName)
        yield* storage.write(file, genericTile(encode(SchemaCodec, schema, schema.version)))
      }
    }))

  onEachStorage(
    "is not created, and removes no files, with a schema from elsewhere",
    (root) =>
      Effect.gen(function* () {
        const { array, target } = placesIn(root)
        yield* makeWorld(root)
        const { schema } = yield* schemaOf(array)
        for (const label of [{ uri: "../other" }, { uri: "/etc" }, { uri: `${root}/other`, relative: false }]) {
          const forged = ArraySchema.fromStructure(withLabel(label)({ ...schema, attributes: [], enumerations: [] }))
          const attrs = { attrs: Plain.attrs, attributeNames: Plain.attributeNames }
          const error = yield* Effect.flip(watched(root, TileArray.create(target, { ...forged, ...attrs })))
          assertEquals([error._tag, "field" in error && error.field], ["SchemaError", "l"])
        }
        yield* TileArray.open(`${root}/lab/other`)
      }),
  )

  onEachStorage("rejects labels of labels, which a copy could follow endlessly", (root) =>
    Effect.gen(function* () {
      const { array } = placesIn(root)
      yield* makeWorld(root)
      const { schema } = yield* schemaOf(array)
      const forgeLabel = (label: Structure): Structure => ({ ...label, dimensionLabels: schema.dimensionLabels })
      yield* forgeSchema(`${array}/__labels/l0`, forgeLabel)
      assertStringIncludes((yield* refusal(root)).message, "the array of the label")
    }))
})

describe("an array with forged commits", () => {
  const name = `__10_20_${uuid(99)}_22`
  const commit = `__1_1_${uuid(7)}_22`

  const refusedLines: ReadonlyArray<readonly [suffix: string, line: string]> = [
    ...["__commits/../../x.wrt", `__commits/../../${commit}.wrt`, "/x.wrt", `http://evil/${commit}.wrt`, "x?y.wrt"]
      .flatMap((line) => [[".con", line], [".ign", line]] as const),
    [".con", `__commits/../${commit}.del`],
    [".vac", "/__fragments/../../x"],
    [".vac", `../../${commit}`],
    [".vac", `/__fragments/${commit}?x`],
  ]
  onEachStorage("rejects paths outside of the array", (root) =>
    Effect.gen(function* () {
      const { array } = placesIn(root)
      yield* makeWorld(root)
      const storage = yield* Storage
      for (const [suffix, line] of refusedLines) {
        const file = `${array}/__commits/${name}${suffix}`
        const bytes = suffix === ".con"
          ? encode(ConsolidatedCommits, [{ path: line, file: line.endsWith(".del") ? text("x") : null }], 22)
          : text(line)
        yield* storage.write(file, bytes)
        const error = yield* refusal(root)
        assertEquals(error.uri, file, line)
        yield* storage.remove(file)
      }
      const metadata = `${array}/__meta/__1_2_${uuid(3)}.vac`
      yield* storage.write(metadata, text("/__meta/../../../x"))
      assertEquals((yield* refusal(root)).uri, metadata)
    }))

  onEachStorage("ignores lines with names of missing or other files", (root) =>
    Effect.gen(function* () {
      const { array } = placesIn(root)
      yield* makeWorld(root)
      const storage = yield* Storage
      const con = ["__commits/notes.txt", "readme", "__commits/__1_2_x_22.wrt", `__commits/${commit}.upd`]
      const commits = con.map((path) => ({ path, file: null }))
      yield* storage.write(`${array}/__commits/${name}.con`, encode(ConsolidatedCommits, commits, 22))
      yield* storage.write(`${array}/__commits/${name}.ign`, text("__commits/notes.txt", "hello"))
      const vacuum = ["file:///etc/passwd", `file:///gone/${commit}`, "http://evil/../x?y", "hello"]
      yield* storage.write(`${array}/__commits/${name}.vac`, text(...vacuum))
      yield* storage.write(`${array}/__meta/__1_2_${uuid(3)}.vac`, text(...vacuum))
      yield* watched(root, useAll(root))
    }))
})

describe("an array with forged fragments", () => {
  /** Replaces text of equal length in a file. */
  const forgeText = (uri: string, from: string, to: string) =>
    Effect.gen(function* () {
      assertEquals(from.length, to.length)
      const storage = yield* Storage
      const bytes = yield* storage.read(uri)
      const latin = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("")
      assert(latin.includes(from))
      yield* storage.write(uri, Uint8Array.from(latin.replaceAll(from, to), (c) => c.charCodeAt(0)))
    })

  onEachStorage("rejects schema names that are not file names", (root) =>
    Effect.gen(function* () {
      const { array } = placesIn(root)
      yield* makeWorld(root)
      const storage = yield* Storage
      const { uri } = yield* schemaOf(array)
      const schemaName = uri.slice(uri.lastIndexOf("/") + 1)
      const [fragment] = yield* storage.list(`${array}/__fragments`)
      const file = `${array}/__fragments/${fragment.name}/__fragment_metadata.tdb`
      for (const start of ["../../../", "/etc/", "http://evil/"]) {
        const forged = start + schemaName.slice(start.length)
        const before = yield* storage.read(file)
        yield* forgeText(file, schemaName, forged)
        const error = yield* refusal(root)
        assertEquals([error.uri, error.path], [file, "schemaName"])
        yield* storage.write(file, before)
      }
    }))

  onEachStorage("rejects names of consolidated footers that are not file names", (root) =>
    Effect.gen(function* () {
      const { array } = placesIn(root)
      yield* makeWorld(root)
      const storage = yield* Storage
      const file = `${array}/__fragment_meta/__10_20_${uuid(5)}_22.meta`
      const put = (...names: ReadonlyArray<string>) => {
        const footers = names.map((name) => ({ name, footer: new Uint8Array(200) }))
        return storage.write(file, genericTile(encode(ConsolidatedFragmentMetadata, consolidateFooters(footers), 22)))
      }
      for (const name of ["../../other", "/etc/passwd", "http://evil/x", "a/b"]) {
        yield* put(name, "b")
        const error = yield* refusal(root)
        assertEquals([error.uri, error.path], [file, "entries.0.name"])
      }
      yield* put("unknown", "fragments")
      yield* watched(root, useAll(root))
    }))

  onEachStorage("rejects processed conditions outside of the array", (root) =>
    Effect.gen(function* () {
      const { array } = placesIn(root)
      const Points = ArraySchema.sparse({ dims: { x: Dim.int32([0, 99]) }, attrs: { a: Attr.int32() } })
      const made = yield* TileArray.create(array, Points)
      yield* Sparse.write(made, { x: [1, 2], a: [1, 2] }, { at: 10 })
      yield* Sparse.delete(made, "a > 1", { at: 20 })
      const storage = yield* Storage
      const [fragment] = yield* storage.list(`${array}/__fragments`)
      const file = `${array}/__fragments/${fragment.name}/__fragment_metadata.tdb`
      // the tile of processed conditions is inserted before everything else; the footer contains its offset
      const { footer } = yield* Effect.map(storage.read(file), (bytes) => {
        const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
        const length = Number(view.getBigUint64(bytes.length - 8, true))
        return { footer: bytes.slice(bytes.length - 8 - length) }
      })
      const bytes = yield* storage.read(file)
      const conditions = genericTile(encode(ProcessedConditions, ["../../x.del"], 22))
      const sections = bytes.slice(0, bytes.length - footer.length)
      const forged = new Uint8Array(sections.length + conditions.length + footer.length)
      forged.set(sections)
      forged.set(conditions, sections.length)
      forged.set(footer, sections.length + conditions.length)
      // the offset of the processed conditions is the last number of a footer of format 22
      new DataView(forged.buffer).setBigUint64(forged.length - 16, BigInt(sections.length), true)
      yield* storage.write(file, forged)
      const error = yield* Effect.flip(
        watched(root, Effect.flatMap(TileArray.open(array), (opened) => Sparse.read(opened))),
      )
      assert(error instanceof FormatError, String(error))
      assertEquals([error.uri, error.path], [file, "processedConditions"])
    }))
})

describe("arrays of formats before 8, whose data files are named after the fields", () => {
  const schemaWith = (name: string) =>
    ArraySchema.dense({ dims: { x: Dim.int32([0, 3], { tile: 4 }) }, attrs: { [name]: Attr.int32() } })
  const names = ["../../x", "../x", "a/../../../x", "..\\..\\x"]

  onEachStorage("are not created with names outside of the fragment", (root) =>
    Effect.gen(function* () {
      const storage = yield* Storage
      for (const formatVersion of [3, 5, 7]) {
        for (const name of names) {
          const making = TileArray.create(`${root}/lab/array`, schemaWith(name), { formatVersion })
          const error = yield* Effect.flip(making)
          assertEquals([error._tag, "field" in error && error.field], ["SchemaError", name])
          assertEquals(yield* storage.list(root), [])
        }
      }
      for (const formatVersion of [8, 9, 22]) {
        const array = yield* TileArray.create(`${root}/lab/array`, schemaWith("../../x"), { formatVersion })
        yield* watched(root, Dense.write(array, {}, { "../../x": Int32Array.of(1, 2, 3, 4) }))
        const opened = yield* TileArray.open(`${root}/lab/array`)
        const { columns } = yield* watched(root, Dense.read(opened))
        assertEquals(columns["../../x"].values, Int32Array.of(1, 2, 3, 4))
        yield* storage.remove(`${root}/lab`)
      }
    }))

  onEachStorage("are not read or written with such names", (root) =>
    Effect.gen(function* () {
      const { array } = placesIn(root)
      const storage = yield* Storage
      for (const formatVersion of [3, 5, 7]) {
        for (const written of [true, false]) {
          const made = yield* TileArray.create(array, schemaWith("name"), { formatVersion })
          if (written) yield* Dense.write(made, {}, { name: Int32Array.of(1, 2, 3, 4) })
          for (const name of names) {
            const file = `${array}/__array_schema.tdb`
            const attributes = made.schema.attributes.map((a) => ({ ...a, name }))
            const forged = encode(SchemaCodec, { ...made.schema, attributes }, formatVersion)
            yield* storage.write(file, genericTile(forged, formatVersion))
            yield* storage.write(`${root}/lab/x.tdb`, text("secret"))
            const use = Effect.gen(function* () {
              const opened = yield* TileArray.open(array)
              yield* Dense.read(opened)
              yield* Dense.write(opened, {}, { [name]: Int32Array.of(1, 2, 3, 4) } as never)
            })
            const error = yield* Effect.flip(watched(root, use))
            assert(error instanceof FormatError, String(error))
            assertEquals([error.uri, error.path], [file, "attributes.0.name"])
            // the same with a schema of a later format, whose own files have numbers
            yield* storage.write(
              file,
              genericTile(encode(SchemaCodec, { ...made.schema, version: 9, attributes }, 9), 9),
            )
            if (!written) continue
            const later = yield* Effect.flip(watched(root, Effect.flatMap(TileArray.open(array), (a) => Dense.read(a))))
            assertEquals([later._tag, "path" in later && later.path], ["FormatError", "schemaName"])
          }
          assertEquals(yield* storage.read(`${root}/lab/x.tdb`), text("secret"))
          yield* storage.remove(`${root}/lab`)
        }
      }
    }))
})
