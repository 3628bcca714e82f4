/**
 * Changes the metadata of arrays and groups: all changes of one call are written to one file in `__meta`. Format:
 * `metadata.md`.
 */
import * as Effect from "effect/Effect"
import type { StorageError } from "../../../platform/errors.ts"
import { Storage } from "../../../platform/storage/service.ts"
import { runSteps, withTurns } from "../../../platform/host/event_loop_turns.ts"
import { MetadataEntries, type MetadataEntry } from "../../../schema/metadata_entries.ts"
import { METADATA_FOLDER } from "../../../schema/name/array_paths.ts"
import { parseName } from "../../../schema/name/timestamped_name.ts"
import { ScalarError } from "../../../schema/array/scalar.ts"
import type { TileAccess } from "../../tile/generic_tile.ts"
import { createStructure, type StoreError } from "../create/create_structure.ts"
import { type InvalidOption, WriteError } from "../open/errors.ts"
import { join } from "../open/listing.ts"
import { bytewise } from "../../kernel/sort/bytewise.ts"
import type { Steps } from "../../kernel/steps.ts"
import { lastEntriesSteps, type MetadataItem } from "./metadata.ts"
import { checkTypedSteps, deletionsOf, entriesSteps, type MetadataInput, putEntry } from "./metadata_input.ts"
import { momentAfter, newerOf, type Newest, newestOf, waitUntil } from "../create/write_time.ts"
import { type NameTime, newName } from "../create/fragment_name.ts"

/**
 * Metadata to set: values by key, or the items of another array or group in stored form, including parts of NumPy
 * arrays and keys that are not text.
 */
export type MetadataEntriesInput =
  | Readonly<Record<string, MetadataInput>>
  | ReadonlyMap<string, MetadataInput>
  | ReadonlyArray<MetadataItem>

/** Collects changes of metadata. The last change of a key takes effect. */
export interface MetadataEdit {
  /** Sets keys. Fails with `WriteError`, which names the key, for an invalid value; then no key is set. */
  readonly put: (entries: MetadataEntriesInput) => Effect.Effect<void, WriteError>
  /** Deletes one or more keys, whether they exist or not. */
  readonly delete: (keys: Iterable<string>) => Effect.Effect<void, WriteError>
}

/** Changes in the order in which they were made. The last entry of a key takes effect. */
export type EditedMetadata = Array<MetadataEntry>

/** Number of entries between two yields. */
const STEP_ENTRIES = 256

function* inputSteps(input: MetadataEntriesInput, at: (key: string) => void): Steps<ReadonlyArray<MetadataEntry>> {
  const out: Array<MetadataEntry> = []
  if (Array.isArray(input)) {
    for (const [i, item] of (input.slice() as Array<MetadataItem>).entries()) {
      at(item.name ?? bytewise(item.key))
      const { key, type, count, value } = item
      out.push(putEntry(key, yield* checkTypedSteps({ type, count, value })))
      if (i % STEP_ENTRIES === STEP_ENTRIES - 1) yield
    }
    return out
  }
  if (typeof input !== "object" || input === null) throw new ScalarError("give values by their keys: { title: … }")
  // list only the keys: building a list of all pairs would block the event loop
  const isMap = input instanceof Map
  const keys: ReadonlyArray<string> = isMap ? [...input.keys()] : Object.keys(input)
  yield
  for (let i = 0; i < keys.length; i++) {
    const key = keys[i]
    at(key)
    const value: MetadataInput = isMap ? input.get(key) : (input as Readonly<Record<string, MetadataInput>>)[key]
    for (const entry of yield* entriesSteps(key, value)) out.push(entry)
    if (i % STEP_ENTRIES === STEP_ENTRIES - 1) yield
  }
  return out
}

/** Returns keys as a list. A string is one key, not a list of characters. */
const listOf = (keys: Iterable<string>): ReadonlyArray<string> => {
  if (typeof keys === "string") return [keys]
  if (typeof keys !== "object" || keys === null || !(Symbol.iterator in keys)) {
    throw new ScalarError("give keys in a list")
  }
  return Array.from(keys)
}

/** Returns a collector of changes for the metadata at `uri`. */
export const editInto = (uri: string, edited: EditedMetadata): MetadataEdit => {
  const collect = (
    run: (at: (key: string) => void) => Steps<ReadonlyArray<MetadataEntry>>,
  ): Effect.Effect<void, WriteError> =>
    withTurns(Effect.suspend(() => {
      let field = ""
      const refused = (error: unknown) =>
        error instanceof ScalarError
          ? Effect.fail(new WriteError({ uri, field, reason: "InvalidValue", detail: error.reason }))
          : Effect.die(error)
      return Effect.map(runSteps(() => run((key) => field = key), refused), (entries) => {
        // add all entries at once, so that an interruption adds none
        for (const entry of entries) edited.push(entry)
      })
    }))
  return {
    put: (entries) => collect((at) => inputSteps(entries, at)),
    delete: (keys) =>
      collect(function* (at) {
        const out: Array<MetadataEntry> = []
        for (const [i, key] of listOf(keys).entries()) {
          at(key)
          out.push(...deletionsOf(key))
          if (i % STEP_ENTRIES === STEP_ENTRIES - 1) yield
        }
        return out
      }),
  }
}

/** Returns the time of the newest metadata file. */
const newestFile = (folder: string): Effect.Effect<Newest | undefined, StorageError, Storage> =>
  Effect.flatMap(
    Storage,
    (storage) =>
      Effect.map(storage.list(folder), (entries) =>
        entries.reduce((newest: Newest | undefined, { name }) => {
          const parsed = parseName(name)
          // names with an extension list consolidated files
          return parsed === undefined || parsed.name !== name ? newest : newerOf(newest, newestOf(parsed))
        }, undefined)),
  )

/**
 * Writes the combined changes to one file, or no file if there are no changes. Without an explicit time, the file is
 * newer than all existing ones, which takes a listing.
 */
export const storeMetadata = (
  access: TileAccess,
  uri: string,
  time: NameTime | undefined,
  version: number,
  edited: ReadonlyArray<MetadataEntry>,
): Effect.Effect<void, StoreError | InvalidOption, Storage> =>
  withTurns(Effect.gen(function* () {
    if (edited.length === 0) return
    const { entries } = yield* runSteps(() => lastEntriesSteps([edited]))
    const folder = join(uri, METADATA_FOLDER)
    const moment = time ?? (yield* momentAfter(uri, yield* newestFile(folder)))
    const name = yield* newName(moment)
    if (time === undefined) yield* waitUntil(moment)
    yield* createStructure(access, join(folder, name), MetadataEntries, entries, version)
  }))
