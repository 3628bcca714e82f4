/**
 * `tessera vacuum`.
 */
import * as Effect from "effect/Effect"
import type { Storage } from "../../../../platform/storage/service.ts"
import { redactUri } from "../../../../schema/errors/redact.ts"
import { vacuumMetadata } from "../../../group/consolidate_metadata.ts"
import { vacuum, type VacuumError } from "../../../maintain/vacuum.ts"
import type { Request } from "../../parse/arguments.ts"
import type { Command } from "../../parse/command.ts"
import { json, quiet } from "../../parse/options.ts"
import { attemptUsage } from "../../parse/settings.ts"
import { UsageError } from "../../parse/usage_error.ts"
import { changeThenReport, type OutputError, print, say, type Terminal } from "../../print/terminal.ts"
import { mode, parseMode } from "./rules.ts"
import { warnUncommitted } from "../../print/warn_uncommitted.ts"

const units: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** Returns the milliseconds of a duration: `0s`, `90s`, `10m`, `2h`, `7d`. Throws {@link UsageError}. */
export const parseDuration = (option: string, text: string): number => {
  const [, number, unit] = /^(\d{1,12})(ms|s|m|h|d)$/.exec(text) ?? []
  if (number !== undefined) return Number(number) * units[unit]
  throw new UsageError({ detail: `--${option}: ${JSON.stringify(text)} is not a duration; expected 0s, 10m, 2h or 7d` })
}

/** Removes files that consolidation replaced. */
export const runVacuum = (
  request: Request,
  terminal: Terminal,
): Effect.Effect<void, UsageError | VacuumError | OutputError, Storage> =>
  Effect.gen(function* () {
    const mode = yield* parseMode(request)
    const text = request.text("age")
    const age = text === undefined ? {} : { age: yield* attemptUsage(() => parseDuration("age", text)) }
    const dryRun = request.on("dry-run")
    const options = { ...age, dryRun }
    const work = mode === "group_meta"
      ? vacuumMetadata(request.uri, options)
      : vacuum(request.uri, { ...options, mode })
    yield* changeThenReport(terminal, work, ({ removed, kept }) =>
      Effect.gen(function* () {
        if (request.on("json")) {
          const result = { uri: redactUri(request.uri), dryRun, removed, kept }
          return yield* print(terminal, [JSON.stringify(result, null, 2), "\n"])
        }
        for (const path of removed) yield* print(terminal, [path, "\n"])
        if (request.on("quiet")) return
        const verb = dryRun ? "would be removed" : "are removed"
        yield* say(terminal, `${removed.length} files and folders ${verb}, ${kept.length} are kept`)
        for (const { path, reason } of kept) yield* say(terminal, `kept ${path}: ${reason}`)
        if (mode === "fragments") yield* warnUncommitted(request.uri, terminal)
      }))
  })

/** `tessera vacuum`. */
export const vacuumCommand: Command = {
  description: "remove files that consolidation replaced",
  options: {
    mode,
    age: {
      value: "TIME",
      description: "remove only files that were replaced at least this long ago: 0s, 10m, 2h, 7d (10m)",
    },
    "dry-run": { description: "list the files and remove none" },
    json,
    quiet,
  },
  run: runVacuum,
}
