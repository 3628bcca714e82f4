/**
 * `tessera upgrade`.
 */
import { upgrade } from "../../array/evolve/evolve.ts"
import type { Command } from "../parse/command.ts"
import { changing, formatVersion } from "../parse/options.ts"
import { changeSchema } from "./changed_schema.ts"

/** `tessera upgrade`. */
export const upgradeCommand: Command = {
  description: "upgrade an array to a newer format version",
  options: {
    "format-version": { ...formatVersion, description: "set the format version, 10 or later (22)" },
    ...changing,
  },
  run: (request, terminal) => changeSchema(request, terminal, upgrade),
}
