/**
 * `tessera export`.
 */
import { redactUri } from "../../../schema/errors/redact.ts"
import * as Effect from "effect/Effect"
import type { Codecs } from "../../../platform/codecs/service.ts"
import { StorageError } from "../../../platform/errors.ts"
import { type FileWriter, Storage } from "../../../platform/storage/service.ts"
import { fromHex, isText, toHex } from "../../../schema/array/scalar.ts"
import { type CellEncoder, cellEncoder } from "../../query/column/cell_json.ts"
import type { Request } from "../parse/arguments.ts"
import { sizeText } from "../parse/byte_size.ts"
import { type Encode, printedCells } from "../print/cell_encoder.ts"
import { delimiterOf } from "../parse/delimiter.ts"
import { attemptUsage, openRequested } from "../parse/settings.ts"
import { printedSource, withReadProgress } from "./printed_source.ts"
import { countText } from "../print/progress.ts"
import type { ReadCommandError } from "./read.ts"
import { changeThenReport, print, say, type Terminal } from "../print/terminal.ts"
import { printable } from "../print/text_width.ts"
import { csvWriter, writeNdjson } from "../print/write_cells.ts"
import {
  clip,
  codes,
  limit,
  matching,
  memory,
  opening,
  order,
  quiet,
  range,
  raw,
  select,
  timestamps,
  where,
} from "../parse/options.ts"
import type { Command } from "../parse/command.ts"

const encoder = new TextEncoder()
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

/** Decodes bytes as text; undefined for invalid UTF-8 and for control characters other than white space. */
const textOf = (bytes: Uint8Array): string | undefined => {
  if (bytes.some((byte) => byte < 0x20 && byte !== 9 && byte !== 10 && byte !== 13)) return undefined
  try {
    return decoder.decode(bytes)
  } catch {
    return undefined
  }
}

/**
 * Encodes text for text files, with line feeds unchanged. In CSV, text that looks like hexadecimal bytes is written as
 * bytes.
 */
const plainText = (encode: CellEncoder, csv: boolean): CellEncoder => (i) => {
  const cell = encode(i)
  if (typeof cell === "string") {
    return csv && cell.startsWith('{"hex":') ? { hex: toHex(encoder.encode(cell)) } : cell
  }
  if (cell === null || typeof cell !== "object" || !("hex" in cell)) return cell
  const text = textOf(fromHex(cell.hex))
  return text === undefined || (csv && text.startsWith('{"hex":')) ? cell : text
}

/** Returns the encoder of exported cells. */
const encodeFor = (csv: boolean, raw: boolean): Encode => (column) => {
  const { type } = column
  if (isText(type)) return plainText(cellEncoder(column), csv)
  // keep counts of years in CSV, since an import reads a year alone as a count
  return raw || (csv && type === "datetime_year") ? cellEncoder(column) : printedCells(column)
}

/** Returns a terminal that writes data to a file. */
const intoFile = (terminal: Terminal, file: FileWriter, written: (bytes: number) => void): Terminal => ({
  ...terminal,
  write: async (text) => {
    const bytes = encoder.encode(text)
    const failed = await Effect.runPromise(Effect.either(file.write(bytes)))
    if (failed._tag === "Left") throw failed.left
    written(bytes.length)
  },
})

/** Writes cells to a file, which appears once it is complete. */
export const runExport = (
  request: Request,
  terminal: Terminal,
): Effect.Effect<void, ReadCommandError, Storage | Codecs> =>
  withReadProgress(request, terminal, (around, done) =>
    Effect.scoped(Effect.gen(function* () {
      const target = request.operands[1]
      const delimiter = yield* attemptUsage(() => delimiterOf(request) ?? ",")
      const format = request.text("format") ?? (/\.(ndjson|jsonl)$/i.test(target) ? "ndjson" : "csv")
      const write = format === "csv" ? csvWriter({ delimiter, null: request.text("null") ?? "" }) : writeNdjson
      const encode = encodeFor(format === "csv", request.on("raw"))
      const array = yield* openRequested(request, around)
      const source = yield* printedSource(request, array, { coordinates: true, labels: false, encode }, done)
      if (target === "-") return yield* write(around, source)
      const file = yield* (yield* Storage).openWrite(target)
      let size = 0
      yield* write(intoFile(around, file, (bytes) => size += bytes), source).pipe(
        Effect.catchTag("OutputFailed", (error) =>
          Effect.fail(error.cause instanceof StorageError ? error.cause : error)),
      )
      yield* changeThenReport(around, file.finish, () =>
        Effect.gen(function* () {
          yield* print(around, [printable(redactUri(target)), "\n"])
          yield* say(around, `${countText(done.cells)} ${done.cells === 1 ? "cell" : "cells"}, ${sizeText(size)}`)
        }))
    })))

/** `tessera export`. */
export const exportCommand: Command = {
  description: "write cells to a file or - (stdout)",
  operands: ["URI", "FILE"],
  options: {
    select,
    range,
    where,
    matching,
    clip,
    order,
    limit,
    codes,
    raw,
    timestamps,
    format: {
      value: "FORMAT",
      choices: ["csv", "ndjson"],
      description: "set the file format; default: by the file name (.ndjson, .jsonl)",
    },
    delimiter: { value: "CHAR", description: "set the CSV delimiter: a character, or tab (,)" },
    null: {
      value: "TEXT",
      description: 'write null as this text in CSV (default: an empty cell; empty strings are "")',
    },
    memory,
    quiet,
    ...opening,
  },
  run: runExport,
}
