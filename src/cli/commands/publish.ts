/**
 * `tessera publish`.
 */
import { redactUri } from "../../../schema/errors/redact.ts"
import * as Effect from "effect/Effect"
import type { NotFound, StorageError } from "../../../platform/errors.ts"
import { publish } from "../../../platform/storage/http/publish_manifest.ts"
import { Storage } from "../../../platform/storage/service.ts"
import type { Request } from "../parse/arguments.ts"
import { sizeText } from "../parse/byte_size.ts"
import { countText, withProgress } from "../print/progress.ts"
import { changeThenReport, type OutputError, print, say, type Terminal } from "../print/terminal.ts"
import { printable } from "../print/text_width.ts"
import { json, quiet } from "../parse/options.ts"
import type { Command } from "../parse/command.ts"

/** Returns a storage that reports the files that it lists. */
const withListingProgress = (storage: Storage, match: (files: number, bytes: number) => void): Storage => ({
  ...storage,
  list: (uri) =>
    Effect.tap(storage.list(uri), (entries) => {
      for (const { kind, size } of entries) if (kind === "file") match(1, size ?? 0)
    }),
  size: (uri) => Effect.tap(storage.size(uri), (bytes) => match(0, bytes)),
})

/** Writes the manifest of a folder. */
export const runPublish = (
  request: Request,
  terminal: Terminal,
): Effect.Effect<void, NotFound | StorageError | OutputError, Storage> =>
  Effect.gen(function* () {
    let [files, bytes] = [0, 0]
    const storage = withListingProgress(yield* Storage, (more, size) => {
      files += more
      bytes += size
    })
    const work = publish(storage, request.uri)
    const status = () => ({ text: `found ${countText(files)} ${files === 1 ? "file" : "files"}, ${sizeText(bytes)}` })
    const run = (terminal: Terminal) =>
      changeThenReport(terminal, work, (published) =>
        Effect.gen(function* () {
          const uri = redactUri(published.uri)
          if (request.on("json")) return yield* print(terminal, [JSON.stringify({ ...published, uri }, null, 2), "\n"])
          yield* print(terminal, [printable(uri), "\n"])
          if (request.on("quiet")) return
          yield* say(
            terminal,
            `names ${published.files} files of ${published.bytes} bytes; publish again after every change`,
          )
        }))
    yield* request.on("quiet") ? run(terminal) : withProgress(terminal, status, run)
  })

/** `tessera publish`. */
export const publishCommand: Command = {
  description: "write a manifest for use on a web server",
  options: { json, quiet },
  run: runPublish,
}
