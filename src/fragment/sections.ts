/**
 * The sections of a fragment's metadata file: generic tiles that are read when a query needs them, several at once, and
 * cached. The tail of the file, which is read for the footer, usually contains all of them.
 */
import * as Effect from "effect/Effect"
import type { StorageError } from "../../platform/errors.ts"
import type { ReadSession } from "../../platform/storage/read_session.ts"
import { Storage } from "../../platform/storage/service.ts"
import { FormatError } from "../../schema/errors/format_error.ts"
import type { FragmentFooter } from "../../schema/fragment/footer.ts"
import { cacheKind, type CacheSpace } from "../kernel/bounded_cache.ts"
import { firstFrom } from "../kernel/first_from.ts"
import { attemptTile, type TileError } from "../tile/attempt.ts"
import { type GenericTile, openGenericTile, type TileAccess } from "../tile/generic_tile.ts"
import { readPresent } from "./missing_file.ts"

/** Size of the read from the end of a metadata file, in bytes; most files are smaller. */
export const TAIL_SIZE = 65536

/** The part of a file that has been read, up to the end. */
export interface LoadedTail {
  readonly offset: number
  readonly bytes: Uint8Array
}

/** The state of a metadata file. */
export interface Sections {
  readonly uri: string
  /** The format version of the fragment. */
  readonly version: number
  /** The session for reading the file, shared with the other files of the fragment. */
  readonly session: ReadSession
  /** The footer, which contains the positions of the sections. */
  readonly footer: FragmentFooter
  /**
   * The start of the footer, where the last section ends; with a consolidated footer unknown until the file is read.
   */
  end: number | undefined
  tail: LoadedTail | undefined
  /** The starts of the sections, ascending; computed on first use. */
  starts: Float64Array | undefined
  /** Unfiltered sections, by the position of their start. */
  readonly cache: CacheSpace
}

const SECTION = cacheKind<GenericTile>("section")

/** Returns the state before any section has been read. */
export const sectionsOf = (
  uri: string,
  session: ReadSession,
  footer: FragmentFooter,
  end: number | undefined,
  tail: LoadedTail | undefined,
  cache: CacheSpace,
): Sections => ({ uri, version: footer.version, session, footer, end, tail, starts: undefined, cache })

/** The errors of loading sections. */
export type SectionError = StorageError | TileError

/**
 * Loads the unfiltered sections that start at `requested`, in that order, with one request for all that are not cached.
 */
export const loadSections = (
  access: TileAccess,
  sections: Sections,
  requested: ReadonlyArray<number>,
): Effect.Effect<ReadonlyArray<GenericTile>, SectionError, Storage> =>
  Effect.gen(function* () {
    const { cache } = sections
    const tiles = new Map<number, GenericTile>()
    const missing: Array<number> = []
    for (const start of new Set(requested)) {
      const tile = cache.get(SECTION, start)
      if (tile === undefined) missing.push(start)
      else tiles.set(start, tile)
    }
    missing.sort((a, b) => a - b)
    if (missing.length > 0) {
      const storage = yield* Storage
      if (sections.tail === undefined) {
        const { bytes, size } = yield* readPresent(
          sections.uri,
          sections,
          storage,
          storage.readTail(sections.uri, TAIL_SIZE),
        )
        sections.tail = { offset: size - bytes.byteLength, bytes }
        sections.end ??= size
      }
      const { tail } = sections
      const end = sections.end ?? tail.offset + tail.bytes.byteLength
      const before = missing.filter((start) => start < tail.offset)
      const places = new Map(before.map((start, k) => [start, k]))
      // one read from the first missing section to the end of the last: sections are contiguous
      const ranges = before.map((start) => ({
        offset: start,
        length: Math.max(0, nextStart(sections, start, end) - start),
      }))
      const spans = yield* ranges.length === 0
        ? Effect.succeed([])
        : readPresent(sections.uri, sections, storage, storage.readRanges(sections.uri, ranges))
      const open = (start: number): GenericTile => {
        const k = places.get(start)
        if (k !== undefined) return openGenericTile(access, sections.uri, spans[k], 0, start)
        const at = start - tail.offset
        if (at > tail.bytes.byteLength) {
          throw new FormatError({
            uri: sections.uri,
            path: "",
            offset: start,
            version: 0,
            detail: "the footer contains the offset of a section after the end of the file",
          })
        }
        return openGenericTile(access, sections.uri, tail.bytes, at, tail.offset)
      }
      yield* attemptTile(() => {
        for (const start of missing) {
          const tile = open(start)
          tiles.set(start, tile)
          cache.set(SECTION, start, tile, tile.bytes.byteLength)
        }
      })
    }
    return requested.map((start) => tiles.get(start)!)
  })

/** Returns the upper bound of the end of the section that starts at `start`: the start of the next one. */
const nextStart = (sections: Sections, start: number, end: number): number => {
  const starts = sections.starts ??= startsOf(sections.footer)
  const k = firstFrom(starts.length, (i) => starts[i] <= start)
  return k < starts.length && starts[k] < end ? starts[k] : end
}

/** Returns the starts of all sections, ascending. */
const startsOf = (footer: FragmentFooter): Float64Array => {
  const lists = [
    footer.tileOffsets,
    footer.varTileOffsets,
    footer.varTileSizes,
    footer.validityTileOffsets,
    footer.tileMins,
    footer.tileMaxes,
    footer.tileSums,
    footer.tileNullCounts,
    [footer.rtreeOffset, footer.fragmentStatisticsOffset, footer.processedConditionsOffset],
  ]
  const starts = new Float64Array(lists.reduce((sum, list) => sum + list.length, 0))
  let at = 0
  for (const list of lists) {
    starts.set(list, at)
    at += list.length
  }
  return starts.sort()
}
