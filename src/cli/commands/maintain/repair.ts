/**
 * `tessera repair`.
 */
import * as Effect from "effect/Effect"
import type { Codecs } from "../../../../platform/codecs/service.ts"
import type { Storage } from "../../../../platform/storage/service.ts"
import { redactUri } from "../../../../schema/errors/redact.ts"
import { repair, type RepairError } from "../../../repair/repair.ts"
import type { Request } from "../../parse/arguments.ts"
import { parseSize } from "../../parse/byte_size.ts"
import type { Command } from "../../parse/command.ts"
import { json, memory, opening, quiet } from "../../parse/options.ts"
import { attemptUsage, keyOption, type SettingsError } from "../../parse/settings.ts"
import { changeThenReport, type OutputError, print, say, type Terminal, warn } from "../../print/terminal.ts"
import { printable } from "../../print/text_width.ts"
import { parseDuration } from "./vacuum.ts"
import { VerifyFailed } from "./verify.ts"

const verbs = {
  quarantine: ["would be moved to the quarantine folder", "moved to the quarantine folder"],
  drop: ["would be moved to the quarantine folder", "moved to the quarantine folder"],
  rebuild: ["would be written again", "written again"],
} as const

/** Prints the steps of a repair, and runs them with `--apply`. */
export const runRepair = (
  request: Request,
  terminal: Terminal,
): Effect.Effect<void, SettingsError | RepairError | VerifyFailed | OutputError, Storage | Codecs> =>
  Effect.gen(function* () {
    const key = yield* keyOption(request, terminal)
    const options = yield* attemptUsage(() => {
      const age = request.text("age")
      const size = request.text("memory")
      return {
        apply: request.on("apply"),
        quick: request.on("quick"),
        ...(age === undefined ? {} : { age: parseDuration("age", age) }),
        ...(size === undefined ? {} : { memory: parseSize("memory", size) }),
      }
    })
    const work = repair(request.uri, { ...options, ...(key === undefined ? {} : { key }) })
    yield* changeThenReport(terminal, work, (result) =>
      Effect.gen(function* () {
        const { actions, unrepaired, kept, applied, quarantine, written } = result
        if (request.on("json")) {
          yield* print(terminal, [JSON.stringify({ uri: redactUri(request.uri), ...result }, null, 2), "\n"])
        } else {
          for (const { kind, path, reason } of actions) {
            yield* print(terminal, [`${printable(path)}: ${verbs[kind][applied ? 1 : 0]}: ${reason}\n`])
          }
          if (!request.on("quiet")) {
            for (const path of written) yield* say(terminal, `written ${path}; a vacuum removes the old fragment`)
            if (quarantine !== null) yield* say(terminal, `the files are in ${quarantine}; move them back to undo`)
            for (const path of kept) {
              yield* say(
                terminal,
                `${printable(path)} stays: it is younger than --age, or a damaged file may contain its commit`,
              )
            }
            if (actions.length === 0) yield* say(terminal, "nothing to repair")
            else if (!applied) yield* say(terminal, "nothing was changed; --apply runs these steps")
          }
        }
        for (const { check, message, hint } of unrepaired) {
          if (request.on("json")) break
          yield* warn(terminal, `not repaired: ${check}: ${printable(message)}\n  ${hint}`)
        }
        if (unrepaired.length > 0) {
          yield* Effect.fail(new VerifyFailed({ uri: request.uri, errors: unrepaired.length }))
        }
      }))
  })

/** `tessera repair`. */
export const repairCommand: Command = {
  description: "repair what is safe and can be undone; without --apply, print the plan",
  options: {
    apply: { description: "run the steps" },
    age: {
      value: "AGE",
      description: "move fragments without a commit that are at least this old: 30m, 12h, 7d (1d)",
    },
    quick: { description: "read only metadata and the sizes of files" },
    memory,
    "key-file": opening["key-file"],
    json,
    quiet,
  },
  run: runRepair,
}
