/**
 * `tessera meta put`.
 */
import * as Effect from "effect/Effect"
import type { Codecs } from "../../../../platform/codecs/service.ts"
import type { Storage } from "../../../../platform/storage/service.ts"
import type { Request } from "../../parse/arguments.ts"
import type { Command } from "../../parse/command.ts"
import { parseMetadataValue } from "../../parse/metadata_value.ts"
import { changing } from "../../parse/options.ts"
import { attemptUsage } from "../../parse/settings.ts"
import type { Terminal } from "../../print/terminal.ts"
import { changeMetadata, type ChangeMetadataError } from "./change.ts"

/** Sets one key of the metadata. */
const run = (request: Request, terminal: Terminal): Effect.Effect<void, ChangeMetadataError, Storage | Codecs> =>
  Effect.gen(function* () {
    const [, key, text] = request.operands
    const value = yield* attemptUsage(() => parseMetadataValue(text, request.text("type")))
    yield* changeMetadata(request, terminal, [key], "put", (metadata) => metadata.put(new Map([[key, value]])))
  })

/** `tessera meta put`. */
export const metaPutCommand: Command = {
  description: "set one value of the metadata",
  operands: ["URI", "KEY", "VALUE"],
  emptyOperands: true,
  options: {
    type: {
      value: "TYPE",
      description: "set the datatype; default: numbers, true, false and lists such as [1,2] as in JSON, else text",
    },
    ...changing,
  },
  run,
}
