/**
 * Paths inside the files of an array or group. They are untrusted input, so each one is checked before it becomes a
 * storage path.
 *
 * Paths that are rejected with a `FormatError`, and paths that are ignored, by the file that contains them:
 *
 * | File                       | Path                      | Invalid path  | Valid path of an unknown file             |
 * | -------------------------- | ------------------------- | ------------- | ----------------------------------------- |
 * | schema                     | relative label URI        | rejected      | the label array is not found              |
 * | schema                     | absolute label URI        | never opened  |                                           |
 * | schema                     | enumeration file name     | rejected      | rejected when the enumeration is loaded   |
 * | schema of format 1 to 7    | field name                | rejected      |                                           |
 * | `.con`, `.ign`             | commit path               | rejected      | ignored                                   |
 * | `.vac`                     | line without a scheme     | rejected      | ignored                                   |
 * | `.vac`                     | line with a scheme        | ignored       | only its last name counts                 |
 * | fragment footer            | schema name               | rejected      | rejected: the schema is missing           |
 * | fragment footer            | processed condition       | rejected      | ignored                                   |
 * | `.meta`, since format 9    | fragment name             | rejected      | ignored                                   |
 * | `.meta`, before format 9   | absolute fragment URI     | ignored       | ignored: compared, never opened           |
 * | group details              | relative member URI       | rejected      | the member is listed                      |
 *
 * Symbolic links are out of scope: links inside a local array are followed, even if they lead outside it, because
 * creating them requires write access to the local file system.
 *
 * @module
 */
import { FormatError } from "../errors/format_error.ts"

/**
 * The kinds of paths:
 * - `path`: relative to the array, one or more components;
 * - `file`: the name of one file in a known folder;
 * - `field`: a field name, which is the start of a data file name before format 8. The name is free text that follows the
 *   fragment's folder, so only components that would leave the folder are rejected;
 * - `member`: relative to a group. Engines store the path as the user gave it, and resolve `..` against the group, so `..`
 *   is valid here (a sibling of the group); a whole URI or an absolute path is not.
 */
export type InnerPathKind = "path" | "file" | "field" | "member"

/** The location of a path: the file, the field in it, and the format version. */
export interface InnerPathPlace {
  /** The file that contains the path. */
  readonly uri: string
  /** The field of the structure, such as `dimensionLabels.0.uri`. */
  readonly path: string
  /** The format version of the file. */
  readonly version: number
  /** The offset of the field. Default: 0. */
  readonly offset?: number
}

// deno-lint-ignore no-control-regex
const control = /[\x00-\x1f\x7f-\x9f\u2028\u2029]/

const dots = (component: string): boolean => component === "." || component === ".."

/** Checks field names, which are free text. The last component gets a suffix, so dots are harmless there. */
const fieldFault = (name: string): string | undefined => {
  if (name.includes("\0")) return "contains a NUL character"
  const folders = name.split(/[/\\]/).slice(0, -1)
  return folders.some(dots) ? 'contains the path component "." or ".."' : undefined
}

const memberFault = (path: string): string | undefined => {
  if (control.test(path)) return "contains a control character"
  if (path.startsWith("/")) return "is an absolute path"
  return /^[A-Za-z][A-Za-z0-9+.-]*:[/\\]/.test(path) ? "starts with a scheme" : undefined
}

const pathFault = (path: string): string | undefined => {
  if (path === "") return "is empty"
  if (control.test(path)) return "contains a control character"
  if (path.startsWith("/")) return "is an absolute path"
  if (/^[A-Za-z][A-Za-z0-9+.-]*:/.test(path)) return "starts with a scheme"
  const [special] = /[\\?#%]/.exec(path) ?? []
  if (special !== undefined) return `contains ${JSON.stringify(special)}`
  const components = path.split("/")
  if (components.includes("")) return "contains an empty path component"
  return components.some(dots) ? 'contains the path component "." or ".."' : undefined
}

/**
 * Returns the reason why a path may leave its base folder, or may not be a plain name for a storage; `undefined` if the
 * path is valid. Percent signs are rejected in paths of arrays because web servers decode escapes such as `%2e%2e%2f`;
 * engines never write them.
 *
 * ```ts
 * import { innerPathFault } from "@tessera/array/schema"
 * import { assertEquals } from "@std/assert"
 *
 * assertEquals(innerPathFault("__labels/l0"), undefined)
 * assertEquals(innerPathFault("/etc/passwd"), "is an absolute path")
 * assertEquals(innerPathFault("__labels/l0", "file"), "contains a slash")
 * assertEquals(innerPathFault("../sibling", "member"), undefined)
 * ```
 */
export const innerPathFault = (path: string, kind: InnerPathKind = "path"): string | undefined => {
  switch (kind) {
    case "field":
      return fieldFault(path)
    case "member":
      return memberFault(path)
    case "file":
      return pathFault(path) ?? (path.includes("/") ? "contains a slash" : undefined)
    case "path":
      return pathFault(path)
  }
}

/**
 * Returns the path if it stays inside its base folder. Throws `FormatError` with the file, the field and the reason
 * otherwise.
 *
 * ```ts
 * import { checkInnerPath, FormatError } from "@tessera/array/schema"
 * import { assertEquals, assertThrows } from "@std/assert"
 *
 * const place = { uri: "mem://a/__schema/s", path: "dimensionLabels.0.uri", version: 22 }
 * assertEquals(checkInnerPath("__labels/l0", place), "__labels/l0")
 * const error = assertThrows(() => checkInnerPath("../b", place), FormatError)
 * assertEquals(error.detail, 'the path "../b" contains the path component "." or ".."')
 * ```
 */
export const checkInnerPath = (path: string, place: InnerPathPlace, kind: InnerPathKind = "path"): string => {
  const fault = innerPathFault(path, kind)
  if (fault === undefined) return path
  const label = kind === "field" ? "field name" : kind === "file" ? "file name" : "path"
  throw new FormatError({
    uri: place.uri,
    path: place.path,
    offset: place.offset ?? 0,
    version: place.version,
    // the message escapes control characters
    detail: `the ${label} "${shownUri(path)}" ${fault}`,
  })
}

/**
 * Returns a URI or path for messages: without query, fragment, user name and password, which may be secrets, and
 * shortened.
 *
 * ```ts
 * import { shownUri } from "@tessera/array/schema"
 * import { assertEquals } from "@std/assert"
 *
 * assertEquals(shownUri("https://me:secret@host/array?sig=123"), "https://host/array?…")
 * ```
 */
export const shownUri = (uri: string): string => {
  const bare = uri
    .slice(0, 2000)
    .replace(/[?#].*$/s, (rest) => `${rest[0]}…`)
    .replace(/^([A-Za-z][A-Za-z0-9+.-]*:\/\/)[^/]*@/, "$1")
  return bare.length > 200 ? `${bare.slice(0, 200)}…` : bare
}
