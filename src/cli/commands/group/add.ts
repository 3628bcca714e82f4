/**
 * `tessera group add`.
 */
import * as Effect from "effect/Effect"
import type { Codecs } from "../../../../platform/codecs/service.ts"
import type { Storage } from "../../../../platform/storage/service.ts"
import { placeOf } from "../../../array/open/open_options.ts"
import type { NewMember } from "../../../group/change_members.ts"
import type { ObjectKind } from "../../../group/object_type.ts"
import type { Request } from "../../parse/arguments.ts"
import type { Command } from "../../parse/command.ts"
import { changing } from "../../parse/options.ts"
import { UsageError } from "../../parse/usage_error.ts"
import type { Terminal } from "../../print/terminal.ts"
import { changeGroup, type ChangeGroupError } from "./change.ts"
import { storedMember } from "./member_path.ts"

/** Adds members to a group. */
const run = (request: Request, terminal: Terminal): Effect.Effect<void, ChangeGroupError, Storage | Codecs> =>
  Effect.gen(function* () {
    const [, ...members] = request.operands
    const name = request.text("name")
    if (name !== undefined && members.length > 1) {
      return yield* Effect.fail(new UsageError({ detail: "group add: --name requires a single member" }))
    }
    const group = yield* placeOf(request.uri)
    const stored = yield* Effect.forEach(
      members,
      (member) =>
        request.on("relative") ? Effect.succeed({ uri: member, relative: true }) : storedMember(group, member),
    )
    const type = request.text("type") as ObjectKind | undefined
    const add = stored.map((member): NewMember => ({
      ...member,
      ...(name === undefined ? {} : { name }),
      ...(type === undefined ? {} : { type }),
    }))
    yield* changeGroup(request, terminal, "added", members, { add })
  })

/** `tessera group add`. */
export const groupAddCommand: Command = {
  description: "add arrays and groups to a group; members inside its folder move with it",
  operands: ["GROUP", "MEMBER"],
  variadic: true,
  options: {
    name: { value: "NAME", description: "set the name of the member in the group (default: no name)" },
    relative: { description: "MEMBER is a path that starts at the group" },
    type: {
      value: "TYPE",
      choices: ["array", "group"],
      hasDefault: false,
      description: "set the type of members that do not exist yet",
    },
    ...changing,
  },
  run,
}
