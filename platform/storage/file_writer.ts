/**
 * File writers of local storages: turns synchronous calls into scoped Effects.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { StorageError, type StorageOp } from "../errors.ts"
import type { FileWriter } from "./service.ts"
import { mayWait, turnIfDue } from "../host/event_loop_turns.ts"

/** An open file that is written. A call that throws has no lasting effect. */
export interface OpenFile {
  /** Appends bytes; does not retain the caller's memory. */
  readonly append: (bytes: Uint8Array) => void
  /**
   * Prepares a large file for `finish` without blocking the event loop. Returns `undefined` if that is unnecessary.
   */
  readonly prepare?: () => ((done: (error: unknown) => void) => void) | undefined
  /** Moves the file to its final name and closes it. */
  readonly finish: () => void
  /** Removes the partial file if possible, and closes it. */
  readonly abandon: () => void
}

/** State of a file writer; `file` is defined while the file is open. */
interface State {
  file: OpenFile | undefined
  state: "open" | "finished" | "closed"
}

/** Waits for the callback of an operation. */
export const waitFor = (
  start: (done: (error: unknown) => void) => void,
  failure: (cause: unknown) => StorageError,
): Effect.Effect<void, StorageError> =>
  Effect.async((resume) => {
    try {
      start((error) => resume(error === undefined ? Effect.void : Effect.fail(failure(error))))
    } catch (error) {
      resume(Effect.fail(failure(error)))
    }
  })

/**
 * Creates a writer for the file that `open` opens. `finish` is idempotent; any other call after `finish`, or after the
 * scope has closed, fails.
 */
export const makeFileWriter = (
  uri: string,
  open: () => OpenFile,
  failure: (op: StorageOp, uri: string) => (cause: unknown) => StorageError,
): Effect.Effect<FileWriter, StorageError, Scope.Scope> => {
  const opened = Effect.try({
    try: (): State => ({ file: open(), state: "open" }),
    catch: failure("openWrite", uri),
  })
  const acquired = Effect.acquireRelease(opened, (it) =>
    Effect.sync(() => {
      it.file?.abandon()
      it.file = undefined
      it.state = "closed"
    }))
  return Effect.map(acquired, (it): FileWriter => {
    const call = (op: StorageOp, use: (file: OpenFile) => void): Effect.Effect<void, StorageError> =>
      Effect.try({
        try: () => {
          if (it.file !== undefined) return use(it.file)
          throw new StorageError({
            op,
            uri,
            reason: "Unknown",
            cause: new TypeError(`the file is already ${it.state}`),
          })
        },
        catch: failure(op, uri),
      })
    const prepared = Effect.flatMap(mayWait, (waits) => {
      if (!waits || it.file?.prepare === undefined) return Effect.void
      return Effect.flatMap(
        Effect.try({ try: () => it.file?.prepare?.(), catch: failure("finish", uri) }),
        (start) => start === undefined ? Effect.void : waitFor(start, failure("finish", uri)),
      )
    })
    return {
      write: (bytes) => call("write", (file) => file.append(bytes)),
      finish: Effect.suspend(() =>
        it.state === "finished" ? Effect.void : Effect.zipRight(
          prepared,
          Effect.zipLeft(
            call("finish", (file) => {
              file.finish()
              // releases the memory of finished files: one scope may write many files
              it.file = undefined
              it.state = "finished"
            }),
            turnIfDue,
          ),
        )
      ),
    }
  })
}
