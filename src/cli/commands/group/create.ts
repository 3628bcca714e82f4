/**
 * `tessera group create`.
 */
import * as Effect from "effect/Effect"
import { redactUri } from "../../../../schema/errors/redact.ts"
import type { Storage } from "../../../../platform/storage/service.ts"
import { placeOf } from "../../../array/open/open_options.ts"
import { createGroup, type CreateGroupError } from "../../../group/create_group.ts"
import type { Request } from "../../parse/arguments.ts"
import type { Command } from "../../parse/command.ts"
import { json } from "../../parse/options.ts"
import { changeThenReport, type OutputError, print, type Terminal } from "../../print/terminal.ts"
import { printable } from "../../print/text_width.ts"

/** Creates a group. */
const run = (request: Request, terminal: Terminal): Effect.Effect<void, CreateGroupError | OutputError, Storage> =>
  Effect.gen(function* () {
    const uri = redactUri(yield* placeOf(request.uri))
    const text = request.on("json") ? JSON.stringify({ uri }, null, 2) : printable(uri)
    yield* changeThenReport(terminal, createGroup(request.uri), () => print(terminal, [text, "\n"]))
  })

/** `tessera group create`. */
export const groupCreateCommand: Command = { description: "create an empty group", options: { json }, run }
