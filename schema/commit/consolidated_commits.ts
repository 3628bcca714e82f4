/**
 * Consolidated commits (`.con`): many commit files in one.
 *
 * @module
 */
import * as Schema from "effect/Schema"
import { BinaryIssue, bytes, type Codec, codec, type Cursor, type Field, field, listToEnd, u64 } from "../binary/mod.ts"

/** A commit. */
export interface ConsolidatedCommit {
  /** The path relative to the array: `__commits/<name>.wrt`, `<name>.ok`, `__commits/<name>.del`. */
  readonly path: string
  /** The bytes of a delete commit file (a generic tile); `null` for other commits. */
  readonly file: Uint8Array | null
}

const encoder = new TextEncoder()
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })
const file = bytes(u64)
const isDelete = (path: string): boolean => path.endsWith(".del")

const getLine = (c: Cursor): string => {
  const at = c.offset
  const end = c.bytes.indexOf(0x0a, at)
  const line = c.bytesOf((end < 0 ? c.bytes.byteLength : end) - at)
  if (end >= 0) c.take(1)
  try {
    return decoder.decode(line)
  } catch {
    throw new BinaryIssue(at, "not valid UTF-8")
  }
}

const Commit: Field<ConsolidatedCommit> = field({
  schema: () =>
    Schema.Struct({
      path: Schema.String,
      file: Schema.NullOr(Schema.Uint8ArrayFromSelf),
    }) as unknown as Schema.Schema<ConsolidatedCommit>,
  minBytes: 1,
  get: (c) => {
    const path = getLine(c)
    return { path, file: isDelete(path) ? file.get(c, undefined) : null }
  },
  put: (s, commit) => {
    if (commit.path.includes("\n")) throw new BinaryIssue(s.offset, "a path must not contain a line feed")
    if (isDelete(commit.path) !== (commit.file !== null)) {
      throw new BinaryIssue(s.offset, `${commit.path}: a file is required for delete commits and invalid for others`)
    }
    s.append(encoder.encode(commit.path + "\n"))
    if (commit.file !== null) file.put(s, commit.file, undefined)
  },
  fit: ({ path, file }) => {
    const name = decoder.decode(encoder.encode(path.replaceAll("\n", " ")))
    return { path: `__commits/${name}${file === null ? ".wrt" : ".del"}`, file }
  },
})

/**
 * The codec of the commits, in file order; deletes include the bytes of their files. Paths are unchecked: call
 * `checkInnerPath` before use. Format: `consolidated_commits_file.md`.
 *
 * ```ts
 * import { ConsolidatedCommits, encode } from "@tessera/array/schema"
 * import { assertEquals } from "@std/assert"
 *
 * const path = "__commits/__1_1_0123456789abcdef0123456789abcdef_22.wrt"
 * const bytes = encode(ConsolidatedCommits, [{ path, file: null }], 22)
 * assertEquals(new TextDecoder().decode(bytes), `${path}\n`)
 * ```
 */
export const ConsolidatedCommits: Codec<ReadonlyArray<ConsolidatedCommit>> = codec(listToEnd(Commit))
