/**
 * Consolidated fragment metadata (`.meta`): the footers of many fragments in one generic tile.
 *
 * @module
 */
import { asFormatError, BinaryIssue, type Codec, list, restOfBytes, struct, u32, u64, utf8 } from "../binary/mod.ts"
import { checkInnerPath } from "../name/inner_path.ts"
import { lastComponent } from "../name/timestamped_name.ts"
import { Since } from "../version/version.ts"

/** The position of a fragment's footer. */
export interface ConsolidatedFooter {
  /** The name of the fragment; before format 9, its absolute URI. */
  readonly name: string
  /** The offset from the start of the unfiltered bytes. */
  readonly offset: number
}

/**
 * The list of footers and, after it, the footers: the bytes of the fragments' footers without their trailing length.
 */
export interface ConsolidatedFragmentMetadata {
  /** The fragments and the positions of their footers. */
  readonly entries: ReadonlyArray<ConsolidatedFooter>
  /** The bytes of all footers, in the order of the entries. */
  readonly footers: Uint8Array
}

/**
 * The codec of the unfiltered file. Format: `consolidated_fragment_metadata_file.md`.
 *
 * ```ts
 * import { ConsolidatedFragmentMetadata, consolidateFooters, encode } from "@tessera/array/schema"
 * import { assertEquals } from "@std/assert"
 *
 * const metadata = consolidateFooters([{ name: "__1_1_a_22", footer: new Uint8Array(200) }])
 * const bytes = encode(ConsolidatedFragmentMetadata, metadata, 22)
 * assertEquals([metadata.entries[0].offset, bytes.length], [30, 230])
 * ```
 */
export const ConsolidatedFragmentMetadata: Codec<ConsolidatedFragmentMetadata> = struct({
  entries: list(u32, struct({ name: utf8(u64), offset: u64 })),
  footers: restOfBytes,
})

const encoder = new TextEncoder()

/** The size of the list before the footers in bytes. */
const listSize = (names: ReadonlyArray<string>): number =>
  names.reduce((sum, name) => sum + 16 + encoder.encode(name).byteLength, 4)

/**
 * Returns the footers by name or URI: views, each up to the start of the next one. The names are only compared with the
 * names of committed fragments; they never become a path. Throws `FormatError` if an offset is outside the footers of
 * the file `uri`, or if a name (since format 9) is not a file name.
 *
 * ```ts
 * import { consolidatedFooters, consolidateFooters } from "@tessera/array/schema"
 * import { assertEquals } from "@std/assert"
 *
 * const metadata = consolidateFooters([{ name: "a", footer: Uint8Array.of(1, 2) }, { name: "b", footer: Uint8Array.of(3) }])
 * assertEquals(consolidatedFooters(metadata, 22, "mem://a/__fragment_meta/m.meta").get("a"), Uint8Array.of(1, 2))
 * ```
 */
export const consolidatedFooters = (
  metadata: ConsolidatedFragmentMetadata,
  version: number,
  uri: string,
): Map<string, Uint8Array> => {
  const first = listSize(metadata.entries.map((entry) => entry.name))
  const end = first + metadata.footers.byteLength
  const order = metadata.entries.map((_, i) => i).sort((a, b) =>
    metadata.entries[a].offset - metadata.entries[b].offset
  )
  const out = new Map<string, Uint8Array>()
  let next = end
  for (let k = order.length - 1; k >= 0; k--) {
    const { name, offset } = metadata.entries[order[k]]
    if (version >= Since.numberedFileNames) {
      checkInnerPath(name, { uri, path: `entries.${order[k]}.name`, version }, "file")
    }
    if (offset < first || offset >= end) {
      const issue = new BinaryIssue(offset, `the footer of ${name} is outside the footers (${first} to ${end})`)
      issue.path.push("entries", order[k], "offset")
      throw asFormatError(issue, version, uri)
    }
    out.set(name, metadata.footers.subarray(offset - first, next - first))
    next = offset
  }
  return out
}

/**
 * Concatenates footers. Use {@link consolidatedName} for the names.
 *
 * ```ts
 * import { consolidateFooters } from "@tessera/array/schema"
 * import { assertEquals } from "@std/assert"
 *
 * const metadata = consolidateFooters([{ name: "a", footer: Uint8Array.of(1, 2) }, { name: "b", footer: Uint8Array.of(3) }])
 * assertEquals(metadata.footers, Uint8Array.of(1, 2, 3))
 * assertEquals(metadata.entries, [{ name: "a", offset: 38 }, { name: "b", offset: 40 }]) // after the list of 38 bytes
 * ```
 */
export const consolidateFooters = (
  footers: ReadonlyArray<{ readonly name: string; readonly footer: Uint8Array }>,
): ConsolidatedFragmentMetadata => {
  const first = listSize(footers.map((f) => f.name))
  const bytes = new Uint8Array(footers.reduce((sum, f) => sum + f.footer.byteLength, 0))
  let at = 0
  const entries = footers.map(({ name, footer }) => {
    bytes.set(footer, at)
    const entry = { name, offset: first + at }
    at += footer.byteLength
    return entry
  })
  return { entries, footers: bytes }
}

/**
 * Returns the name of a fragment in the file: its folder name; before format 9, its absolute URI.
 *
 * ```ts
 * import { consolidatedName } from "@tessera/array/schema"
 * import { assertEquals } from "@std/assert"
 *
 * assertEquals(consolidatedName(22, "s3://b/array/__fragments/__1_1_a_22"), "__1_1_a_22")
 * assertEquals(consolidatedName(8, "s3://b/array/__1_1_a_8"), "s3://b/array/__1_1_a_8")
 * ```
 */
export const consolidatedName = (version: number, fragmentUri: string): string =>
  version >= Since.numberedFileNames ? lastComponent(fragmentUri) : fragmentUri
