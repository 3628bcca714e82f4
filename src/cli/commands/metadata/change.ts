/**
 * Changes of metadata, for `tessera meta put` and `tessera meta remove`.
 */
import * as Effect from "effect/Effect"
import { redactUri } from "../../../../schema/errors/redact.ts"
import type { Codecs } from "../../../../platform/codecs/service.ts"
import type { StorageError } from "../../../../platform/errors.ts"
import type { Storage } from "../../../../platform/storage/service.ts"
import type { ArrayNotFound, WriteError } from "../../../array/open/errors.ts"
import { placeOf } from "../../../array/open/open_options.ts"
import type { MetadataEdit } from "../../../array/metadata/edit_metadata.ts"
import { editMetadata, type PutMetadataError } from "../../../array/metadata/put_metadata.ts"
import { editMetadata as editGroupMetadata } from "../../../group/put_metadata.ts"
import type { Request } from "../../parse/arguments.ts"
import { changeSettings, type SettingsError } from "../../parse/settings.ts"
import { changeThenReport, type OutputError, print, say, type Terminal } from "../../print/terminal.ts"
import { printable } from "../../print/text_width.ts"
import { requireKind } from "./list.ts"

/** Errors of changing metadata. */
export type ChangeMetadataError = SettingsError | ArrayNotFound | StorageError | PutMetadataError | OutputError

/** Changes the metadata of the array or group of a request, then prints its URI and the changed keys. */
export const changeMetadata = (
  request: Request,
  terminal: Terminal,
  keys: ReadonlyArray<string>,
  verb: string,
  change: (metadata: MetadataEdit) => Effect.Effect<void, WriteError>,
): Effect.Effect<void, ChangeMetadataError, Storage | Codecs> =>
  Effect.gen(function* () {
    const options = yield* changeSettings(request, terminal)
    const place = yield* placeOf(request.uri)
    const kind = yield* requireKind(place)
    const edit = kind === "group" ? editGroupMetadata(place, change, options) : editMetadata(place, change, options)
    yield* changeThenReport(terminal, edit, () =>
      Effect.gen(function* () {
        const uri = redactUri(place)
        if (request.on("json")) return yield* print(terminal, [JSON.stringify({ uri, [verb]: keys }, null, 2), "\n"])
        yield* print(terminal, [printable(uri), "\n"])
        if (!request.on("quiet")) yield* say(terminal, `${verb} ${keys.map((key) => JSON.stringify(key)).join(", ")}`)
      }))
  })
