/**
 * Vacuum files (`.vac`): what a consolidated fragment or metadata file supersedes.
 *
 * @module
 */
import type { Codec } from "../binary/mod.ts"
import { Since } from "../version.ts"
import { Lines } from "./lines.ts"

/**
 * The lines as they are: since format 19 `/__fragments/<name>` or `/__meta/<name>`, before that absolute URIs. Format:
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
 * The name in a line: what follows `__fragments/` or `__meta/`, else the last component. So files with absolute URIs go
 * on working after the array has moved.
 *
 * ```ts
 * import { vacuumedName } from "@tessera/array/schema"
 * import { assertEquals } from "@std/assert"
 *
 * assertEquals(vacuumedName("file:///moved/since/array/__fragments/__1_1_a_18/"), "__1_1_a_18")
 * assertEquals(vacuumedName("/__meta/__1_1_a"), "__1_1_a")
 * ```
 */
export const vacuumedName = (line: string): string => {
  const path = line.endsWith("/") ? line.slice(0, -1) : line
  for (const folder of ["__fragments/", "__meta/"]) {
    const at = path.lastIndexOf(folder)
    if (at >= 0 && (at === 0 || path[at - 1] === "/")) return path.slice(at + folder.length)
  }
  return path.slice(path.lastIndexOf("/") + 1)
}

/**
 * The line that a writer of the format version puts for a path relative to the array (`__fragments/<name>`): absolute before
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
