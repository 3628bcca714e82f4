/**
 * `tessera delete`.
 */
import { redactUri } from "../../../schema/errors/redact.ts"
import * as Effect from "effect/Effect"
import type { Codecs } from "../../../platform/codecs/service.ts"
import type { Storage } from "../../../platform/storage/service.ts"
import { openArray, type OpenError } from "../../array/open/open.ts"
import { deleteCells, type DeleteFailure } from "../../write/delete/delete_cells.ts"
import type { Request } from "../parse/arguments.ts"
import { changeSettings, type SettingsError } from "../parse/settings.ts"
import { changeThenReport, type OutputError, print, say, type Terminal } from "../print/terminal.ts"
import { warnUncommitted } from "../print/warn_uncommitted.ts"
import { UsageError } from "../parse/usage_error.ts"
import { json, opening, quiet, where } from "../parse/options.ts"
import type { Command } from "../parse/command.ts"

/** Deletes the cells that satisfy a condition. */
export const runDelete = (
  request: Request,
  terminal: Terminal,
): Effect.Effect<void, SettingsError | OpenError | DeleteFailure | OutputError, Storage | Codecs> =>
  Effect.gen(function* () {
    const where = request.text("where")
    if (where === undefined) {
      return yield* Effect.fail(new UsageError({ detail: "delete: select the cells: --where CONDITION" }))
    }
    const { at, key } = yield* changeSettings(request, terminal)
    // open the current state, which determines the conditions that can be written
    const array = yield* openArray(request.uri, key === undefined ? {} : { key })
    const change = deleteCells(array, where, at === undefined ? undefined : [at, at])
    yield* changeThenReport(terminal, change, ({ commit }) =>
      Effect.gen(function* () {
        if (request.on("json")) {
          return yield* print(terminal, [
            JSON.stringify({ uri: redactUri(array.uri), commit: commit ?? null }, null, 2),
            "\n",
          ])
        }
        if (commit !== undefined) yield* print(terminal, [commit, "\n"])
        if (request.on("quiet")) return
        yield* say(
          terminal,
          commit === undefined
            ? "no cell can match the condition; no file was written"
            : "the matching cells are deleted; they remain visible at earlier times",
        )
        yield* warnUncommitted(array.uri, terminal)
      }))
  })

/** `tessera delete`. */
export const deleteCommand: Command = {
  description: "delete cells of a sparse array",
  options: {
    where: { ...where, description: 'delete the cells that match: \'depth > 400 and place in ["Tonga", "Fiji"]\'' },
    at: {
      value: "TIME",
      description:
        "set the timestamp of the delete; later writes are not affected: milliseconds since 1970, or an ISO date",
    },
    "key-file": opening["key-file"],
    json,
    quiet,
  },
  run: runDelete,
}
