/**
 * Changes of the members of a group, for `tessera group add` and `tessera group remove`.
 */
import * as Effect from "effect/Effect"
import { redactUri } from "../../../../schema/errors/redact.ts"
import type { Codecs } from "../../../../platform/codecs/service.ts"
import type { Storage } from "../../../../platform/storage/service.ts"
import { placeOf } from "../../../array/open/open_options.ts"
import { changeMembers, type ChangeMembersError, type MemberChanges } from "../../../group/change_members.ts"
import type { Request } from "../../parse/arguments.ts"
import { changeSettings, type SettingsError } from "../../parse/settings.ts"
import { changeThenReport, type OutputError, print, say, type Terminal } from "../../print/terminal.ts"
import { printable } from "../../print/text_width.ts"

/** Errors of changing members. */
export type ChangeGroupError = SettingsError | ChangeMembersError | OutputError

/** Changes the members of a group, then prints its URI and the members. */
export const changeGroup = (
  request: Request,
  terminal: Terminal,
  verb: string,
  members: ReadonlyArray<string>,
  changes: MemberChanges,
): Effect.Effect<void, ChangeGroupError, Storage | Codecs> =>
  Effect.gen(function* () {
    const place = yield* placeOf(request.uri)
    const change = changeMembers(place, changes, yield* changeSettings(request, terminal))
    yield* changeThenReport(terminal, change, () =>
      Effect.gen(function* () {
        const [uri, changed] = [redactUri(place), members.map(redactUri)]
        if (request.on("json")) return yield* print(terminal, [JSON.stringify({ uri, [verb]: changed }, null, 2), "\n"])
        yield* print(terminal, [printable(uri), "\n"])
        if (!request.on("quiet")) yield* say(terminal, `${verb} ${changed.map(printable).join(", ")}`)
      }))
  })
