/**
 * What a URI says about where it leads: its scheme, and for files the path.
 *
 * @module
 */
import { StorageError, type StorageOp } from "../errors.ts"

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
 * Returns the path in a `file://` URI, starting with its slash; `undefined` for any other URI. As in the engine, the
 * path is literal: a percent sign is a percent sign.
 */
export const pathInFileUri = (uri: string): string | undefined =>
  /^file:\/\/(?:localhost)?(?=\/|$)(.*)$/is.exec(uri)?.[1]

/** The path of a plain path or of a `file://` URI. Throws {@link StorageError}. */
export const localPath = (op: StorageOp, uri: string): string => {
  if (uri === "") throw new StorageError({ op, uri, reason: "Unknown", cause: new TypeError("the path is empty") })
  const scheme = /^([A-Za-z][A-Za-z0-9+.-]*):\/\/([^/]*)/.exec(uri)
  if (scheme === null) {
    const almost = /^(?:https?|s3|gs|gcs|azure):/i.exec(uri)
    if (almost === null) return withoutTrailingSlash(uri)
    // a folder of this name would have the credentials of the URL in its name
    const cause = new TypeError(`a URL begins with ${almost[0]}//; write ./${almost[0]}… for a path of this name`)
    throw new StorageError({ op, uri, reason: "Unsupported", cause })
  }
  if (scheme[1].toLowerCase() !== "file") throw unsupported(op, uri, scheme[1])
  const path = pathInFileUri(uri)
  if (path === undefined) {
    const cause = new TypeError(`files of the host ${scheme[2]}; write file:/// with three slashes`)
    throw new StorageError({ op, uri, reason: "Unsupported", cause })
  }
  // file:///C:/folder
  const drive = /^\/[A-Za-z]:(\/|$)/.test(path)
  return withoutTrailingSlash(drive ? path.slice(1) : path === "" ? "/" : path)
}

/** The error for an unsupported scheme. */
export const unsupported = (op: StorageOp, uri: string, scheme: string): StorageError =>
  new StorageError({
    op,
    uri,
    reason: "Unsupported",
    cause: new TypeError(`no storage layer serves the scheme ${scheme}://; provide one`),
  })
