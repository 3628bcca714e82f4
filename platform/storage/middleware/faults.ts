/**
 * A storage middleware that injects failures, for tests of cleanup and recovery.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Scope from "effect/Scope"
import { StorageError, type StorageOp } from "../../errors.ts"
import { mapStorage } from "../map_storage.ts"
import type { FileWriter, Storage } from "../service.ts"
import { checkOptionNames, numberOption, wordOption } from "../../options.ts"

/**
 * Effect of a fault on a call:
 * - `"fail"`: nothing is done, and the call fails.
 * - `"partial"`: as much as possible is done – half of a chunk of a file, which cannot be continued afterwards, half of
 *   a folder removed, all of an atomic call – and then the call fails, as when a response is lost.
 * - `"full"`: this and all later calls that need space fail; existing files can still be removed.
 * - `"interrupt"`: the fiber is interrupted before the call, which then runs only in uninterruptible regions.
 * - `"stop"`: nothing is done from then on, as if the process had been killed: all calls fail, including reads, and
 *   open files remain.
 * - `"partial-crash"`: as much as possible is done, then as with `"stop"`.
 */
export type Fault = "fail" | "partial" | "full" | "interrupt" | "stop" | "partial-crash"

/** All kinds of faults. */
export const faults: ReadonlyArray<Fault> = ["fail", "partial", "full", "interrupt", "stop", "partial-crash"]

/** Time and kind of a fault. */
export interface FaultPlan {
  /** Index of the writing call that the fault affects, starting at 0. */
  readonly at: number
  /** Kind of the fault. */
  readonly fault: Fault
}

/** A storage with fault injection. */
export interface FaultyStorage {
  /** The wrapped storage. */
  readonly storage: Storage
  /** Returns the number of writing calls so far, including those of open files. */
  readonly calls: () => number
  /** Returns the call that the fault affected; `undefined` before that. */
  readonly struck: () => { readonly op: StorageOp; readonly uri: string } | undefined
  /** Closes the files that `"stop"` left open. */
  readonly release: Effect.Effect<void>
}

/** Removes the first half of a folder's entries; removes the whole file if `uri` is a file. */
const removePart = (storage: Storage, uri: string): Effect.Effect<void, StorageError> =>
  Effect.gen(function* () {
    const entries = yield* storage.list(uri)
    if (entries.length === 0) return yield* storage.remove(uri)
    for (const { name } of entries.slice(0, Math.ceil(entries.length / 2))) yield* storage.remove(`${uri}/${name}`)
  })

/**
 * Injects a fault into one of the writing calls of a storage: `write`, `openWrite`, each `write` and the `finish` of an
 * open file, `create`, `createFolder`, `copy`, `remove`, `removeAll` and `removeFolder`. Without a plan, calls are only
 * counted.
 *
 * ```ts
 * import { makeMemoryStorage, withFaults } from "@tessera/array/platform"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 *
 * const { storage } = withFaults(makeMemoryStorage(), { at: 1, fault: "fail" })
 * Effect.runSync(storage.write("mem://first", Uint8Array.of(1)))
 * assertEquals(Effect.runSync(Effect.isFailure(storage.write("mem://second", Uint8Array.of(1)))), true)
 * ```
 */
export const withFaults = (storage: Storage, plan?: FaultPlan): FaultyStorage => {
  if (plan !== undefined) {
    checkOptionNames(plan, ["at", "fault"] satisfies Array<keyof FaultPlan>, "plan")
    numberOption("at", plan.at, Infinity)
    wordOption("fault", plan.fault, faults as readonly [Fault, ...ReadonlyArray<Fault>])
  }
  let calls = 0
  let struck: { readonly op: StorageOp; readonly uri: string } | undefined
  let stopped = false
  const leftOpen: Array<Scope.CloseableScope> = []
  const { at = Infinity, fault = "fail" } = plan ?? {}

  const failure = (op: StorageOp, uri: string): Effect.Effect<never, StorageError> =>
    Effect.suspend(() => {
      const cause = new Error(stopped ? "injected fault: the process has stopped" : `injected fault in call ${at}`)
      return Effect.fail(new StorageError({ op, uri, reason: fault === "full" ? "Full" : "Unknown", cause }))
    })

  const read = <A, E, R>(
    op: StorageOp,
    uri: string,
    call: Effect.Effect<A, E, R>,
  ): Effect.Effect<A, E | StorageError, R> =>
    Effect.suspend((): Effect.Effect<A, E | StorageError, R> => stopped ? failure(op, uri) : call)

  const write = <A, E, R>(
    op: StorageOp,
    uri: string,
    whole: Effect.Effect<A, E, R>,
    part: Effect.Effect<unknown, unknown, R> = whole,
  ): Effect.Effect<A, E | StorageError, R> =>
    Effect.suspend((): Effect.Effect<A, E | StorageError, R> => {
      if (stopped) return failure(op, uri)
      const here = calls++
      const full = fault === "full" && here > at && !op.startsWith("remove")
      if (here !== at) return full ? failure(op, uri) : whole
      struck = { op, uri }
      if (fault === "interrupt") {
        return Effect.withFiberRuntime((fiber) =>
          Fiber.interruptFork(fiber).pipe(Effect.zipRight(Effect.yieldNow()), Effect.zipRight(whole))
        )
      }
      if (fault === "full" && op.startsWith("remove")) return whole
      const partial = fault === "partial" || fault === "partial-crash"
      return Effect.ignore(partial ? part : Effect.void).pipe(
        Effect.tap(() => Effect.sync(() => stopped = fault === "stop" || fault === "partial-crash")),
        Effect.zipRight(failure(op, uri)),
      )
    })

  /** Each file has its own scope, which a stop leaves open, so that the written data is not removed. */
  const openWrite = (uri: string): Effect.Effect<FileWriter, StorageError, Scope.Scope> =>
    Effect.gen(function* () {
      const scope = yield* Effect.acquireRelease(Scope.make(), (scope, exit) =>
        Effect.suspend(() =>
          stopped ? Effect.sync(() => void leftOpen.push(scope)) : Scope.close(scope, exit)
        ))
      const file = yield* write("openWrite", uri, Scope.extend(storage.openWrite(uri), scope))
      let torn = false
      const half = (bytes: Uint8Array) =>
        Effect.suspend(() => {
          torn = true
          return file.write(bytes.subarray(0, bytes.length >> 1))
        })
      const whole = (op: StorageOp, call: Effect.Effect<void, StorageError>) =>
        Effect.suspend(() => torn ? failure(op, uri) : call)
      return {
        write: (bytes) => write("write", uri, whole("write", file.write(bytes)), half(bytes)),
        finish: write("finish", uri, whole("finish", file.finish)),
      }
    })

  return {
    storage: {
      ...mapStorage(storage, {
        read: (call, op, uri) => read(op, uri, call),
        list: (call, op, uri) => read(op, uri, call),
        write: (call, op, uri) => write(op, uri, call),
      }),
      openWrite,
      remove: (uri) => write("remove", uri, storage.remove(uri), removePart(storage, uri)),
      removeAll: (uris) =>
        uris.length === 0 ? Effect.succeed([]) : write(
          "removeAll",
          uris[0],
          storage.removeAll(uris),
          Effect.suspend(() => storage.removeAll(uris.slice(0, Math.ceil(uris.length / 2)))),
        ),
    },
    calls: () => calls,
    struck: () => struck,
    release: Effect.suspend(() =>
      Effect.forEach(leftOpen.splice(0), (scope) => Scope.close(scope, Exit.void), { discard: true })
    ),
  }
}
