/**
 * Finds out what is at a URI, and protects places that no call should remove or replace.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import type { StorageError } from "../../platform/errors.ts"
import { type Entry, Storage } from "../../platform/storage/service.ts"
import { ArrayNotFound, InvalidOption } from "../array/open/errors.ts"
import { kindOfFolder, type ObjectKind } from "../group/object_type.ts"
import { identity } from "../group/member_uri.ts"
import { arrayFolders } from "../../schema/name/array_paths.ts"
import { CURRENT_VERSION } from "../../schema/version/version.ts"

/** What is in a folder: an object, the remains of an array whose schema is missing, or other files. */
export type Content = ObjectKind | "remains" | "other" | "nothing"

const ownFolders: ReadonlySet<string> = new Set(arrayFolders(CURRENT_VERSION))

/** Returns what is in a folder with these entries. */
export const contentOf = (entries: ReadonlyArray<Entry>): Content => {
  if (entries.length === 0) return "nothing"
  const hasFolder = entries.some(({ name, kind }) => kind === "folder" && ownFolders.has(name) && name !== "__meta")
  return kindOfFolder(entries) ?? (hasFolder ? "remains" : "other")
}

/** Fails for the root of a file system, of a bucket or of a server, and for the working folder. */
export const checkPlace = (uri: string, verb: string): Effect.Effect<void, InvalidOption> => {
  const place = identity(uri)
  // an authority is a bucket or a server, except in memory
  const isRoot = /^(mem:\/\/|(?!mem:)[A-Za-z][A-Za-z0-9+.-]*:\/\/[^/]*)?\/?$/i.test(place) ||
    /^[A-Za-z]:\/?$/.test(place)
  const isOutside = place === "." || place === ".." || place.startsWith("../") && /^(\.\.\/)*\.\.$/.test(place)
  return isRoot || isOutside
    ? Effect.fail(
      new InvalidOption({
        uri,
        option: "uri",
        reason: "InvalidValue",
        detail: `${verb} a whole bucket, file system or working folder is refused; name the object in it`,
      }),
    )
    : Effect.void
}

/** Returns the content at a URI with its entries; fails with `ArrayNotFound` if there is nothing. */
export const locate = (
  uri: string,
): Effect.Effect<
  { readonly content: Exclude<Content, "nothing">; readonly entries: ReadonlyArray<Entry> },
  ArrayNotFound | StorageError,
  Storage
> =>
  Effect.gen(function* () {
    const storage = yield* Storage
    const entries = yield* storage.list(uri)
    const content = contentOf(entries)
    if (content !== "nothing") return { content, entries }
    const detail = "there is no array or group here; check the path and the permission to list it"
    return yield* Effect.fail(new ArrayNotFound({ uri, reason: "Empty", detail }))
  })
