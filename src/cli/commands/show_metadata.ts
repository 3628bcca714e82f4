/**
 * `tessera meta`.
 */
import * as Effect from "effect/Effect"
import type { Codecs } from "../../../platform/codecs/service.ts"
import type { Storage } from "../../../platform/storage/service.ts"
import { type CellJson, scalarsJson, textJson } from "../../../schema/array/scalar.ts"
import { sizeOf } from "../../../schema/array/datatype.ts"
import { describeMetadata } from "../../array/describe/describe.ts"
import { ArrayNotFound, type InvalidOption } from "../../array/open/errors.ts"
import { loadMetadata, type MetadataError, type MetadataItem } from "../../array/metadata/metadata.ts"
import { accessOf } from "../../array/open/open.ts"
import { openingOf } from "../../array/open/open_options.ts"
import { kindAt } from "../../group/object_type.ts"
import { openGroupTile } from "../../group/open_group.ts"
import { jsonText, scalarText } from "../print/cell_text.ts"
import { type SettingsError, settingsOf } from "../parse/settings.ts"
import type { Request } from "../parse/arguments.ts"
import { type OutputError, print, say, type Terminal } from "../print/terminal.ts"
import { textTable } from "../print/text_table.ts"
import { isText, readScalar } from "../../../schema/array/scalar.ts"

/** Values shown of an entry; a line has no room for more. */
const SHOWN = 100

const valueText = ({ type, value }: MetadataItem): string => {
  if (value.byteLength === 0) return "null"
  if (isText(type)) return jsonText(textJson(value) as CellJson)
  const size = sizeOf(type)
  if (value.byteLength === size) return scalarText(type)(readScalar(type, value))
  return jsonText(scalarsJson(type, value.subarray(0, SHOWN * size)))
}

const metadataText = (items: ReadonlyArray<MetadataItem>, width: number): Iterable<string> =>
  textTable(
    ["key", "type", "values", "value"],
    items.map((item) => [jsonText(textJson(item.key)), item.type, String(item.count), valueText(item)]),
    width,
    ["values"],
  )

/** Shows the metadata of an array or group. */
export const runMeta = (
  request: Request,
  terminal: Terminal,
): Effect.Effect<void, SettingsError | InvalidOption | ArrayNotFound | MetadataError | OutputError, Storage | Codecs> =>
  Effect.gen(function* () {
    const options = yield* settingsOf(request, terminal)
    const opening = yield* openingOf(request.uri, options)
    const { uri, time } = opening
    const kind = yield* kindAt(uri)
    if (kind === undefined) {
      return yield* Effect.fail(
        new ArrayNotFound({
          uri,
          reason: "Empty",
          detail: "there is no array or group here; check the path, and whether you may list it",
        }),
      )
    }
    const access = yield* accessOf(opening)
    const items =
      yield* (kind === "group" ? loadMetadata(uri, time, access, openGroupTile) : loadMetadata(uri, time, access))
    if (request.on("json")) return yield* print(terminal, [JSON.stringify(describeMetadata(items), null, 2), "\n"])
    if (items.length === 0) return yield* say(terminal, "no metadata")
    yield* print(terminal, metadataText(items, terminal.columns))
  })
