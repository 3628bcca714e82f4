/**
 * `tessera ls`.
 */
import { redactUri } from "../../../schema/errors/redact.ts"
import * as Effect from "effect/Effect"
import type { Codecs } from "../../../platform/codecs/service.ts"
import type { Storage } from "../../../platform/storage/service.ts"
import { ls } from "../../group/list_objects.ts"
import type { Request } from "../parse/arguments.ts"
import { allow, json, opening } from "../parse/options.ts"
import type { Command } from "../parse/command.ts"
import { entryJson, explainEmptyListing, type ListError, listOptionsOf, shownName } from "./object_entries.ts"
import { print, type Terminal } from "../print/terminal.ts"
import { textTable } from "../print/text_table.ts"
import { printable } from "../print/text_width.ts"

/** Lists the objects directly inside a folder or group. */
export const runLs = (request: Request, terminal: Terminal): Effect.Effect<void, ListError, Storage | Codecs> =>
  Effect.gen(function* () {
    const options = yield* listOptionsOf(request, terminal)
    const objectEntries = yield* ls(request.uri, options)
    if (request.on("json")) {
      return yield* print(terminal, [JSON.stringify(objectEntries.map(entryJson), null, 2), "\n"])
    }
    if (objectEntries.length === 0) return yield* explainEmptyListing(request, terminal)
    yield* print(
      terminal,
      textTable(
        ["type", "name", "uri"],
        objectEntries.map((entry) => [entry.type, shownName(entry), printable(redactUri(entry.uri))]),
        terminal.columns,
      ),
    )
  })

/** `tessera ls`. */
export const lsCommand: Command = {
  description: "list the arrays and groups in a folder or group",
  options: { json, allow, ...opening },
  run: runLs,
}
