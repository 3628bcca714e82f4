/**
 * A cache that belongs to an open array: what was loaded and decoded of its metadata, up to a number of bytes. What was used
 * longest ago is dropped first, and loaded again when it is needed.
 */

/** Bytes of metadata that an open array keeps: a quarter of the default memory budget of a stream. */
export const CACHE_BYTES = 2 ** 26

/** The least bytes that {@link BoundedCache.withLimit} leaves: smaller budgets would load the same metadata for each batch. */
const LEAST_BYTES = 2 ** 24

/** The kind of a cached value. `A` is the type of the values; the name tells kinds apart. */
export interface CacheKind<A> {
  readonly name: string
  readonly _A?: (_: A) => A
}

/** Makes a kind of cached value. */
export const cacheKind = <A>(name: string): CacheKind<A> => ({ name })

interface Entry {
  readonly value: unknown
  readonly bytes: number
  readonly drop: () => void
}

/** The cached values of one owner: of a fragment, a schema, or an array. */
export interface CacheSpace {
  /** Returns a value, which counts as used now; `undefined` if it was not loaded, or dropped since. */
  readonly get: <A>(kind: CacheKind<A>, key: string | number) => A | undefined
  /** Keeps a value of about this many bytes. A value that is larger than the cache is not kept. */
  readonly set: <A>(kind: CacheKind<A>, key: string | number, value: A, bytes: number) => void
  /** Removes a value and returns it: memory that only one reader may use. */
  readonly take: <A>(kind: CacheKind<A>, key: string | number) => A | undefined
  /** The space that all owners share. */
  readonly shared: CacheSpace
}

/** A cache with a limit that all its spaces share. */
export interface BoundedCache {
  /** Makes an empty space. */
  readonly makeSpace: () => CacheSpace
  /** Bytes of all values that are kept. */
  readonly bytes: () => number
  /**
   * Lowers the limit to `bytes`, or to 16 MiB if that is more, until the returned function is called. The lowest of several
   * limits counts.
   */
  readonly withLimit: (bytes: number) => () => void
}

/** Makes a cache of at most `limit` bytes. */
export const makeBoundedCache = (limit: number = CACHE_BYTES): BoundedCache => {
  // in the order of their last use
  const entries = new Set<Entry>()
  const limits = new Set<{ readonly bytes: number }>()
  let kept = 0
  const lowest = (): number => {
    let min = limit
    for (const { bytes } of limits) min = Math.min(min, bytes)
    return min
  }
  const remove = (entry: Entry): void => {
    if (!entries.delete(entry)) return
    kept -= entry.bytes
    entry.drop()
  }
  const shrink = (): void => {
    const max = lowest()
    for (const entry of entries) {
      if (kept <= max) return
      remove(entry)
    }
  }
  const makeSpace = (common?: CacheSpace): CacheSpace => {
    const own = new Map<string, Entry>()
    const space: CacheSpace = {
      get: <A>({ name }: CacheKind<A>, key: string | number): A | undefined => {
        const entry = own.get(`${name} ${key}`)
        if (entry === undefined) return undefined
        entries.delete(entry)
        entries.add(entry)
        return entry.value as A
      },
      set: ({ name }, key, value, bytes) => {
        const id = `${name} ${key}`
        const before = own.get(id)
        if (before !== undefined) remove(before)
        if (bytes > lowest()) return
        const entry: Entry = { value, bytes, drop: () => own.delete(id) }
        own.set(id, entry)
        entries.add(entry)
        kept += bytes
        shrink()
      },
      take: <A>({ name }: CacheKind<A>, key: string | number): A | undefined => {
        const entry = own.get(`${name} ${key}`)
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
      const lowered = { bytes: Math.max(bytes, LEAST_BYTES) }
      limits.add(lowered)
      shrink()
      return () => void limits.delete(lowered)
    },
  }
}
