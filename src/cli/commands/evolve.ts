/**
 * `tessera evolve`.
 */
import * as Effect from "effect/Effect"
import type { Codecs } from "../../../platform/codecs/service.ts"
import type { Storage } from "../../../platform/storage/service.ts"
import { evolve } from "../../array/evolve/evolve.ts"
import type { Request } from "../parse/arguments.ts"
import type { Command } from "../parse/command.ts"
import { changing, formatVersion } from "../parse/options.ts"
import { schemaChangesOf } from "../parse/schema_changes.ts"
import { attemptUsage } from "../parse/settings.ts"
import type { Terminal } from "../print/terminal.ts"
import { changeSchema, type ChangeSchemaError } from "./changed_schema.ts"

/** Changes the schema of an array. */
const run = (request: Request, terminal: Terminal): Effect.Effect<void, ChangeSchemaError, Storage | Codecs> =>
  Effect.gen(function* () {
    const changes = yield* attemptUsage(() => schemaChangesOf(request))
    yield* changeSchema(request, terminal, (uri, options) => evolve(uri, changes, options))
  })

/** `tessera evolve`. */
export const evolveCommand: Command = {
  description: "change the schema of an array",
  options: {
    add: {
      value: "ATTR=TYPE",
      repeated: true,
      description: "add attributes, such as a=int32,b=ascii; TYPE? is nullable",
    },
    filter: {
      value: "FILTERS",
      repeated: true,
      description: "set the filters of all added attributes, or of one: bitshuffle,zstd:5 or a=rle (no filters)",
    },
    fill: { value: "ATTR=VALUE", repeated: true, description: "set the fill value of an added attribute" },
    "codes-of": {
      value: "ATTR=ENUM",
      repeated: true,
      description: "make the cells of an added attribute codes of an enumeration",
    },
    drop: {
      value: "NAMES",
      repeated: true,
      description: "drop attributes, separated by commas",
      completes: "attributes",
    },
    "add-enumeration": {
      value: "ENUM=VALUES",
      repeated: true,
      description: 'add an enumeration: colors=red,green or sizes=[1,2]; ["a,b"] is for values with a comma',
    },
    "extend-enumeration": {
      value: "ENUM=VALUES",
      repeated: true,
      description: "append values to an enumeration; existing codes keep their values",
    },
    "drop-enumeration": { value: "NAMES", repeated: true, description: "drop enumerations, separated by commas" },
    "current-domain": {
      value: "DIM=LO:HI",
      repeated: true,
      description: "expand the current domain of a dimension",
      completes: "dimensions",
    },
    "format-version": {
      ...formatVersion,
      description: "set the format version of the new schema, 10 or later (22)",
    },
    ...changing,
  },
  run,
}
