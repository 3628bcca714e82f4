/**
 * `tessera import`.
 */
import { redactUri } from "../../../schema/errors/redact.ts"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { Codecs } from "../../../platform/codecs/service.ts"
import type { Storage } from "../../../platform/storage/service.ts"
import type { CellOrder } from "../../schema_builder/schema_value.ts"
import { handleOf } from "../../array/open/handle.ts"
import { openArray } from "../../array/open/open.ts"
import type { NotFound, StorageError } from "../../../platform/errors.ts"
import { appendCsv, createCsv } from "../../transfer/csv/import_csv.ts"
import type { CsvImportError, CsvOptions, CsvProgress } from "../../transfer/csv/write_csv.ts"
import type { Request } from "../parse/arguments.ts"
import { parseSize, sizeText } from "../parse/byte_size.ts"
import { domainsOf, filtersOf, namesOf, tileOptions, typesOf } from "../parse/column_options.ts"
import { type DetectedCsv, detectInFile, detectInPieces } from "../parse/csv_head.ts"
import { delimiterOf } from "../parse/delimiter.ts"
import { delimiterName } from "../parse/detect_delimiter.ts"
import { attemptUsage, type SettingsError, settingsOf } from "../parse/settings.ts"
import { countText, withProgress } from "../print/progress.ts"
import { changeThenReport, InputFailed, type OutputError, print, say, type Terminal } from "../print/terminal.ts"
import { withCompletionNotice } from "../print/completed_target.ts"
import { printable } from "../print/text_width.ts"
import { warnUncommitted } from "../print/warn_uncommitted.ts"
import { UsageError } from "../parse/usage_error.ts"
import { json, memory, opening, quiet, target } from "../parse/options.ts"
import type { Command } from "../parse/command.ts"

/** Options that apply only to new arrays. */
const creating = [
  "sparse",
  "dims",
  "tile",
  "domain",
  "types",
  "filter",
  "order",
  "capacity",
  "format-version",
  "overwrite",
  "resume",
] as const

const orders: Readonly<Record<string, CellOrder>> = { row: "row-major", col: "col-major", hilbert: "hilbert" }

/**
 * Returns an iterable of the same pieces that can be closed without waiting for the next piece, which may never arrive.
 */
const withoutWaiting = (pieces: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> => ({
  [Symbol.asyncIterator]: () => {
    const iterator = pieces[Symbol.asyncIterator]()
    return {
      next: () => iterator.next(),
      return: () => {
        void iterator.return?.().catch(() => {})
        return Promise.resolve({ done: true, value: undefined })
      },
    }
  },
})

/** Returns the text with its delimiter: that of `--delimiter`, or the detected one. */
const inputOf = (
  request: Request,
  terminal: Terminal,
  delimiter: string | undefined,
): Effect.Effect<DetectedCsv<InputFailed>, UsageError | InputFailed | NotFound | StorageError, Storage | Scope.Scope> =>
  Effect.suspend((): ReturnType<typeof inputOf> => {
    const [file] = request.operands
    if (file !== "-") return delimiter === undefined ? detectInFile(file) : Effect.succeed({ input: file, delimiter })
    if (terminal.read === undefined) {
      return Effect.fail(new UsageError({ detail: "import: standard input is not available; pass the name of a file" }))
    }
    const pieces = withoutWaiting(terminal.read())
    return delimiter === undefined ? detectInPieces(pieces) : Effect.succeed({
      input: Stream.fromAsyncIterable(pieces, (cause) => new InputFailed({ cause })),
      delimiter,
    })
  })

/** Imports CSV and prints a summary. */
export const runImport = (
  request: Request,
  terminal: Terminal,
): Effect.Effect<void, SettingsError | CsvImportError | InputFailed | OutputError, Storage | Codecs> =>
  Effect.scoped(Effect.gen(function* () {
    const target = request.operands[1]
    const append = request.on("append")
    const { explicit, options, schema } = yield* attemptUsage(() => {
      const input = creating.find((option) => request.on(option))
      if (append && input !== undefined) {
        throw new UsageError({
          detail: `import: --${input} is for new arrays, and --append for an existing array; omit one`,
        })
      }
      const explicit = delimiterOf(request)
      const none = request.text("null")
      const columns = namesOf(request, "columns")
      const memory = request.text("memory")
      const dims = namesOf(request, "dims")
      const order = request.text("order")
      const capacity = request.integer("capacity")
      const formatVersion = request.integer("format-version")
      const duplicates = request.text("duplicates")
      const options = {
        ...(none === undefined ? {} : { null: none }),
        ...(columns === undefined ? {} : { columns }),
        ...(memory === undefined ? {} : { memory: parseSize("memory", memory) }),
        duplicates: duplicates === "first" ? "first" : "refuse",
      } satisfies CsvOptions
      const schema = {
        arrayType: request.on("sparse") ? "sparse" : "dense",
        types: typesOf(request),
        tile: tileOptions(request),
        domain: domainsOf(request),
        ...filtersOf(request),
        ...(dims === undefined ? {} : { dims }),
        ...(order === undefined ? {} : { order: orders[order] }),
        ...(capacity === undefined ? {} : { capacity }),
        ...(formatVersion === undefined ? {} : { formatVersion }),
        allowsDuplicates: duplicates === "keep",
        overwrite: request.on("overwrite"),
        resume: request.on("resume"),
      } as const
      return { explicit, options, schema }
    })
    const { key, end } = yield* settingsOf(request, terminal)
    const { input, delimiter } = yield* inputOf(request, terminal, explicit)
    const isDetected = explicit === undefined
    let progress: CsvProgress = { rows: 0, bytesRead: 0, bytes: 0 }
    const csvOptions: CsvOptions = {
      ...options,
      // omit a detected comma, so that an import that was started without `--delimiter` can be resumed
      ...(isDetected && delimiter === "," ? {} : { delimiter }),
      ...(end === undefined ? {} : { at: end }),
      onProgress: (csvProgress) => progress = csvProgress,
    }
    const work = append
      ? Effect.flatMap(
        openArray(target, key === undefined ? {} : { key }),
        (array) => appendCsv(handleOf(array), input, csvOptions),
      )
      : createCsv(target, input, { ...schema, ...csvOptions, ...(key === undefined ? {} : { key }) })
    const status = () => {
      const { rows, bytesRead, bytes } = progress
      const of = bytes === 0 ? "" : ` of ${sizeText(bytes)}`
      const text = `imported ${countText(rows)} rows, ${sizeText(bytesRead)}${of} read`
      return { text, ...(bytes === 0 ? {} : { part: bytesRead / bytes }) }
    }
    const run = (terminal: Terminal) =>
      changeThenReport(
        terminal,
        withCompletionNotice(terminal, work),
        ({ uri, cells, fragments, bytes }) =>
          Effect.gen(function* () {
            if (request.on("json")) {
              return yield* print(terminal, [
                JSON.stringify({ uri: redactUri(uri), rows: cells, fragments, bytes, delimiter }, null, 2),
                "\n",
              ])
            }
            yield* print(terminal, [printable(redactUri(uri)), "\n"])
            if (request.on("quiet")) return
            const separator = isDetected ? `, delimiter ${delimiterName(delimiter)} (detected)` : ""
            const counted = (n: number, noun: string) => `${countText(n)} ${noun}${n === 1 ? "" : "s"}`
            yield* say(
              terminal,
              `${counted(cells, "row")} in ${counted(fragments.length, "fragment")} of ${sizeText(bytes)}${separator}`,
            )
            if (append) yield* warnUncommitted(uri, terminal)
          }),
      )
    yield* request.on("quiet") ? run(terminal) : withProgress(terminal, status, run)
  }))

/** `tessera import`. */
export const importCommand: Command = {
  description: "create an array from a CSV file or - (stdin)",
  operands: ["CSV", "URI"],
  options: {
    sparse: { description: "create a sparse array instead of a dense one" },
    dims: {
      value: "COLUMNS",
      repeated: true,
      description: 'use these columns as dimensions; without it, a dense array has one dimension "row"',
    },
    tile: { value: "DIM=LENGTH", repeated: true, description: "set the tile extent of a dimension" },
    domain: {
      value: "DIM=LO:HI",
      repeated: true,
      description: "set the domain of a dimension (the full range of its type)",
    },
    types: {
      value: "COL=TYPE",
      repeated: true,
      description:
        "set datatypes, such as a=int32,b=ascii; TYPE? is nullable (default: inferred from the first 10,000 rows)",
    },
    filter: {
      value: "FILTERS",
      repeated: true,
      description:
        'set the filters of all columns, or of one: bitshuffle,zstd:5 or a=rle; "none" disables filtering (zstd)',
    },
    order: { value: "ORDER", choices: ["row", "col", "hilbert"], description: "set the cell order in a tile" },
    capacity: {
      value: "N",
      integer: true,
      description: "set the number of cells per tile of a sparse array (10000)",
    },
    duplicates: {
      value: "MODE",
      choices: ["refuse", "first", "keep"],
      description: "handle rows with equal coordinates in a sparse array",
    },
    append: { description: "append to an existing array, matching columns to fields by name" },
    ...target,
    columns: { value: "NAMES", repeated: true, description: "set the column names (default: the first row)" },
    delimiter: { value: "CHAR", description: "set the delimiter: a character, or tab (default: detected)" },
    null: {
      value: "TEXT",
      description:
        "read cells with this text as null; empty cells are then empty strings (default: empty cells are null)",
    },
    "format-version": {
      value: "N",
      integer: true,
      description: "set the format version of the array, 3 or later (22)",
    },
    memory: { ...memory, description: "set the memory budget for buffered rows: 64MiB, 1GB, … (256MiB)" },
    at: {
      value: "TIME",
      description: "set the timestamp of the cells: milliseconds since 1970, or an ISO date",
    },
    "key-file": opening["key-file"],
    json,
    quiet,
  },
  run: runImport,
}
