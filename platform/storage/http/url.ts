/**
 * Converts storage URIs to request URLs.
 *
 * @module
 */
import { StorageError, type StorageOp } from "../../errors.ts"

/** A location on a web server. */
export interface HttpPlace {
  /** The URL without its query and without trailing slashes. */
  readonly base: string
  /** The query with its question mark, or `""`. It is sent with every request to the location and below it. */
  readonly query: string
}

/**
 * Characters that would not stay part of a name in a URL: separators, characters that URLs drop, and a percent sign
 * without an escape.
 */
// deno-lint-ignore no-control-regex
const unsafe = /[#?\\\x00-\x1f\x7f]|%(?![0-9A-Fa-f]{2})/g

const escape = (char: string): string => `%${char.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`

/** Names that TileDB creates in arrays and groups: paths from there on are inside an array or group. */
const insides =
  /\/__(?:(?:schema|fragments|commits|fragment_meta|meta|labels|group)(?=\/|$)|\d+_\d+_|[0-9a-f]{32}_|(?:array_schema|tiledb_group)\.tdb$)/

/** Escapes a path: percent signs are escapes in user input, and literal in names inside an array. */
const escaped = (path: string): string => {
  const inside = path.search(insides)
  const [outer, inner] = inside < 0 ? [path, ""] : [path.slice(0, inside), path.slice(inside)]
  return outer.replace(unsafe, escape) + inner.replaceAll("%", "%25").replace(unsafe, escape)
}

/**
 * Returns the location of a URI. Percent signs are escapes, as in any URL, except inside an array, where names are as
 * TileDB created them. The query ends at the next slash, so that names can follow it:
 * `https://host/array?sig=1/__schema` is `__schema` in the array, and `?sig=1` is sent with every request; a slash in a
 * query is written `%2F`. Throws {@link StorageError}.
 */
export const httpPlace = (op: StorageOp, uri: string): HttpPlace => {
  const parts = /^(https?:\/\/[^/?#\\]+)([^?]*)(\?[^/]*)?(.*)$/is.exec(uri)
  try {
    if (parts === null) throw new TypeError("this is not an http:// or https:// URL")
    const path = parts[2].replace(/\/+$/, "") + parts[4]
    const url = new URL(parts[1] + escaped(path))
    const query = parts[3] === undefined || parts[3] === "?" ? "" : new URL(`http://host/${parts[3]}`).search
    return { base: url.href.replace(/\/+$/, ""), query }
  } catch (cause) {
    throw new StorageError({ op, uri, reason: "Unknown", cause })
  }
}

/** Returns the URL of a location as a file. */
export const fileUrl = ({ base, query }: HttpPlace): string => base + query

/** Returns the URL of a location as a folder. */
export const folderUrl = ({ base, query }: HttpPlace): string => `${base}/${query}`

/** Returns the URL of a file in a folder. */
export const urlIn = ({ base, query }: HttpPlace, name: string): string => `${base}/${encodeURIComponent(name)}${query}`

/** Returns scheme and host of a location. */
export const hostOf = (base: string): string => /^[a-z][a-z0-9]*:\/\/[^/]*/.exec(base)![0]

/** Returns the parent folder of a location; `undefined` for the root of a host. */
export const parentOf = (base: string): string | undefined => {
  const host = hostOf(base)
  return base.length > host.length ? base.slice(0, Math.max(base.lastIndexOf("/"), host.length)) : undefined
}

/** Returns the array or group that contains a folder, as far as the names show it. */
export const objectOf = (base: string): string => {
  const host = hostOf(base)
  const inside = base.slice(host.length).search(insides)
  return inside < 0 ? base : base.slice(0, host.length + inside)
}

/** Returns the decoded names on the path from `folder` to `base`; `undefined` if `base` is not below `folder`. */
export const namesBelow = (folder: string, base: string): ReadonlyArray<string> | undefined => {
  if (base === folder) return []
  if (!base.startsWith(`${folder}/`)) return undefined
  try {
    return base.slice(folder.length + 1).split("/").map(decodeURIComponent)
  } catch {
    return undefined
  }
}

// deno-lint-ignore no-control-regex
const separators = /[/\\\x00-\x1f\x7f]/

/** Whether a name stays inside the folder when it becomes part of a URL. */
export const staysInFolder = (name: string): boolean => {
  if (separators.test(name)) return false
  // URLs treat an escaped dot as a dot, and some servers treat an escaped slash as a slash
  const parts = name.includes("%") ? name.replace(/%2e/gi, ".").replace(/%(2f|5c)/gi, "/").split("/") : [name]
  return parts.every((part) => part !== "" && part !== "." && part !== "..")
}
