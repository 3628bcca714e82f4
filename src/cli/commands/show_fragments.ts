/**
 * `tessera fragments`.
 */
import * as Effect from "effect/Effect"
import type { Codecs } from "../../../platform/codecs/service.ts"
import type { Storage } from "../../../platform/storage/service.ts"
import { describeFragments, type FragmentDescription } from "../../array/describe/describe.ts"
import { describeOpenFragments, type FragmentsError } from "../../array/describe/fragment_descriptions.ts"
import type { OpenedArray, OpenError } from "../../array/open/open.ts"
import { openRequested, type SettingsError } from "../parse/settings.ts"
import type { Request } from "../parse/arguments.ts"
import { warnUncommitted } from "../print/warn_uncommitted.ts"
import { rangeText } from "./show_schema.ts"
import { type OutputError, print, say, type Terminal } from "../print/terminal.ts"
import { textTable } from "../print/text_table.ts"
import { timeText } from "../parse/time.ts"
import { json, opening } from "../parse/options.ts"
import type { Command } from "../parse/command.ts"

const span = (start: string, end: string): string => start === end ? start : `${start} – ${end}`

const fragmentsText = (
  array: OpenedArray,
  fragments: ReadonlyArray<FragmentDescription>,
  width: number,
): Iterable<string> =>
  textTable(
    ["written", "kind", "version", "cells", "bytes", "non-empty domain", "name"],
    fragments.map((f) => [
      span(timeText(Number(f.start)), timeText(Number(f.end))),
      f.dense ? "dense" : "sparse",
      String(f.version),
      String(f.cellNum),
      String(f.size),
      f.nonEmptyDomain === undefined
        ? "none"
        : array.schema.dimensions.map((d, i) => rangeText(d, f.nonEmptyDomain![i])).join(", "),
      f.name,
    ]),
    width,
    ["version", "cells", "bytes"],
  )

/** Lists the fragments that a read includes. */
export const runFragments = (
  request: Request,
  terminal: Terminal,
): Effect.Effect<void, SettingsError | OpenError | FragmentsError | OutputError, Storage | Codecs> =>
  Effect.gen(function* () {
    const array = yield* openRequested(request, terminal)
    const fragments = yield* describeOpenFragments(array)
    yield* warnUncommitted(array.uri, terminal)
    if (request.on("json")) {
      return yield* print(terminal, [JSON.stringify(describeFragments(array.schema, fragments), null, 2), "\n"])
    }
    if (fragments.length === 0) return yield* say(terminal, "no fragments: nothing was written at this time")
    yield* print(terminal, fragmentsText(array, fragments, terminal.columns))
  })

/** `tessera fragments`. */
export const fragmentsCommand: Command = {
  description: "list the fragments of an array",
  options: { json, ...opening },
  run: runFragments,
}
