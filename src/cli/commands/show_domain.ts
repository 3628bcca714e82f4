/**
 * `tessera domain`.
 */
import * as Effect from "effect/Effect"
import type { Codecs } from "../../../platform/codecs/service.ts"
import type { Storage } from "../../../platform/storage/service.ts"
import type { ArraySchema } from "../../../schema/array/array_schema.ts"
import { sizeOf } from "../../../schema/array/datatype.ts"
import type { Range } from "../../../schema/array/range.ts"
import { boundJson } from "../../../schema/array/scalar.ts"
import { VAR } from "../../../schema/array/cell_val_num.ts"
import { nonEmptyDomain } from "../../array/describe/non_empty_domain.ts"
import type { OpenError } from "../../array/open/open.ts"
import type { Request } from "../parse/arguments.ts"
import { openRequested, type SettingsError } from "../parse/settings.ts"
import { rangeText } from "./show_schema.ts"
import { type OutputError, print, type Terminal } from "../print/terminal.ts"
import { textTable } from "../print/text_table.ts"
import { printable } from "../print/text_width.ts"
import { json, opening } from "../parse/options.ts"
import type { Command } from "../parse/command.ts"

type Dimension = ArraySchema["dimensions"][number]

/** Returns the bounds of a dimension; `undefined` for string dimensions. */
const domainOf = ({ type, domain }: Dimension): Range | undefined =>
  domain.byteLength === 0
    ? undefined
    : { low: domain.subarray(0, sizeOf(type)), high: domain.subarray(sizeOf(type), 2 * sizeOf(type)) }

/** Prints the domain, the current domain and the non-empty domain of an array. */
export const runDomain = (
  request: Request,
  terminal: Terminal,
): Effect.Effect<void, SettingsError | OpenError | OutputError, Storage | Codecs> =>
  Effect.gen(function* () {
    const array = yield* openRequested(request, terminal)
    const { dimensions, currentDomain } = array.schema
    const written = nonEmptyDomain(array)
    const rangesOf = (dimension: Dimension, d: number): ReadonlyArray<Range | undefined> => [
      domainOf(dimension),
      currentDomain.empty ? undefined : currentDomain.ranges[d],
      written?.[d],
    ]
    if (request.on("json")) {
      const json = ({ type, cellValNum }: Dimension, range: Range | undefined) => {
        const bound = (bytes: Uint8Array) => boundJson(type, cellValNum === VAR ? "var" : cellValNum, bytes)
        return range === undefined ? null : [bound(range.low), bound(range.high)]
      }
      const matches = dimensions.map((dimension, d) => {
        const [domain, current_domain, non_empty_domain] = rangesOf(dimension, d).map((range) => json(dimension, range))
        return { name: dimension.name, type: dimension.type, domain, current_domain, non_empty_domain }
      })
      return yield* print(terminal, [JSON.stringify(matches, null, 2), "\n"])
    }
    const missing = ["any", "", "no cells"]
    yield* print(
      terminal,
      textTable(
        ["dimension", "type", "domain", "current domain", "non-empty domain"],
        dimensions.map((dimension, d) => [
          printable(dimension.name),
          dimension.type,
          ...rangesOf(dimension, d).map((range, k) => range === undefined ? missing[k] : rangeText(dimension, range)),
        ]),
        terminal.columns,
      ),
    )
  })

/** `tessera domain`. */
export const domainCommand: Command = {
  description: "show the domain, current domain, non-empty domain",
  options: { json, ...opening },
  run: runDomain,
}
