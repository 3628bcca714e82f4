/**
 * `tessera inspect`.
 */
import * as Effect from "effect/Effect"
import type { Codecs } from "../../../../platform/codecs/service.ts"
import type { NotFound, StorageError } from "../../../../platform/errors.ts"
import { Storage } from "../../../../platform/storage/service.ts"
import { redactUri } from "../../../../schema/errors/redact.ts"
import { handleOf } from "../../../array/open/handle.ts"
import type { OpenError } from "../../../array/open/open.ts"
import { inspect, type InspectError, type Inspection, inspectionPage } from "../../../inspect/inspection.ts"
import type { Request } from "../../parse/arguments.ts"
import { sizeText } from "../../parse/byte_size.ts"
import type { Command } from "../../parse/command.ts"
import { json, opening, quiet } from "../../parse/options.ts"
import { openRequested, type SettingsError } from "../../parse/settings.ts"
import { countText } from "../../print/progress.ts"
import { changeThenReport, type OutputError, print, say, type Terminal } from "../../print/terminal.ts"
import { textTable } from "../../print/text_table.ts"
import { printable } from "../../print/text_width.ts"

function* inspectionText({ fields, fragments, deletes, advice }: Inspection, uri: string, width: number) {
  const bytes = fragments.reduce((sum, fragment) => sum + fragment.bytes, 0)
  yield `${countText(fragments.length)} ${fragments.length === 1 ? "fragment" : "fragments"}, ${sizeText(bytes)}`
  yield deletes.length === 0 ? "\n\n" : `; deletes: ${countText(deletes.length)}\n\n`
  yield* textTable(
    ["field", "stored", "before filters", "ratio", "tiles"],
    fields.map(({ name, stored, unfiltered, tiles }) => [
      printable(name),
      sizeText(stored),
      sizeText(unfiltered),
      stored === 0 ? "" : (unfiltered / stored).toFixed(2),
      countText(tiles),
    ]),
    width,
    ["stored", "before filters", "ratio", "tiles"],
  )
  if (advice.length > 0) yield "\n"
  for (const { text, command } of advice) {
    const [name, ...options] = command.split(" ")
    yield `${text}\n  tessera ${[name, printable(uri), ...options].join(" ")}\n`
  }
}

/** Prints the state of an array as text or as JSON, or writes it as a page with `--html`. */
export const runInspect = (
  request: Request,
  terminal: Terminal,
): Effect.Effect<
  void,
  SettingsError | OpenError | InspectError | NotFound | StorageError | OutputError,
  Storage | Codecs
> =>
  Effect.scoped(Effect.gen(function* () {
    const array = yield* openRequested(request, terminal)
    const inspection = yield* inspect(handleOf(array))
    const target = request.text("html")
    if (request.on("json")) yield* print(terminal, [JSON.stringify(inspection, null, 2), "\n"])
    if (target === undefined) {
      if (request.on("json")) return
      return yield* print(terminal, inspectionText(inspection, redactUri(request.uri), terminal.columns))
    }
    const page = new TextEncoder().encode(inspectionPage(inspection))
    const file = yield* (yield* Storage).openWrite(target)
    yield* file.write(page)
    yield* changeThenReport(terminal, file.finish, () =>
      Effect.gen(function* () {
        if (request.on("json")) return
        yield* print(terminal, [printable(redactUri(target)), "\n"])
        if (!request.on("quiet")) yield* say(terminal, `${sizeText(page.length)}; open it in a browser`)
      }))
  }))

/** `tessera inspect`. */
export const inspectCommand: Command = {
  description: "show sizes and advice; --html writes a page",
  options: {
    html: { value: "FILE", description: "write a self-contained HTML page to this file" },
    ...opening,
    json,
    quiet,
  },
  run: runInspect,
}
