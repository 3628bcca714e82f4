/**
 * `tessera group remove`.
 */
import type * as Effect from "effect/Effect"
import type { Codecs } from "../../../../platform/codecs/service.ts"
import type { Storage } from "../../../../platform/storage/service.ts"
import type { Request } from "../../parse/arguments.ts"
import type { Command } from "../../parse/command.ts"
import { changing } from "../../parse/options.ts"
import type { Terminal } from "../../print/terminal.ts"
import { changeGroup, type ChangeGroupError } from "./change.ts"

/** Removes members from a group. */
const run = (request: Request, terminal: Terminal): Effect.Effect<void, ChangeGroupError, Storage | Codecs> => {
  const [, ...members] = request.operands
  return changeGroup(request, terminal, "removed", members, { remove: members })
}

/** `tessera group remove`. */
export const groupRemoveCommand: Command = {
  description: "remove members from a group, by name or URI; keeps their arrays and groups",
  operands: ["GROUP", "MEMBER"],
  variadic: true,
  options: changing,
  run,
}
