/**
 * Ignore files (`.ign`): commits struck from the consolidated ones.
 *
 * @module
 */
import type { Codec } from "../binary/mod.ts"
import { Lines } from "./lines.ts"

/** Paths relative to the array: `__commits/<name>.wrt`. */
export const IgnoreFile: Codec<ReadonlyArray<string>> = Lines
