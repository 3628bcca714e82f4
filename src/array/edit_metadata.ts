/**
 * Metadata into an array or group: what is set and deleted together becomes one file in `__meta`.
 * Format: `metadata.md`.
 */
import * as Effect from "effect/Effect"
import type { StorageError } from "../../platform/errors.ts"
import { Storage } from "../../platform/storage.ts"
import { MetadataEntries, type MetadataEntry } from "../../schema/metadata_entries.ts"
import { METADATA_FOLDER } from "../../schema/name/array_paths.ts"
import { parseName } from "../../schema/name/timestamped_name.ts"
import { ScalarError } from "../../schema/scalar.ts"
import type { TileAccess } from "../tile/generic_tile.ts"
import { createStructure, type StoreError } from "./create_structure.ts"
import { type InvalidOption, WriteError } from "./errors.ts"
import { join } from "./listing.ts"
import { bytewise } from "../kernel/bytewise.ts"
import type { MetadataItem } from "./metadata.ts"
import { checkTyped, deletionsOf, entriesOf, type MetadataInput, putEntry } from "./metadata_input.ts"
import { momentAfter, newerOf, type Newest, newestOf, untilReached } from "./moment.ts"
import { type NameTime, newName } from "./new_name.ts"

/**
 * Metadata to be set: values by their keys, or the items of another array or group as they lie there, parts of NumPy arrays
 * and keys that are no text among them.
 */
export type MetadataEntriesInput =
  | Readonly<Record<string, MetadataInput>>
  | ReadonlyMap<string, MetadataInput>
  | ReadonlyArray<MetadataItem>

/** Changes of metadata that are being collected; the last one of a key counts. */
export interface MetadataEdit {
  /** Sets keys. Fails with `WriteError`, which names the key, for a value that is none; then none of them is set. */
  readonly put: (entries: MetadataEntriesInput) => Effect.Effect<void, WriteError>
  /** Deletes keys, or the one that is given, whether they are there or not. */
  readonly delete: (keys: Iterable<string>) => Effect.Effect<void, WriteError>
}

/** What changes add up to: the last entry of each key, by the bytes of the keys. */
export type EditedMetadata = Map<string, MetadataEntry>

const itemEntry = ({ key, type, count, value }: MetadataItem): MetadataEntry =>
  putEntry(key, checkTyped({ type, count, value }))

const inputEntries = (given: MetadataEntriesInput, at: (key: string) => void): ReadonlyArray<MetadataEntry> => {
  if (Array.isArray(given)) {
    return given.map((item: MetadataItem) => {
      at(item.name ?? bytewise(item.key))
      return itemEntry(item)
    })
  }
  if (typeof given !== "object" || given === null) throw new ScalarError("give values by their keys: { title: … }")
  const pairs = given instanceof Map ? [...given] : Object.entries(given)
  return pairs.flatMap(([key, value]: [string, MetadataInput]) => {
    at(key)
    return entriesOf(key, value)
  })
}

/** Keys that are given; a text is one of them, and not its letters. */
const listOf = (keys: Iterable<string>): ReadonlyArray<string> => {
  if (typeof keys === "string") return [keys]
  if (typeof keys !== "object" || keys === null || !(Symbol.iterator in keys)) {
    throw new ScalarError("give keys in a list")
  }
  return Array.from(keys)
}

/** Collects changes of the metadata at `uri` into a map. */
export const editInto = (uri: string, edited: EditedMetadata): MetadataEdit => {
  const collect = (run: (at: (key: string) => void) => ReadonlyArray<MetadataEntry>): Effect.Effect<void, WriteError> =>
    Effect.suspend(() => {
      let field = ""
      try {
        for (const entry of run((key) => field = key)) edited.set(bytewise(entry.key), entry)
        return Effect.void
      } catch (error) {
        if (!(error instanceof ScalarError)) throw error
        return Effect.fail(new WriteError({ uri, field, reason: error.reason }))
      }
    })
  return {
    put: (entries) => collect((at) => inputEntries(entries, at)),
    delete: (keys) =>
      collect((at) =>
        listOf(keys).flatMap((key) => {
          at(key)
          return deletionsOf(key)
        })
      ),
  }
}

/** The newest file of metadata. */
const newestFile = (folder: string): Effect.Effect<Newest | undefined, StorageError, Storage> =>
  Effect.flatMap(
    Storage,
    (storage) =>
      Effect.map(storage.list(folder), (entries) =>
        entries.reduce((newest: Newest | undefined, { name }) => {
          const parsed = parseName(name)
          // those with an extension say what was consolidated
          return parsed === undefined || parsed.name !== name ? newest : newerOf(newest, newestOf(parsed))
        }, undefined)),
  )

/**
 * Writes what changes add up to into one file; nothing if there are none. Without a time it is of now, and newer than all that
 * is there, which takes a listing.
 */
export const storeMetadata = (
  access: TileAccess,
  uri: string,
  time: NameTime | undefined,
  version: number,
  edited: EditedMetadata,
): Effect.Effect<void, StoreError | InvalidOption, Storage> =>
  Effect.gen(function* () {
    if (edited.size === 0) return
    const entries = [...edited].sort(([a], [b]) => a < b ? -1 : 1).map(([, entry]) => entry)
    const folder = join(uri, METADATA_FOLDER)
    const moment = time ?? (yield* momentAfter(uri, yield* newestFile(folder)))
    const name = yield* newName(moment)
    if (time === undefined) yield* untilReached(moment)
    yield* createStructure(access, join(folder, name), MetadataEntries, entries, version)
  })
