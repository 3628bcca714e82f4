/**
 * Every structure file of the fixtures decodes to its last byte and encodes to the same bytes again. A sample unless
 * `TESSERA_FULL=1`.
 */
import { describe, it } from "node:test"
import { assert, assertEquals, assertThrows } from "@std/assert"
import { join } from "node:path"
import { type Codec, decode, encode } from "../../schema/binary/mod.ts"
import {
  ArraySchema,
  Chunks,
  ConsolidatedCommits,
  consolidatedFooters,
  ConsolidatedFragmentMetadata,
  coordinateSize,
  type DataField,
  dataFile,
  decodeArraySchema,
  decodeFooter,
  decodeLegacyMetadata,
  DeleteCondition,
  encode as encodePublic,
  Enumeration,
  fieldCount,
  footerLength,
  footerSchemaName,
  FormatError,
  formatName,
  type FragmentFooter,
  fragmentFooter,
  type FragmentShape,
  FragmentStatistics,
  GenericTileHeader,
  GroupDetails,
  IgnoreFile,
  legacyMetadata,
  MetadataEntries,
  parseName,
  ProcessedConditions,
  rtree,
  schemaPath,
  Since,
  tileChunks,
  TileNullCounts,
  TileOffsets,
  TileStatistic,
  TileSums,
  vacuumedName,
  VacuumFile,
  VAR,
} from "../../schema/mod.ts"
import type { ArraySchema as Schema } from "../../schema/mod.ts"
import { cases, filesIn, fixtures, folders, foldersIn, full, keyOf, load, open, type Opened } from "./fixture_files.ts"

/** The numbers of files and tiles by kind: printed at the end; all must be above zero. */
const seen: Record<string, number> = {}
const count = (kind: string): void => {
  seen[kind] = (seen[kind] ?? 0) + 1
}

const sameBytes = (actual: Uint8Array, expected: Uint8Array, label: string): void => {
  if (actual.byteLength !== expected.byteLength || actual.some((byte, i) => byte !== expected[i])) {
    throw new Error(`${label}: is encoded to different bytes`)
  }
}

/** encode∘decode = id, to the last byte. */
const check = <A>(kind: string, codec: Codec<A>, bytes: Uint8Array, version: number, uri: string): A => {
  const value = decode(codec, bytes, version, uri)
  sameBytes(encode(codec, value, version), bytes, `${uri} (${kind})`)
  count(kind)
  return value
}

/** The key of the current case. */
let key: string | null = null

/** Checks a generic tile: its header and its chunks are structures too. */
const tile = (bytes: Uint8Array, uri: string, base = 0): Opened => {
  const opened = open(bytes, uri, base, key)
  const head = bytes.subarray(0, opened.headerSize)
  sameBytes(encode(GenericTileHeader, opened.header, opened.header.version), head, `${uri} (header)`)
  const chunks = decode(Chunks, opened.data, opened.header.version, uri)
  sameBytes(encode(Chunks, chunks, opened.header.version), opened.data, `${uri} (chunks)`)
  count(opened.header.encryption === "none" ? "generic tiles" : "encrypted generic tiles")
  return opened
}

/** Returns the contents of a file that consists of one generic tile. */
const content = (path: string): { bytes: Uint8Array; version: number } => {
  const bytes = load(path)
  const opened = tile(bytes, path)
  assertEquals(opened.size, bytes.byteLength, `${path}: bytes after the generic tile`)
  return { bytes: opened.content, version: opened.header.version }
}

const shapeOf = (schema: Schema): FragmentShape => ({
  attributes: schema.attributes.length,
  dimensions: schema.dimensions.map(coordinateSize),
})

const treeOf = (schema: Schema) =>
  rtree(schema.dimensions.map(({ type, cellValNum }) => ({ type, var: cellValNum === VAR })))

/** Returns the fields in the order of the lists by field. */
const fieldsOf = (
  version: number,
  footer: Pick<FragmentFooter, "hasTimestamps" | "hasDeleteMetadata">,
  schema: Schema,
) => {
  const fields: Array<DataField> = schema.attributes.map(({ name }, index) => ({ kind: "attribute", index, name }))
  fields.push({ kind: "coords" })
  if (version >= Since.splitDimensions) {
    schema.dimensions.forEach(({ name }, index) => fields.push({ kind: "dimension", index, name }))
  }
  if (footer.hasTimestamps) fields.push({ kind: "timestamps" })
  if (footer.hasDeleteMetadata) fields.push({ kind: "deleteTimes" }, { kind: "deleteConditions" })
  return fields
}

const oldFragment = (folder: string, path: string, schema: Schema): void => {
  const inside = content(path)
  const shape = shapeOf(schema)
  const metadata = decodeLegacyMetadata(inside.bytes, shape, path)
  sameBytes(encode(legacyMetadata(shape), metadata, metadata.version), inside.bytes, path)
  const fields = fieldsOf(metadata.version, { hasTimestamps: false, hasDeleteMetadata: false }, schema)
  const files = filesIn(folder)
  fields.forEach((field, i) => {
    const name = dataFile(metadata.version, field, "fixed")
    assertEquals(files.includes(name), metadata.fileSizes[i] > 0, `${folder}/${name}`)
  })
  count("fragment metadata 1–2")
}

const newFragment = (folder: string, path: string, named: number, schemas: Map<string, Schema>): void => {
  const bytes = load(path)
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const old = named < Since.schemaFolder ? schemas.get("")! : undefined
  const length = footerLength(named, old === undefined ? { attributes: 0, dimensions: ["var"] } : shapeOf(old))
  const end = length === "trailing" ? bytes.byteLength - 8 : bytes.byteLength
  const start = end - (length === "trailing" ? Number(view.getBigUint64(end, true)) : length)
  const raw = bytes.subarray(start, end)
  const schema = schemas.get(footerSchemaName(raw, path, start))!
  const shape = shapeOf(schema)
  const footer = decodeFooter(raw, shape, path, start)
  const { version } = footer
  // names of formats 3 and 4 contain no version
  assert(named === version || (named === 3 && version === 4), `${path}: ${named} and ${version}`)
  const again = encode(fragmentFooter(shape), footer, version)
  // exception: engines since 2.8 append eight unused bytes to footers of format 11
  const stray = raw.byteLength - again.byteLength
  assert(stray === 0 || (version === 11 && stray === 8), `${path}: ${stray} bytes after the footer`)
  if (stray > 0) count("footers with stray bytes")
  sameBytes(again, raw.subarray(0, again.byteLength), `${path} (footer)`)
  count("footers")

  let at = 0
  const next = <A>(kind: string, offset: number, codec: Codec<A>): A => {
    assertEquals(offset, at, `${path}: ${kind} does not follow the previous part`)
    const opened = tile(bytes.subarray(offset, start), path, offset)
    at += opened.size
    return check(kind, codec, opened.content, version, path)
  }
  const all = <A>(kind: string, offsets: Float64Array, codec: Codec<A>) =>
    Array.from(offsets, (offset) => next(kind, offset, codec))
  next("R-trees", footer.rtreeOffset, treeOf(schema))
  const offsets = all("tile offsets", footer.tileOffsets, TileOffsets)
  const varOffsets = all("tile offsets", footer.varTileOffsets, TileOffsets)
  all("tile offsets", footer.varTileSizes, TileOffsets)
  const validityOffsets = all("tile offsets", footer.validityTileOffsets, TileOffsets)
  all("tile mins and maxes", footer.tileMins, TileStatistic)
  all("tile mins and maxes", footer.tileMaxes, TileStatistic)
  all("tile sums", footer.tileSums, TileSums)
  all("tile null counts", footer.tileNullCounts, TileNullCounts)
  if (version >= Since.fragmentStatistics) {
    const statistics = next("fragment statistics", footer.fragmentStatisticsOffset, FragmentStatistics)
    assertEquals(statistics.length, fieldCount(version, footer, shape))
  }
  if (version >= Since.deleteMetadata) {
    // in format 15 the tile exists, but the footer does not contain its offset
    next("processed conditions", version >= Since.deletes ? footer.processedConditionsOffset : at, ProcessedConditions)
  }
  assertEquals(at, start, `${path}: bytes between the last part and the footer`)

  const fields = fieldsOf(version, footer, schema)
  const named2 = new Set<string>(["__fragment_metadata.tdb"])
  const file = (
    part: "fixed" | "var" | "validity",
    sizes: Float64Array,
    lists: ReadonlyArray<Float64Array>,
  ) =>
    sizes.forEach((size, i) => {
      if (size === 0) return
      const name = dataFile(version, fields[i], part)
      named2.add(name)
      const data = load(join(folder, name))
      assertEquals(data.byteLength, size, `${folder}/${name}`)
      const starts = lists[i]
      starts.forEach((start, t) => {
        tileChunks(data.subarray(start, starts[t + 1] ?? size), join(folder, name), { base: start })
        count("framings of data tiles")
      })
    })
  file("fixed", footer.fileSizes, offsets)
  file("var", footer.varFileSizes, varOffsets)
  file("validity", footer.validityFileSizes, validityOffsets)
  assertEquals(new Set(filesIn(folder)), named2, `${folder}: files`)
}

const fragment = (folder: string, name: string, schemas: Map<string, Schema>): void => {
  const parsed = parseName(name)
  assert(parsed !== undefined, `${folder}: invalid fragment name`)
  const path = join(folder, "__fragment_metadata.tdb")
  if (parsed.form === "t_t_uuid_v") {
    assertEquals(formatName(parsed.start, parsed.end, parsed.uuid, parsed.version), name)
  }
  if (parsed.form === "uuid_t") oldFragment(folder, path, schemas.get("")!)
  else newFragment(folder, path, parsed.version || 3, schemas)
}

const tilesOf = <A>(kind: string, codec: Codec<A>, dir: string): void => {
  for (const name of filesIn(dir)) {
    if (name.includes(".")) continue
    assert(parseName(name) !== undefined, `${dir}/${name}: not a timestamped name`)
    const path = join(dir, name)
    const inside = content(path)
    check(kind, codec, inside.bytes, inside.version, path)
  }
}

const commits = (dir: string): void => {
  for (const name of filesIn(dir)) {
    const path = join(dir, name)
    const extension = name.slice(name.lastIndexOf("."))
    if (![".vac", ".ign", ".con", ".del", ".meta"].includes(extension)) continue
    const version = parseName(name)!.version || 22
    if (extension === ".vac") {
      for (const line of check("vacuum files", VacuumFile, load(path), version, path)) {
        const fragment = vacuumedName(line)
        assert(parseName(fragment)?.name === fragment, `${path}: ${fragment}`)
      }
    } else if (extension === ".ign") {
      check("ignore files", IgnoreFile, load(path), version, path)
    } else if (extension === ".con") {
      for (const { file } of check("consolidated commits", ConsolidatedCommits, load(path), version, path)) {
        if (file === null) continue
        const opened = tile(file, path)
        assertEquals(opened.size, file.byteLength)
        check("delete conditions", DeleteCondition, opened.content, version, path)
      }
    } else {
      const inside = content(path)
      if (extension === ".del") check("delete conditions", DeleteCondition, inside.bytes, inside.version, path)
      else metas.push({ path, bytes: inside.bytes, version })
    }
  }
}

const metas: Array<{ path: string; bytes: Uint8Array; version: number }> = []

/** Checks that each footer in a `.meta` is byte-identical to its fragment's (without the stray bytes of format 11). */
const consolidatedMetadata = (fragments: Map<string, string>, schemas: Map<string, Schema>): void => {
  for (const { path, bytes, version } of metas.splice(0)) {
    const metadata = check("consolidated footers", ConsolidatedFragmentMetadata, bytes, version, path)
    for (const [name, footer] of consolidatedFooters(metadata, version, path)) {
      const schema = schemas.get(footerSchemaName(footer, path))!
      const decoded = decodeFooter(footer, shapeOf(schema), path)
      const again = encodePublic(fragmentFooter(shapeOf(schema)), decoded, decoded.version)
      const own = fragments.get(parseName(name)!.name)
      assert(decoded.version === 11 || again.byteLength === footer.byteLength, `${path}: ${name}`)
      if (own === undefined) continue
      const whole = load(join(own, "__fragment_metadata.tdb"))
      const length = footerLength(decoded.version, shapeOf(schema))
      const end = length === "trailing" ? whole.byteLength - 8 : whole.byteLength
      const start = length === "trailing"
        ? end - Number(new DataView(whole.buffer, whole.byteOffset).getBigUint64(end, true))
        : end - length
      sameBytes(
        footer.subarray(0, again.byteLength),
        whole.subarray(start, start + again.byteLength),
        `${path}: ${name}`,
      )
      count("footers in consolidated metadata")
    }
  }
}

const array = (dir: string): void => {
  const schemas = new Map<string, Schema>()
  const schema = (name: string): void => {
    const path = join(dir, schemaPath(name))
    const inside = content(path)
    const value = decodeArraySchema(inside.bytes, path)
    sameBytes(encode(ArraySchema, value, value.version), inside.bytes, path)
    schemas.set(name, value)
    count("schemas")
  }
  if (filesIn(dir).includes("__array_schema.tdb")) schema("")
  for (const name of filesIn(join(dir, "__schema"))) schema(name)
  for (const name of filesIn(join(dir, "__schema/__enumerations"))) {
    const path = join(dir, "__schema/__enumerations", name)
    const inside = content(path)
    assertEquals(check("enumerations", Enumeration, inside.bytes, inside.version, path).fileName, name)
  }
  const fragments = new Map<string, string>()
  for (const parent of [dir, join(dir, "__fragments")]) {
    for (const name of foldersIn(parent)) {
      const folder = join(parent, name)
      if (!filesIn(folder).includes("__fragment_metadata.tdb")) continue
      fragments.set(name, folder)
      fragment(folder, name, schemas)
    }
  }
  for (const sub of ["", "__commits", "__fragment_meta", "__meta"]) commits(join(dir, sub))
  consolidatedMetadata(fragments, schemas)
}

describe("fixtures", () => {
  const list = cases()
  if (fixtures === undefined || list.length === 0) {
    console.log("SKIPPED: no fixtures next to the repository, and TESSERA_FIXTURES is not set")
    it("are missing", { skip: true }, () => {})
    return
  }
  const refused = new Map([
    ["dense_array_v1_3_0", "predates TileDB 1.4"],
    ["experimental_array_vUINT32_MAX", "experimental build"],
  ])
  it(`structures of ${list.length} cases decode to the last byte and encode to the same bytes`, () => {
    for (const dir of list) {
      key = keyOf(dir)
      const reason = refused.get(dir.slice(dir.lastIndexOf("/") + 1))
      for (const folder of folders(dir)) {
        const isArray = filesIn(folder).includes("__array_schema.tdb") || foldersIn(folder).includes("__schema")
        if (isArray && reason !== undefined) {
          const error = assertThrows(() => array(folder), FormatError)
          assert(new RegExp(reason).test(error.message), error.message)
          count("refused arrays")
        } else if (isArray) array(folder)
        if (folder.endsWith("__meta")) tilesOf("metadata", MetadataEntries, folder)
        if (folder.endsWith("__group")) tilesOf("group details", GroupDetails, folder)
      }
    }
    if (full) console.log(seen)
    for (const kind of ["schemas", "footers", "R-trees", "tile offsets", "tile sums", "metadata", "vacuum files"]) {
      assert(seen[kind] > 0, `no ${kind} among the cases`)
    }
  })
})
