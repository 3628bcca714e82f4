/**
 * Where the members of a group are.
 *
 * @module
 */

/** Scheme and authority, or the root, of a URI or path; empty for relative paths. */
const rootOf = (uri: string): string => /^(?:[A-Za-z][A-Za-z0-9+.-]*:\/\/[^/]*\/?|\/)/.exec(uri)?.[0] ?? ""

/** A URI without `.`, `..` and doubled slashes, so that every object has one name. */
export const normalise = (uri: string): string => {
  const root = rootOf(uri)
  const out: Array<string> = []
  for (const part of uri.slice(root.length).split("/")) {
    if (part === "" || part === ".") continue
    if (part === ".." && out.length > 0 && out[out.length - 1] !== "..") out.pop()
    // nothing is above a root
    else if (part !== ".." || root === "") out.push(part)
  }
  const path = out.join("/")
  return root === "" && path === "" ? "." : root !== "" && path === "" ? root : root + path
}

/** The URI of a member: a relative one starts at the group. */
export const memberUri = (groupUri: string, uri: string, relative: boolean): string =>
  relative ? normalise(`${groupUri}/${uri}`) : uri

const fileUri = /^file:\/\/(?:localhost)?(?=\/)/i

/** The same text for all spellings of one place: `file:///a` is `/a`. */
export const identity = (uri: string): string => {
  const local = fileUri.exec(uri)
  if (local === null) return normalise(uri)
  const path = uri.slice(local[0].length)
  try {
    return normalise(decodeURIComponent(path))
  } catch {
    return normalise(path)
  }
}
