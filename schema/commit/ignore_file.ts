/**
 * Ignore files (`.ign`): commits to ignore in the consolidated commits.
 *
 * @module
 */
import type { Codec } from "../binary/mod.ts"
import { Lines } from "./lines.ts"

/**
 * The codec of the paths relative to the array: `__commits/<name>.wrt`. They are unchecked: call `checkInnerPath`
 * before use. Format: `ignore_file.md`.
 *
 * ```ts
 * import { decode, IgnoreFile } from "@tessera/array/schema"
 * import { assertEquals } from "@std/assert"
 *
 * const bytes = new TextEncoder().encode("__commits/a.wrt\n__commits/b.wrt\n")
 * assertEquals(decode(IgnoreFile, bytes, 22, "mem://a/__commits/i.ign"), ["__commits/a.wrt", "__commits/b.wrt"])
 * ```
 */
export const IgnoreFile: Codec<ReadonlyArray<string>> = Lines
