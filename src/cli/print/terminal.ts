/**
 * What the command line needs of the outside. Tests put their own in its place.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { messageText } from "../../../schema/errors/message_text.ts"
import { taggedError, type TaggedErrorClass } from "../../../schema/errors/tagged_error.ts"

/** Where a command gets its settings from, and where its answers go. */
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
  /** Is called when a command has made its changes, which an interruption does not undo any more. */
  readonly onChanged?: () => void
  /** Standard error, if it is a screen on which progress is drawn; elsewhere progress is written in lines. */
  readonly drawing?: Drawing
}

/** A screen to draw on. */
export interface Drawing {
  /** Characters in a line. */
  readonly columns: number
  /** Whether data are written to the same screen. */
  readonly shared: boolean
  /** Writes text as it is, with what moves the cursor. */
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

/** What writing can fail with. */
export type OutputError = ClosedPipe | OutputFailed

const closed = new Set(["EPIPE", "ERR_STREAM_DESTROYED", "ECONNRESET"])

const failureOf = (cause: unknown): OutputError =>
  closed.has(String((cause as { readonly code?: unknown } | null)?.code))
    ? new ClosedPipe({ cause })
    : new OutputFailed({ cause })

/** Characters that are gathered before they are written. */
const CHUNK = 1 << 16

/** How long writing may keep everything else waiting. */
const PAUSE_MS = 100

/** Writes pieces of text as they come, in chunks, no faster than they are taken. */
export const print = (terminal: Terminal, pieces: Iterable<string>): Effect.Effect<void, OutputError> =>
  Effect.tryPromise({
    try: async () => {
      let chunk = ""
      let paused = Date.now()
      for (const piece of pieces) {
        chunk += piece
        if (chunk.length < CHUNK) continue
        await terminal.write(chunk)
        chunk = ""
        if (Date.now() - paused < PAUSE_MS) continue
        // a file takes all at once: without a pause no timer would run, and no progress show
        await new Promise((resolve) => setTimeout(resolve))
        paused = Date.now()
      }
      if (chunk !== "") await terminal.write(chunk)
    },
    catch: failureOf,
  })

/**
 * Runs an effect that changes files, then reports its result. An interruption stops the effect, but not the report: it
 * is complete if and only if the changes are made.
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

/** The terminal for `--quiet`: data, warnings and errors only. */
export const quietTerminal = (terminal: Terminal): Terminal => ({
  ...terminal,
  say: () => Promise.resolve(),
  warn: terminal.warn ?? terminal.say,
})

/** Characters of a line, at most. */
const LONGEST_LINE = 2100

/**
 * Wraps the terminal for commands: no line contains credentials or control characters, whatever names are in it, and
 * each warning is written once.
 */
export const guardTerminal = (terminal: Terminal): Terminal => {
  const warned = new Set<string>()
  const warning = terminal.warn ?? terminal.say
  return {
    ...terminal,
    say: (line) => terminal.say(messageText(line, LONGEST_LINE)),
    warn: (line) => {
      if (warned.has(line)) return Promise.resolve()
      warned.add(line)
      return warning(messageText(line, LONGEST_LINE))
    },
  }
}

/** Writes a warning; a closed standard error is ignored. */
export const warn = (terminal: Terminal, line: string): Effect.Effect<void> =>
  Effect.ignore(Effect.tryPromise(() => (terminal.warn ?? terminal.say)(line)))

/** Writes a line; a closed standard error is ignored. */
export const say = (terminal: Terminal, line: string): Effect.Effect<void> =>
  Effect.ignore(Effect.tryPromise(() => terminal.say(line)))
