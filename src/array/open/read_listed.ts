/**
 * Reads files of a listing although a vacuum may remove them between the listing and the read.
 */
import * as Effect from "effect/Effect"
import { type Entry, Storage } from "../../../platform/storage/service.ts"
import type { NotFound, StorageError } from "../../../platform/errors.ts"
import { listArray, type Listing } from "./listing.ts"

/** Maximum number of listings. */
const MAX_LISTINGS = 10

const isMissing = (error: unknown): boolean =>
  typeof error === "object" && error !== null && "_tag" in error && error._tag === "NotFound"

const sameNames = (a: ReadonlyArray<Entry>, b: ReadonlyArray<Entry>): boolean => {
  const names = new Set(a.map(({ name }) => name))
  return a.length === b.length && b.every(({ name }) => names.has(name))
}

const readAgain = <L, A, E, R>(
  list: Effect.Effect<L, E, R>,
  isSame: (a: L, b: L) => boolean,
  read: (listing: L) => Effect.Effect<A, E, R>,
): Effect.Effect<A, E, R> => {
  const attempt = (listing: L, listings: number): Effect.Effect<A, E, R> =>
    Effect.catchIf(
      read(listing),
      (error) => isMissing(error) && listings < MAX_LISTINGS,
      (error) =>
        Effect.flatMap(list, (next) => isSame(listing, next) ? Effect.fail(error) : attempt(next, listings + 1)),
    )
  return Effect.flatMap(list, (listing) => attempt(listing, 1))
}

/**
 * Lists an array and runs `read` with the listing. If a file of the listing does not exist, lists again; runs `read`
 * again if the listing has changed, and otherwise fails with `NotFound`.
 */
export const readListed = <A, E, R>(
  uri: string,
  read: (listing: Listing) => Effect.Effect<A, E | NotFound, R>,
): Effect.Effect<A, E | NotFound | StorageError, R | Storage> =>
  readAgain<Listing, A, E | NotFound | StorageError, R | Storage>(
    listArray(uri),
    (a, b) => sameNames(a.root, b.root) && sameNames(a.commits, b.commits) && sameNames(a.schemas, b.schemas),
    read,
  )

/** Like {@link readListed}, for a single folder. */
export const readListedFolder = <A, E, R>(
  uri: string,
  read: (entries: ReadonlyArray<Entry>) => Effect.Effect<A, E | NotFound, R>,
): Effect.Effect<A, E | NotFound | StorageError, R | Storage> =>
  readAgain<ReadonlyArray<Entry>, A, E | NotFound | StorageError, R | Storage>(
    Effect.flatMap(Storage, (storage) => storage.list(uri)),
    sameNames,
    read,
  )
