/**
 * `tessera fragments copy` and `tessera fragments create`.
 */
import * as Effect from "effect/Effect"
import type { Codecs } from "../../../../platform/codecs/service.ts"
import type { Storage } from "../../../../platform/storage/service.ts"
import { redactUri } from "../../../../schema/errors/redact.ts"
import { copyFragments, type CopyFragmentsError, createFromFragments } from "../../../maintain/copy_fragments.ts"
import type { Request } from "../../parse/arguments.ts"
import type { Command } from "../../parse/command.ts"
import { json, opening, quiet } from "../../parse/options.ts"
import { attemptUsage, keyOption, type SettingsError } from "../../parse/settings.ts"
import { tagTimesOf } from "../../parse/tag_options.ts"
import { timeOptions } from "../../parse/time.ts"
import { changeThenReport, type OutputError, print, say, type Terminal } from "../../print/terminal.ts"

/** Runs one of the operations and prints the names of the fragments. */
const runWith = (operation: typeof copyFragments) =>
(
  request: Request,
  terminal: Terminal,
): Effect.Effect<void, SettingsError | CopyFragmentsError | OutputError, Storage | Codecs> =>
  Effect.gen(function* () {
    const [from, to] = request.operands
    const key = yield* keyOption(request, terminal)
    const names = request.text("fragments")?.split(",").map((name) => name.trim())
    const dryRun = request.on("dry-run")
    const tags = yield* tagTimesOf(request, key)
    const time = yield* attemptUsage(() => timeOptions(request, tags))
    const work = operation(from, to, {
      ...time,
      ...(names === undefined ? {} : { fragments: names }),
      ...(key === undefined ? {} : { key }),
      dryRun,
    })
    yield* changeThenReport(terminal, work, ({ fragments, files }) =>
      Effect.gen(function* () {
        if (request.on("json")) {
          const result = { uri: redactUri(to), dryRun, fragments, files }
          return yield* print(terminal, [JSON.stringify(result, null, 2), "\n"])
        }
        for (const name of fragments) yield* print(terminal, [name, "\n"])
        if (request.on("quiet")) return
        const verb = dryRun ? "would be copied" : "copied"
        yield* say(terminal, `${fragments.length} ${fragments.length === 1 ? "fragment" : "fragments"} ${verb}`)
      }))
  })

const options = {
  fragments: { value: "NAMES", description: "copy these fragments, separated by commas" },
  from: { value: "TIME", description: "copy fragments written entirely from this time on" },
  to: { value: "TIME", description: "copy fragments written entirely up to this time" },
  "dry-run": { description: "list the fragments and copy none" },
  "key-file": opening["key-file"],
  json,
  quiet,
} as const

/** `tessera fragments copy`. */
export const fragmentsCopyCommand: Command = {
  description: "copy fragments to another array of the same schema, with their times",
  operands: ["SOURCE", "TARGET"],
  options,
  run: runWith(copyFragments),
}

/** `tessera fragments create`. */
export const fragmentsCreateCommand: Command = {
  description: "create an array from fragments of another one, with their times",
  operands: ["SOURCE", "TARGET"],
  options,
  run: runWith(createFromFragments),
}
