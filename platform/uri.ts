/**
 * What a URI says about where it leads: its scheme, and for files the path.
 *
 * @module
 */
import { StorageError } from "./errors.ts"

/** The scheme in lower case; `"file"` for plain paths. */
export const schemeOf = (uri: string): string => {
  const match = /^([A-Za-z][A-Za-z0-9+.-]*):\/\//.exec(uri)
  return match === null ? "file" : match[1].toLowerCase()
}

/** Without the slashes at the end; a lone `/` stays. */
export const withoutTrailingSlash = (path: string): string => {
  let end = path.length
  while (end > 1 && path.charCodeAt(end - 1) === 47) end--
  return path.slice(0, end)
}

/**
 * The path of a plain path or of a `file://` URI. Percent signs are escapes in URIs only; a plain path is taken as it
 * stands. Throws {@link StorageError}.
 */
export const localPath = (op: string, uri: string): string => {
  if (uri === "") throw new StorageError({ op, uri, reason: "Unknown", cause: new TypeError("the path is empty") })
  const scheme = /^([A-Za-z][A-Za-z0-9+.-]*):\/\/([^/]*)/.exec(uri)
  if (scheme === null) return withoutTrailingSlash(uri)
  if (scheme[1].toLowerCase() !== "file") throw unsupported(op, uri, scheme[1])
  if (scheme[2] !== "" && scheme[2].toLowerCase() !== "localhost") {
    const cause = new TypeError(`files of the host ${scheme[2]}; write file:/// with three slashes`)
    throw new StorageError({ op, uri, reason: "Unsupported", cause })
  }
  let path: string
  try {
    path = decodeURIComponent(uri.slice(scheme[0].length))
  } catch {
    const cause = new TypeError("a percent sign in a file:// URI must be written %25")
    throw new StorageError({ op, uri, reason: "Unknown", cause })
  }
  // file:///C:/folder
  if (/^\/[A-Za-z]:(\/|$)/.test(path)) path = path.slice(1)
  return withoutTrailingSlash(path === "" ? "/" : path)
}

/** The error for a scheme that nobody serves. */
export const unsupported = (op: string, uri: string, scheme: string): StorageError =>
  new StorageError({ op, uri, reason: "Unsupported", cause: new TypeError(`the scheme is ${scheme}://`) })
