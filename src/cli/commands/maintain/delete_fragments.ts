/**
 * `tessera fragments delete`.
 */
import * as Effect from "effect/Effect"
import type { Codecs } from "../../../../platform/codecs/service.ts"
import type { Storage } from "../../../../platform/storage/service.ts"
import { redactUri } from "../../../../schema/errors/redact.ts"
import { deleteFragments, type DeleteFragmentsError } from "../../../maintain/delete_fragments.ts"
import type { Request } from "../../parse/arguments.ts"
import type { Command } from "../../parse/command.ts"
import { json, quiet } from "../../parse/options.ts"
import { attemptUsage, keyOption, type SettingsError } from "../../parse/settings.ts"
import { tagTimesOf } from "../../parse/tag_options.ts"
import { timeOptions } from "../../parse/time.ts"
import { UsageError } from "../../parse/usage_error.ts"
import { changeThenReport, type OutputError, print, say, type Terminal } from "../../print/terminal.ts"

/** Deletes fragments with their cells. */
export const runDeleteFragments = (
  request: Request,
  terminal: Terminal,
): Effect.Effect<void, SettingsError | DeleteFragmentsError | OutputError, Storage | Codecs> =>
  Effect.gen(function* () {
    const names = request.text("fragments")?.split(",").map((name) => name.trim())
    const tags = yield* tagTimesOf(request, yield* keyOption(request, terminal))
    const options = yield* attemptUsage(() => {
      const time = timeOptions(request, tags)
      if (names === undefined && Object.keys(time).length === 0) {
        throw new UsageError({
          detail: "fragments delete: give --fragments, or a time range with --from, --to or both",
        })
      }
      return { ...time, ...(names === undefined ? {} : { fragments: names }), dryRun: request.on("dry-run") }
    })
    yield* changeThenReport(
      terminal,
      deleteFragments(request.uri, options),
      ({ fragments, removed }) =>
        Effect.gen(function* () {
          if (request.on("json")) {
            const result = { uri: redactUri(request.uri), dryRun: request.on("dry-run"), fragments, removed }
            return yield* print(terminal, [JSON.stringify(result, null, 2), "\n"])
          }
          for (const path of removed) {
            yield* print(terminal, [path, "\n"])
          }
          if (request.on("quiet")) {
            return
          }
          const verb = request.on("dry-run") ? "would be deleted" : "deleted"
          yield* say(terminal, `${fragments.length} ${fragments.length === 1 ? "fragment" : "fragments"} ${verb}`)
        }),
    )
  })

/** `tessera fragments delete`. */
export const fragmentsDeleteCommand: Command = {
  description: "delete fragments with their cells, at all times",
  options: {
    fragments: { value: "NAMES", description: "delete these fragments, separated by commas" },
    from: { value: "TIME", description: "delete fragments written entirely from this time on" },
    to: { value: "TIME", description: "delete fragments written entirely up to this time" },
    "dry-run": { description: "list the fragments and delete none" },
    json,
    quiet,
  },
  run: runDeleteFragments,
}
