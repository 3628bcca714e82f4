/**
 * Commit files that consist of lines of text.
 *
 * @module
 */
import * as Schema from "effect/Schema"
import { BinaryIssue, type Codec, codec, field } from "../binary/mod.ts"

const encoder = new TextEncoder()
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

/** UTF-8 lines that end with a line feed, which is optional after the last line. Empty lines are ignored. */
export const Lines: Codec<ReadonlyArray<string>> = codec<ReadonlyArray<string>>(field({
  schema: () => Schema.Array(Schema.String),
  minBytes: 0,
  get: (c) => {
    const at = c.offset
    try {
      return decoder.decode(c.bytesOf(c.remaining)).split("\n").filter((line) => line !== "")
    } catch (error) {
      if (error instanceof BinaryIssue) throw error
      throw new BinaryIssue(at, "not valid UTF-8")
    }
  },
  put: (s, lines) => {
    for (const line of lines) {
      if (line === "" || line.includes("\n")) {
        throw new BinaryIssue(s.offset, "a line must not be empty or contain a line feed")
      }
      s.append(encoder.encode(line + "\n"))
    }
  },
  fit: (lines) =>
    lines.map((line) => decoder.decode(encoder.encode(line.replaceAll("\n", " ")))).filter((l) => l !== ""),
}))
