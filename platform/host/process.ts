/**
 * The process of the program on Deno, Bun and Node: standard streams, exit codes and signals.
 *
 * @module
 */
import { isGranted } from "./permissions.ts"
import { builtin } from "./builtin_modules.ts"

/** Signals that request a program to stop, and the corresponding exit codes. */
export const STOP_SIGNALS = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const

/** A signal that requests a program to stop. */
export type StopSignal = keyof typeof STOP_SIGNALS

/** The standard streams, exit codes and signals of a process. */
export interface ProcessStreams {
  readonly args: ReadonlyArray<string>
  readonly environment: (name: string) => string | undefined
  /** Terminal width in characters; `undefined` if standard output is not a terminal. */
  readonly columns: number | undefined
  /** Reads standard input in chunks. */
  readonly read: () => AsyncIterable<Uint8Array>
  /** Writes to standard output. Resolves once the text is passed on, so that a slow reader applies backpressure. */
  readonly write: (text: string) => Promise<void>
  /** Writes a line to standard error. */
  readonly say: (line: string) => Promise<void>
  /**
   * Standard error, if it is a terminal that supports redrawing: the width, whether standard output is a terminal too,
   * and a function that writes to it.
   */
  readonly drawing:
    | { readonly columns: number; readonly shared: boolean; readonly draw: (text: string) => Promise<void> }
    | undefined
  /** Sets the exit code of the process, which ends once all output is written. */
  readonly setExitCode: (code: number) => void
  /** Ends the process immediately. */
  readonly exit: (code: number) => void
  /** Calls `stop` for every stop signal instead of the default action, which ends the process immediately. */
  readonly onStopSignal: (stop: (signal: StopSignal) => void) => void
}

/** An output stream. */
interface OutputStream {
  readonly write: (text: string) => Promise<void>
  /** Width in characters, if the stream is a terminal. */
  readonly columns: number | undefined
}

interface Process
  extends Pick<ProcessStreams, "args" | "environment" | "read" | "setExitCode" | "exit" | "onStopSignal"> {
  readonly out: OutputStream
  readonly error: OutputStream
}

/** Width of terminals that do not report one. */
const DEFAULT_COLUMNS = 80

/** Size of one read, in bytes. */
const CHUNK_SIZE = 1 << 16

interface DenoProcess {
  readonly args: ReadonlyArray<string>
  readonly env: { readonly get: (name: string) => string | undefined }
  readonly stdin: { readonly read: (into: Uint8Array) => Promise<number | null> }
  readonly stdout: DenoStream
  readonly stderr: DenoStream
  readonly consoleSize: () => { readonly columns: number }
  exitCode: number
  readonly exit: (code: number) => void
  readonly addSignalListener: (signal: StopSignal, listener: () => void) => void
}

/** Listens for each stop signal that this system supports. */
const listen = (on: (signal: StopSignal, listener: () => void) => void, stop: (signal: StopSignal) => void): void => {
  for (const signal of Object.keys(STOP_SIGNALS) as ReadonlyArray<StopSignal>) {
    try {
      on(signal, () => stop(signal))
    } catch {
      // Windows does not support all of them
    }
  }
}

interface DenoStream {
  readonly writeSync: (bytes: Uint8Array) => number
  readonly isTerminal: () => boolean
}

const ofDeno = (deno: DenoProcess): Process => {
  const encoder = new TextEncoder()
  const makeOutput = (stream: DenoStream): OutputStream => ({
    write: (text) =>
      new Promise((resolve) => {
        const bytes = encoder.encode(text)
        for (let done = 0; done < bytes.length;) done += stream.writeSync(bytes.subarray(done))
        resolve()
      }),
    columns: stream.isTerminal() ? deno.consoleSize().columns : undefined,
  })
  return {
    args: deno.args,
    environment: (name) => isGranted({ name: "env", variable: name }) ? deno.env.get(name) : undefined,
    async *read() {
      for (;;) {
        const piece = new Uint8Array(CHUNK_SIZE)
        const length = await deno.stdin.read(piece)
        if (length === null) return
        yield piece.subarray(0, length)
      }
    },
    out: makeOutput(deno.stdout),
    error: makeOutput(deno.stderr),
    setExitCode: (code) => {
      deno.exitCode = code
    },
    exit: (code) => deno.exit(code),
    onStopSignal: (stop) => listen((signal, listener) => deno.addSignalListener(signal, listener), stop),
  }
}

const isBusy = (error: unknown): boolean => (error as { readonly code?: string }).code === "EAGAIN"

const ofNode = (process: typeof import("node:process")): Process => {
  const { writeSync } = builtin("node:fs")()
  const { isatty } = builtin("node:tty")()
  const encoder = new TextEncoder()
  // writes synchronously, since loading the process's streams takes longer than reading a small array
  const outOf = (fd: 1 | 2): OutputStream => ({
    write: async (text) => {
      const bytes = encoder.encode(text)
      for (let done = 0; done < bytes.length;) {
        try {
          done += writeSync(fd, bytes, done)
        } catch (error) {
          // the pipe is non-blocking: wait and try again
          if (!isBusy(error)) throw error
          await new Promise((resolve) => setTimeout(resolve, 5))
        }
      }
    },
    columns: isatty(fd) ? (fd === 1 ? process.stdout : process.stderr).columns || DEFAULT_COLUMNS : undefined,
  })
  return {
    args: process.argv.slice(2),
    environment: (name) => process.env[name],
    read: () => process.stdin,
    out: outOf(1),
    error: outOf(2),
    setExitCode: (code) => {
      process.exitCode = code
    },
    exit: (code) => process.exit(code),
    onStopSignal: (stop) => listen((signal, listener) => void process.on(signal, listener), stop),
  }
}

/**
 * Returns the process of this program. In Deno this uses Deno's own API: loading `node:process` takes longer than
 * reading a small array.
 */
export const thisProcess = (): ProcessStreams => {
  const deno = (globalThis as { readonly Deno?: DenoProcess }).Deno
  const { out, error, ...rest } = deno ? ofDeno(deno) : ofNode(builtin("node:process")())
  const { environment } = rest
  return {
    ...rest,
    columns: out.columns,
    write: out.write,
    say: (line) => error.write(line + "\n"),
    drawing: error.columns !== undefined && environment("TERM") !== "dumb"
      ? { columns: error.columns, shared: out.columns !== undefined, draw: error.write }
      : undefined,
  }
}
