/**
 * `tessera log`.
 */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { Codecs } from "../../../../platform/codecs/service.ts"
import type { Storage } from "../../../../platform/storage/service.ts"
import { lastComponent, parseName } from "../../../../schema/name/timestamped_name.ts"
import type { LoggedChange } from "../../../history/change.ts"
import { changes } from "../../../history/changes.ts"
import { log, type LogError } from "../../../history/log.ts"
import type { OpenOptions } from "../../../array/open/open_options.ts"
import type { Request } from "../../parse/arguments.ts"
import type { Command } from "../../parse/command.ts"
import { json, opening } from "../../parse/options.ts"
import { type SettingsError, settingsOf } from "../../parse/settings.ts"
import { timeText } from "../../parse/time.ts"
import { UsageError } from "../../parse/usage_error.ts"
import { printable } from "../../print/text_width.ts"
import { type OutputError, print, say, type Terminal } from "../../print/terminal.ts"
import { textTable } from "../../print/text_table.ts"

const sizeText = (size: number | null | undefined): string => size === undefined || size === null ? "" : String(size)

const timesOf = ({ start, end }: LoggedChange): string =>
  start === end ? timeText(start) : `${timeText(start)} – ${timeText(end)}`

/** Maximum number of keys or members that are shown of a change. */
const MAX_SHOWN_NAMES = 8

const names = (sign: string, list: ReadonlyArray<string> = []): ReadonlyArray<string> => [
  ...list.slice(0, MAX_SHOWN_NAMES).map((name) => `${sign}${name}`),
  ...(list.length > MAX_SHOWN_NAMES ? [`${sign}… (${list.length})`] : []),
]

/** Returns the details of a change in words. */
const detailsOf = (change: LoggedChange): string =>
  [
    ...(change.replaced === true ? ["replaced"] : []),
    ...(change.bytes === null ? ["removed"] : []),
    ...names("+", change.added),
    ...names("-", change.removed),
  ].join(" ")

const titles = ["time", "kind", "cells", "bytes", "format", "schema", "id", "details"]

/** Number of digits of a UUID that identify a file among the others. */
const SHORT_UUID_SIZE = 8

/** Returns the beginning of the UUID in the name of a file; the whole name if it contains no UUID. */
const shortName = (path: string): string => parseName(path)?.uuid.slice(0, SHORT_UUID_SIZE) ?? lastComponent(path)

const cellsOf = (change: LoggedChange): Array<string> => [
  timesOf(change),
  change.kind,
  sizeText(change.cells),
  sizeText(change.bytes),
  sizeText(change.version),
  change.schemaName === undefined ? "" : shortName(change.schemaName),
  shortName(change.path),
  detailsOf(change),
]

/** Prints changes as they appear, one per line, after the existing ones; runs until it is interrupted. */
const follow = (
  request: Request,
  terminal: Terminal,
  { start, end, key }: OpenOptions,
): Effect.Effect<void, UsageError | LogError | OutputError, Storage | Codecs> =>
  end !== undefined
    ? Effect.fail(new UsageError({ detail: "log: --to cannot be combined with --follow; omit one" }))
    : Stream.runForEach(
      changes(request.uri, { since: start ?? 0, ...(key === undefined ? {} : { key }) }),
      (change) => {
        const texts = titles.map((title, i) => [title, printable(cellsOf(change)[i])]).filter(([, text]) => text !== "")
        const [[, time], [, kind], ...rest] = texts
        const line = `${time} ${kind} ${
          rest.map(([title, text]) => title === "details" ? text : `${title}=${text}`).join(" ")
        }`
        return print(terminal, [request.on("json") ? JSON.stringify(change) : line, "\n"])
      },
    )

/** Prints the changes of an array or group. */
const run = (
  request: Request,
  terminal: Terminal,
): Effect.Effect<void, SettingsError | LogError | OutputError, Storage | Codecs> =>
  Effect.gen(function* () {
    const options = yield* settingsOf(request, terminal)
    if (request.on("follow")) return yield* follow(request, terminal, options)
    const logged = yield* log(request.uri, options)
    if (request.on("json")) return yield* print(terminal, [JSON.stringify(logged, null, 2), "\n"])
    if (logged.length === 0) return yield* say(terminal, "no changes at this time")
    yield* print(terminal, textTable(titles, logged.map(cellsOf), terminal.columns, ["cells", "bytes", "format"]))
  })

/** `tessera log`. */
export const logCommand: Command = {
  description: "list the changes of an array or group, oldest first",
  options: {
    json,
    follow: { description: "print new changes as they appear, one per line, until interrupted" },
    from: opening.from,
    to: opening.to,
    "key-file": opening["key-file"],
  },
  run,
}
