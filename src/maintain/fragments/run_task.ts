/**
 * Runs a task: writes the combined fragment, commits it, and then hides its inputs by a vacuum file. In this order a
 * crash loses no cell: until the vacuum file exists, reads include the inputs too, which changes nothing unless the
 * array allows duplicates.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Codecs } from "../../../platform/codecs/service.ts"
import type { EncryptionKey } from "../../../platform/keys.ts"
import type { StorageError } from "../../../platform/errors.ts"
import { createUnique, Storage } from "../../../platform/storage/service.ts"
import { withTurns } from "../../../platform/host/event_loop_turns.ts"
import { encode } from "../../../schema/binary/mod.ts"
import type { FormatError } from "../../../schema/errors/format_error.ts"
import { VacuumFile, vacuumLine } from "../../../schema/commit/vacuum_file.ts"
import { commitPath, fragmentPath } from "../../../schema/name/array_paths.ts"
import { formatName, parseName, type TimestampedName } from "../../../schema/name/timestamped_name.ts"
import { Since } from "../../../schema/version/version.ts"
import { claimCommits } from "../../array/create/commit_claim.ts"
import { NameGenerator } from "../../array/create/name_generator.ts"
import { withKey } from "../../array/open/key.ts"
import { join } from "../../array/open/listing.ts"
import { readListed } from "../../array/open/read_listed.ts"
import { loadDirectory } from "../../array/open/directory.ts"
import { openArray, type OpenedArray, type OpenError, reopenArray } from "../../array/open/open.ts"
import type { ReadError } from "../../query/options/read_error.ts"
import { commitFragments } from "../../write/fragment/commit.ts"
import type { FinishedFragment } from "../../write/fragment/fragment_writer.ts"
import { targetOf } from "../../write/fragment/fragment_target.ts"
import type { WriteFailure } from "../../write/result/write_result.ts"
import { uncommittedFragments } from "../directory/uncommitted_fragments.ts"
import { consolidatedUuid, spanOf } from "../directory/consolidated_name.ts"
import { MaintenanceError } from "../directory/maintenance_error.ts"
import { type ConsolidateFilesError, type ConsolidateResult, unchanged } from "../directory/result.ts"
import { combinationProblem } from "../plan/fragment_plan.ts"
import { keepsTimes, resultSchema } from "../plan/result_schema.ts"
import type { ConsolidationTask } from "../plan/task.ts"
import { consolidateDense } from "./consolidate_dense.ts"
import { consolidateSparse } from "./consolidate_sparse.ts"
import { taskText } from "./unfinished_task.ts"

/** Errors of combining fragments. */
export type ConsolidateFragmentsError = ConsolidateFilesError | OpenError | ReadError | WriteFailure

/** Options of running a task. */
export interface TaskOptions {
  readonly key: EncryptionKey | undefined
  /** Memory budget in bytes. */
  readonly memory: number | undefined
  readonly onProgress: ((cells: number) => void) | undefined
  /** Whether the statistics of all tiles are computed again, even of tiles that do not change. Default: false. */
  readonly recompute?: boolean
}

/** Maximum number of names that are tried to find an unused one. */
const MAX_ATTEMPTS = 100

/** Name of the file that reserves the folder of a fragment for one process. It is removed before the commit. */
const CLAIM_FILE = "__claim.tmp"

/** Opens an array with all of its fragments and deletes. */
export const openWhole = (
  uri: string,
  key: EncryptionKey | undefined,
): Effect.Effect<OpenedArray, OpenError, Storage | Codecs> =>
  openArray(uri, { end: Number.MAX_SAFE_INTEGER, ...(key === undefined ? {} : { key }) })

/** Returns the latest time of the fragments of an open array. */
export const newestTime = ({ fragments }: OpenedArray): number =>
  fragments.reduce((newest, { name }) => Math.max(newest, name.end), 0)

const refuse = (uri: string, reason: MaintenanceError["reason"], detail: string) =>
  Effect.fail(new MaintenanceError({ uri, reason, detail }))

/** Stores the vacuum file of a result, which hides its inputs. */
const storeVacuum = (
  uri: string,
  result: TimestampedName,
  inputs: ReadonlyArray<TimestampedName>,
): Effect.Effect<void, StorageError, Storage> =>
  Effect.flatMap(Storage, (storage) => {
    const { version } = result
    const lines = inputs.map((name) => vacuumLine(version, uri, fragmentPath(name.version, name.name)))
    const path = commitPath(version, result.name, "vacuum")!
    return createUnique(storage, join(uri, path), encode(VacuumFile, lines, version))
  })

/** Reserves the folder of a fragment. Returns `false` if the folder exists. */
const claimFolder = (folder: string): Effect.Effect<boolean, StorageError, Storage | Scope.Scope> =>
  Effect.gen(function* () {
    const storage = yield* Storage
    if ((yield* storage.list(folder)).length > 0) return false
    const release = Effect.ignore(
      Effect.zipRight(storage.remove(join(folder, CLAIM_FILE)), storage.removeFolder(folder)),
    )
    return yield* Effect.acquireRelease(
      Effect.as(storage.create(join(folder, CLAIM_FILE), new Uint8Array(0)), true),
      () => release,
    ).pipe(Effect.catchTag("AlreadyExists", () => Effect.succeed(false)))
  })

/** Commits the result and hides its inputs. If hiding fails, removes the result again. */
const commitResult = (
  uri: string,
  finished: ReadonlyArray<FinishedFragment>,
  inputs: ReadonlyArray<TimestampedName>,
): Effect.Effect<void, StorageError, Storage> =>
  Effect.uninterruptible(Effect.gen(function* () {
    const storage = yield* Storage
    yield* commitFragments(finished)
    const result = parseName(finished[0].name)!
    const undo = Effect.gen(function* () {
      // remove the vacuum file first: without its fragment it would hide cells
      yield* storage.remove(join(uri, commitPath(result.version, result.name, "vacuum")!))
      for (const { state } of finished) state.commit = "tried"
    })
    yield* Effect.tapError(storeVacuum(uri, result, inputs), () => Effect.ignore(undo))
  }))

/** Milliseconds after its timestamp in which an uncommitted fragment may belong to a write that is under way. */
const MAX_WRITE_TIME = 600_000

/**
 * Returns what changed since an array was opened so that the result of a task cannot be committed; `undefined` if nothing
 * did. Writers and other maintenance may have run meanwhile.
 */
const changeSince = (
  opened: OpenedArray,
  { fragments: inputs, purgeDeleted }: ConsolidationTask,
): Effect.Effect<string | undefined, ConsolidateFragmentsError, Storage | Codecs> =>
  Effect.gen(function* () {
    const hasTimes = keepsTimes(opened.schema)
    // list the writes under way first: those that commit before the second listing are checked as fragments
    const uncommitted = hasTimes ? [] : yield* uncommittedFragments(opened.uri)
    const current = yield* reopenArray(opened, { end: Number.MAX_SAFE_INTEGER })
    const chosen = current.fragments.filter(({ name }) => inputs.includes(name.name))
    if (chosen.length < inputs.length) {
      const replaced = inputs.find((input) => chosen.every(({ name }) => name.name !== input))
      return `another process replaced the fragment ${replaced} meanwhile`
    }
    const problem = combinationProblem(current, chosen, purgeDeleted)
    if (problem !== undefined) return problem
    const [, end] = spanOf(chosen.map(({ name }) => name))
    const now = yield* Clock.currentTimeMillis
    const underWay = uncommitted.find((path) => {
      const name = parseName(path)
      // results of maintenance span several times
      return name !== undefined && name.start === name.end && name.end <= end && now - name.end < MAX_WRITE_TIME
    })
    return underWay === undefined
      ? undefined
      : `the write of ${underWay} is not finished, and the result could cover its cells; try again`
  })

/**
 * Runs a task. A task that was completed before changes nothing. `planned` is the array for which the task was planned,
 * so that it is not opened again; changes since then are found before the commit.
 */
export const runTask = (
  uri: string,
  task: ConsolidationTask,
  { key, memory, onProgress, recompute = false }: TaskOptions,
  planned?: OpenedArray,
): Effect.Effect<ConsolidateResult, ConsolidateFragmentsError, Storage | Codecs> =>
  withTurns(Effect.scoped(Effect.gen(function* () {
    const storage = yield* Storage
    const openedArray = planned ?? (yield* openWhole(uri, key))
    const { version } = yield* targetOf(openedArray)
    const names = task.fragments.flatMap((name) => parseName(name) ?? [])
    if (names.length !== task.fragments.length || new Set(task.fragments).size !== names.length) {
      return yield* refuse(uri, "Missing", "the task contains a fragment twice, or an invalid name")
    }
    const time = spanOf(names)
    const directory = yield* readListed(openedArray.uri, loadDirectory)
    const committed = new Set(directory.fragments.map(({ name }) => name.name))
    const replacing = new Set(directory.vacuums.map(({ name }) => name.name))
    const nameOf = (uuid: string) => formatName(...time, uuid, version >= Since.splitDimensions ? version : undefined)
    const result = (name: string): ConsolidateResult => ({
      written: [fragmentPath(version, name)],
      inputs: names.map((input) => fragmentPath(input.version, input.name)),
    })

    // after a crash, the result of an earlier call may exist without its vacuum file
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const name = nameOf(yield* consolidatedUuid(names, taskText(task, attempt)))
      if (committed.has(name)) {
        if (replacing.has(name)) return unchanged
        yield* storeVacuum(openedArray.uri, parseName(name)!, names)
        return result(name)
      }
      if ((yield* storage.list(join(openedArray.uri, fragmentPath(version, name)))).length === 0) break
    }

    const visible = new Map(openedArray.fragments.map((fragment) => [fragment.name.name, fragment]))
    const missing = task.fragments.find((name) => !visible.has(name))
    if (missing !== undefined) {
      const reason = committed.has(missing) ? "Stale" : "Missing"
      const detail = `the fragment ${missing} ${reason === "Stale" ? "was replaced" : "does not exist"}`
      return yield* refuse(uri, reason, detail)
    }
    const inputs = openedArray.fragments.filter(({ name }) => task.fragments.includes(name.name))
    const problem = combinationProblem(openedArray, inputs, task.purgeDeleted)
    if (problem !== undefined) return yield* refuse(uri, "LosesCells", problem)

    let uuid = ""
    let folder = ""
    for (let attempt = 0;; attempt++) {
      if (attempt === MAX_ATTEMPTS) {
        return yield* refuse(uri, "Overlap", `${MAX_ATTEMPTS} unfinished results of this task exist`)
      }
      uuid = yield* consolidatedUuid(names, taskText(task, attempt))
      folder = join(openedArray.uri, fragmentPath(version, nameOf(uuid)))
      if (yield* claimFolder(folder)) break
    }
    const now = yield* Clock.currentTimeMillis
    const deletes = task.purgeDeleted ? openedArray.deletes.filter((entry) => entry.time <= now) : openedArray.deletes
    const { schema, schemaName } = resultSchema(openedArray, inputs, task.purgeDeleted)
    const array = withKey({ ...openedArray, schema, schemaName, fragments: inputs, deletes }, openedArray.key)
    const target = yield* targetOf(array)
    // the first fragment has the name of the task; names of further fragments sort after it
    let part = 0
    const next = Effect.map(
      Effect.suspend(() => part === 0 ? Effect.succeed(uuid) : consolidatedUuid(names, `${uuid} ${part}`)),
      (digits) => ({ time: time[1], uuid: (part++, digits) }),
    )
    const consolidation = {
      array,
      target,
      time,
      memory,
      onProgress: onProgress ?? (() => {}),
      recompute,
      purge: task.purgeDeleted,
      maxFragmentSize: version >= Since.folders ? task.maxFragmentSize ?? Infinity : Infinity,
    }
    const codecs = yield* Effect.context<Codecs>()
    const writing = openedArray.schema.arrayType === "dense"
      ? consolidateDense(consolidation)
      : consolidateSparse(consolidation)
    const finished = yield* Effect.provideService(writing, NameGenerator, { next: Effect.provide(next, codecs) }).pipe(
      // a vacuum without a minimum age may have removed an input that another process replaced meanwhile
      Effect.catchTag(
        "FormatError",
        (error) =>
          Effect.flatMap(
            changeSince(openedArray, task),
            (changed): Effect.Effect<never, FormatError | MaintenanceError> =>
              changed === undefined ? Effect.fail(error) : refuse(uri, "Stale", changed),
          ),
      ),
    )
    if (finished.length === 0) return unchanged
    yield* Effect.scoped(Effect.gen(function* () {
      yield* claimCommits(openedArray.uri)
      const changed = yield* changeSince(openedArray, task)
      if (changed !== undefined) return yield* refuse(uri, "Stale", changed)
      yield* storage.remove(join(folder, CLAIM_FILE))
      yield* commitResult(openedArray.uri, finished, names)
    }))
    return { ...result(finished[0].name), written: finished.map(({ name }) => fragmentPath(version, name)) }
  })))
