/**
 * Vacuum files (`.vac`): the files that a consolidated fragment or metadata file replaces.
 *
 * @module
 */
import type { Codec } from "../binary/mod.ts"
import { checkInnerPath, type InnerPathPlace } from "../name/inner_path.ts"
import { lastComponent, parseName } from "../name/timestamped_name.ts"
import { Since } from "../version/version.ts"
import { Lines } from "./lines.ts"

/**
 * The codec of the lines: `/__fragments/<name>` or `/__meta/<name>` since format 19, absolute URIs before. Format:
 * `vacuum_file.md`.
 *
 * ```ts
 * import { decode, VacuumFile } from "@tessera/array/schema"
 * import { assertEquals } from "@std/assert"
 *
 * const lines = decode(VacuumFile, new TextEncoder().encode("/__fragments/a\n\n/__fragments/b"), 22, "mem://a/__commits/v.vac")
 * assertEquals(lines, ["/__fragments/a", "/__fragments/b"])
 * ```
 */
export const VacuumFile: Codec<ReadonlyArray<string>> = Lines

/**
 * Returns the name in a line: its last component. The rest is ignored, so that files with absolute URIs stay valid
 * after the array has moved. {@link vacuumedNames} also checks the lines.
 *
 * ```ts
 * import { vacuumedName } from "@tessera/array/schema"
 * import { assertEquals } from "@std/assert"
 *
 * assertEquals(vacuumedName("file:///moved/since/array/__fragments/__1_1_a_18/"), "__1_1_a_18")
 * assertEquals(vacuumedName("/__meta/__1_1_a"), "__1_1_a")
 * ```
 */
export const vacuumedName = (line: string): string => lastComponent(line)

const scheme = /^[A-Za-z][A-Za-z0-9+.-]*:/

/**
 * Returns the names of the replaced fragments or metadata files. Lines with a scheme (absolute URIs, before format 19)
 * contribute only their last component; other lines are checked as paths in the array. Lines without a timestamped name
 * at the end are ignored, as engines do. Throws `FormatError` for a path that leaves the array.
 *
 * ```ts
 * import { FormatError, vacuumedNames } from "@tessera/array/schema"
 * import { assertEquals, assertThrows } from "@std/assert"
 *
 * const place = { uri: "mem://a/__commits/v.vac", path: "lines", version: 22 }
 * const name = "__1_1_0123456789abcdef0123456789abcdef_22"
 * assertEquals(vacuumedNames([`/__fragments/${name}`, `file:///moved/${name}`, "notes.txt"], place), [name, name])
 * assertThrows(() => vacuumedNames([`/__fragments/../../${name}`], place), FormatError)
 * ```
 */
export const vacuumedNames = (lines: ReadonlyArray<string>, place: InnerPathPlace): ReadonlyArray<string> =>
  lines.flatMap((line, i) => {
    if (!scheme.test(line)) {
      checkInnerPath(line.replace(/^\//, "").replace(/\/$/, ""), { ...place, path: `${place.path}.${i}` })
    }
    const name = vacuumedName(line)
    return parseName(name)?.name === name ? [name] : []
  })

/**
 * Returns the line for a path relative to the array (`__fragments/<name>`) in a format version: an absolute URI before
 * format 19.
 *
 * ```ts
 * import { vacuumLine } from "@tessera/array/schema"
 * import { assertEquals } from "@std/assert"
 *
 * assertEquals(vacuumLine(22, "s3://b/array", "__fragments/a"), "/__fragments/a")
 * assertEquals(vacuumLine(18, "s3://b/array", "__fragments/a"), "s3://b/array/__fragments/a")
 * ```
 */
export const vacuumLine = (version: number, arrayUri: string, path: string): string =>
  version >= Since.relativeVacuum ? `/${path}` : `${arrayUri.endsWith("/") ? arrayUri.slice(0, -1) : arrayUri}/${path}`
