/**
 * Opens fragments with one read of the tail of `__fragment_metadata.tdb`, or without a read if a consolidated footer is
 * available. Format: `fragment.md`.
 */
import * as Effect from "effect/Effect"
import type { NotFound, StorageError } from "../../../platform/errors.ts"
import { inSession, makeReadSession, type ReadSession } from "../../../platform/storage/read_session.ts"
import { Storage, type Tail } from "../../../platform/storage/service.ts"
import type { ArraySchema } from "../../../schema/array/array_schema.ts"
import { FormatError } from "../../../schema/errors/format_error.ts"
import { decodeFooter, footerLength, footerSchemaName, type FragmentFooter } from "../../../schema/fragment/footer.ts"
import { decodeLegacyMetadata } from "../../../schema/fragment/legacy_metadata.ts"
import { FRAGMENT_METADATA_FILE } from "../../../schema/name/data_file.ts"
import type { TimestampedName } from "../../../schema/name/timestamped_name.ts"
import { impossible } from "./check_fragment.ts"
import { mbrCount } from "../mbrs.ts"
import { readPresent } from "../missing_file.ts"
import { isLater, refusal, Since } from "../../../schema/version/version.ts"
import { type CacheSpace, makeBoundedCache } from "../../kernel/bounded_cache.ts"
import { attemptTile, type TileError } from "../../tile/attempt.ts"
import { openGenericTile, type TileAccess } from "../../tile/generic_tile.ts"
import { type Fragment, shapeOf, tileShape } from "../fragment.ts"
import { type LoadedTail, sectionsOf, TAIL_SIZE } from "../sections.ts"

/** The source of a fragment's schema, by the name in the footer, `""` before format 10. */
export interface Schemas<E, R> {
  /** The schemas that are already loaded. */
  readonly known: ReadonlyMap<string, ArraySchema>
  readonly load: (name: string) => Effect.Effect<ArraySchema, E, R>
}

/** Continues with a schema, without an asynchronous step if it is loaded. */
const withSchema = <A, E, R>(
  schemas: Schemas<E, R>,
  name: string,
  use: (schema: ArraySchema) => A,
): Effect.Effect<A, E | TileError, R> => {
  const existing = schemas.known.get(name)
  return existing !== undefined
    ? attemptTile(() => use(existing))
    : Effect.flatMap(schemas.load(name), (schema) => attemptTile(() => use(schema)))
}

/** The errors of opening a fragment. `NotFound`: an incomplete fragment from before commit files (format 5). */
export type FragmentError = NotFound | StorageError | TileError

type FragmentPlace = { readonly name: TimestampedName; readonly uri: string }

/** A fragment that is being opened. */
type Opening = FragmentPlace & { readonly session: ReadSession; readonly cache: CacheSpace }

/** Opens a fragment. `consolidated` is its footer from a consolidated file; `cache` keeps its metadata. */
export const loadFragment = <E, R>(
  access: TileAccess,
  place: FragmentPlace,
  schemas: Schemas<E, R>,
  consolidated: Uint8Array | undefined,
  cache: CacheSpace = makeBoundedCache().makeSpace(),
): Effect.Effect<Fragment, FragmentError | E, Storage | R> => {
  const { name } = place
  const entry: Opening = { name, uri: place.uri, session: makeReadSession(), cache }
  const uri = `${entry.uri}/${FRAGMENT_METADATA_FILE}`
  const refused = name.version === 0 ? undefined : refusal(name.version)
  if (refused !== undefined) {
    return Effect.fail(
      new FormatError({
        uri,
        path: "",
        offset: 0,
        version: name.version,
        reason: isLater(name.version) ? "Unsupported" : "Damaged",
        detail: refused,
      }),
    )
  }
  if (consolidated !== undefined) return fromFooter(entry, uri, schemas, consolidated, 0, undefined)
  return name.form === "uuid_t" ? loadLegacy(access, entry, uri, schemas) : loadTail(entry, uri, schemas)
}

const loadTail = <E, R>(
  entry: Opening,
  uri: string,
  schemas: Schemas<E, R>,
): Effect.Effect<Fragment, FragmentError | E, Storage | R> =>
  Effect.flatMap(Storage, (storage) => {
    const version = entry.name.version === 0 ? 4 : entry.name.version
    const reading = storage.readTail(uri, TAIL_SIZE)
    const present: Effect.Effect<Tail, NotFound | StorageError | FormatError> = entry.name.version === 0
      ? inSession(entry.session, storage, uri, reading)
      : readPresent(uri, { version, session: entry.session }, storage, reading)
    return Effect.flatMap(
      present,
      ({ bytes, size }): Effect.Effect<Fragment, FragmentError | E, Storage | R> => {
        const tail: LoadedTail = { offset: size - bytes.byteLength, bytes }
        const footer = (length: number, end: number): Effect.Effect<Fragment, FragmentError | E, Storage | R> => {
          const start = end - length
          if (start < 0) {
            const reason = `a footer of ${length} bytes in a file of ${size}`
            return Effect.fail(
              new FormatError({ uri, path: "footer", offset: Math.max(0, size - 8), version, detail: reason }),
            )
          }
          return start >= tail.offset
            ? fromFooter(entry, uri, schemas, bytes.subarray(start - tail.offset, end - tail.offset), start, tail)
            : Effect.flatMap(
              readPresent(
                uri,
                { version, session: entry.session },
                storage,
                storage.readRanges(uri, [{ offset: start, length }]),
              ),
              ([bytes]) => fromFooter(entry, uri, schemas, bytes, start, tail),
            )
        }
        const trailing = (): Effect.Effect<Fragment, FragmentError | E, Storage | R> => {
          if (bytes.byteLength < 8) {
            const reason = `${size} bytes are too short for a footer`
            return Effect.fail(new FormatError({ uri, path: "footer", offset: 0, version, detail: reason }))
          }
          const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
          const at = bytes.byteLength - 8
          return footer(view.getUint32(at + 4, true) * 2 ** 32 + view.getUint32(at, true), size - 8)
        }
        if (version >= Since.schemaFolder) return trailing()
        return Effect.flatMap(
          withSchema(schemas, "", (schema) => footerLength(version, shapeOf(schema))),
          (length) => length === "trailing" ? trailing() : footer(length, size),
        )
      },
    )
  })

const fromFooter = <E, R>(
  entry: Opening,
  uri: string,
  schemas: Schemas<E, R>,
  bytes: Uint8Array,
  start: number,
  tail: LoadedTail | undefined,
): Effect.Effect<Fragment, TileError | E, R> =>
  Effect.flatMap(
    attemptTile(() => footerSchemaName(bytes, uri, start)),
    (schemaName) =>
      withSchema(schemas, schemaName, (schema) => {
        const footer = decodeFooter(bytes, shapeOf(schema), uri, start)
        return fragmentOf(entry, uri, schema, footer, tail === undefined ? undefined : start, tail)
      }),
  )

const fragmentOf = (
  entry: Opening,
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
      detail: "a dense fragment in a sparse array",
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
    metadata: { kind: "sections", footer, sections: sectionsOf(uri, entry.session, footer, end, tail, entry.cache) },
    session: entry.session,
    cache: entry.cache,
    engineVersion: undefined,
  })
}

/** Returns the fragment, or throws if its metadata are inconsistent. */
const plausible = (uri: string, fragment: Fragment): Fragment => {
  const wrong = impossible(fragment.schema, fragment)
  if (wrong === undefined) return fragment
  throw new FormatError({ uri, path: wrong[0], offset: 0, version: fragment.version, detail: wrong[1] })
}

const loadLegacy = <E, R>(
  access: TileAccess,
  entry: Opening,
  uri: string,
  schemas: Schemas<E, R>,
): Effect.Effect<Fragment, FragmentError | E, Storage | R> =>
  Effect.gen(function* () {
    const storage = yield* Storage
    const file = yield* inSession(entry.session, storage, uri, storage.read(uri))
    return yield* withSchema(schemas, "", (schema): Fragment => {
      const tile = openGenericTile(access, uri, file)
      const shape = shapeOf(schema)
      if (shape.dimensions.includes("var")) {
        const reason = "a fragment of format 1 or 2 has no string dimensions, as its schema says"
        throw new FormatError({ uri, path: "schemaName", offset: 0, version: tile.version, detail: reason })
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
        session: entry.session,
        cache: entry.cache,
        engineVersion: tile.version,
      })
    })
  })
