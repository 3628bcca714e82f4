/**
 * `tessera plan`.
 */
import * as Effect from "effect/Effect"
import type { Codecs } from "../../../../platform/codecs/service.ts"
import type { Storage } from "../../../../platform/storage/service.ts"
import { type ConsolidateError, consolidationPlan } from "../../../maintain/consolidate.ts"
import type { Request } from "../../parse/arguments.ts"
import { sizeText } from "../../parse/byte_size.ts"
import type { Command } from "../../parse/command.ts"
import { json, opening, quiet } from "../../parse/options.ts"
import { keyOption, type SettingsError } from "../../parse/settings.ts"
import { type OutputError, print, say, type Terminal } from "../../print/terminal.ts"
import { rules, rulesOf } from "./rules.ts"

/** Prints the tasks of a plan; with `--json`, one line per task. */
export const runPlan = (
  request: Request,
  terminal: Terminal,
): Effect.Effect<void, SettingsError | ConsolidateError | OutputError, Storage | Codecs> =>
  Effect.gen(function* () {
    const key = yield* keyOption(request, terminal)
    const options = yield* rulesOf(request, key)
    const tasks = yield* consolidationPlan(request.uri, key === undefined ? options : { ...options, key })
    for (const task of tasks) {
      const text = request.on("json")
        ? JSON.stringify(task)
        : `${task.fragments.length} fragments, ${sizeText(task.bytes)}: ${task.fragments.join(" ")}`
      yield* print(terminal, [text, "\n"])
    }
    if (tasks.length === 0 && !request.on("json") && !request.on("quiet")) {
      yield* say(terminal, "no fragments to combine under these rules")
    }
  })

/** `tessera plan`. */
export const planCommand: Command = {
  description: "show which fragments a consolidation would combine",
  options: { ...rules, "key-file": opening["key-file"], json, quiet },
  run: runPlan,
}
