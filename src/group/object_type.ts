/**
 * Determines the object at a URI: an array, a group, or neither.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import { traced } from "../../platform/observability/spans.ts"
import type { StorageError } from "../../platform/errors.ts"
import { type Entry, Storage } from "../../platform/storage/service.ts"
import type { InvalidOption } from "../array/open/errors.ts"
import { placeOf } from "../array/open/open_options.ts"
import { ARRAY_SCHEMA_FILE, GROUP_FILE, GROUP_FOLDER, SCHEMA_FOLDER } from "../../schema/name/array_paths.ts"

/** The kinds of objects. */
export type ObjectKind = "array" | "group"

/** Returns the kind of the object in a folder with these entries. A folder that could be both is an array. */
export const kindOfFolder = (entries: ReadonlyArray<Entry>): ObjectKind | undefined => {
  const has = (name: string, kind: Entry["kind"]): boolean => entries.some((e) => e.name === name && e.kind === kind)
  if (has(SCHEMA_FOLDER, "folder") || has(ARRAY_SCHEMA_FILE, "file")) return "array"
  return has(GROUP_FOLDER, "folder") || has(GROUP_FILE, "file") ? "group" : undefined
}

/** Like {@link objectType}, for a validated URI. */
export const kindAt = (uri: string): Effect.Effect<ObjectKind | undefined, StorageError, Storage> =>
  Effect.flatMap(Storage, (storage) => Effect.map(storage.list(uri), kindOfFolder))

/**
 * Returns the kind of the object at `uri`; `undefined` if it is neither an array nor a group, or missing. Takes a
 * listing. Fails with `StorageError`, and with `InvalidOption` for an invalid URI.
 *
 * ```ts
 * import { Group, layerDefault } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 *
 * const kinds = ["tests/golden/demo/weather", "tests/golden/demo"].map(Group.objectType)
 * assertEquals(await Effect.runPromise(Effect.provide(Effect.all(kinds), layerDefault)), ["array", undefined])
 * ```
 */
export const objectType = (
  uri: string,
): Effect.Effect<ObjectKind | undefined, InvalidOption | StorageError, Storage> =>
  Effect.flatMap(placeOf(uri), kindAt).pipe(traced("Group.objectType", uri))
