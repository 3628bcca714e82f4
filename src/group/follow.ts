/**
 * Decides which members of a group are opened. A local group may lead anywhere. A group loaded over the network may
 * lead to its own origin, and to origins that the program allows: a web server must not choose which other servers or
 * local files are read.
 *
 * @module
 */
import { hostOf, httpPlace, namesBelow, staysInFolder } from "../../platform/storage/http/url.ts"
import { schemeOf } from "../../platform/storage/uri.ts"
import type { Refuse } from "../array/open/open_options.ts"

/** Origins (`https://data.example`, `s3://bucket`) and schemes (`file:`), normalised. */
export type AllowedOrigins = ReadonlySet<string>

/** Schemes of the program's own machine; plain paths have the scheme `file`. Every other scheme is the network. */
const local: ReadonlySet<string> = new Set(["file", "mem"])

const isHttp = (scheme: string): boolean => scheme === "http" || scheme === "https"

/** Whether what is at a URI comes over the network. */
export const isRemote = (uri: string): boolean => !local.has(schemeOf(uri))

/**
 * Returns the origin of a URI: scheme, host and port of a web server, as the URL parser normalises them; scheme and
 * authority of other storages; the scheme alone of local ones. `undefined` if requests to it are impossible. The origin
 * of an http URI is computed from the requested URL, so that both agree about user names, backslashes and default
 * ports.
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

/** The allowed origins, normalised; `refuse` ends the check. */
export const checkAllow = (allow: unknown, refuse: Refuse): AllowedOrigins => {
  if (allow === undefined) return new Set()
  const advice = 'give a list of origins such as "https://data.example", or schemes such as "file:"'
  if (!Array.isArray(allow)) return refuse("allow", advice)
  return new Set(allow.map((entry: unknown) => {
    if (typeof entry !== "string") return refuse("allow", advice)
    const scheme = /^([A-Za-z][A-Za-z0-9+.-]*):(?:\/\/)?$/.exec(entry)
    if (scheme !== null) return `${scheme[1].toLowerCase()}:`
    const origin = /^[A-Za-z][A-Za-z0-9+.-]*:\/\/[^/?#\\@\s]+\/?$/.test(entry) ? memberOrigin(entry) : undefined
    // a path would suggest a restriction that does not exist
    if (origin === undefined || origin.endsWith(":")) {
      return refuse("allow", `${JSON.stringify(entry.slice(0, 200))} is not an origin or a scheme; ${advice}`)
    }
    return origin
  }))
}

const isAllowed = (allow: AllowedOrigins, origin: string): boolean =>
  allow.has(origin) || allow.has(origin.slice(0, origin.indexOf(":") + 1))

/** Whether a URL is a folder or below it; servers may decode escaped slashes and dots. */
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

/** A group that was reached, and a member that it names. */
export interface MemberStep {
  /** The URI of the group. */
  readonly group: string
  /** The URI of the member, resolved. */
  readonly uri: string
  /** Whether the group names the member by a relative path. */
  readonly relative: boolean
}

/**
 * Whether a member may be opened. `remote` is true if the group, or a group that led to it, was loaded over the
 * network.
 */
export const mayFollow = ({ group, uri, relative }: MemberStep, remote: boolean, allow: AllowedOrigins): boolean => {
  if (!remote) return true
  const to = memberOrigin(uri)
  if (to === undefined) return false
  if (isAllowed(allow, to)) return true
  if (to !== memberOrigin(group)) return false
  return relative && isHttp(schemeOf(group)) ? isBelow(group, uri) : true
}
