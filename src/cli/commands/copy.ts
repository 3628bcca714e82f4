/**
 * `tessera copy`.
 */
import { redactUri } from "../../../schema/errors/redact.ts"
import * as Effect from "effect/Effect"
import type { Codecs } from "../../../platform/codecs/service.ts"
import type { Storage } from "../../../platform/storage/service.ts"
import { handleOf } from "../../array/open/handle.ts"
import { copy, type CopyError, type CopyOptions, type CopyProgress } from "../../transfer/copy/copy.ts"
import type { Request } from "../parse/arguments.ts"
import { parseSize, sizeText } from "../parse/byte_size.ts"
import { attemptUsage, openRequested, readKey, type SettingsError } from "../parse/settings.ts"
import { countText, withProgress } from "../print/progress.ts"
import { parseRanges, parseSelect } from "../parse/ranges.ts"
import { changeThenReport, type OutputError, print, say, type Terminal } from "../print/terminal.ts"
import { withCompletionNotice } from "../print/completed_target.ts"
import { printable } from "../print/text_width.ts"
import { warnUncommitted } from "../print/warn_uncommitted.ts"
import { UsageError } from "../parse/usage_error.ts"
import { duplicates, json, memory, opening, quiet, range, select, target } from "../parse/options.ts"
import type { Command } from "../parse/command.ts"

/** Copies an array and prints a summary. */
export const runCopy = (
  request: Request,
  terminal: Terminal,
): Effect.Effect<void, SettingsError | CopyError | OutputError, Storage | Codecs> =>
  Effect.gen(function* () {
    const size = request.text("memory")
    const memory = size === undefined ? undefined : yield* attemptUsage(() => parseSize("memory", size))
    const keyFile = request.text("to-key-file")
    if (keyFile !== undefined && request.on("decrypt")) {
      return yield* Effect.fail(
        new UsageError({ detail: "copy: --decrypt and --to-key-file exclude each other; omit one" }),
      )
    }
    const key = keyFile === undefined ? undefined : yield* readKey(keyFile, terminal)
    const source = yield* openRequested(request, terminal)
    const { dimensions, attributes } = source.schema
    const [select, region] = yield* attemptUsage(() =>
      [
        parseSelect(new Set([...dimensions, ...attributes].map(({ name }) => name)), request.texts("select")),
        parseRanges(source.schema, request.texts("range")),
      ] as const
    )
    const formatVersion = request.integer("format-version")
    const repeated = request.text("duplicates") as CopyOptions["duplicates"]

    let progress: CopyProgress = { cells: 0, bytes: 0, expected: 0 }
    const work = copy(handleOf(source), request.operands[1], {
      ...(select === undefined ? {} : { select }),
      ...(formatVersion === undefined ? {} : { formatVersion }),
      ...(memory === undefined ? {} : { memory }),
      ...(repeated === undefined ? {} : { duplicates: repeated }),
      ...(request.on("decrypt") ? { key: null } : key === undefined ? {} : { key }),
      region,
      metadata: !request.on("no-metadata"),
      overwrite: request.on("overwrite"),
      resume: request.on("resume"),
      onProgress: (copyProgress) => progress = copyProgress,
    })
    const status = () => {
      const { cells, bytes, expected } = progress
      const text = `copied ${countText(cells)} of ${countText(expected)} cells, ${sizeText(bytes)} written`
      return { text, ...(expected === 0 ? {} : { part: cells / expected }) }
    }
    const run = (terminal: Terminal) =>
      changeThenReport(terminal, withCompletionNotice(terminal, work), (copied) =>
        Effect.gen(function* () {
          if (request.on("json")) {
            const { formatVersion, ...rest } = copied
            return yield* print(terminal, [
              JSON.stringify({ ...rest, uri: redactUri(rest.uri), format_version: formatVersion }, null, 2),
              "\n",
            ])
          }
          yield* print(terminal, [printable(redactUri(copied.uri)), "\n"])
          if (request.on("quiet")) return
          const counted = (n: number, noun: string) => `${countText(n)} ${noun}${n === 1 ? "" : "s"}`
          yield* say(
            terminal,
            `format version ${copied.formatVersion}: ${counted(copied.cells, "cell")} in ` +
              `${counted(copied.fragments.length, "fragment")} of ${sizeText(copied.bytes)}, ` +
              `${copied.metadata === 1 ? "1 entry" : `${countText(copied.metadata)} entries`} of metadata`,
          )
          yield* warnUncommitted(source.uri, terminal)
        }))
    yield* request.on("quiet") ? run(terminal) : withProgress(terminal, status, run)
  })

/** `tessera copy`. */
export const copyCommand: Command = {
  description: "copy an array: schema, cells, metadata",
  operands: ["SOURCE", "TARGET"],
  options: {
    select: {
      ...select,
      description: "select attributes to copy, separated by commas; dimensions are always copied",
      completes: "attributes",
    },
    range,
    "format-version": {
      value: "N",
      integer: true,
      description: "set the format version of the copy, 3 or later (22)",
    },
    "to-key-file": {
      value: "FILE",
      description: "encrypt the copy with the key in this file (default: the key of the source)",
    },
    decrypt: { description: "write the copy without encryption" },
    duplicates,
    "no-metadata": { description: "omit the metadata" },
    ...target,
    memory,
    json,
    quiet,
    ...opening,
  },
  run: runCopy,
}
