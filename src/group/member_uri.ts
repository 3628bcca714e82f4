/**
 * Resolves and normalises the URIs of group members.
 *
 * @module
 */
import { pathInFileUri } from "../../platform/storage/uri.ts"

/**
 * Returns scheme and authority of a URI, without the slash after them; `""` for absolute paths, `undefined` for
 * relative ones.
 */
const rootOf = (uri: string): string | undefined =>
  /^[A-Za-z][A-Za-z0-9+.-]*:\/\/[^/]*/.exec(uri)?.[0] ?? (uri.startsWith("/") ? "" : undefined)

/** Returns a URI without `.`, `..` and doubled slashes, so that every object has one URI. */
export const normalise = (uri: string): string => {
  const root = rootOf(uri)
  const out: Array<string> = []
  for (const part of uri.slice(root?.length ?? 0).split("/")) {
    if (part === "" || part === ".") continue
    if (part === ".." && out.length > 0 && out[out.length - 1] !== "..") out.pop()
    // `..` at the root has no effect
    else if (part !== ".." || root === undefined) out.push(part)
  }
  const path = out.join("/")
  if (root === undefined) return path === "" ? "." : path
  return path !== "" || root === "" || root.endsWith("//") ? `${root}/${path}` : root
}

/** The URI of a member: a relative one starts at the group. */
export const memberUri = (groupUri: string, uri: string, relative: boolean): string =>
  relative ? normalise(`${groupUri}/${uri}`) : uri

/** Returns the same text for all spellings of a location: `/a` for `file:///a`. */
export const identity = (uri: string): string => normalise(pathInFileUri(uri) ?? uri)
