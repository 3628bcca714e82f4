/**
 * Detects files that change between requests: remembers the version information of each file, and compares all later
 * responses with it.
 *
 * @module
 */
import type { HttpResponse } from "./request.ts"
import { originOf, pageOrigin, type RequestHeaders } from "./origin.ts"
import type { ReadSession } from "../read_session.ts"
import type { FileInfo } from "../service.ts"

/** Version information in a response; servers may omit any part of it. */
export interface FileVersion {
  readonly etag?: string
  readonly lastModified?: string
  /** Size of the whole file in bytes. */
  readonly size?: number
}

/** Maximum number of remembered files; the least recently used ones are dropped. */
const MAX_FILES = 8192

/** Maximum length of header values; longer ones are ignored, since the values are kept in memory. */
const MAX_VALUE_LENGTH = 256

const short = (value: string | undefined): string | undefined =>
  value === undefined || value.length > MAX_VALUE_LENGTH || value.trim() === "" ? undefined : value.trim()

/** Returns the version information of a response. */
export const versionOf = (response: HttpResponse, size: number | undefined): FileVersion => ({
  etag: short(response.header("etag")),
  lastModified: short(response.header("last-modified")),
  size,
})

/** Returns the file information of a response; the caller provides the size. */
export const fileInfo = (response: HttpResponse, size: number): FileInfo => {
  const { etag, lastModified } = versionOf(response, size)
  const time = lastModified === undefined ? NaN : Date.parse(lastModified)
  return { size, ...(Number.isNaN(time) ? {} : { lastModified: time }), ...(etag === undefined ? {} : { etag }) }
}

const opaque = (etag: string): string => etag.replace(/^W\//, "")

/**
 * Whether two responses can belong to the same version. ETags are compared by the weak comparison of RFC 9110
 * (8.8.3.2): a tag that one server marks as weak and another does not is the same. Last-Modified is compared if an ETag
 * is missing.
 */
export const sameVersion = (a: FileVersion, b: FileVersion): boolean => {
  if (a.size !== undefined && b.size !== undefined && a.size !== b.size) return false
  if (a.etag !== undefined && b.etag !== undefined) return opaque(a.etag) === opaque(b.etag)
  return a.lastModified === undefined || b.lastModified === undefined || a.lastModified === b.lastModified
}

/**
 * Combines the information of two responses with the same version. A tag that is weak in one of them counts as weak.
 */
const combined = (a: FileVersion, b: FileVersion): FileVersion => ({
  etag: a.etag === undefined || b.etag?.startsWith("W/") ? b.etag ?? a.etag : a.etag,
  lastModified: a.lastModified ?? b.lastModified,
  size: a.size ?? b.size,
})

/** Strong ETags and dates in standard format; only these are sent back. */
const strongTag = /^"[\x21\x23-\x7e]*"$/
const httpDate = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/

/** Returns the headers that make the server reject the request (with 412) if the file has another version. */
const preconditionsFor = ({ etag, lastModified }: FileVersion): RequestHeaders | undefined =>
  etag !== undefined && strongTag.test(etag)
    ? { "if-match": etag }
    : lastModified !== undefined && httpDate.test(lastModified)
    ? { "if-unmodified-since": lastModified }
    : undefined

/** A remembered version. Calls that read this version share the object, so that all of them notice a change. */
interface Remembered {
  version: FileVersion
  changed: boolean
}

/** Version check of one storage call. */
export interface VersionCheck {
  /** Returns the headers for the next request for a part of the file. */
  readonly preconditions: () => RequestHeaders | undefined
  /** Records a response; returns `false` if it belongs to another version than earlier ones. */
  readonly accept: (version: FileVersion) => boolean
  /** Whether no other call has found another version meanwhile; called when the bytes have arrived. */
  readonly isCurrent: () => boolean
  /** Records that the server has another version. */
  readonly reject: () => void
}

/** Options of a version check. */
export interface VersionCheckOptions {
  /** The call accepts the current file, whatever version earlier calls read. */
  readonly anew?: boolean
  /** The session whose calls must read the same version. Without a session, all earlier calls count. */
  readonly session?: ReadSession
  /** Called if the file has another version than in earlier calls with which this call need not agree. */
  readonly replaced?: () => void
}

/** The file versions of one storage. */
export interface FileVersions {
  /**
   * Starts the check of a call that reads parts of the file at `url`. Within a session, a changed file stays changed:
   * all later calls fail. Without a session, the version is dropped when another one is found, and the next call starts
   * with the current file.
   */
  readonly check: (url: string, options?: VersionCheckOptions) => VersionCheck
}

/** Remembers the versions of up to `max` files, and of as many in each session. */
export const makeFileVersions = (max: number = MAX_FILES): FileVersions => {
  /** Latest version of each file in any call. */
  const files = new Map<string, Remembered>()
  /** Versions in the calls of each session. */
  const sessions = new WeakMap<ReadSession, Map<string, Remembered>>()

  const remember = (among: Map<string, Remembered>, url: string, entry: Remembered): void => {
    among.delete(url)
    among.set(url, entry)
    if (among.size > max) among.delete(among.keys().next().value!)
  }

  /**
   * Whether preconditions can be sent: from a page of another origin, the browser would send a preflight request for
   * them.
   */
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
    // kept even if dropped from the map, so that one call never mixes two versions
    let own = seen?.get(url)
    const beginsAnew = (): boolean => own === undefined && (anew || session !== undefined)
    const lookup = (): Remembered | undefined => {
      own ??= seen?.get(url)
      return beginsAnew() ? undefined : session === undefined ? files.get(url) ?? own : own
    }
    const reject = (): void => {
      own ??= seen?.get(url)
      const last = files.get(url)
      // if the session has an older version, the latest one may still be valid
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
      isCurrent: () => own === undefined || !own.changed,
      preconditions: () => {
        const version = lookup()?.version
        return version === undefined || !mayAsk(url) ? undefined : preconditionsFor(version)
      },
    }
  }
  return { check }
}
