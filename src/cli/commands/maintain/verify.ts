/**
 * `tessera verify`.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import type { Codecs } from "../../../../platform/codecs/service.ts"
import type { Storage } from "../../../../platform/storage/service.ts"
import { taggedError, type TaggedErrorClass } from "../../../../schema/errors/tagged_error.ts"
import { type Finding, verify, type VerifyError } from "../../../verify/verify.ts"
import type { Request } from "../../parse/arguments.ts"
import type { Command } from "../../parse/command.ts"
import { json, opening, quiet } from "../../parse/options.ts"
import { keyOption, type SettingsError } from "../../parse/settings.ts"
import { countText } from "../../print/progress.ts"
import { type OutputError, print, say, type Terminal } from "../../print/terminal.ts"
import { printable } from "../../print/text_width.ts"

const VerifyFailedBase: TaggedErrorClass<VerifyFailed, "VerifyFailed", {
  readonly uri: string
  readonly errors: number
}> = taggedError("VerifyFailed", () => ({ uri: Schema.String, errors: Schema.Number }))

/** A verification has findings of severity `error`. They were printed before. */
export class VerifyFailed extends VerifyFailedBase {
  override get message(): string {
    return `${this.uri}: ${countText(this.errors)} ${this.errors === 1 ? "error" : "errors"}`
  }
}

const findingText = ({ severity, check, message, hint }: Finding): string =>
  `${severity} ${check}: ${printable(message)}\n  ${hint}\n`

/** Prints the findings of an array as they are made; with `--json`, one line per finding. */
export const runVerify = (
  request: Request,
  terminal: Terminal,
): Effect.Effect<void, SettingsError | VerifyError | VerifyFailed | OutputError, Storage | Codecs> =>
  Effect.gen(function* () {
    const key = yield* keyOption(request, terminal)
    const options = { quick: request.on("quick"), ...(key === undefined ? {} : { key }) }
    const counts = { error: 0, warning: 0, info: 0 }
    yield* Stream.runForEach(verify(request.uri, options), (finding) => {
      counts[finding.severity]++
      return print(terminal, [request.on("json") ? `${JSON.stringify(finding)}\n` : findingText(finding)])
    })
    if (counts.error > 0) return yield* Effect.fail(new VerifyFailed({ uri: request.uri, errors: counts.error }))
    if (request.on("quiet")) return
    yield* say(terminal, `no errors; warnings: ${countText(counts.warning)}, notes: ${countText(counts.info)}`)
  })

/** `tessera verify`. */
export const verifyCommand: Command = {
  description: "check the files of an array; exit code 5 if there are errors",
  options: {
    quick: { description: "read only metadata and the sizes of files" },
    "key-file": opening["key-file"],
    json,
    quiet,
  },
  run: runVerify,
}
