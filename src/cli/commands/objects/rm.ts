/**
 * `tessera rm`.
 */
import * as Effect from "effect/Effect"
import type { Codecs } from "../../../../platform/codecs/service.ts"
import type { Storage } from "../../../../platform/storage/service.ts"
import { redactUri } from "../../../../schema/errors/redact.ts"
import { type RemoveError, removeObject } from "../../../objects/remove.ts"
import type { Request } from "../../parse/arguments.ts"
import { sizeText } from "../../parse/byte_size.ts"
import type { Command } from "../../parse/command.ts"
import { json, opening, quiet } from "../../parse/options.ts"
import { keyOption, type SettingsError } from "../../parse/settings.ts"
import { countText } from "../../print/progress.ts"
import { changeThenReport, type OutputError, print, say, type Terminal, warn } from "../../print/terminal.ts"
import { printable } from "../../print/text_width.ts"

/** Maximum number of kept files that are printed. */
const MAX_PRINTED = 10

const counted = (n: number, noun: string): string => `${countText(n)} ${noun}${n === 1 ? "" : "s"}`

/** Removes an array or a group and prints what was removed. */
export const runRm = (
  request: Request,
  terminal: Terminal,
): Effect.Effect<void, SettingsError | RemoveError | OutputError, Storage | Codecs> =>
  Effect.gen(function* () {
    const key = yield* keyOption(request, terminal)
    const dryRun = request.on("dry-run")
    const work = removeObject(request.uri, {
      force: request.on("force"),
      members: request.on("members"),
      dryRun,
      ...(key === undefined ? {} : { key }),
    })
    yield* changeThenReport(terminal, work, ({ objects, files, bytes, kept, references }) =>
      Effect.gen(function* () {
        const shown = objects.map(({ uri, type }) => ({ uri: redactUri(uri), type }))
        if (request.on("json")) {
          const result = {
            dryRun,
            objects: shown,
            files,
            bytes,
            kept: kept.map(redactUri),
            references: references.map(redactUri),
          }
          return yield* print(terminal, [JSON.stringify(result, null, 2), "\n"])
        }
        for (const { uri } of shown) yield* print(terminal, [printable(uri), "\n"])
        if (request.on("quiet")) return
        const verb = dryRun ? "would be removed" : "removed"
        yield* say(
          terminal,
          `${counted(objects.length, "object")}, ${counted(files, "file")} of ${sizeText(bytes)} ${verb}`,
        )
        if (kept.length > 0) {
          const verb = kept.length === 1 ? "remains: it does" : "remain: they do"
          yield* warn(terminal, `${counted(kept.length, "file")} ${verb} not belong to an array or a group`)
          for (const uri of kept.slice(0, MAX_PRINTED)) yield* warn(terminal, `  ${printable(redactUri(uri))}`)
          if (kept.length > MAX_PRINTED) yield* warn(terminal, `  and ${kept.length - MAX_PRINTED} more`)
        }
        for (const uri of references) {
          yield* warn(terminal, `${printable(redactUri(uri))} remains: it is a member outside of the group's folder`)
        }
      }))
  })

/** `tessera rm`. */
export const rmCommand: Command = {
  description: "remove an array, or a group with everything in its folder",
  options: {
    force: { description: "remove the whole folder, with files that do not belong to an array or a group" },
    members: { description: "remove members outside of the group's folder, too" },
    "dry-run": { description: "list the objects and remove none" },
    "key-file": opening["key-file"],
    json,
    quiet,
  },
  run: runRm,
}
