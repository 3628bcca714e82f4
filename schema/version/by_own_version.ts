/**
 * Structures that start with their format version.
 *
 * @module
 */
import { asFormatError, BinaryIssue, decode, type Field, peekVersion } from "../binary/mod.ts"
import { isLater, refusal } from "./version.ts"

/**
 * Decodes bytes by the version in their first u32. Throws `FormatError`, also for unknown versions. `base` is the
 * offset of the bytes in the file; with `rest`, trailing bytes are allowed.
 *
 * ```ts
 * import { ArraySchema, decodeByOwnVersion, FormatError } from "@tessera/array/schema"
 * import { assertEquals, assertThrows } from "@std/assert"
 *
 * const bytes = Uint8Array.of(99, 0, 0, 0)
 * const error = assertThrows(() => decodeByOwnVersion(ArraySchema, bytes, "mem://a/__schema/s"), FormatError)
 * assertEquals([error.version, error.reason], [99, "Unsupported"]) // not damaged, but from a later release
 * ```
 */
export const decodeByOwnVersion = <A>(
  field: Field<A>,
  bytes: Uint8Array,
  uri: string,
  options: { readonly base?: number; readonly rest?: boolean } = {},
): A => {
  let version = 0
  try {
    version = peekVersion(bytes)
    const refused = refusal(version)
    if (refused !== undefined) throw new BinaryIssue(0, refused, isLater(version))
  } catch (error) {
    throw asFormatError(error, version, uri, options.base ?? 0)
  }
  return decode(field, bytes, version, uri, options)
}
