/**
 * Parses storage URIs: the scheme, and the path of local files.
 *
 * @module
 */
import { StorageError, type StorageOp } from "../errors.ts"

/** Returns the scheme in lower case; `"file"` for plain paths. */
export const schemeOf = (uri: string): string => {
  const match = /^([A-Za-z][A-Za-z0-9+.-]*):\/\//.exec(uri)
  return match === null ? "file" : match[1].toLowerCase()
}

/** Removes trailing slashes; a single `/` is unchanged. */
export const withoutTrailingSlash = (path: string): string => {
  let end = path.length
  while (end > 1 && path.charCodeAt(end - 1) === 47) end--
  return path.slice(0, end)
}

/**
 * Returns the path in a `file://` URI, starting with its slash; `undefined` for any other URI. As in TileDB, percent
 * signs in the path are literal.
 */
export const pathInFileUri = (uri: string): string | undefined =>
  /^file:\/\/(?:localhost)?(?=\/|$)(.*)$/is.exec(uri)?.[1]

/** Returns the local path of a plain path or a `file://` URI. Throws {@link StorageError}. */
export const localPath = (op: StorageOp, uri: string): string => {
  if (uri === "") throw new StorageError({ op, uri, reason: "Unknown", cause: new TypeError("the path is empty") })
  const scheme = /^([A-Za-z][A-Za-z0-9+.-]*):\/\/([^/]*)/.exec(uri)
  if (scheme === null) {
    const almost = /^(?:https?|s3|gs|gcs|azure):/i.exec(uri)
    if (almost === null) return withoutTrailingSlash(uri)
    // otherwise the name of a new folder would contain the credentials in the URL
    const cause = new TypeError(`a URL begins with ${almost[0]}//; write ./${almost[0]}… for a path of this name`)
    throw new StorageError({ op, uri, reason: "Unsupported", cause })
  }
  if (scheme[1].toLowerCase() !== "file") throw unsupported(op, uri, scheme[1])
  const path = pathInFileUri(uri)
  if (path === undefined) {
    const cause = new TypeError(
      `file URIs with a host (${scheme[2]}) are not supported; write file:/// with three slashes`,
    )
    throw new StorageError({ op, uri, reason: "Unsupported", cause })
  }
  // drive letter of a Windows path: file:///C:/folder
  const drive = /^\/[A-Za-z]:(\/|$)/.test(path)
  return withoutTrailingSlash(drive ? path.slice(1) : path === "" ? "/" : path)
}

/** Returns the error for an unsupported scheme. */
export const unsupported = (op: StorageOp, uri: string, scheme: string): StorageError =>
  new StorageError({
    op,
    uri,
    reason: "Unsupported",
    cause: new TypeError(`no storage layer serves the scheme ${scheme}://; provide one`),
  })
