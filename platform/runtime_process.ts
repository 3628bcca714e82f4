/**
 * The process around a program, on Deno, Bun and Node: arguments, environment, and two streams of text.
 *
 * @module
 */
import process from "node:process"

/** The process that a program runs in. */
export interface ProcessStreams {
  readonly args: ReadonlyArray<string>
  readonly environment: (name: string) => string | undefined
  /** Characters in a line of the terminal; `undefined` if standard output is none. */
  readonly columns: number | undefined
  /** Writes to standard output; settled once the text is on its way, so that a slow reader slows the writer down. */
  readonly write: (text: string) => Promise<void>
  /** Writes a line to standard error. */
  readonly say: (line: string) => Promise<void>
  /** Standard error, if it is a terminal that can draw: its width, whether standard output is one too, and what writes. */
  readonly drawing:
    | { readonly columns: number; readonly shared: boolean; readonly draw: (text: string) => Promise<void> }
    | undefined
  /** Ends the process with this code once everything is written. */
  readonly setExitCode: (code: number) => void
}

const writeTo = (stream: typeof process.stdout | typeof process.stderr, text: string): Promise<void> =>
  new Promise((resolve, reject) => stream.write(text, (error) => error ? reject(error) : resolve()))

/** The process of this program. */
export const thisProcess = (): ProcessStreams => {
  // what goes wrong is told to the writer; without a listener it would end the process as well
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {})
  return {
    args: process.argv.slice(2),
    environment: (name) => process.env[name],
    columns: process.stdout.isTTY ? process.stdout.columns : undefined,
    write: (text) => writeTo(process.stdout, text),
    say: (line) => writeTo(process.stderr, line + "\n"),
    drawing: process.stderr.isTTY && process.env.TERM !== "dumb"
      ? {
        columns: process.stderr.columns || 80,
        shared: process.stdout.isTTY === true,
        draw: (text) => writeTo(process.stderr, text),
      }
      : undefined,
    setExitCode: (code) => {
      process.exitCode = code
    },
  }
}
