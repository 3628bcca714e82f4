/**
 * `tessera tidy`.
 */
import * as Effect from "effect/Effect"
import type { Codecs } from "../../../../platform/codecs/service.ts"
import type { Storage } from "../../../../platform/storage/service.ts"
import { redactUri } from "../../../../schema/errors/redact.ts"
import { tidy, type TidyError } from "../../../maintain/tidy.ts"
import type { Request } from "../../parse/arguments.ts"
import { parseSize } from "../../parse/byte_size.ts"
import type { Command } from "../../parse/command.ts"
import { json, memory, opening, quiet } from "../../parse/options.ts"
import { attemptUsage, keyOption, type SettingsError } from "../../parse/settings.ts"
import { changeThenReport, type OutputError, print, say, type Terminal } from "../../print/terminal.ts"
import { parseDuration } from "./vacuum.ts"

/** Combines and removes files of an array in a safe order. */
export const runTidy = (
  request: Request,
  terminal: Terminal,
): Effect.Effect<void, SettingsError | TidyError | OutputError, Storage | Codecs> =>
  Effect.gen(function* () {
    const key = yield* keyOption(request, terminal)
    const dryRun = request.on("dry-run")
    const options = yield* attemptUsage(() => {
      const [age, target, budget] = [request.text("age"), request.text("target-size"), request.text("memory")]
      const factor = request.integer("level-factor")
      return {
        dryRun,
        dropHistory: request.on("drop-history"),
        ...(factor === undefined ? {} : { levelFactor: factor }),
        ...(key === undefined ? {} : { key }),
        ...(age === undefined ? {} : { age: parseDuration("age", age) }),
        ...(target === undefined ? {} : { targetSize: parseSize("target-size", target) }),
        ...(budget === undefined ? {} : { memory: parseSize("memory", budget) }),
      }
    })
    yield* changeThenReport(terminal, tidy(request.uri, options), (result) =>
      Effect.gen(function* () {
        const { steps, tasks, before, after } = result
        if (request.on("json")) {
          const report = { uri: redactUri(request.uri), dryRun, ...result }
          return yield* print(terminal, [JSON.stringify(report, null, 2), "\n"])
        }
        for (const { fragments } of tasks) yield* print(terminal, [`combine ${fragments.join(" ")}\n`])
        for (const { written, removed } of steps) {
          for (const path of written) yield* print(terminal, [`written ${path}\n`])
          for (const path of removed) yield* print(terminal, [`${dryRun ? "remove" : "removed"} ${path}\n`])
        }
        if (request.on("quiet")) return
        if (steps.some(({ skipped }) => skipped !== undefined)) {
          yield* say(terminal, "fragments are not combined, to keep earlier states; add --drop-history to combine them")
        }
        const kept = steps.reduce((sum, step) => sum + step.kept.length, 0)
        if (kept > 0) yield* say(terminal, `${kept} replaced files and folders are kept for now`)
        if (dryRun) return
        yield* say(terminal, `files: ${before.files} before, ${after.files} after`)
        yield* say(terminal, `bytes: ${before.bytes} before, ${after.bytes} after`)
        yield* say(terminal, `requests for an open: ${before.openRequests} before, ${after.openRequests} after`)
      }))
  })

/** `tessera tidy`. */
export const tidyCommand: Command = {
  description: "combine small files and remove replaced ones, in a safe order",
  options: {
    age: {
      value: "TIME",
      description: "remove only files that were replaced at least this long ago: 0s, 10m, 2h, 7d (10m)",
    },
    "target-size": { value: "SIZE", description: "combine fragments up to this size: 64MiB, 1GB, … (64MiB)" },
    "level-factor": {
      value: "N",
      integer: true,
      description: "combine neighbours whose sizes differ by at most this factor (10)",
    },
    "drop-history": { description: "dense arrays and old formats: combine fragments, and lose earlier states" },
    "dry-run": { description: "list the work and change no files" },
    memory,
    "key-file": opening["key-file"],
    json,
    quiet,
  },
  run: runTidy,
}
