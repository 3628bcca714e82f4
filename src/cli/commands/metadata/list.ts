/**
 * `tessera meta` and `tessera meta list`.
 */
import * as Effect from "effect/Effect"
import type { Codecs } from "../../../../platform/codecs/service.ts"
import type { StorageError } from "../../../../platform/errors.ts"
import type { Storage } from "../../../../platform/storage/service.ts"
import { type CellJson, scalarsJson, textJson } from "../../../../schema/array/scalar.ts"
import { sizeOf } from "../../../../schema/array/datatype.ts"
import { describeMetadata } from "../../../array/describe/describe.ts"
import { ArrayNotFound, type InvalidOption } from "../../../array/open/errors.ts"
import { loadMetadata, type MetadataError, type MetadataItem } from "../../../array/metadata/metadata.ts"
import { accessOf } from "../../../array/open/open.ts"
import { openingOf } from "../../../array/open/open_options.ts"
import { kindAt, type ObjectKind } from "../../../group/object_type.ts"
import { openGroupTile } from "../../../group/open_group.ts"
import { jsonText, scalarText } from "../../print/cell_text.ts"
import { type SettingsError, settingsOf } from "../../parse/settings.ts"
import type { Request } from "../../parse/arguments.ts"
import { type OutputError, print, say, type Terminal } from "../../print/terminal.ts"
import { textTable } from "../../print/text_table.ts"
import { isText, readScalar } from "../../../../schema/array/scalar.ts"
import { json, opening } from "../../parse/options.ts"
import type { Command } from "../../parse/command.ts"

/** Maximum number of values per entry in a table. */
const MAX_SHOWN_VALUES = 100

/** Formats the value of an entry. */
export const valueText = ({ type, value }: MetadataItem): string => {
  if (value.byteLength === 0) return "null"
  if (isText(type)) return jsonText(textJson(value) as CellJson)
  const size = sizeOf(type)
  if (value.byteLength === size) return scalarText(type)(readScalar(type, value))
  return jsonText(scalarsJson(type, value.subarray(0, MAX_SHOWN_VALUES * size)))
}

const metadataText = (items: ReadonlyArray<MetadataItem>, width: number): Iterable<string> =>
  textTable(
    ["key", "type", "values", "value"],
    items.map((item) => [jsonText(textJson(item.key)), item.type, String(item.count), valueText(item)]),
    width,
    ["values"],
  )

/** Errors of reading metadata. */
export type MetadataCommandError = SettingsError | InvalidOption | ArrayNotFound | MetadataError | OutputError

/** Returns the kind of the object at a URI. Fails with `ArrayNotFound` if there is no array or group. */
export const requireKind = (uri: string): Effect.Effect<ObjectKind, ArrayNotFound | StorageError, Storage> =>
  Effect.flatMap(
    kindAt(uri),
    (kind) =>
      kind === undefined
        ? Effect.fail(
          new ArrayNotFound({
            uri,
            reason: "Empty",
            detail: "there is no array or group here; check the path and the permission to list it",
          }),
        )
        : Effect.succeed(kind),
  )

/** Reads the metadata of the array or group of a request. */
export const requestedMetadata = (
  request: Request,
  terminal: Terminal,
): Effect.Effect<ReadonlyArray<MetadataItem>, MetadataCommandError, Storage | Codecs> =>
  Effect.gen(function* () {
    const options = yield* settingsOf(request, terminal)
    const opening = yield* openingOf(request.uri, options)
    const { uri, time } = opening
    const kind = yield* requireKind(uri)
    const access = yield* accessOf(opening)
    return yield* (kind === "group" ? loadMetadata(uri, time, access, openGroupTile) : loadMetadata(uri, time, access))
  })

/** Shows the metadata of an array or group. */
const run = (
  request: Request,
  terminal: Terminal,
): Effect.Effect<void, MetadataCommandError, Storage | Codecs> =>
  Effect.gen(function* () {
    const items = yield* requestedMetadata(request, terminal)
    if (request.on("json")) return yield* print(terminal, [JSON.stringify(describeMetadata(items), null, 2), "\n"])
    if (items.length === 0) return yield* say(terminal, "no metadata")
    yield* print(terminal, metadataText(items, terminal.columns))
  })

/** `tessera meta`, and `tessera meta list`. */
export const metaListCommand: Command = {
  description: "show the metadata of an array or group",
  options: { json, ...opening },
  run,
}
