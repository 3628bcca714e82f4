/**
 * Options that choose fragments, and the output of maintenance commands.
 */
import * as Effect from "effect/Effect"
import type { Codecs } from "../../../../platform/codecs/service.ts"
import type { EncryptionKey } from "../../../../platform/keys.ts"
import type { Storage } from "../../../../platform/storage/service.ts"
import { redactUri } from "../../../../schema/errors/redact.ts"
import type { ConsolidateMode, ConsolidateResult, FragmentRules } from "../../../maintain/consolidate.ts"
import type { Request } from "../../parse/arguments.ts"
import { parseSize } from "../../parse/byte_size.ts"
import { opening } from "../../parse/options.ts"
import { attemptUsage, type SettingsError } from "../../parse/settings.ts"
import type { OptionSpec } from "../../parse/specs.ts"
import { tagTimesOf } from "../../parse/tag_options.ts"
import { type TagTimes, timeOptions } from "../../parse/time.ts"
import { UsageError } from "../../parse/usage_error.ts"
import { type OutputError, print, say, type Terminal } from "../../print/terminal.ts"

/** `--mode`. */
export const mode: OptionSpec = {
  value: "MODE",
  description: "select fragments, fragment_meta, commits, array_meta or group_meta (fragments)",
}

/** Modes of the commands: those of arrays, and the mode of groups. */
export type Mode = ConsolidateMode | "group_meta"

const MODES: ReadonlyArray<string> = [
  "fragments",
  "fragment_meta",
  "commits",
  "array_meta",
  "group_meta",
] satisfies ReadonlyArray<Mode>

/** Returns the mode of a command. */
export const parseMode = (request: Request): Effect.Effect<Mode, UsageError> =>
  attemptUsage(() => {
    const text = request.text("mode") ?? "fragments"
    if (MODES.includes(text)) return text as Mode
    throw new UsageError({ detail: `--mode: ${JSON.stringify(text)} is unknown; expected ${MODES.join(", ")}` })
  })

/** Options that choose fragments. */
export const rules = {
  from: { ...opening.from, description: "ignore writes before this time" },
  to: { ...opening.to, description: "ignore writes after this time" },
  fragments: { value: "NAMES", description: "combine exactly these fragments, separated by commas" },
  steps: { value: "N", integer: true, description: "combine neighbours at most this number of times" },
  "min-fragments": { value: "N", integer: true, description: "combine at least this number of fragments" },
  "max-fragments": { value: "N", integer: true, description: "combine at most this number of fragments" },
  "size-ratio": { value: "R", description: "combine neighbours whose sizes have at least this ratio, 0 to 1 (0)" },
  amplification: { value: "R", description: "dense arrays: limit the growth of the number of cells (1)" },
  "max-fragment-size": { value: "SIZE", description: "start another fragment after this size: 64MiB, 1GB, …" },
  "purge-deleted": { description: "omit deleted cells and their older versions, at all times" },
} as const satisfies Record<string, OptionSpec>

/** Returns the rules in the options of a command. */
export const rulesOf = (
  request: Request,
  key: EncryptionKey | undefined,
): Effect.Effect<FragmentRules, SettingsError, Storage | Codecs> =>
  Effect.flatMap(tagTimesOf(request, key), (tags) => attemptUsage(() => parseRules(request, tags)))

const parseRules = (request: Request, tags: TagTimes): FragmentRules => {
  const number = (option: string): number | undefined => {
    const text = request.text(option)
    if (text === undefined) return undefined
    const value = Number(text)
    if (text.trim() === "" || !Number.isFinite(value)) {
      throw new UsageError({ detail: `--${option}: ${JSON.stringify(text)} is not a number` })
    }
    return value
  }
  const size = request.text("max-fragment-size")
  const defined = {
    fragments: request.text("fragments")?.split(",").map((name) => name.trim()),
    steps: number("steps"),
    minFragments: number("min-fragments"),
    maxFragments: number("max-fragments"),
    sizeRatio: number("size-ratio"),
    amplification: number("amplification"),
    maxFragmentSize: size === undefined ? undefined : parseSize("max-fragment-size", size),
    purgeDeleted: request.on("purge-deleted") ? true : undefined,
  }
  return {
    ...timeOptions(request, tags),
    ...Object.fromEntries(Object.entries(defined).filter(([, value]) => value !== undefined)),
  }
}

/** Prints the result of a consolidation. */
export const printResult = (
  request: Request,
  terminal: Terminal,
  { written, inputs }: ConsolidateResult,
): Effect.Effect<void, OutputError> =>
  Effect.gen(function* () {
    if (request.on("json")) {
      const uri = redactUri(request.uri)
      return yield* print(terminal, [JSON.stringify({ uri, written, inputs }, null, 2), "\n"])
    }
    for (const path of written) yield* print(terminal, [path, "\n"])
    if (request.on("quiet")) return
    yield* say(
      terminal,
      written.length === 0
        ? "no files were combined: they already are, or the rules choose none"
        : `${inputs.length} files are combined; tessera vacuum removes them`,
    )
  })
