/**
 * `tessera create`.
 */
import * as Effect from "effect/Effect"
import { redactUri } from "../../../schema/errors/redact.ts"
import type { Codecs } from "../../../platform/codecs/service.ts"
import type { NotFound, StorageError } from "../../../platform/errors.ts"
import { Storage } from "../../../platform/storage/service.ts"
import { create, type CreateError } from "../../array/create/create.ts"
import { fromJson } from "../../schema_builder/from_json.ts"
import { attemptSchema } from "../../schema_builder/schema_error.ts"
import type { Request } from "../parse/arguments.ts"
import type { Command } from "../parse/command.ts"
import { changing, formatVersion } from "../parse/options.ts"
import { schemaInput } from "../parse/schema_input.ts"
import { attemptUsage, changeSettings, type SettingsError } from "../parse/settings.ts"
import { UsageError } from "../parse/usage_error.ts"
import { changeThenReport, InputFailed, type OutputError, print, say, type Terminal } from "../print/terminal.ts"
import { printable } from "../print/text_width.ts"

/** Reads all of standard input. */
const readInput = (terminal: Terminal): Effect.Effect<Uint8Array, UsageError | InputFailed> => {
  const { read } = terminal
  if (read === undefined) {
    return Effect.fail(new UsageError({ detail: "create: standard input is not available; pass the name of a file" }))
  }
  return Effect.tryPromise({
    try: async () => {
      const pieces: Array<Uint8Array> = []
      for await (const piece of read()) pieces.push(piece)
      return new Uint8Array(await new Blob(pieces as Array<Uint8Array<ArrayBuffer>>).arrayBuffer())
    },
    catch: (cause) => new InputFailed({ cause }),
  })
}

/** Reads the file of `--schema`. */
const readSchemaFile = (
  file: string,
  terminal: Terminal,
): Effect.Effect<Uint8Array, UsageError | InputFailed | NotFound | StorageError, Storage> =>
  file === "-" ? readInput(terminal) : Effect.flatMap(Storage, (storage) => storage.read(file))

/** Parses the file of `--schema`. Throws {@link UsageError}. */
const parseSchemaFile = (bytes: Uint8Array): unknown => {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes))
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new UsageError({ detail: `create: --schema: the file is not JSON: ${reason}` })
  }
}

/** Creates an array from a schema in JSON. */
const run = (
  request: Request,
  terminal: Terminal,
): Effect.Effect<void, SettingsError | CreateError | InputFailed | OutputError, Storage | Codecs> =>
  Effect.gen(function* () {
    const file = request.text("schema")
    if (file === undefined) {
      return yield* Effect.fail(new UsageError({ detail: "create: name the schema: --schema FILE" }))
    }
    const bytes = yield* readSchemaFile(file, terminal)
    const json = yield* attemptUsage(() => schemaInput(parseSchemaFile(bytes)))
    const schema = yield* attemptSchema(() => fromJson(json))
    const version = request.integer("format-version")
    const options = yield* changeSettings(request, terminal, true)
    const change = create(request.uri, schema, {
      ...options,
      ...(version === undefined ? {} : { formatVersion: version }),
    })
    yield* changeThenReport(terminal, change, (array) =>
      Effect.gen(function* () {
        const uri = redactUri(array.uri)
        const created = array.schema.version
        if (request.on("json")) {
          return yield* print(terminal, [JSON.stringify({ uri, format_version: created }, null, 2), "\n"])
        }
        yield* print(terminal, [printable(uri), "\n"])
        if (!request.on("quiet")) yield* say(terminal, `${schema.arrayType} array, format version ${created}`)
      }))
  })

/** `tessera create`. */
export const createCommand: Command = {
  description: "create an array from a schema in JSON",
  options: {
    schema: {
      value: "FILE",
      description: "read the schema from this file or - (stdin), in the form that tessera schema --json prints",
    },
    "format-version": formatVersion,
    ...changing,
  },
  run,
}
