/**
 * A cache that belongs to an open array: keeps loaded and decoded metadata up to a number of bytes. The least recently
 * used values are dropped first, and loaded again when needed.
 */

/** Default size of the cache of an open array, in bytes: a quarter of the default memory budget of a stream. */
export const DEFAULT_CACHE_SIZE = 2 ** 26

/**
 * Minimum size that {@link BoundedCache.withLimit} sets: smaller caches would load the same metadata for each batch.
 */
const MIN_CACHE_SIZE = 2 ** 24

/** The kind of a cached value, compared by identity: create each kind once. `A` is the type of the values. */
export interface CacheKind<A> {
  readonly name: string
  readonly _A?: (_: A) => A
}

/** Creates a kind of cached value. */
export const cacheKind = <A>(name: string): CacheKind<A> => ({ name })

/** A cached value in the ring of all values. */
interface Entry {
  readonly value: unknown
  readonly bytes: number
  readonly siblings: Map<string | number, Entry>
  readonly key: string | number
  older: Entry
  newer: Entry
}

/** The cached values of one owner: a fragment, a schema, or an array. */
export interface CacheSpace {
  /** Returns a value and marks it as used; `undefined` if it was not loaded, or was dropped since. */
  readonly get: <A>(kind: CacheKind<A>, key: string | number) => A | undefined
  /** Stores a value of about this many bytes. A value that is larger than the cache is not stored. */
  readonly set: <A>(kind: CacheKind<A>, key: string | number, value: A, bytes: number) => void
  /** Removes a value and returns it, for memory that only one reader may use. */
  readonly take: <A>(kind: CacheKind<A>, key: string | number) => A | undefined
  /** The space that all owners share. */
  readonly shared: CacheSpace
}

/** A cache with a limit that all its spaces share. */
export interface BoundedCache {
  /** Creates an empty space. */
  readonly makeSpace: () => CacheSpace
  /** Returns the total size of all cached values, in bytes. */
  readonly bytes: () => number
  /**
   * Lowers the limit to `bytes`, or to 16 MiB if that is more, until the returned function is called. If there are
   * several limits, the lowest one applies.
   */
  readonly withLimit: (bytes: number) => () => void
}

/** Creates a cache of at most `limit` bytes. */
export const makeBoundedCache = (limit: number = DEFAULT_CACHE_SIZE): BoundedCache => {
  // the values form a ring in the order of last use, so that using a value allocates nothing; `end` is between the
  // newest and the oldest value
  const end = { bytes: 0 } as Entry
  end.older = end.newer = end
  const limits = new Set<{ readonly bytes: number }>()
  let kept = 0
  const lowest = (): number => {
    let min = limit
    for (const { bytes } of limits) min = Math.min(min, bytes)
    return min
  }
  const unlink = ({ older, newer }: Entry): void => {
    older.newer = newer
    newer.older = older
  }
  const linkNewest = (entry: Entry): void => {
    entry.older = end.older
    entry.newer = end
    end.older = end.older.newer = entry
  }
  const remove = (entry: Entry): void => {
    unlink(entry)
    kept -= entry.bytes
    entry.siblings.delete(entry.key)
  }
  const shrink = (): void => {
    const max = lowest()
    while (kept > max && end.newer !== end) remove(end.newer)
  }
  const makeSpace = (common?: CacheSpace): CacheSpace => {
    const kinds = new Map<object, Map<string | number, Entry>>()
    const space: CacheSpace = {
      get: <A>(kind: CacheKind<A>, key: string | number): A | undefined => {
        const entry = kinds.get(kind)?.get(key)
        if (entry === undefined) return undefined
        if (entry.newer !== end) {
          unlink(entry)
          linkNewest(entry)
        }
        return entry.value as A
      },
      set: (kind, key, value, bytes) => {
        let siblings = kinds.get(kind)
        if (siblings === undefined) kinds.set(kind, siblings = new Map())
        const before = siblings.get(key)
        if (before !== undefined) remove(before)
        if (bytes > lowest()) return
        const entry: Entry = { value, bytes, siblings, key, older: end, newer: end }
        siblings.set(key, entry)
        linkNewest(entry)
        kept += bytes
        shrink()
      },
      take: <A>(kind: CacheKind<A>, key: string | number): A | undefined => {
        const entry = kinds.get(kind)?.get(key)
        if (entry !== undefined) remove(entry)
        return entry?.value as A | undefined
      },
      get shared() {
        return common ?? space
      },
    }
    return space
  }
  const shared = makeSpace()
  return {
    makeSpace: () => makeSpace(shared),
    bytes: () => kept,
    withLimit: (bytes) => {
      const lowered = { bytes: Math.max(bytes, MIN_CACHE_SIZE) }
      limits.add(lowered)
      shrink()
      return () => void limits.delete(lowered)
    },
  }
}
