/**
 * Metadata of arrays and groups: the combined entries of the files in `__meta` over a time range. Format:
 * `metadata.md`, and `vacuum_file.md` for consolidated files.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import type { NotFound, StorageError } from "../../../platform/errors.ts"
import { type Entry, Storage } from "../../../platform/storage/service.ts"
import { runSteps, withTurns } from "../../../platform/host/event_loop_turns.ts"
import { decode, decodeSteps } from "../../../schema/binary/mod.ts"
import { vacuumedNames, VacuumFile } from "../../../schema/commit/vacuum_file.ts"
import type { Datatype } from "../../../schema/array/datatype.ts"
import { MetadataEntries, type MetadataEntry } from "../../../schema/metadata_entries.ts"
import { METADATA_FOLDER } from "../../../schema/name/array_paths.ts"
import { compareNames, parseName, type TimestampedName } from "../../../schema/name/timestamped_name.ts"
import { CURRENT_VERSION } from "../../../schema/version/version.ts"
import { attemptFormat, attemptTileSteps, type TileError } from "../../tile/attempt.ts"
import { type GenericTile, openGenericTileSteps, type TileAccess } from "../../tile/generic_tile.ts"
import type { TimeRange } from "../open/directory.ts"
import { bytewise } from "../../kernel/sort/bytewise.ts"
import { sortSteps } from "../../kernel/sort/sort_steps.ts"
import { finish, inParts, type Steps } from "../../kernel/steps.ts"
import { join } from "../open/listing.ts"
import { readListedFolder } from "../open/read_listed.ts"

/** One entry at the end of the time range. */
export interface MetadataItem {
  /** The key as bytes; may be empty. */
  readonly key: Uint8Array
  /** The key as text; `undefined` if it is not valid UTF-8. */
  readonly name: string | undefined
  /** The datatype of the values. */
  readonly type: Datatype
  /** Number of values; 0 for an empty value. */
  readonly count: number
  /** The values as bytes. */
  readonly value: Uint8Array
}

/** Errors of loading metadata. */
export type MetadataError = NotFound | StorageError | TileError

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

const textOf = (key: Uint8Array, bytes: string): string | undefined => {
  // deno-lint-ignore no-control-regex
  if (!/[^\x00-\x7f]/.test(bytes)) return bytes
  try {
    return decoder.decode(key)
  } catch {
    return undefined
  }
}

/**
 * Merges entries in the order of their creation and removes deleted ones. The result is sorted by the bytes of the
 * keys.
 */
export const mergeEntries = (files: Iterable<ReadonlyArray<MetadataEntry>>): ReadonlyArray<MetadataItem> =>
  finish(mergeEntriesSteps(files))

/** Number of entries between two yields. */
const STEP_ENTRIES = 1024

/** Returns the last entry of each key, sorted by the bytes of the keys. The input is in the order of creation. */
export function* lastEntriesSteps(
  files: Iterable<ReadonlyArray<MetadataEntry>>,
): Steps<{ readonly ids: ReadonlyArray<string>; readonly entries: ReadonlyArray<MetadataEntry> }> {
  // do not use a map: when it grows, it hashes all of its keys again in one step
  const ids: Array<string> = []
  const all: Array<MetadataEntry> = []
  for (const entries of files) {
    yield* inParts(entries.length, (from, to) => {
      for (let i = from; i < to; i++) {
        ids.push(bytewise(entries[i].key))
        all.push(entries[i])
      }
    }, STEP_ENTRIES)
  }
  const order = yield* sortSteps(
    ids.map((_, i) => i),
    (a, b) => ids[a] < ids[b] ? -1 : ids[a] > ids[b] ? 1 : 0,
  )
  const last = { ids: [] as Array<string>, entries: [] as Array<MetadataEntry> }
  yield* inParts(order.length, (from, to) => {
    for (let i = from; i < to; i++) {
      if (i + 1 < order.length && ids[order[i + 1]] === ids[order[i]]) continue
      last.ids.push(ids[order[i]])
      last.entries.push(all[order[i]])
    }
  }, STEP_ENTRIES)
  return last
}

function* mergeEntriesSteps(files: Iterable<ReadonlyArray<MetadataEntry>>): Steps<ReadonlyArray<MetadataItem>> {
  const { ids, entries } = yield* lastEntriesSteps(files)
  const out: Array<MetadataItem> = []
  yield* inParts(ids.length, (from, to) => {
    for (let i = from; i < to; i++) {
      const { key, deleted, type, count, value } = entries[i]
      if (!deleted) out.push({ key, name: textOf(key, ids[i]), type, count, value })
    }
  }, STEP_ENTRIES)
  return out
}

/** Opens the generic tile of a metadata file; groups accept plain files next to encrypted ones. */
export type OpenTile = (access: TileAccess, uri: string, file: Uint8Array) => Steps<GenericTile>

/**
 * Loads the metadata of the array or group at `uri` over a time range, which includes the files that are entirely
 * inside it.
 */
export const loadMetadata = (
  uri: string,
  time: TimeRange,
  access: TileAccess,
  openTile: OpenTile = openGenericTileSteps,
): Effect.Effect<ReadonlyArray<MetadataItem>, MetadataError, Storage> =>
  withTurns(readListedFolder(join(uri, METADATA_FOLDER), (listed) => loadListed(uri, listed, time, access, openTile)))

const loadListed = (
  uri: string,
  listed: ReadonlyArray<Entry>,
  time: TimeRange,
  access: TileAccess,
  openTile: OpenTile,
): Effect.Effect<ReadonlyArray<MetadataItem>, MetadataError, Storage> =>
  Effect.gen(function* () {
    const storage = yield* Storage
    const folder = join(uri, METADATA_FOLDER)
    const files: Array<TimestampedName> = []
    const vacuums: Array<string> = []
    for (const { name, kind } of listed) {
      const parsed = kind === "file" ? parseName(name) : undefined
      if (parsed === undefined || parsed.start < time.start || parsed.end > time.end) continue
      if (name.endsWith(".vac")) vacuums.push(join(folder, name))
      // a name with a suffix, such as `.tmp`, is not a finished file
      else if (name === parsed.name) files.push(parsed)
    }
    const superseded = new Set<string>()
    for (const names of yield* Effect.forEach(vacuums, (at) => loadVacuumed(at), { concurrency: 8 })) {
      for (const name of names) superseded.add(name)
    }
    const entries = yield* Effect.forEach(
      files.filter((file) => !superseded.has(file.name)).sort(compareNames),
      (file) =>
        Effect.flatMap(storage.read(join(folder, file.name)), (bytes) =>
          attemptTileSteps(function* () {
            const at = join(folder, file.name)
            const tile = yield* openTile(access, at, bytes)
            return yield* decodeSteps(MetadataEntries, tile.bytes, tile.version, at)
          })),
      { concurrency: 16 },
    )
    return yield* runSteps(() => mergeEntriesSteps(entries))
  })

/** Returns the names of the files that a vacuum file lists. */
const loadVacuumed = (uri: string): Effect.Effect<ReadonlyArray<string>, MetadataError, Storage> =>
  Effect.flatMap(
    Storage,
    (storage) =>
      Effect.flatMap(
        storage.read(uri),
        (bytes) =>
          attemptFormat(() =>
            vacuumedNames(decode(VacuumFile, bytes, CURRENT_VERSION, uri), {
              uri,
              path: "lines",
              version: CURRENT_VERSION,
            })
          ),
      ),
  )
