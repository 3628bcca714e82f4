/** The allowed outcomes of programs: a result, or a typed error with a readable message of one line. */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import { inspect } from "node:util"
import { layerNative } from "../../platform/codecs/layers/native.ts"
import { Storage } from "../../platform/storage/service.ts"
import type { Program } from "../laws/crash_laws.ts"
import { shortText } from "./input.ts"

/** The outcome of a program, and all its log messages. */
export interface Run<A> {
  /** `undefined` if the program did not end in time. */
  readonly exit: Exit.Exit<A, unknown> | undefined
  readonly logged: ReadonlyArray<string>
}

/** Runs a program over a storage, with a time limit in milliseconds. */
export const runIn = async <A>(storage: Storage, program: Program<A>, milliseconds: number): Promise<Run<A>> => {
  const logged: Array<string> = []
  const logger = Logger.make(({ message, cause, annotations }) => {
    logged.push(inspect([message, annotations], { depth: 10 }), Cause.pretty(cause, { renderErrorCause: true }))
  })
  const layer = Layer.mergeAll(
    Layer.succeed(Storage, storage),
    layerNative,
    Logger.replace(Logger.defaultLogger, logger),
    Logger.minimumLogLevel(LogLevel.All),
  )
  const running = Effect.runPromiseExit(Effect.provide(program, layer))
  let timer: ReturnType<typeof setTimeout>
  const late = new Promise<undefined>((resolve) => timer = setTimeout(() => resolve(undefined), milliseconds))
  const exit = await Promise.race([running, late]).finally(() => clearTimeout(timer))
  return { exit, logged }
}

/** Returns the problems of a program's exit. */
export const judgeExit = (name: string, { exit }: Run<unknown>): ReadonlyArray<string> => {
  if (exit === undefined) return [`${name} does not end`]
  if (Exit.isSuccess(exit)) return []
  const failure = Cause.failureOption(exit.cause)
  if (failure._tag === "None") return [`${name} ends in a defect: ${shortText(String(exit.cause))}`]
  const error: unknown = failure.value
  if (!(error instanceof Error) || !("_tag" in error) || typeof error._tag !== "string") {
    return [`${name} fails without a type: ${shortText(error)}`]
  }
  // deno-lint-ignore no-control-regex
  if (/[\x00-\x1f\x7f-\x9f]/.test(error.message)) {
    return [`${name} has control characters in a message: ${shortText(error)}`]
  }
  if (error.message.length > 4000) return [`${name} has a message of ${error.message.length} characters`]
  return []
}
