/**
 * URIs of members of a group.
 */
import * as Effect from "effect/Effect"
import type { NotFound, StorageError } from "../../../../platform/errors.ts"
import { Storage } from "../../../../platform/storage/service.ts"
import { identity } from "../../../group/member_uri.ts"

/** The path or URI by which a group refers to a member. */
export interface MemberPath {
  readonly uri: string
  readonly relative: boolean
}

const isAbsolute = (uri: string): boolean => uri.startsWith("/") || /^[A-Za-z][A-Za-z0-9+.-]*:\/\//.test(uri)

/** Returns the absolute URI of an existing object. */
export const absoluteUri = (uri: string): Effect.Effect<string, NotFound | StorageError, Storage> =>
  isAbsolute(uri)
    ? Effect.succeed(uri)
    : Effect.flatMap(Storage, ({ realPath }) => realPath === undefined ? Effect.succeed(uri) : realPath(uri))

/** Returns the reference of a group to an object: a relative path inside the folder of the group, or else its URI. */
export const storedMember = (
  group: string,
  member: string,
): Effect.Effect<MemberPath, NotFound | StorageError, Storage> => {
  const folder = `${identity(group)}/`
  const place = identity(member)
  return place.startsWith(folder)
    ? Effect.succeed({ uri: place.slice(folder.length), relative: true })
    : Effect.map(absoluteUri(member), (uri) => ({ uri, relative: false }))
}
