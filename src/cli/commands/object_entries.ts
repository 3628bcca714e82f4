/**
 * Entries of listings, for `tessera ls` and `tessera tree`.
 */
import { redactText, redactUri } from "../../../schema/errors/redact.ts"
import * as Effect from "effect/Effect"
import type { Codecs } from "../../../platform/codecs/service.ts"
import type { Storage } from "../../../platform/storage/service.ts"
import { withoutSlash } from "../../array/open/listing.ts"
import type { ListOptions, ObjectEntry } from "../../group/list_objects.ts"
import { kindAt } from "../../group/object_type.ts"
import type { GroupError } from "../../group/open_group.ts"
import { type SettingsError, settingsOf } from "../parse/settings.ts"
import type { Request } from "../parse/arguments.ts"
import { type OutputError, say, type Terminal } from "../print/terminal.ts"
import { printable } from "../print/text_width.ts"

/** Errors of listing. */
export type ListError = SettingsError | GroupError | OutputError

const withoutPath = (uri: string): string => uri.slice(uri.lastIndexOf("/") + 1)

/** Returns the name of an object, or the last part of its URI if the member has no name. */
export const shownName = ({ name, uri }: { readonly name: string | null; readonly uri: string }): string =>
  printable(name === null ? withoutPath(redactUri(uri)) : redactText(name))

/** Returns an object as JSON, with its URI without credentials. */
export const entryJson = ({ uri, type, name, foreign }: ObjectEntry): ObjectEntry => ({
  uri: redactUri(uri),
  type,
  name: name === null ? null : redactText(name),
  foreign,
})

/** Writes why a listing is empty. */
export const explainEmptyListing = (request: Request, terminal: Terminal): Effect.Effect<void, GroupError, Storage> =>
  Effect.flatMap(kindAt(withoutSlash(request.uri)), (kind) =>
    say(
      terminal,
      kind === "array"
        ? `this is an array; see tessera schema ${request.uri}`
        : kind === "group"
        ? "the group has no members"
        : "there are no arrays or groups in this folder",
    ))

/** Returns the options of a listing. */
export const listOptionsOf = (
  request: Request,
  terminal: Terminal,
): Effect.Effect<ListOptions, SettingsError, Storage | Codecs> =>
  Effect.map(settingsOf(request, terminal), (options) => ({ ...options, allow: request.texts("allow") }))
