/**
 * `tessera meta get`.
 */
import * as Effect from "effect/Effect"
import type { Codecs } from "../../../../platform/codecs/service.ts"
import type { Storage } from "../../../../platform/storage/service.ts"
import { isText, textJson } from "../../../../schema/array/scalar.ts"
import { describeMetadata } from "../../../array/describe/describe.ts"
import type { MetadataItem } from "../../../array/metadata/metadata.ts"
import { SelectionError } from "../../../array/open/errors.ts"
import type { Request } from "../../parse/arguments.ts"
import type { Command } from "../../parse/command.ts"
import { json, opening } from "../../parse/options.ts"
import { print, type Terminal } from "../../print/terminal.ts"
import { type MetadataCommandError, requestedMetadata, valueText } from "./list.ts"

const decoder = new TextDecoder()

/** Formats a value as one line. Text is printed without quotes. */
const plainText = (item: MetadataItem): string => {
  const text = isText(item.type) && item.value.byteLength > 0 ? textJson(item.value) : undefined
  return typeof text === "string" ? text : valueText(item)
}

/** Prints one value of the metadata. */
const run = (
  request: Request,
  terminal: Terminal,
): Effect.Effect<void, MetadataCommandError | SelectionError, Storage | Codecs> =>
  Effect.gen(function* () {
    const [uri, key] = request.operands
    const items = yield* requestedMetadata(request, terminal)
    const item = items.find((each) => decoder.decode(each.key) === key)
    if (item === undefined) {
      return yield* Effect.fail(
        new SelectionError({ uri, field: key, reason: "UnknownName", detail: "the metadata has no such key" }),
      )
    }
    const text = request.on("json") ? JSON.stringify(describeMetadata([item])[0], null, 2) : plainText(item)
    yield* print(terminal, [text, "\n"])
  })

/** `tessera meta get`. */
export const metaGetCommand: Command = {
  description: "print one value of the metadata",
  operands: ["URI", "KEY"],
  options: { json, ...opening },
  run,
}
