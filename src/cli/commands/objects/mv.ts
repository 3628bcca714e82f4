/**
 * `tessera mv`.
 */
import * as Effect from "effect/Effect"
import type { Codecs } from "../../../../platform/codecs/service.ts"
import type { Storage } from "../../../../platform/storage/service.ts"
import { redactUri } from "../../../../schema/errors/redact.ts"
import { type MoveError, moveObject } from "../../../objects/move.ts"
import type { Request } from "../../parse/arguments.ts"
import { sizeText } from "../../parse/byte_size.ts"
import type { Command } from "../../parse/command.ts"
import { json, quiet } from "../../parse/options.ts"
import { countText, withProgress } from "../../print/progress.ts"
import { changeThenReport, type OutputError, print, say, type Terminal } from "../../print/terminal.ts"
import { printable } from "../../print/text_width.ts"

/** Moves an array or a group and prints its new URI. */
export const runMv = (
  request: Request,
  terminal: Terminal,
): Effect.Effect<void, MoveError | OutputError, Storage | Codecs> =>
  Effect.suspend(() => {
    const [from, to] = request.operands
    let progress = { files: 0, bytes: 0 }
    const work = moveObject(from, to, { onProgress: (copied) => progress = copied })
    const status = () => ({ text: `copied ${countText(progress.files)} files, ${sizeText(progress.bytes)}` })
    const run = (terminal: Terminal) =>
      changeThenReport(terminal, work, ({ renamed, files, bytes }) =>
        Effect.gen(function* () {
          const uri = redactUri(to)
          if (request.on("json")) {
            return yield* print(terminal, [JSON.stringify({ uri, renamed, files, bytes }, null, 2), "\n"])
          }
          yield* print(terminal, [printable(uri), "\n"])
          if (request.on("quiet")) return
          yield* say(
            terminal,
            renamed
              ? "the folder was renamed"
              : `${countText(files)} ${files === 1 ? "file" : "files"} of ${
                sizeText(bytes)
              } copied, then removed from the source`,
          )
        }))
    return request.on("quiet") ? run(terminal) : withProgress(terminal, status, run)
  })

/** `tessera mv`. */
export const mvCommand: Command = {
  description: "move an array, or a group with everything in its folder",
  operands: ["SOURCE", "TARGET"],
  options: { json, quiet },
  run: runMv,
}
