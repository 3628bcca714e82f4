/**
 * `tessera diff`.
 */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { Codecs } from "../../../../platform/codecs/service.ts"
import type { Storage } from "../../../../platform/storage/service.ts"
import type { Json } from "../../../array/describe/describe.ts"
import { type CellDifference, type DiffCellsError, streamCellDiff } from "../../../history/cell_diff.ts"
import { type Diff, diff, type DiffError, type DiffFragment } from "../../../history/diff.ts"
import type { Request } from "../../parse/arguments.ts"
import { parseSize } from "../../parse/byte_size.ts"
import type { Command } from "../../parse/command.ts"
import { json, memory, opening } from "../../parse/options.ts"
import { attemptUsage, type SettingsError, settingsOf } from "../../parse/settings.ts"
import { timeText } from "../../parse/time.ts"
import { UsageError } from "../../parse/usage_error.ts"
import { cellJsonText } from "../../print/cell_formats.ts"
import { type PrintedCell, printedCells } from "../../print/cell_encoder.ts"
import { countText } from "../../print/progress.ts"
import { type OutputError, print, say, type Terminal } from "../../print/terminal.ts"
import { printable } from "../../print/text_width.ts"

/** Errors of the command. */
type DiffCommandError = SettingsError | DiffError | DiffCellsError | OutputError

/** Maximum length of a value in text. */
const MAX_VALUE_LENGTH = 200

const shown = (value: Json | object | null): string => {
  const text = printable(JSON.stringify(value))
  return text.length > MAX_VALUE_LENGTH ? `${text.slice(0, MAX_VALUE_LENGTH)}…` : text
}

const fragmentText = (sign: string, { name, start, end, cells }: DiffFragment): string => {
  const time = start === end ? timeText(start) : `${timeText(start)} – ${timeText(end)}`
  return `${sign} fragment ${name}, ${time}, ${countText(cells)} cells\n`
}

const partText = (part: string, name: string, before: object | Json | null, after: object | Json | null): string => {
  const subject = `${part} ${printable(name)}`
  if (before === null) return `+ ${subject}: ${shown(after)}\n`
  if (after === null) return `- ${subject}: ${shown(before)}\n`
  return `~ ${subject}: ${shown(before)} → ${shown(after)}\n`
}

/** Returns the lines of a difference. */
const linesOf = ({ fragments, deletes, schema, metadata, members }: Diff): ReadonlyArray<string> => [
  ...schema.map(({ part, name, before, after }) => partText(part, name, before, after)),
  ...members.map(({ name, before, after }) => partText("member", name, before, after)),
  ...metadata.map(({ key, before, after }) => partText("metadata", key, before, after)),
  ...fragments.removed.map((fragment) => fragmentText("-", fragment)),
  ...fragments.added.map((fragment) => fragmentText("+", fragment)),
  ...deletes.map((path) => `+ delete ${path}\n`),
]

type PrintedRow = Readonly<Record<string, PrintedCell>>

const rowJson = (row: PrintedRow | null): string =>
  row === null
    ? "null"
    : `{${Object.entries(row).map(([name, cell]) => `${JSON.stringify(name)}:${cellJsonText(cell)}`).join(",")}}`

const cellJsonLine = ({ kind, coordinates, before, after }: CellDifference<PrintedCell>): string =>
  `{"kind":"${kind}","coordinates":${rowJson(coordinates)},"before":${rowJson(before)},"after":${rowJson(after)}}\n`

const rowText = (row: PrintedRow): string =>
  Object.entries(row).map(([name, cell]) => `${printable(name)}=${printable(cellJsonText(cell))}`).join(" ")

const cellLine = ({ kind, coordinates, before, after }: CellDifference<PrintedCell>): string => {
  const place = rowText(coordinates)
  if (kind === "added") return `+ ${place}: ${rowText(after!)}\n`
  if (kind === "removed") return `- ${place}: ${rowText(before!)}\n`
  const changes = Object.entries(before!).map(([name, cell]) =>
    `${printable(name)}=${printable(cellJsonText(cell))} → ${printable(cellJsonText(after![name]))}`
  )
  return `~ ${place}: ${changes.join(" ")}\n`
}

/** Prints the differences between two times. */
const run = (request: Request, terminal: Terminal): Effect.Effect<void, DiffCommandError, Storage | Codecs> =>
  Effect.gen(function* () {
    if (request.text("from") === undefined) {
      return yield* Effect.fail(new UsageError({ detail: "diff: give the earlier time: --from TIME" }))
    }
    if (request.text("memory") !== undefined && !request.on("cells")) {
      return yield* Effect.fail(new UsageError({ detail: "diff: --memory is for --cells" }))
    }
    const { start, end, key } = yield* settingsOf(request, terminal)
    const options = {
      from: start!,
      ...(end === undefined ? {} : { to: end }),
      ...(key === undefined ? {} : { key }),
    }
    if (!request.on("cells")) {
      const difference = yield* diff(request.uri, options)
      if (request.on("json")) return yield* print(terminal, [JSON.stringify(difference, null, 2), "\n"])
      const lines = linesOf(difference)
      return yield* (lines.length === 0 ? say(terminal, "no differences") : print(terminal, lines))
    }
    const size = request.text("memory")
    const budget = size === undefined ? {} : { memory: yield* attemptUsage(() => parseSize("memory", size)) }
    const counts = { added: 0, removed: 0, changed: 0 }
    const cells = streamCellDiff(request.uri, { ...options, ...budget }, (column, enumeration) => {
      if (enumeration === undefined) return printedCells(column)
      const print = printedCells(enumeration)
      const { values, validity } = column
      return (i) => {
        const code = Number(values[i])
        return validity?.[i] === 0 || !(code >= 0 && code < enumeration.length) ? null : print(code)
      }
    })
    const line = request.on("json") ? cellJsonLine : cellLine
    yield* Stream.runForEachChunk(cells, (chunk) => {
      for (const { kind } of chunk) counts[kind]++
      return print(terminal, [...chunk].map(line))
    })
    if (request.on("json")) return
    const { added, removed, changed } = counts
    yield* say(
      terminal,
      added + removed + changed === 0
        ? "no differences"
        : `cells added: ${countText(added)}, removed: ${countText(removed)}, changed: ${countText(changed)}`,
    )
  })

/** `tessera diff`. */
export const diffCommand: Command = {
  description: "show the differences between two times: fragments, schema, metadata, cells",
  options: {
    from: { value: "TIME", description: "the earlier time, or the name of a tag" },
    to: { value: "TIME", description: "the later time, or the name of a tag; default: now" },
    cells: { description: "compare the cells of an array; with --json, one line per cell" },
    memory: {
      ...memory,
      description: "--cells: set the memory budget of each of the two reads: 64MiB, 1GB, … (256MiB)",
    },
    "key-file": opening["key-file"],
    json,
  },
  run,
}
