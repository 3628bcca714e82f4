/**
 * Files that change between two requests: what the server says about the version of a file is remembered, and every later
 * answer must be about the same version.
 *
 * @module
 */
import type { HttpAnswer } from "./http_request.ts"
import { originOf, pageOrigin, type RequestHeaders } from "./http_origin.ts"

/** What an answer says about the version of its file; a server may leave out any of it. */
export interface FileVersion {
  readonly etag?: string
  readonly lastModified?: string
  /** Bytes of the whole file. */
  readonly size?: number
}

/** Files whose versions are remembered; the one that was used longest ago is forgotten first. */
const MOST_FILES = 8192

/** Longer header values are ignored, as they are kept in memory. */
const LONGEST = 256

const short = (value: string | undefined): string | undefined =>
  value === undefined || value.length > LONGEST || value.trim() === "" ? undefined : value.trim()

/** The version in the headers of an answer. */
export const versionOf = (answer: HttpAnswer, size: number | undefined): FileVersion => ({
  etag: short(answer.header("etag")),
  lastModified: short(answer.header("last-modified")),
  size,
})

const opaque = (etag: string): string => etag.replace(/^W\//, "")

/**
 * Whether two answers can be about the same version. ETags are compared as RFC 9110 does it for weak ones (8.8.3.2): a tag
 * that one server marks as weak and another does not is the same. Last-Modified counts where an ETag is missing.
 */
export const sameVersion = (a: FileVersion, b: FileVersion): boolean => {
  if (a.size !== undefined && b.size !== undefined && a.size !== b.size) return false
  if (a.etag !== undefined && b.etag !== undefined) return opaque(a.etag) === opaque(b.etag)
  return a.lastModified === undefined || b.lastModified === undefined || a.lastModified === b.lastModified
}

/** What two answers about the same version say together. A tag that is weak in one of them does not count as strong. */
const combined = (a: FileVersion, b: FileVersion): FileVersion => ({
  etag: a.etag === undefined || b.etag?.startsWith("W/") ? b.etag ?? a.etag : a.etag,
  lastModified: a.lastModified ?? b.lastModified,
  size: a.size ?? b.size,
})

/** Strong ETags and dates as the standard writes them: only those are sent back. */
const strongTag = /^"[\x21\x23-\x7e]*"$/
const httpDate = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/

/** The headers by which a server refuses (with 412) to answer from another version. */
const preconditionsFor = ({ etag, lastModified }: FileVersion): RequestHeaders | undefined =>
  etag !== undefined && strongTag.test(etag)
    ? { "if-match": etag }
    : lastModified !== undefined && httpDate.test(lastModified)
    ? { "if-unmodified-since": lastModified }
    : undefined

/** A remembered version. Calls that read from it share the object, so that all of them learn of a change. */
interface Remembered {
  version: FileVersion
  changed: boolean
}

/** The version that one storage call reads its file in. */
export interface VersionCheck {
  /** The headers for the next request for a part of the file. */
  readonly preconditions: () => RequestHeaders | undefined
  /** Takes note of an answer; `false` if it is about another version than those before. */
  readonly accept: (version: FileVersion) => boolean
  /** Whether no other call has met another version meanwhile; to be asked when the bytes have arrived. */
  readonly holds: () => boolean
  /** The server says that there is another version. */
  readonly reject: () => void
}

/** The versions of files, for one storage. */
export interface FileVersions {
  /**
   * For a call that reads parts of the file at `url`: they must be of the version that earlier calls saw. A call that is
   * complete in itself begins `anew`: the version of its first answer replaces the remembered one, which `replaced` hears
   * of if it was another. After another version was met, nothing is remembered, and the next call begins anew.
   */
  readonly check: (url: string, anew?: boolean, replaced?: () => void) => VersionCheck
}

/** Versions of up to `most` files. */
export const makeFileVersions = (most: number = MOST_FILES): FileVersions => {
  const files = new Map<string, Remembered>()

  /** In a page of another origin, the browser would ask the server for permission to send these headers. */
  const mayAsk = (url: string): boolean => {
    const page = pageOrigin()
    return page === undefined || page === originOf(url)
  }

  const check = (url: string, anew = false, replaced = (): void => {}): VersionCheck => {
    // outlives its place in the map, so that one call never mixes two versions
    let own: Remembered | undefined
    const known = (): Remembered | undefined => own === undefined && anew ? undefined : files.get(url) ?? own
    const reject = (): void => {
      for (const each of [own, files.get(url)]) if (each !== undefined) each.changed = true
      files.delete(url)
    }
    const accept = (version: FileVersion): boolean => {
      const before = files.get(url)
      if (own === undefined && anew && before !== undefined && !sameVersion(before.version, version)) {
        before.changed = true
        files.delete(url)
        replaced()
      }
      const differs = [own, files.get(url)].some((each) =>
        each !== undefined && (each.changed || !sameVersion(each.version, version))
      )
      if (differs) {
        reject()
        return false
      }
      const entry = files.get(url) ?? own ?? { version, changed: false }
      if (own !== undefined && own !== entry) entry.version = combined(entry.version, own.version)
      entry.version = combined(entry.version, version)
      own = entry
      files.delete(url)
      files.set(url, entry)
      if (files.size > most) files.delete(files.keys().next().value!)
      return true
    }
    return {
      accept,
      reject,
      holds: () => own === undefined || !own.changed,
      preconditions: () => {
        const version = known()?.version
        return version === undefined || !mayAsk(url) ? undefined : preconditionsFor(version)
      },
    }
  }
  return { check }
}
