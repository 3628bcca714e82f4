/**
 * Commands: a specification and a run function.
 */
import type * as Effect from "effect/Effect"
import type { Codecs } from "../../../platform/codecs/service.ts"
import type { Storage } from "../../../platform/storage/service.ts"
import type { Request } from "./arguments.ts"
import type { CommandSpec } from "./specs.ts"
import type { Terminal } from "../print/terminal.ts"

/** A command. */
export interface Command extends CommandSpec {
  /** Runs the command. */
  readonly run: (request: Request, terminal: Terminal) => Effect.Effect<void, unknown, Storage | Codecs>
}
