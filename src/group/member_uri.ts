/**
 * Where the members of a group are.
 *
 * @module
 */
import { pathInFileUri } from "../../platform/storage/uri.ts"

/** Scheme and authority of a URI, without the slash behind; `""` for absolute paths, `undefined` for relative ones. */
const rootOf = (uri: string): string | undefined =>
  /^[A-Za-z][A-Za-z0-9+.-]*:\/\/[^/]*/.exec(uri)?.[0] ?? (uri.startsWith("/") ? "" : undefined)

/** A URI without `.`, `..` and doubled slashes, so that every object has one name. */
export const normalise = (uri: string): string => {
  const root = rootOf(uri)
  const out: Array<string> = []
  for (const part of uri.slice(root?.length ?? 0).split("/")) {
    if (part === "" || part === ".") continue
    if (part === ".." && out.length > 0 && out[out.length - 1] !== "..") out.pop()
    // nothing is above a root
    else if (part !== ".." || root === undefined) out.push(part)
  }
  const path = out.join("/")
  if (root === undefined) return path === "" ? "." : path
  return path !== "" || root === "" || root.endsWith("//") ? `${root}/${path}` : root
}

/** The URI of a member: a relative one starts at the group. */
export const memberUri = (groupUri: string, uri: string, relative: boolean): string =>
  relative ? normalise(`${groupUri}/${uri}`) : uri

/** The same text for all spellings of one place: `file:///a` is `/a`. */
export const identity = (uri: string): string => normalise(pathInFileUri(uri) ?? uri)
