/**
 * Decides which members of a group are opened. Members of a local group may be anywhere. Members of a group loaded over
 * the network must have the group's own origin, or an origin that the program allows: a web server must not choose
 * which other servers or local files are read.
 *
 * @module
 */
import { hostOf, httpPlace, namesBelow, staysInFolder } from "../../platform/storage/http/url.ts"
import { schemeOf } from "../../platform/storage/uri.ts"
import type { Refuse } from "../array/open/open_options.ts"

/** Normalised origins (`https://data.example`, `s3://bucket`) and schemes (`file:`). */
export type AllowedOrigins = ReadonlySet<string>

/** Schemes of local objects; plain paths have the scheme `file`. All other schemes use the network. */
const local: ReadonlySet<string> = new Set(["file", "mem"])

const isHttp = (scheme: string): boolean => scheme === "http" || scheme === "https"

/** Returns whether the object at a URI is loaded over the network. */
export const isRemote = (uri: string): boolean => !local.has(schemeOf(uri))

/**
 * Returns the origin of a URI: scheme, host and port of a web server, as the URL parser normalises them; scheme and
 * authority of other storages; the scheme alone of local ones. Returns `undefined` if requests to the URI are
 * impossible. The origin of an http URI is computed from the requested URL, so that both agree about user names,
 * backslashes and default ports.
 */
export const memberOrigin = (uri: string): string | undefined => {
  const scheme = schemeOf(uri)
  if (local.has(scheme)) return `${scheme}:`
  if (!isHttp(scheme)) return `${scheme}://${/^[^:]*:\/\/([^/?#\\]*)/.exec(uri)![1].toLowerCase()}`
  try {
    return new URL(httpPlace("list", uri).base).origin
  } catch {
    return undefined
  }
}

/** Normalises the allowed origins; `refuse` rejects invalid ones. */
export const checkAllow = (allow: unknown, refuse: Refuse): AllowedOrigins => {
  if (allow === undefined) return new Set()
  const advice = 'give a list of origins such as "https://data.example", or schemes such as "file:"'
  if (!Array.isArray(allow)) return refuse("allow", advice)
  return new Set(allow.map((entry: unknown) => {
    if (typeof entry !== "string") return refuse("allow", advice)
    const scheme = /^([A-Za-z][A-Za-z0-9+.-]*):(?:\/\/)?$/.exec(entry)
    if (scheme !== null) return `${scheme[1].toLowerCase()}:`
    const origin = /^[A-Za-z][A-Za-z0-9+.-]*:\/\/[^/?#\\@\s]+\/?$/.test(entry) ? memberOrigin(entry) : undefined
    // reject paths, which would suggest a restriction that does not exist
    if (origin === undefined || origin.endsWith(":")) {
      return refuse("allow", `${JSON.stringify(entry.slice(0, 200))} is not an origin or a scheme; ${advice}`)
    }
    return origin
  }))
}

const isAllowed = (allow: AllowedOrigins, origin: string): boolean =>
  allow.has(origin) || allow.has(origin.slice(0, origin.indexOf(":") + 1))

/** Returns whether a URL is a folder or below it. Servers may decode escaped slashes and dots. */
const isBelow = (folder: string, uri: string): boolean => {
  try {
    const [outer, inner] = [httpPlace("list", folder).base, httpPlace("list", uri).base]
    if (hostOf(outer) !== hostOf(inner)) return false
    const names = namesBelow(outer, inner)
    return names !== undefined &&
      inner.slice(outer.length + 1).split("/").every((name) => name === "" || staysInFolder(name))
  } catch {
    return false
  }
}

/** A group, and one of its members. */
export interface MemberStep {
  /** URI of the group. */
  readonly group: string
  /** Resolved URI of the member. */
  readonly uri: string
  /** Whether the group refers to the member by a relative path. */
  readonly relative: boolean
}

/**
 * Returns whether a member may be opened. `remote` is true if the group, or a group on the path to it, was loaded over
 * the network.
 */
export const mayFollow = ({ group, uri, relative }: MemberStep, remote: boolean, allow: AllowedOrigins): boolean => {
  if (!remote) return true
  const to = memberOrigin(uri)
  if (to === undefined) return false
  if (isAllowed(allow, to)) return true
  if (to !== memberOrigin(group)) return false
  return relative && isHttp(schemeOf(group)) ? isBelow(group, uri) : true
}
