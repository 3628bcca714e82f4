/**
 * Paths that the files of an array or group contain. They come from whoever wrote the files, so each one is checked before
 * it becomes a storage path.
 *
 * What is rejected, with a `FormatError`, and what is ignored, by the file that contains the path:
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
 * The paths say nothing of symbolic links. A link inside a local array is followed, wherever it points: whoever can create
 * links on the local machine decides what the array consists of.
 *
 * @module
 */
import { FormatError } from "../errors/format_error.ts"

/**
 * What a path is for:
 * - `path`: relative to the array, one or more components;
 * - `file`: the name of one file in a known folder;
 * - `field`: a field name, which is the start of a data file name before format 8. The name is free text that follows the
 *   fragment's folder, so only components that would leave the folder are rejected;
 * - `member`: relative to a group. Engines store the path as the user gave it, and resolve `..` against the group, so `..`
 *   is valid here (a sibling of the group); a whole URI or an absolute path is not.
 */
export type InnerPathKind = "path" | "file" | "field" | "member"

/** Where a path was found: the file, the field in it, and the format version. */
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

/** Faults of field names, which are free text. The last component gets a suffix, so dots are harmless there. */
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
 * Why a path may lead outside of the folder that it is relative to, or mean something else to a storage than a name in that
 * folder; `undefined` if it is valid. Percent signs are rejected in paths of arrays because web servers decode escapes such
 * as `%2e%2e%2f`; engines never write them.
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
 * The path, if it stays inside the folder that it is relative to. Throws `FormatError`, which names the file, the field and
 * the reason.
 *
 * ```ts
 * import { checkInnerPath, FormatError } from "@tessera/array/schema"
 * import { assertEquals, assertThrows } from "@std/assert"
 *
 * const place = { uri: "mem://a/__schema/s", path: "dimensionLabels.0.uri", version: 22 }
 * assertEquals(checkInnerPath("__labels/l0", place), "__labels/l0")
 * const error = assertThrows(() => checkInnerPath("../b", place), FormatError)
 * assertEquals(error.reason, 'the path "../b" contains the path component "." or ".."')
 * ```
 */
export const checkInnerPath = (path: string, place: InnerPathPlace, kind: InnerPathKind = "path"): string => {
  const fault = innerPathFault(path, kind)
  if (fault === undefined) return path
  const what = kind === "field" ? "field name" : kind === "file" ? "file name" : "path"
  throw new FormatError({
    uri: place.uri,
    path: place.path,
    offset: place.offset ?? 0,
    version: place.version,
    // the message spells control characters out
    detail: `the ${what} "${shownUri(path)}" ${fault}`,
  })
}

/**
 * A URI or path for messages: without query, fragment, user name and password, which may be secrets, and of bounded length.
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
