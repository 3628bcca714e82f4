/**
 * Files that change between two requests: what the server says about the version of a file is remembered, and every later
 * answer must be about the same version.
 *
 * @module
 */
import type { HttpAnswer } from "./request.ts"
import { originOf, pageOrigin, type RequestHeaders } from "./origin.ts"
import type { ReadSession } from "../read_session.ts"
import type { FileInfo } from "../service.ts"

/** What an answer says about the version of its file; a server may leave out any of it. */
export interface FileVersion {
  readonly etag?: string
  readonly lastModified?: string
  /** Bytes of the whole file. */
  readonly size?: number
}

/** Files whose versions are remembered; the one that was used longest ago is forgotten first. */
const MAX_FILES = 8192

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

/** What an answer says about its file, with the size that the caller has from it. */
export const fileInfo = (answer: HttpAnswer, size: number): FileInfo => {
  const { etag, lastModified } = versionOf(answer, size)
  const time = lastModified === undefined ? NaN : Date.parse(lastModified)
  return { size, ...(Number.isNaN(time) ? {} : { lastModified: time }), ...(etag === undefined ? {} : { etag }) }
}

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
  /** Records a response; returns `false` if it belongs to another version than earlier ones. */
  readonly accept: (version: FileVersion) => boolean
  /** Whether no other call has seen another version meanwhile; called when the bytes have arrived. */
  readonly holds: () => boolean
  /** Records that the server has another version. */
  readonly reject: () => void
}

/** Options of a version check. */
export interface VersionCheckOptions {
  /** The call is complete in itself: it accepts the current file, whatever earlier calls saw. */
  readonly anew?: boolean
  /** The calls with which it must agree; without a session, all that came before. */
  readonly session?: ReadSession
  /** Hears that the file has another version than in the calls before, with which this call need not agree. */
  readonly replaced?: () => void
}

/** The versions of files, for one storage. */
export interface FileVersions {
  /**
   * For a call that reads parts of the file at `url`. Within a session a file that changed stays so: all later calls fail.
   * Without one, nothing is remembered after another version was met, and the next call begins anew.
   */
  readonly check: (url: string, options?: VersionCheckOptions) => VersionCheck
}

/** Versions of up to `most` files, and of as many in each session. */
export const makeFileVersions = (max: number = MAX_FILES): FileVersions => {
  /** As any call saw them last. */
  const files = new Map<string, Remembered>()
  /** As the calls of a session saw them. */
  const sessions = new WeakMap<ReadSession, Map<string, Remembered>>()

  const remember = (among: Map<string, Remembered>, url: string, entry: Remembered): void => {
    among.delete(url)
    among.set(url, entry)
    if (among.size > max) among.delete(among.keys().next().value!)
  }

  /** On a page of another origin, the browser would send a preflight request for these headers. */
  const mayAsk = (url: string): boolean => {
    const page = pageOrigin()
    return page === undefined || page === originOf(url)
  }

  const check = (
    url: string,
    { anew = false, session, replaced = () => {} }: VersionCheckOptions = {},
  ): VersionCheck => {
    let seen = session && sessions.get(session)
    if (session !== undefined && seen === undefined) sessions.set(session, seen = new Map<string, Remembered>())
    // outlives its place in the map, so that one call never mixes two versions
    let own = seen?.get(url)
    const beginsAnew = (): boolean => own === undefined && (anew || session !== undefined)
    const lookup = (): Remembered | undefined => {
      own ??= seen?.get(url)
      return beginsAnew() ? undefined : session === undefined ? files.get(url) ?? own : own
    }
    const reject = (): void => {
      own ??= seen?.get(url)
      const last = files.get(url)
      // in a session that is behind, what others saw last may still hold
      const isLast = session === undefined || own === undefined || last === undefined ||
        sameVersion(own.version, last.version)
      if (own !== undefined) own.changed = true
      if (session !== undefined && own !== undefined) session.changed = true
      if (isLast) {
        if (last !== undefined) last.changed = true
        files.delete(url)
      }
    }
    const accept = (version: FileVersion): boolean => {
      own ??= seen?.get(url)
      if (own !== undefined && (own.changed || !sameVersion(own.version, version))) {
        reject()
        return false
      }
      const last = files.get(url)
      if (last !== undefined && (last.changed || !sameVersion(last.version, version))) {
        if (!beginsAnew() && session === undefined) {
          reject()
          return false
        }
        last.changed = true
        files.delete(url)
        replaced()
      }
      if (seen === undefined) {
        const entry = files.get(url) ?? own ?? { version, changed: false }
        if (own !== undefined && own !== entry) entry.version = combined(entry.version, own.version)
        entry.version = combined(entry.version, version)
        own = entry
        remember(files, url, entry)
        return true
      }
      own ??= { version, changed: false }
      own.version = combined(own.version, version)
      remember(seen, url, own)
      const entry = files.get(url) ?? { version, changed: false }
      entry.version = combined(entry.version, version)
      remember(files, url, entry)
      return true
    }
    return {
      accept,
      reject,
      holds: () => own === undefined || !own.changed,
      preconditions: () => {
        const version = lookup()?.version
        return version === undefined || !mayAsk(url) ? undefined : preconditionsFor(version)
      },
    }
  }
  return { check }
}
