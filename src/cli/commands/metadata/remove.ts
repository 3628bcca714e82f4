/**
 * `tessera meta remove`.
 */
import type * as Effect from "effect/Effect"
import type { Codecs } from "../../../../platform/codecs/service.ts"
import type { Storage } from "../../../../platform/storage/service.ts"
import type { Request } from "../../parse/arguments.ts"
import type { Command } from "../../parse/command.ts"
import { changing } from "../../parse/options.ts"
import type { Terminal } from "../../print/terminal.ts"
import { changeMetadata, type ChangeMetadataError } from "./change.ts"

/** Removes keys from the metadata. */
const run = (request: Request, terminal: Terminal): Effect.Effect<void, ChangeMetadataError, Storage | Codecs> => {
  const [, ...keys] = request.operands
  return changeMetadata(request, terminal, keys, "removed", (metadata) => metadata.delete(keys))
}

/** `tessera meta remove`. */
export const metaRemoveCommand: Command = {
  description: "remove keys from the metadata",
  operands: ["URI", "KEY"],
  variadic: true,
  options: changing,
  run,
}
