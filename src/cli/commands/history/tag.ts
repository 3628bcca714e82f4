/**
 * `tessera tag`.
 */
import * as Effect from "effect/Effect"
import type { Codecs } from "../../../../platform/codecs/service.ts"
import type { Storage } from "../../../../platform/storage/service.ts"
import { redactUri } from "../../../../schema/errors/redact.ts"
import { deleteTag, listTags, putTag, type PutTagError, type Tag } from "../../../history/tags.ts"
import type { Request } from "../../parse/arguments.ts"
import type { Command } from "../../parse/command.ts"
import { json, opening, quiet } from "../../parse/options.ts"
import { changeSettings, type SettingsError } from "../../parse/settings.ts"
import { timeText } from "../../parse/time.ts"
import { UsageError } from "../../parse/usage_error.ts"
import { changeThenReport, type OutputError, print, say, type Terminal } from "../../print/terminal.ts"
import { textTable } from "../../print/text_table.ts"
import { printable } from "../../print/text_width.ts"

/** Errors of the command. */
type TagCommandError = SettingsError | PutTagError | OutputError

/** Lists tags. */
const list = (
  request: Request,
  terminal: Terminal,
  existing: ReadonlyArray<Tag>,
): Effect.Effect<void, OutputError> => {
  if (request.on("json")) return print(terminal, [JSON.stringify(existing, null, 2), "\n"])
  if (existing.length === 0) return request.on("quiet") ? Effect.void : say(terminal, "no tags")
  const rows = existing.map(({ name, time, created }) => [name, timeText(time), timeText(created)])
  return print(terminal, textTable(["name", "time", "created"], rows, terminal.columns))
}

/** Lists, writes or removes tags. */
const run = (request: Request, terminal: Terminal): Effect.Effect<void, TagCommandError, Storage | Codecs> =>
  Effect.gen(function* () {
    const [uri, name] = request.operands as readonly [string, string?]
    const forbidden = (option: string, reason: string) =>
      request.on(option) ? Effect.fail(new UsageError({ detail: `tag: --${option} ${reason}` })) : Effect.void
    if (name === undefined) {
      for (const option of ["at", "remove", "replace"]) yield* forbidden(option, "needs a name: tessera tag URI NAME")
    }
    if (request.on("remove")) {
      for (const option of ["at", "replace"]) yield* forbidden(option, "cannot be combined with --remove")
    }
    const { at, ...key } = yield* changeSettings(request, terminal)
    if (name === undefined) return yield* list(request, terminal, yield* listTags(uri, key))
    if (request.on("remove")) {
      return yield* changeThenReport(
        terminal,
        deleteTag(uri, name, key),
        () =>
          request.on("json")
            ? print(terminal, [JSON.stringify({ uri: redactUri(uri), removed: name }, null, 2), "\n"])
            : request.on("quiet")
            ? Effect.void
            : say(terminal, `removed ${name}`),
      )
    }
    const options = { ...key, ...(at === undefined ? {} : { at }), replace: request.on("replace") }
    yield* changeThenReport(
      terminal,
      putTag(uri, name, options),
      (tag) =>
        request.on("json")
          ? print(terminal, [JSON.stringify({ uri: redactUri(uri), ...tag }, null, 2), "\n"])
          : request.on("quiet")
          ? Effect.void
          : print(terminal, [`${printable(tag.name)} ${timeText(tag.time)}\n`]),
    )
  })

/** `tessera tag`. */
export const tagCommand: Command = {
  description: "name a time of an array or group; without a name, list the tags",
  optionalOperand: "NAME",
  options: {
    at: {
      value: "TIME",
      description: "the time that the tag names: milliseconds since 1970, an ISO date, or another tag; default: now",
    },
    replace: { description: "change the time of an existing tag" },
    remove: { description: "remove the tag" },
    "key-file": opening["key-file"],
    json,
    quiet,
  },
  run,
}
