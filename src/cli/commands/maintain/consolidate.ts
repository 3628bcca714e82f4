/**
 * `tessera consolidate`.
 */
import * as Effect from "effect/Effect"
import type { Codecs } from "../../../../platform/codecs/service.ts"
import type { Storage } from "../../../../platform/storage/service.ts"
import { consolidateMetadata } from "../../../group/consolidate_metadata.ts"
import { consolidate, type ConsolidateError } from "../../../maintain/consolidate.ts"
import type { Request } from "../../parse/arguments.ts"
import { parseSize } from "../../parse/byte_size.ts"
import type { Command } from "../../parse/command.ts"
import { json, memory, opening, quiet } from "../../parse/options.ts"
import { attemptUsage, keyOption, type SettingsError } from "../../parse/settings.ts"
import { countText, withProgress } from "../../print/progress.ts"
import { changeThenReport, type OutputError, type Terminal } from "../../print/terminal.ts"
import { mode, parseMode, printResult, rules, rulesOf } from "./rules.ts"

/** Combines files of an array or group. */
export const runConsolidate = (
  request: Request,
  terminal: Terminal,
): Effect.Effect<void, SettingsError | ConsolidateError | OutputError, Storage | Codecs> =>
  Effect.gen(function* () {
    const mode = yield* parseMode(request)
    const key = yield* keyOption(request, terminal)
    const withKey = key === undefined ? {} : { key }
    let cells = 0
    const work = mode === "group_meta" ? consolidateMetadata(request.uri, withKey) : Effect.gen(function* () {
      const size = request.text("memory")
      const budget = size === undefined ? {} : { memory: yield* attemptUsage(() => parseSize("memory", size)) }
      const options = { ...(yield* rulesOf(request, key)), ...budget, ...withKey, mode }
      return yield* consolidate(request.uri, { ...options, onProgress: (count) => void (cells = count) })
    })
    const run = (terminal: Terminal) =>
      changeThenReport(terminal, work, (result) => printResult(request, terminal, result))
    const status = () => ({ text: `${countText(cells)} cells written` })
    yield* request.on("quiet") ? run(terminal) : withProgress(terminal, status, run)
  })

/** `tessera consolidate`. */
export const consolidateCommand: Command = {
  description: "combine fragments, commits or metadata files",
  options: { mode, ...rules, memory, "key-file": opening["key-file"], json, quiet },
  run: runConsolidate,
}
