/**
 * Arrays that a copy or an import fills: the cells first, the schema last. So nobody opens half of one, whatever stops the
 * program, and what a killed program left can be gone on with.
 *
 * @module
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { Codecs } from "../../platform/codecs.ts"
import { AlreadyExists, StorageError } from "../../platform/errors.ts"
import { Storage } from "../../platform/storage.ts"
import type { FormatError } from "../../schema/errors.ts"
import { FRAGMENT_METADATA_FILE } from "../../schema/name/data_file.ts"
import { fragmentPath } from "../../schema/name/array_paths.ts"
import { redactUri } from "../../schema/errors/redact.ts"
import { toHex } from "../../schema/scalar.ts"
import { Since } from "../../schema/version.ts"
import type { ArraySchema } from "../array/builder/schema_value.ts"
import { type CreateError, type CreateOptions, newArray } from "../array/create.ts"
import { removeOnFailure } from "../array/created_files.ts"
import { openedOf } from "../array/handle.ts"
import { schemaFiles } from "../array/directory.ts"
import { InvalidOption } from "../array/errors.ts"
import { join, listSchemas } from "../array/listing.ts"
import { newUuid } from "../array/new_name.ts"
import type { OpenedArray } from "../array/open.ts"
import { placeOf } from "../array/open_options.ts"
import { removeArray } from "../array/remove_array.ts"
import {
  type Checkpoint,
  encodeUnfinished,
  loadUnfinished,
  type Unfinished,
  UNFINISHED_FILE,
} from "../array/unfinished.ts"
import { type Checkpoints, keptFragments, NO_CHECKPOINT, type WrittenSoFar } from "../write/checkpoints.ts"
import { commitFragments, newCommitName } from "../write/commit.ts"
import type { Written } from "../write/written.ts"
import { inspectTarget, type Target, type TargetOptions } from "./target.ts"

/** An array to be filled. */
export interface FillRequest {
  readonly uri: string
  readonly schema: ArraySchema
  readonly creating: CreateOptions
  readonly target: TargetOptions
  readonly operation: Unfinished["operation"]
  /** Where the cells come from, for people to read. */
  readonly source: string
  /** All that decides which cells the array will hold, besides its schema. */
  readonly input: unknown
  /** The array that the cells are read from, if it is one. */
  readonly from?: string
  /** Whether fragments that an earlier program finished can be kept. */
  readonly keepsFragments: boolean
}

/** What is written into the array. */
export interface Filling<E, R> {
  /** Writes and commits the cells. */
  readonly cells: (array: OpenedArray, checkpoints: Checkpoints) => Effect.Effect<Written, E, R>
  /** Writes what else the array holds, once its cells are committed. */
  readonly rest: (array: OpenedArray) => Effect.Effect<void, E, R>
}

/** What filling an array can fail with, besides what its filling can. */
export type FillError = CreateError | AlreadyExists | FormatError | StorageError

/** Values as JSON has them; names of enumeration files are random, and decide nothing. */
const plain = (key: string, value: unknown): unknown =>
  typeof value === "bigint"
    ? String(value)
    : value instanceof Uint8Array
    ? toHex(value)
    : key === "fileName"
    ? undefined
    : value

const sha256 = (bytes: Uint8Array<ArrayBuffer>): Effect.Effect<string> =>
  Effect.promise(async () => toHex(new Uint8Array(await crypto.subtle.digest("SHA-256", bytes))))

/** A digest of a request, but for its key. */
const digestOf = ({ operation, schema, creating: { at, formatVersion }, input }: FillRequest) =>
  sha256(new TextEncoder().encode(JSON.stringify([operation, schema, { at, formatVersion }, input], plain)))

/** A digest of a key, which is another one in each mark. */
const keyDigestOf = (key: Uint8Array | undefined) => (id: string): Effect.Effect<string | null> =>
  key === undefined ? Effect.succeed(null) : sha256(Uint8Array.of(...new TextEncoder().encode(id), ...key))

/** Whether the fragments of a checkpoint are still whole: their metadata is their last file. */
const usable = (
  uri: string,
  version: number,
  checkpoint: Checkpoint,
): Effect.Effect<boolean, StorageError, Storage> =>
  Effect.flatMap(Storage, (storage) =>
    Effect.map(
      Effect.forEach(
        checkpoint.fragments,
        (name) =>
          Effect.map(
            storage.list(join(uri, fragmentPath(version, name))),
            (entries) => entries.some((entry) => entry.name === FRAGMENT_METADATA_FILE),
          ),
        { concurrency: 8 },
      ),
      (whole) => whole.every((each) => each),
    ))

/** The names that a checkpoint needs. */
const namesOf = ({ fragments, commit }: Checkpoint): ReadonlySet<string> =>
  new Set(commit === null ? fragments : [...fragments, commit])

const writtenOf = ({ fragments, cells, bytes }: Checkpoint): Written => ({ fragments, cells, bytes })

/**
 * Creates an array and fills it. While it does, the folder holds a mark (`__tessera_unfinished.json`) and no schema, so that
 * engines see no array; the schema is stored last. If it fails or is interrupted, exactly the files that it created are
 * removed; a killed program leaves the mark, and the next call at this target reports it, goes on with it (`resume`) or
 * replaces it (`overwrite`). A call that resumes and fails leaves the mark, too.
 *
 * An array that is overwritten stays as it is until all new cells are written. From then on a failure leaves the new cells and
 * the mark, which can be resumed.
 */
export const fillNewArray = <E, R>(
  request: FillRequest,
  filling: Filling<E, R>,
): Effect.Effect<{ readonly array: OpenedArray; readonly written: Written }, E | FillError, R | Storage | Codecs> =>
  Effect.gen(function* () {
    const uri = yield* placeOf(request.uri)
    const digest = yield* digestOf(request)
    const target = yield* inspectTarget(uri, request.target, digest, keyDigestOf(request.creating.key))
    const { resumed, isStored } = target
    const { array: handle, ...made } = yield* newArray(uri, request.schema, request.creating, resumed?.schemaName)
    const array = openedOf(handle)
    const mark = join(uri, UNFINISHED_FILE)
    if (resumed !== undefined && isStored) {
      yield* Effect.flatMap(Storage, (storage) => storage.remove(mark))
      return { array, written: writtenOf(resumed.checkpoint) }
    }

    /** Whether the array that is replaced is removed. */
    let isReplaced = false
    /** What a call that takes the target from this one may go on with. */
    let taken: ReadonlySet<string> | undefined
    /**
     * A failure leaves what can be resumed: it was left by an earlier program, or there is no old array any more. Where
     * another call took the target, its mark stays, and what it found in ours.
     */
    const isRemoved = (file: string): boolean => {
      if (taken === undefined) return resumed === undefined && !isReplaced
      const names = taken
      return file !== mark &&
        !file.slice(uri.length + 1).split("/").some((name) => names.has(name.replace(/\.\w+$/, "")))
    }
    const filled = Effect.gen(function* () {
      const storage = yield* Storage
      let unfinished = yield* begin(request, target, array, digest)
      let saved: WrittenSoFar["fragments"] = []
      /** Fails if another call took the target: it may have removed all that was written here. */
      const checkOwned = Effect.gen(function* () {
        const there = yield* loadUnfinishedOrDamaged(uri)
        if (there?.id === unfinished.id) return
        // Without a mark the other is done. If it went on with what was saved here, that is still there.
        const isUsed = !there && (yield* usable(uri, array.schema.version, unfinished.checkpoint))
        const used = there ?? (isUsed ? unfinished : undefined)
        const names = new Set(used === undefined ? [] : [...namesOf(used.checkpoint), used.schemaName])
        taken = names
        for (const { name, state } of saved) if (names.has(name)) state.isKept = true
        return yield* Effect.fail(takenError(uri))
      })
      const save = (checkpoint: Checkpoint, fragments: WrittenSoFar["fragments"]) =>
        Effect.suspend(() => {
          unfinished = { ...unfinished, checkpoint }
          saved = fragments
          return Effect.zipRight(checkOwned, storage.write(mark, encodeUnfinished(unfinished)))
        })
      /** Removes the array that is replaced. If that fails before any of its schemas is gone, it is not replaced. */
      const replace = Effect.gen(function* () {
        if (target.replaced !== "array" || isReplaced) return
        yield* checkOwned
        const schemas = Effect.map(listSchemas(uri), (listing) => schemaFiles(listing).length)
        const before = yield* schemas
        isReplaced = true
        yield* removeArray(uri, namesOf(unfinished.checkpoint)).pipe(
          Effect.tapError(() => Effect.map(schemas, (now) => void (isReplaced = now < before))),
        )
        yield* made.createFolders
      })
      // fragments of the oldest formats are committed by their metadata, which is in no file yet
      const canResume = request.keepsFragments && array.schema.version >= Since.splitDimensions
      const checkpoints: Checkpoints = {
        start: unfinished.checkpoint,
        save: (written) => {
          if (!canResume) return Effect.void
          if (resumed !== undefined) { for (const { state } of written.fragments) state.isKept = true }
          return save(checkpointOf(written, null), written.fragments)
        },
        beforeCommit: (written) =>
          Effect.gen(function* () {
            const commit = yield* newCommitName(written.fragments)
            const checkpoint = checkpointOf(written, commit)
            if (array.schema.version >= Since.splitDimensions) yield* save(checkpoint, written.fragments)
            else {
              yield* checkOwned
              unfinished = { ...unfinished, checkpoint }
            }
            if (target.replaced === "array") { for (const { state } of written.fragments) state.isKept = true }
            yield* replace
            return commit
          }),
      }
      const { checkpoint } = unfinished
      if (target.replaced !== "array") yield* made.createFolders
      const written = checkpoint.commit === null
        ? yield* filling.cells(array, checkpoints)
        : yield* commitKept(array, checkpoint, replace)
      yield* replace
      yield* filling.rest(array)
      yield* checkOwned
      // another call may have taken the target just while the mark was written
      if (!(yield* usable(uri, array.schema.version, unfinished.checkpoint))) return yield* Effect.fail(takenError(uri))
      yield* Effect.uninterruptible(
        Effect.all([made.storeSchema, checkOwned, Effect.ignore(storage.remove(mark))], { discard: true }),
      )
      return { array, written }
    })
    return yield* removeOnFailure(filled, isRemoved)
  })

const takenError = (uri: string): StorageError =>
  new StorageError({
    op: "write",
    uri,
    reason: "Conflict",
    cause: new Error("another copy or import began at this target, and this one ends"),
  })

const checkpointOf = ({ given, cells, bytes, fragments }: WrittenSoFar, commit: string | null): Checkpoint => ({
  given,
  cells,
  bytes,
  fragments: fragments.map(({ name }) => name),
  commit,
})

/** Commits fragments that an earlier program finished. */
const commitKept = (
  array: OpenedArray,
  checkpoint: Checkpoint,
  replace: Effect.Effect<void, StorageError, Storage>,
): Effect.Effect<Written, StorageError, Storage> => {
  const fragments = keptFragments({ uri: array.uri, version: array.schema.version }, { start: checkpoint })
  return Effect.as(
    Effect.zipRight(replace, commitFragments(fragments, checkpoint.commit ?? undefined)),
    writtenOf(checkpoint),
  )
}

/** Marks the target as unfinished, or goes on with a mark that is there: what cannot be used of it is removed. */
const begin = (
  request: FillRequest,
  { resumed, replaced }: Target,
  { uri, schema, schemaName }: OpenedArray,
  digest: string,
): Effect.Effect<Unfinished, AlreadyExists | InvalidOption | FormatError | StorageError, Storage> =>
  Effect.gen(function* () {
    const storage = yield* Storage
    const mark = join(uri, UNFINISHED_FILE)
    const id = yield* newUuid
    const key = yield* keyDigestOf(request.creating.key)(id)
    const isOurs = Effect.map(loadUnfinishedOrDamaged(uri), (there) => there?.id === id)
    /** Puts our mark in the place of another: whoever made that one sees it before its next step. */
    const take = (unfinished: Unfinished) =>
      Effect.gen(function* () {
        yield* storage.write(mark, encodeUnfinished(unfinished))
        if (!(yield* isOurs)) return yield* Effect.fail(takenError(uri))
      })
    if (resumed !== undefined) {
      const isUsable = (request.keepsFragments || resumed.checkpoint.commit !== null) &&
        (yield* usable(uri, schema.version, resumed.checkpoint))
      const checkpoint = isUsable ? resumed.checkpoint : NO_CHECKPOINT
      const unfinished = { ...resumed, id, key, checkpoint }
      yield* take(unfinished)
      if (replaced === undefined) yield* removeArray(uri, namesOf(checkpoint))
      return unfinished
    }
    const unfinished: Unfinished = {
      format: "tessera-unfinished",
      version: 1,
      operation: request.operation,
      source: redactUri(request.source),
      id,
      begun: yield* Clock.currentTimeMillis,
      request: digest,
      replaces: replaced === "array",
      schemaName: schema.version < Since.schemaFolder ? "" : schemaName,
      key,
      checkpoint: NO_CHECKPOINT,
    }
    const isMarked = replaced !== undefined && (yield* loadUnfinishedOrDamaged(uri)) !== undefined
    if (isMarked) {
      yield* take(unfinished)
      if (replaced === "array") yield* checkNotItself(request, uri, id)
      else yield* removeArray(uri)
      return unfinished
    }
    const taken = new AlreadyExists({ uri, found: "another copy or import has begun here; choose another target" })
    yield* storage.create(mark, encodeUnfinished(unfinished)).pipe(
      // a mark of ours is there if the answer to an earlier try was lost
      Effect.catchTag("AlreadyExists", () => Effect.flatMap(isOurs, (ours) => ours ? Effect.void : Effect.fail(taken))),
      Effect.tapError((error) =>
        error === taken
          ? Effect.void
          : Effect.ignore(Effect.flatMap(isOurs, (ours) => ours ? storage.remove(mark) : Effect.void))
      ),
    )
    if (replaced === "array") yield* checkNotItself(request, uri, id)
    else if (replaced === "unfinished") yield* removeArray(uri)
    return unfinished
  })

/** The mark of a target, `null` if it is damaged. */
const loadUnfinishedOrDamaged = (uri: string) =>
  Effect.catchTag(loadUnfinished(uri), "FormatError", () => Effect.succeed(null))

/** An array that overwrites itself would be lost. Under whatever name the source is reached, our mark is there then. */
const checkNotItself = (
  { from }: FillRequest,
  uri: string,
  id: string,
): Effect.Effect<void, InvalidOption | StorageError | FormatError, Storage> =>
  from === undefined ? Effect.void : Effect.flatMap(loadUnfinishedOrDamaged(from), (there) => {
    if (there?.id !== id) return Effect.void
    const reason = "the target is the array that is copied; choose another one"
    return Effect.fail(new InvalidOption({ uri, option: "overwrite", reason }))
  })
