/**
 * The reverse of reading: tiles of real engines' fragments are written again by our writer. The metadata is theirs, section
 * by section, but for what depends on the freedom of codecs, and for what engines are known to get wrong (format notes,
 * section 11.2).
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { describe, it } from "node:test"
import { assert, assertEquals } from "@std/assert"
import { layerNative } from "../../platform/codecs_native.ts"
import { Storage } from "../../platform/storage.ts"
import { makeMemoryStorage } from "../../platform/storage_memory.ts"
import type { FragmentFooter } from "../../schema/fragment/footer.ts"
import { dataFile, type DataPart } from "../../schema/name/data_file.ts"
import { readScalar } from "../../schema/scalar.ts"
import { Since } from "../../schema/version.ts"
import { accessOf, openArray } from "../../src/array/open.ts"
import { type Field, fieldsOf } from "../../src/fragment/field.ts"
import type { FieldTile } from "../../src/fragment/field_tiles.ts"
import { type Fragment, slotOf } from "../../src/fragment/fragment.ts"
import { loadFragment } from "../../src/fragment/load_fragment.ts"
import { readCoordinates, readTiles } from "../../src/fragment/read_tiles.ts"
import { loadSections } from "../../src/fragment/sections.ts"
import type { TileAccess } from "../../src/tile/generic_tile.ts"
import { commitFragments } from "../../src/write/commit.ts"
import { type FragmentWriter, openFragment, type WriteTile } from "../../src/write/fragment_writer.ts"
import { splitDense } from "../../src/write/split_dense.ts"
import { tileStatistics } from "../../src/write/tile_statistics.ts"
import { gatherTile } from "../../src/write/write_column.ts"
import { packedArrays, packs } from "../array/packed_arrays.ts"

const COPY = "copy"
const PARTS = 4

/** The tile with its statistics: of dense ones those of the cells in the box. */
const measured = (fragment: Fragment): (field: Field, tile: FieldTile, i: number) => WriteTile => {
  const { schema, nonEmptyDomain, version } = fragment
  const box = schema.dimensions.map(({ type }, d) => ({
    low: BigInt(fragment.dense ? readScalar(type, nonEmptyDomain![d].low) : 0),
    high: BigInt(fragment.dense ? readScalar(type, nonEmptyDomain![d].high) : 0),
  }))
  const split = fragment.dense ? splitDense(schema, box, "row-major", version) : undefined
  return (field, tile, i) => {
    const written = split?.written(i)
    const cells = written === undefined ? tile : gatherTile({ field, ...tile }, written, 0, written.length)
    return { tile, statistics: tileStatistics(field, cells) }
  }
}

/** The fields with files of their own that come behind the dimensions. */
const timesOf = ({ schema, hasTimestamps, hasDeleteMetadata }: Fragment): ReadonlyArray<Field> => {
  const { timestamps, deleteTimes, deleteConditions } = fieldsOf(schema)
  return [...(hasTimestamps ? [timestamps] : []), ...(hasDeleteMetadata ? [deleteTimes, deleteConditions] : [])]
}

/** Writes the tiles of a fragment into a fragment of our own. */
const rewrite = (access: TileAccess, fragment: Fragment) =>
  Effect.gen(function* () {
    const { schema, schemaName, version, hasTimestamps, hasDeleteMetadata } = fragment
    const { attributes, dimensions } = fieldsOf(schema)
    const all = Array.from({ length: fragment.tileCount }, (_, i) => i)
    const of = measured(fragment)
    const writer: FragmentWriter = yield* openFragment({ uri: COPY, schema, schemaName, version, access }, {
      time: [fragment.name.start, fragment.name.end],
      hasTimestamps,
      hasDeleteMetadata,
    })
    if (!fragment.dense) {
      const coordinates = yield* readCoordinates(access, fragment, dimensions, all)
      yield* writer.writeCoordinates(coordinates.map((tiles, d) => tiles.map((tile, i) => of(dimensions[d], tile, i))))
    }
    for (const field of [...attributes, ...timesOf(fragment)]) {
      const tiles = yield* readTiles(access, fragment, field, all)
      yield* writer.write(field, tiles.map((tile, i) => of(field, tile, i)))
    }
    const end = fragment.dense
      ? { nonEmptyDomain: fragment.nonEmptyDomain! }
      : { lastTileCells: fragment.lastTileCells }
    yield* commitFragments([yield* writer.finish(end)])
    const schemas = { known: new Map([[schemaName, schema]]), load: () => Effect.die("the schema is known") }
    return yield* loadFragment(
      access,
      { name: { ...fragment.name, name: writer.name }, uri: writer.uri },
      schemas,
      undefined,
    )
  })

/** Whether engines of the fragment's age are right about this list of a field, and it follows from the cells. */
const isCertain = (list: keyof FragmentFooter, fragment: Fragment, field: Field): boolean => {
  if (!list.startsWith("tileM") && list !== "tileSums" && list !== "tileNullCounts") return true
  // statistics were made before the digits were lost
  if (field.filters.filters.some((f) => f.type === "scale_float")) return false
  if (list === "tileNullCounts") {
    return !fragment.dense && (!field.var || field.type === "string_ascii" || field.type === "char")
  }
  // dense engines count padding until format 15, take strings from freed memory, and begin sums anew in each slab
  return !fragment.dense || (fragment.version >= 16 && !field.var && list !== "tileSums")
}

const lists = [
  "tileOffsets",
  "varTileOffsets",
  "varTileSizes",
  "validityTileOffsets",
  "tileMins",
  "tileMaxes",
  "tileSums",
  "tileNullCounts",
] as const satisfies ReadonlyArray<keyof FragmentFooter>

/** Compares two fragments; answers how many sections and files were the same. */
const compare = (
  access: TileAccess,
  files: ReadonlyMap<string, Uint8Array>,
  theirs: Fragment,
  ours: Fragment,
  where: string,
) =>
  Effect.gen(function* () {
    let sections = 0
    let same = 0
    assert(theirs.metadata.kind === "sections" && ours.metadata.kind === "sections")
    const [a, b] = [theirs.metadata, ours.metadata]
    const told = (
      { name: _, uri: _u, metadata: _m, engineVersion: _e, hasConsolidatedFooter: _c, ...rest }: Fragment,
    ) => ({
      ...rest,
      fileSizes: 0,
      varFileSizes: 0,
      validityFileSizes: 0,
    })
    assertEquals(told(ours), told(theirs), where)
    const { attributes, dimensions } = fieldsOf(theirs.schema)
    const split = theirs.version >= Since.splitDimensions
    const fields = [...attributes, ...(split && !theirs.dense ? dimensions : []), ...timesOf(theirs)]
    /** Where their section and ours start. */
    const pairs: Array<readonly [what: string, theirs: number, ours: number]> = [
      ["R-tree", a.footer.rtreeOffset, b.footer.rtreeOffset],
    ]
    for (const field of fields) {
      const slot = slotOf(theirs, field.file)
      const parts: ReadonlyArray<DataPart> = [
        "fixed",
        ...(field.var ? ["var" as const] : []),
        ...(field.nullable ? ["validity" as const] : []),
      ]
      const identical = parts.every((part) => {
        const name = dataFile(theirs.version, field.file, part)
        const [x, y] = [files.get(`${theirs.uri}/${name}`), files.get(`${ours.uri}/${name}`)]
        assert(x !== undefined && y !== undefined, `${where}: ${name}`)
        return x.length === y.length && x.every((byte, i) => byte === y[i])
      })
      if (identical) same++
      for (const list of lists) {
        if (slot >= a.footer[list].length || !isCertain(list, theirs, field)) continue
        // where tiles lie depends on how well their codecs compress
        if (list.endsWith("Offsets") && !identical) continue
        pairs.push([`${list} of ${field.name}`, a.footer[list][slot], b.footer[list][slot]])
      }
    }
    // the slot without cells
    const dead = attributes.length
    for (const list of split ? lists : []) {
      if (dead < a.footer[list].length) pairs.push([`${list} of no field`, a.footer[list][dead], b.footer[list][dead]])
    }
    for (const [what, x, y] of pairs) {
      const [[want], [found]] = [
        yield* loadSections(access, a.sections, [x]),
        yield* loadSections(access, b.sections, [y]),
      ]
      assertEquals(found.bytes, want.bytes, `${where}: ${what}`)
      sections++
    }
    return { sections, same }
  })

/** Rewrites the fragments of a pack. */
const rewriteAll = (pack: string) =>
  Effect.gen(function* () {
    let sections = 0
    let same = 0
    for (const [i, { path, key, files: packed }] of packedArrays(pack).entries()) {
      // a part of each version, another one each time: together all kinds
      if (i % PARTS !== Number(pack.slice(1)) % PARTS) continue
      // appended to by engine 2.30; sparse cells in dense arrays; pictures, which lose nothing but need their codec
      if (/_appended|_upgraded|dense_sparse_write|webp/.test(path)) continue
      const files = new Map(packed)
      const all = Effect.gen(function* () {
        const array = yield* openArray(path, key === undefined ? {} : { key })
        const access = yield* accessOf(array)
        for (const fragment of array.fragments) {
          // of consolidated dense fragments it is not known which cells are padding
          const consolidated = fragment.name.start !== fragment.name.end
          if (fragment.dense && consolidated) continue
          const ours = yield* rewrite(access, fragment)
          const found = yield* compare(access, files, fragment, ours, `${path}/${fragment.name.name}`)
          sections += found.sections
          same += found.same
        }
      })
      const storage = Layer.succeed(Storage, makeMemoryStorage(files))
      yield* Effect.provide(Effect.scoped(all), Layer.merge(storage, layerNative)) as Effect.Effect<void>
    }
    return { sections, same }
  })

describe("fragments that are written again", () => {
  for (const pack of packs.filter((pack) => Number(pack.slice(1)) >= 3)) {
    it(`${pack}: their metadata is that of the engine`, async () => {
      const { sections, same } = await Effect.runPromise(rewriteAll(pack))
      assert(sections > 30 && same > 0, `${sections} sections, ${same} equal fields`)
    })
  }
})
