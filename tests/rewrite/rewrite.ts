/**
 * The reverse of the golden tests: reads arrays of real engines, and writes copies with the same schema, format version and
 * timestamps.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Redacted from "effect/Redacted"
import type { Codecs } from "../../platform/codecs/service.ts"
import { Storage } from "../../platform/storage/service.ts"
import { decode } from "../../schema/binary/mod.ts"
import { viewAs } from "../../schema/array/datatype.ts"
import { ProcessedConditions } from "../../schema/fragment/processed_conditions.ts"
import { MetadataEntries } from "../../schema/metadata_entries.ts"
import { ARRAY_SCHEMA_FILE, enumerationPath, METADATA_FOLDER } from "../../schema/name/array_paths.ts"
import { parseName } from "../../schema/name/timestamped_name.ts"
import { readScalar } from "../../schema/array/scalar.ts"
import { Since } from "../../schema/version/version.ts"
import { fromStructure } from "../../src/schema_builder/structure.ts"
import { createLike } from "../../src/array/create/create.ts"
import { loadDirectory } from "../../src/array/open/directory.ts"
import { loadEnumerations } from "../../src/array/enumeration/enumerations.ts"
import { openedOf } from "../../src/array/open/handle.ts"
import { join, listArray } from "../../src/array/open/listing.ts"
import { accessOf, type OpenedArray } from "../../src/array/open/open.ts"
import { storeMetadata } from "../../src/array/metadata/edit_metadata.ts"
import { putMetadata } from "../../src/array/metadata/put_metadata.ts"
import { makeSchemas } from "../../src/array/open/schemas.ts"
import { type Field, fieldsOf } from "../../src/fragment/field.ts"
import { makeBoundedCache } from "../../src/kernel/bounded_cache.ts"
import type { FieldTile } from "../../src/fragment/field_tiles.ts"
import { cellCount, type Fragment } from "../../src/fragment/fragment.ts"
import { loadFragment } from "../../src/fragment/load/load_fragment.ts"
import { readCoordinates, readTiles } from "../../src/fragment/read/read_tiles.ts"
import { loadSections } from "../../src/fragment/sections.ts"
import { readDense } from "../../src/query/request/dense_request.ts"
import { openGenericTile, type TileAccess } from "../../src/tile/generic_tile.ts"
import { commitFragments } from "../../src/write/fragment/commit.ts"
import { openFragment } from "../../src/write/fragment/fragment_writer.ts"
import { targetOf } from "../../src/write/fragment/fragment_target.ts"
import { gatherTile, type WriteColumn } from "../../src/write/input/write_column.ts"
import { writeDense } from "../../src/write/dense/write_dense.ts"
import { lastTileCells, writeFields, writeSparse } from "../../src/write/sparse/write_sparse.ts"

/** A file of the engine, and our equivalent file. */
export interface RewrittenFile {
  readonly kind: "schema" | "enumeration" | "metadata"
  readonly theirs: string
  readonly ours: string
  /** Generated names: the engine's name by our name. */
  readonly names: ReadonlyMap<string, string>
}

/** A fragment of the engine, and ours with the same cells. */
export interface RewrittenFragment {
  readonly theirs: Fragment
  readonly ours: Fragment
}

/** The rewritten parts of an array. */
export interface RewrittenArray {
  readonly access: TileAccess
  readonly files: ReadonlyArray<RewrittenFile>
  readonly fragments: ReadonlyArray<RewrittenFragment>
  /** Fragments that are not rewritten: sparse ones in dense arrays. */
  readonly left: ReadonlyArray<Fragment>
}

type Needs = Storage | Codecs | Scope.Scope

/** Concatenates the tiles of a field to one column. */
const joined = (field: Field, tiles: ReadonlyArray<FieldTile>): WriteColumn => {
  const join = (parts: ReadonlyArray<Uint8Array>): Uint8Array => {
    const out = new Uint8Array(parts.reduce((n, part) => n + part.length, 0))
    let at = 0
    for (const part of parts) {
      out.set(part, at)
      at += part.length
    }
    return out
  }
  const ends: Array<number> = [0]
  for (const { offsets } of tiles) {
    const base = ends[ends.length - 1]
    offsets?.forEach((offset, i) => i > 0 && ends.push(base + offset))
  }
  return {
    field,
    values: join(tiles.map((tile) => tile.values)),
    offsets: field.var ? Uint32Array.from(ends) : undefined,
    validity: field.nullable ? join(tiles.map((tile) => tile.validity!)) : undefined,
  }
}

/** Returns a permutation of cells: steps of a size that is coprime to their number. */
const shuffled = (cells: number): Uint32Array => {
  const step = [7919, 104729].find((prime) => cells % prime !== 0) ?? 1
  return Uint32Array.from({ length: cells }, (_, i) => (i + 1) * step % cells)
}

/** Returns a column in the user's form. */
const userColumn = ({ field, values, offsets, validity }: FieldTile & { readonly field: Field }): unknown => {
  const view = viewAs(field.type, values)
  return {
    values: view,
    ...(offsets === undefined ? {} : { offsets: offsets.map((at) => at / view.BYTES_PER_ELEMENT) }),
    ...(validity === undefined ? {} : { validity }),
  }
}

/** Writes the cells of a sparse fragment. */
const rewriteSparse = (access: TileAccess, fragment: Fragment, copy: OpenedArray) =>
  Effect.gen(function* () {
    const { schema, hasTimestamps, hasDeleteMetadata, metadata, name } = fragment
    const { attributes, dimensions, timestamps, deleteTimes, deleteConditions } = fieldsOf(schema)
    const all = Array.from({ length: fragment.tileCount }, (_, i) => i)
    const coordinates = yield* readCoordinates(access, fragment, dimensions, all)
    const columns = dimensions.map((field, d) => joined(field, coordinates[d]))
    const extra = [
      ...(hasTimestamps ? [timestamps] : []),
      ...(hasDeleteMetadata ? [deleteTimes, deleteConditions] : []),
    ]
    for (const field of [...attributes, ...extra]) {
      columns.push(joined(field, yield* readTiles(access, fragment, field, all)))
    }
    const cells = cellCount(fragment)
    const time = [name.start, name.end] as const
    if (extra.length === 0) {
      // the order of two cells with equal coordinates depends on the engine's sort
      const order = schema.allowsDuplicates ? "global" : "unordered"
      const permutation = order === "global" ? undefined : shuffled(cells)
      const named = Object.fromEntries(columns.map((column) => {
        const tile = gatherTile(column, permutation, 0, cells)
        return [column.field.name, userColumn({ field: column.field, ...tile })]
      }))
      const request = { time, order, duplicates: "refuse", onProgress: undefined, checks: { anyValue: true } } as const
      const { fragments } = yield* writeSparse(copy, named, request)
      return fragments[0]
    }
    let processedConditions: ReadonlyArray<string> = []
    if (metadata.kind === "sections" && metadata.footer.processedConditionsOffset > 0) {
      const [tile] = yield* loadSections(access, metadata.sections, [metadata.footer.processedConditionsOffset])
      processedConditions = decode(ProcessedConditions, tile.bytes, fragment.version, fragment.uri)
    }
    const writer = yield* openFragment(yield* targetOf(copy), {
      time,
      hasTimestamps,
      hasDeleteMetadata,
      processedConditions,
    })
    const n = dimensions.length
    yield* writeFields(
      writer,
      columns.slice(0, n),
      columns.slice(n),
      { permutation: undefined, cells },
      schema.capacity,
    )
    yield* commitFragments([yield* writer.finish({ lastTileCells: lastTileCells(cells, schema.capacity) })])
    return writer.name
  })

/** Writes the cells of a dense fragment. */
const rewriteDense = (fragment: Fragment, array: OpenedArray, copy: OpenedArray) =>
  Effect.gen(function* () {
    const { schema, nonEmptyDomain, name } = fragment
    const box = Object.fromEntries(schema.dimensions.map((dimension, d) => {
      const { low, high } = nonEmptyDomain![d]
      return [dimension.name, [readScalar(dimension.type, low), readScalar(dimension.type, high)] as const]
    }))
    const { columns } = yield* readDense(array, { region: box })
    const time = [name.start, name.end] as const
    const request = { time, order: "row", onProgress: undefined, checks: { anyValue: true } } as const
    const { fragments } = yield* writeDense(copy, box, columns, request)
    return fragments[0]
  })

/** Writes a copy of an array, including superseded fragments. */
export const rewriteArray = (uri: string, key: Uint8Array | undefined): Effect.Effect<RewrittenArray, unknown, Needs> =>
  Effect.gen(function* () {
    const storage = yield* Storage
    const listing = yield* listArray(uri)
    const directory = yield* loadDirectory(listing)
    const bounded = makeBoundedCache()
    const caches = { bounded, cache: bounded.makeSpace(), schemaCache: bounded.makeSpace() }
    const reading = { key: key && Redacted.make(key), verifyChecksums: true, ...caches }
    const access = yield* accessOf(reading)
    const schemas = makeSchemas(access, directory)
    const files: Array<RewrittenFile> = []
    const copies = new Map<string, OpenedArray>()

    for (const [i, file] of directory.schemas.entries()) {
      const schema = yield* schemas.load(file.name.name)
      if (schema.version < 3) continue
      const theirs = { uri, schema, ...reading }
      const copy = `${uri}_copy${i}`
      const value = fromStructure(schema, yield* loadEnumerations(theirs))
      const time = file.name.start === 0 ? {} : { at: file.name.start }
      const made = yield* createLike(copy, value, {
        ...time,
        ...(key === undefined ? {} : { key }),
        formatVersion: schema.version,
      })
      const ours = openedOf(made)
      copies.set(file.name.name, ours)
      const names = new Map(schema.enumerations.map((e, k) => [ours.schema.enumerations[k].fileName, e.fileName]))
      const at = ours.schemaName === ARRAY_SCHEMA_FILE ? ARRAY_SCHEMA_FILE : `__schema/${ours.schemaName}`
      files.push({ kind: "schema", theirs: file.uri, ours: join(copy, at), names })
      for (const [made, name] of names) {
        files.push({
          kind: "enumeration",
          theirs: join(uri, enumerationPath(name)),
          ours: join(copy, enumerationPath(made)),
          names,
        })
      }
    }
    const newest = [...copies.values()].at(-1)
    for (const { name, kind } of newest === undefined ? [] : yield* storage.list(join(uri, METADATA_FOLDER))) {
      const parsed = kind === "file" ? parseName(name) : undefined
      if (parsed === undefined || parsed.name !== name) continue
      const theirs = join(uri, METADATA_FOLDER, name)
      const tile = openGenericTile(access, theirs, yield* storage.read(theirs))
      const entries = decode(MetadataEntries, tile.bytes, tile.version, theirs)
      const before = new Set((yield* storage.list(join(newest!.uri, METADATA_FOLDER))).map((e) => e.name))
      if (entries.some(({ deleted }) => deleted)) {
        // deleting a key also removes the other keys of a NumPy array with this name
        yield* storeMetadata(access, newest!.uri, [parsed.start, parsed.end], newest!.schema.version, entries)
      } else {
        const items = entries.map((entry) => ({ ...entry, name: new TextDecoder().decode(entry.key) }))
        yield* putMetadata(newest!.uri, items, { at: parsed.end, ...(key === undefined ? {} : { key }) })
      }
      const made = (yield* storage.list(join(newest!.uri, METADATA_FOLDER))).filter((e) => !before.has(e.name))
      if (entries.length > 0) {
        files.push({
          kind: "metadata",
          theirs,
          ours: join(newest!.uri, METADATA_FOLDER, made[0].name),
          names: new Map(),
        })
      }
    }

    const fragments: Array<RewrittenFragment> = []
    const remaining: Array<Fragment> = []
    for (const entry of directory.fragments) {
      const theirs = yield* loadFragment(access, entry, schemas, undefined)
      const array: OpenedArray = {
        uri,
        schema: theirs.schema,
        schemaName: theirs.schemaName,
        time: { start: 0, end: Number.MAX_SAFE_INTEGER },
        fragments: [theirs],
        deletes: [],
        ...reading,
      }
      if (theirs.version < 3 || (!theirs.dense && theirs.schema.arrayType === "dense")) {
        remaining.push(theirs)
        continue
      }
      const made = copies.get(theirs.schemaName === "" ? ARRAY_SCHEMA_FILE : theirs.schemaName)!
      // with the same schema, so that the engine's footer contains its name
      const copy = { ...array, uri: made.uri, fragments: [] }
      const name = theirs.dense ? yield* rewriteDense(theirs, array, copy) : yield* rewriteSparse(access, theirs, copy)
      const { schema, schemaName } = theirs
      const existing = { known: new Map([[schemaName, schema]]), load: () => Effect.die("the schema is known") }
      const folder = theirs.version >= Since.folders ? "__fragments/" : ""
      const at = { name: { ...theirs.name, name }, uri: join(made.uri, `${folder}${name}`) }
      fragments.push({ theirs, ours: yield* loadFragment(access, at, existing, undefined) })
    }
    return { access, files, fragments, left: remaining }
  })
