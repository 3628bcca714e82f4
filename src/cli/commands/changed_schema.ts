/**
 * Changes of a schema, for `tessera evolve` and `tessera upgrade`.
 */
import * as Effect from "effect/Effect"
import { redactUri } from "../../../schema/errors/redact.ts"
import type { Codecs } from "../../../platform/codecs/service.ts"
import type { Storage } from "../../../platform/storage/service.ts"
import type { EvolveError, EvolveOptions } from "../../array/evolve/evolve.ts"
import { openArray, type OpenError } from "../../array/open/open.ts"
import type { Request } from "../parse/arguments.ts"
import { changeSettings, type SettingsError } from "../parse/settings.ts"
import { changeThenReport, type OutputError, print, say, type Terminal } from "../print/terminal.ts"
import { printable } from "../print/text_width.ts"

/** Errors of changing a schema. */
export type ChangeSchemaError = SettingsError | OpenError | EvolveError | OutputError

/** Changes the schema of an array, then prints its URI, its format version and its attributes. */
export const changeSchema = (
  request: Request,
  terminal: Terminal,
  change: (uri: string, options: EvolveOptions) => Effect.Effect<void, EvolveError, Storage | Codecs>,
): Effect.Effect<void, ChangeSchemaError, Storage | Codecs> =>
  Effect.gen(function* () {
    const settings = yield* changeSettings(request, terminal)
    const version = request.integer("format-version")
    const options = { ...settings, ...(version === undefined ? {} : { formatVersion: version }) }
    yield* changeThenReport(terminal, change(request.uri, options), () =>
      Effect.gen(function* () {
        const { key } = settings
        const { schema, uri: place } = yield* openArray(request.uri, key === undefined ? {} : { key })
        const uri = redactUri(place)
        const attributes = schema.attributes.map(({ name }) => name)
        if (request.on("json")) {
          const result = { uri, format_version: schema.version, attributes }
          return yield* print(terminal, [JSON.stringify(result, null, 2), "\n"])
        }
        yield* print(terminal, [printable(uri), "\n"])
        if (request.on("quiet")) return
        yield* say(terminal, `format version ${schema.version}, attributes: ${attributes.map(printable).join(", ")}`)
      }))
  })
