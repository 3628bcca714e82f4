/**
 * Opening fragments: one read of the tail of `__fragment_metadata.tdb`, or none where a consolidated footer is at hand.
 * Format: `fragment.md`.
 */
import * as Effect from "effect/Effect"
import type { NotFound, StorageError } from "../../platform/errors.ts"
import { Storage } from "../../platform/storage.ts"
import type { ArraySchema } from "../../schema/array_schema.ts"
import { FormatError } from "../../schema/errors.ts"
import { decodeFooter, footerLength, footerSchemaName, type FragmentFooter } from "../../schema/fragment/footer.ts"
import { decodeLegacyMetadata } from "../../schema/fragment/legacy_metadata.ts"
import { FRAGMENT_METADATA_FILE } from "../../schema/name/data_file.ts"
import type { TimestampedName } from "../../schema/name/timestamped_name.ts"
import { impossible } from "./check_fragment.ts"
import { mbrCount } from "./mbrs.ts"
import { readPresent } from "./missing_file.ts"
import { isLater, refusal, Since } from "../../schema/version.ts"
import { attemptTile, type TileError } from "../tile/attempt.ts"
import { openGenericTile, type TileAccess } from "../tile/generic_tile.ts"
import { type Fragment, shapeOf, tileShape } from "./fragment.ts"
import { type LoadedTail, sectionsOf, TAIL } from "./sections.ts"

/** Where a fragment's schema comes from: by the name in its footer, `""` before format 10. */
export type SchemaOf<E, R> = (name: string) => Effect.Effect<ArraySchema, E, R>

/** What opening a fragment can fail with: `NotFound` if it is from before commit files (format 5), and was never finished. */
export type FragmentError = NotFound | StorageError | TileError

/** Opens a fragment. `consolidated` is its footer from a consolidated file. */
export const loadFragment = <E, R>(
  access: TileAccess,
  entry: { readonly name: TimestampedName; readonly uri: string },
  schemaOf: SchemaOf<E, R>,
  consolidated: Uint8Array | undefined,
): Effect.Effect<Fragment, FragmentError | E, Storage | R> => {
  const { name } = entry
  const uri = `${entry.uri}/${FRAGMENT_METADATA_FILE}`
  const refused = name.version === 0 ? undefined : refusal(name.version)
  if (refused !== undefined) {
    return Effect.fail(
      new FormatError({
        uri,
        path: "",
        offset: 0,
        version: name.version,
        reason: refused,
        unsupported: isLater(name.version),
      }),
    )
  }
  if (consolidated !== undefined) return fromFooter(entry, uri, schemaOf, consolidated, 0, undefined)
  return name.form === "uuid_t" ? loadLegacy(access, entry, uri, schemaOf) : loadTail(entry, uri, schemaOf)
}

const loadTail = <E, R>(
  entry: { readonly name: TimestampedName; readonly uri: string },
  uri: string,
  schemaOf: SchemaOf<E, R>,
): Effect.Effect<Fragment, FragmentError | E, Storage | R> =>
  Effect.gen(function* () {
    const storage = yield* Storage
    const version = entry.name.version === 0 ? 4 : entry.name.version
    const reading = storage.readTail(uri, TAIL)
    const { bytes, size } = yield* entry.name.version === 0 ? reading : readPresent(uri, version, reading)
    const tail: LoadedTail = { offset: size - bytes.byteLength, bytes }
    const fail = (reason: string, offset: number) =>
      Effect.fail(new FormatError({ uri, path: "footer", offset, version, reason }))
    let length = version >= Since.schemaFolder
      ? "trailing" as const
      : footerLength(version, shapeOf(yield* schemaOf("")))
    let end = size
    if (length === "trailing") {
      if (bytes.byteLength < 8) return yield* fail(`${size} bytes hold no footer`, 0)
      end = size - 8
      const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
      length = view.getUint32(bytes.byteLength - 4, true) * 2 ** 32 + view.getUint32(bytes.byteLength - 8, true)
    }
    const start = end - length
    if (start < 0) return yield* fail(`a footer of ${length} bytes in a file of ${size}`, Math.max(0, size - 8))
    const footer = start >= tail.offset
      ? bytes.subarray(start - tail.offset, end - tail.offset)
      : (yield* readPresent(uri, version, storage.readRanges(uri, [{ offset: start, length }])))[0]
    return yield* fromFooter(entry, uri, schemaOf, footer, start, tail)
  })

const fromFooter = <E, R>(
  entry: { readonly name: TimestampedName; readonly uri: string },
  uri: string,
  schemaOf: SchemaOf<E, R>,
  bytes: Uint8Array,
  start: number,
  tail: LoadedTail | undefined,
): Effect.Effect<Fragment, FragmentError | E, R> =>
  Effect.gen(function* () {
    const schemaName = yield* attemptTile(() => footerSchemaName(bytes, uri, start))
    const schema = yield* schemaOf(schemaName)
    const footer = yield* attemptTile(() => decodeFooter(bytes, shapeOf(schema), uri, start))
    return yield* attemptTile(() =>
      fragmentOf(entry, uri, schema, footer, tail === undefined ? undefined : start, tail)
    )
  })

const fragmentOf = (
  entry: { readonly name: TimestampedName; readonly uri: string },
  uri: string,
  schema: ArraySchema,
  footer: FragmentFooter,
  end: number | undefined,
  tail: LoadedTail | undefined,
): Fragment => {
  const nonEmptyDomain = footer.nonEmptyDomain ?? undefined
  if (footer.dense && schema.arrayType !== "dense") {
    throw new FormatError({
      uri,
      path: "footer.dense",
      offset: end ?? 0,
      version: footer.version,
      reason: "a dense fragment in a sparse array",
    })
  }
  return plausible(uri, {
    name: entry.name,
    uri: entry.uri,
    version: footer.version,
    schema,
    schemaName: footer.schemaName,
    dense: footer.dense,
    nonEmptyDomain,
    ...tileShape(schema, footer.dense, nonEmptyDomain, footer.sparseTileCount, footer.lastTileCells),
    hasTimestamps: footer.hasTimestamps,
    hasDeleteMetadata: footer.hasDeleteMetadata,
    hasConsolidatedFooter: tail === undefined,
    fileSizes: footer.fileSizes,
    varFileSizes: footer.varFileSizes,
    validityFileSizes: footer.validityFileSizes,
    metadata: { kind: "sections", footer, sections: sectionsOf(uri, footer, end, tail) },
    engineVersion: undefined,
  })
}

/** The fragment, unless its metadata cannot be true. */
const plausible = (uri: string, fragment: Fragment): Fragment => {
  const wrong = impossible(fragment.schema, fragment)
  if (wrong === undefined) return fragment
  throw new FormatError({ uri, path: wrong[0], offset: 0, version: fragment.version, reason: wrong[1] })
}

const loadLegacy = <E, R>(
  access: TileAccess,
  entry: { readonly name: TimestampedName; readonly uri: string },
  uri: string,
  schemaOf: SchemaOf<E, R>,
): Effect.Effect<Fragment, FragmentError | E, Storage | R> =>
  Effect.gen(function* () {
    const storage = yield* Storage
    const [schema, file] = yield* Effect.all([schemaOf(""), storage.read(uri)])
    return yield* attemptTile((): Fragment => {
      const tile = openGenericTile(access, uri, file)
      const shape = shapeOf(schema)
      if (shape.dimensions.includes("var")) {
        const reason = "a fragment of format 1 or 2 has no string dimensions, as its schema says"
        throw new FormatError({ uri, path: "schemaName", offset: 0, version: tile.version, reason })
      }
      const legacy = decodeLegacyMetadata(tile.bytes, shape, uri)
      // dense fragments have no coordinates
      const dense = schema.arrayType === "dense" && legacy.fileSizes[schema.attributes.length] === 0
      const nonEmptyDomain = legacy.nonEmptyDomain ?? undefined
      return plausible(uri, {
        name: entry.name,
        uri: entry.uri,
        version: legacy.version,
        schema,
        schemaName: "",
        dense,
        nonEmptyDomain,
        ...tileShape(schema, dense, nonEmptyDomain, mbrCount(legacy, schema), legacy.lastTileCells),
        hasTimestamps: false,
        hasDeleteMetadata: false,
        hasConsolidatedFooter: false,
        fileSizes: legacy.fileSizes,
        varFileSizes: legacy.varFileSizes,
        validityFileSizes: new Float64Array(0),
        metadata: { kind: "legacy", legacy },
        engineVersion: tile.version,
      })
    })
  })
