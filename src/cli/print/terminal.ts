/**
 * The environment of the command line: variables, input and output. Tests provide their own.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { messageText } from "../../../schema/errors/message_text.ts"
import { taggedError, type TaggedErrorClass } from "../../../schema/errors/tagged_error.ts"

/** The input and output of a command. */
export interface Terminal {
  /** Returns the value of an environment variable. */
  readonly environment: (name: string) => string | undefined
  /** Width in characters. */
  readonly columns: number
  /** Writes data. Rejects on failure, with the code `EPIPE` if the reader closed the pipe. */
  readonly write: (text: string) => Promise<void>
  /** Reads standard input in pieces. */
  readonly read?: () => AsyncIterable<Uint8Array>
  /** Writes a line to standard error. */
  readonly say: (line: string) => Promise<void>
  /** Writes a warning, which `--quiet` does not suppress. Default: {@link Terminal.say}. */
  readonly warn?: (line: string) => Promise<void>
  /** Called when a command has made its changes; from then on an interruption does not undo them. */
  readonly onChanged?: () => void
  /** Standard error, if it is a screen on which progress is drawn; otherwise progress is written in lines. */
  readonly drawing?: Drawing
}

/** A screen to draw on. */
export interface Drawing {
  /** Characters in a line. */
  readonly columns: number
  /** Whether data is written to the same screen. */
  readonly shared: boolean
  /** Writes text unchanged, including control sequences. */
  readonly draw: (text: string) => Promise<void>
}

const ClosedPipeBase: TaggedErrorClass<ClosedPipe, "ClosedPipe", { readonly cause?: unknown }> = taggedError(
  "ClosedPipe",
  () => ({
    cause: Schema.optional(Schema.Defect),
  }),
)

/** The reader closed the output, as after `| head`: the command stops without an error message. */
export class ClosedPipe extends ClosedPipeBase {
  override get message(): string {
    return "standard output: the reader has closed it"
  }
}

const OutputFailedBase: TaggedErrorClass<OutputFailed, "OutputFailed", { readonly cause?: unknown }> = taggedError(
  "OutputFailed",
  () => ({
    cause: Schema.optional(Schema.Defect),
  }),
)

/** The output cannot be written. */
export class OutputFailed extends OutputFailedBase {
  override get message(): string {
    return `standard output: cannot write: ${this.cause instanceof Error ? this.cause.message : String(this.cause)}`
  }
}

const InputFailedBase: TaggedErrorClass<InputFailed, "InputFailed", { readonly cause?: unknown }> = taggedError(
  "InputFailed",
  () => ({
    cause: Schema.optional(Schema.Defect),
  }),
)

/** The input cannot be read. */
export class InputFailed extends InputFailedBase {
  override get message(): string {
    return `standard input: cannot read: ${this.cause instanceof Error ? this.cause.message : String(this.cause)}`
  }
}

/** Errors of writing output. */
export type OutputError = ClosedPipe | OutputFailed

const closed = new Set(["EPIPE", "ERR_STREAM_DESTROYED", "ECONNRESET"])

const failureOf = (cause: unknown): OutputError =>
  closed.has(String((cause as { readonly code?: unknown } | null)?.code))
    ? new ClosedPipe({ cause })
    : new OutputFailed({ cause })

/** Number of characters that are collected before they are written. */
const CHUNK_SIZE = 1 << 16

/** Maximum time for which writing blocks the event loop, in milliseconds. */
const MAX_BLOCKING_MS = 100

/** Writes pieces of text in chunks, and waits until each chunk is written. */
export const print = (terminal: Terminal, pieces: Iterable<string>): Effect.Effect<void, OutputError> =>
  Effect.tryPromise({
    try: async () => {
      let chunk = ""
      let paused = Date.now()
      for (const piece of pieces) {
        chunk += piece
        if (chunk.length < CHUNK_SIZE) continue
        await terminal.write(chunk)
        chunk = ""
        if (Date.now() - paused < MAX_BLOCKING_MS) continue
        // writes to a file complete at once: without a pause no timer would run, and no progress would be shown
        await new Promise((resolve) => setTimeout(resolve))
        paused = Date.now()
      }
      if (chunk !== "") await terminal.write(chunk)
    },
    catch: failureOf,
  })

/**
 * Runs an effect that changes files, then reports its result. An interruption stops the effect, but not the report, so
 * the report is printed if and only if the changes were made.
 */
export const changeThenReport = <A, E, R, E2, R2>(
  terminal: Terminal,
  change: Effect.Effect<A, E, R>,
  report: (result: A) => Effect.Effect<void, E2, R2>,
): Effect.Effect<void, E | E2, R | R2> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.flatMap(restore(change), (result) => {
      terminal.onChanged?.()
      return report(result)
    })
  )

/** Returns the terminal for `--quiet`, which prints only data, warnings and errors. */
export const quietTerminal = (terminal: Terminal): Terminal => ({
  ...terminal,
  say: () => Promise.resolve(),
  warn: terminal.warn ?? terminal.say,
})

/** Maximum length of a line in characters. */
const MAX_LINE_LENGTH = 2100

/**
 * Wraps the terminal for commands: lines contain no credentials or control characters, even if names do, and each
 * warning is written once.
 */
export const guardTerminal = (terminal: Terminal): Terminal => {
  const warned = new Set<string>()
  const warning = terminal.warn ?? terminal.say
  return {
    ...terminal,
    say: (line) => terminal.say(messageText(line, MAX_LINE_LENGTH)),
    warn: (line) => {
      if (warned.has(line)) return Promise.resolve()
      warned.add(line)
      return warning(messageText(line, MAX_LINE_LENGTH))
    },
  }
}

/** Writes a warning; a closed standard error is ignored. */
export const warn = (terminal: Terminal, line: string): Effect.Effect<void> =>
  Effect.ignore(Effect.tryPromise(() => (terminal.warn ?? terminal.say)(line)))

/** Writes a line; a closed standard error is ignored. */
export const say = (terminal: Terminal, line: string): Effect.Effect<void> =>
  Effect.ignore(Effect.tryPromise(() => terminal.say(line)))
