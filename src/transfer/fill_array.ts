/**
 * Fills the arrays that copies and imports create: the cells first, the schema last. A partly filled array therefore
 * cannot be opened, and a killed process can be resumed.
 *
 * @module
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { keyBytes } from "../array/open/key.ts"
import type { Codecs } from "../../platform/codecs/service.ts"
import { AlreadyExists, StorageError } from "../../platform/errors.ts"
import { inFlight, listAll, Storage } from "../../platform/storage/service.ts"
import type { FormatError } from "../../schema/errors/format_error.ts"
import { FRAGMENT_METADATA_FILE } from "../../schema/name/data_file.ts"
import { lastComponent, parseName } from "../../schema/name/timestamped_name.ts"
import { COMMITS_FOLDER, fragmentPath } from "../../schema/name/array_paths.ts"
import { redactUri } from "../../schema/errors/redact.ts"
import { toHex } from "../../schema/array/scalar.ts"
import { Since } from "../../schema/version/version.ts"
import type { ArraySchema } from "../schema_builder/schema_value.ts"
import { type CreateError, type CreateOptions, newArray } from "../array/create/create.ts"
import { isOurs, type Removal, removeOnFailure } from "../array/create/created_files.ts"
import { openedOf } from "../array/open/handle.ts"
import { schemaFiles } from "../array/open/directory.ts"
import { join, listSchemas } from "../array/open/listing.ts"
import { newUuid } from "../array/create/fragment_name.ts"
import type { OpenedArray } from "../array/open/open.ts"
import { attemptOptions, millis, placeOf, refuseFor } from "../array/open/open_options.ts"
import type { InvalidOption } from "../array/open/errors.ts"
import { removeArray } from "../array/create/remove_array.ts"
import {
  type Checkpoint,
  encodeUnfinished,
  loadMark,
  loadUnfinished,
  marksIn,
  type PassedInput,
  takeoverFile,
  type Unfinished,
  UNFINISHED_FILE,
} from "../array/open/unfinished.ts"
import { type Checkpoints, keptFragments, NO_CHECKPOINT, type WrittenSoFar } from "../write/fragment/checkpoints.ts"
import { commitFragments, newCommitName } from "../write/fragment/commit.ts"
import type { WriteResult } from "../write/result/write_result.ts"
import { hasStored, inspectTarget, type TargetOptions } from "./target.ts"

/** A request to create and fill an array. */
export interface FillRequest {
  readonly uri: string
  readonly schema: ArraySchema
  readonly creating: CreateOptions
  readonly target: TargetOptions
  readonly operation: Unfinished["operation"]
  /** Source of the cells, for display. */
  readonly source: string
  /** Everything that determines the cells of the array, in addition to the schema. */
  readonly input: unknown
  /** Whether fragments that an earlier process finished can be kept. */
  readonly keepsFragments: boolean
}

/** An input that is read from the beginning again when its import is resumed. */
export interface TracedInput<E, R> {
  /** The input that an earlier call has read, according to its mark. Reading fails if the input differs. */
  readonly expected: PassedInput | undefined
  readonly passed: Effect.Effect<PassedInput>
  /** Reads the whole input, and fails if it differs from the expected one. */
  readonly check: Effect.Effect<void, E, R>
}

/** The content of the array. */
export interface Filling<E, R> {
  readonly input?: TracedInput<E, R>
  /** Writes and commits the cells. */
  readonly cells: (array: OpenedArray, checkpoints: Checkpoints) => Effect.Effect<WriteResult, E, R>
  /** Writes all other contents of the array, once its cells are committed. */
  readonly rest: (array: OpenedArray) => Effect.Effect<void, E, R>
}

/** Errors of filling an array, in addition to those of its content. */
export type FillError = CreateError | AlreadyExists | FormatError | StorageError

/** Converts values to JSON. Names of enumeration files are omitted, since they are random. */
const plain = (key: string, value: unknown): unknown =>
  typeof value === "bigint"
    ? String(value)
    : value instanceof Uint8Array
    ? toHex(value)
    : key === "fileName"
    ? undefined
    : value

/** Returns a fingerprint of a key for the mark. It reveals neither the key nor whether two marks have the same key. */
const fingerprintOf = async (key: Uint8Array, id: string): Promise<string> => {
  const algorithm = { name: "HMAC", hash: "SHA-256" }
  const imported = await crypto.subtle.importKey("raw", key.slice(), algorithm, false, ["sign"])
  return toHex(new Uint8Array(await crypto.subtle.sign(algorithm, imported, new TextEncoder().encode(id))))
}

/** Returns a digest of a request, for the mark with this id. Equal times have the same digest in all forms. */
const digestOf = (
  { uri, operation, schema, creating: { at, formatVersion, key }, input }: FillRequest,
  id: string,
): Effect.Effect<string, InvalidOption> =>
  Effect.flatMap(attemptOptions(() => millis("at", at, refuseFor(uri))), (time) =>
    Effect.promise(async () => {
      const bytes = keyBytes(key)
      const fingerprint = bytes === undefined ? null : await fingerprintOf(bytes, id)
      const text = JSON.stringify([operation, schema, { at: time, formatVersion }, input, fingerprint], plain)
      return toHex(new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text))))
    }))

/** Suffix of a fragment's files. */
const DATA_SUFFIX = ".tdb"

/**
 * Returns whether the fragments of a checkpoint are complete: they have metadata, and the recorded number of bytes of
 * tiles.
 */
const areFragmentsComplete = (
  uri: string,
  version: number,
  checkpoint: Checkpoint,
): Effect.Effect<boolean, StorageError, Storage> =>
  Effect.flatMap(Storage, (storage) =>
    Effect.map(
      Effect.forEach(
        checkpoint.fragments,
        (name) =>
          Effect.gen(function* () {
            const folder = join(uri, fragmentPath(version, name))
            let [tiles, metadata] = [0, 0]
            // before format 8, the data file of a field with a slash in its name is in a subfolder
            yield* Stream.runForEach(listAll(storage, folder), (file) =>
              Effect.gen(function* () {
                // ignore files of other programs
                if (!file.path.endsWith(DATA_SUFFIX)) return
                const ifMissing = { NotFound: () => Effect.succeed(0) }
                const size = file.size ?? (yield* Effect.catchTags(storage.size(join(folder, file.path)), ifMissing))
                if (file.path === FRAGMENT_METADATA_FILE) metadata += size
                else tiles += size
              }))
            return { tiles, isThere: metadata > 0 }
          }),
        { concurrency: inFlight(storage, uri, 8) },
      ),
      (matches) =>
        matches.every(({ isThere }) => isThere) &&
        matches.reduce((sum, { tiles }) => sum + tiles, 0) === checkpoint.bytes,
    ))

/** Returns the names of the fragments and the commit of a checkpoint. */
const namesOf = ({ fragments, commit }: Checkpoint): ReadonlySet<string> =>
  new Set(commit === null ? fragments : [...fragments, commit])

const writtenOf = ({ fragments, cells, bytes }: Checkpoint): WriteResult => ({ fragments, cells, bytes })

/**
 * Returns the current one of some marks; `undefined` if they are missing or damaged. Marks of this library are never
 * damaged.
 */
const currentMark = (
  uri: string,
  names: ReadonlyArray<string>,
): Effect.Effect<Unfinished | undefined, StorageError, Storage> =>
  Effect.catchTag(loadUnfinished(uri, names), "FormatError", () => Effect.succeed(undefined))

/** Returns the error of a call that has lost its target to another call. */
const takenOver = (uri: string): StorageError => {
  const cause = new Error("another copy or import has taken over this target, or removed files of this one")
  return new StorageError({ op: "write", uri: join(uri, UNFINISHED_FILE), reason: "Conflict", cause })
}

/**
 * Creates an array and fills it. Meanwhile, the folder contains a mark (`__tessera_unfinished.json`) and no schema, so
 * that it is not an array for engines; the schema is stored last. If the call fails or is interrupted, exactly the
 * files that it created are removed. A killed process leaves the mark, and the next call at this target reports it,
 * continues (`resume`) or replaces it (`overwrite`). A call that resumes and fails leaves the mark, too.
 *
 * An array that is overwritten remains readable until all new cells are written. From then on a failure leaves the new
 * cells and the mark, so that the call can be resumed.
 *
 * A call that overwrites or resumes adds its own mark and removes the existing ones. A call that was presumed dead
 * thereby detects that it lost the target: it fails with `StorageError` (`Conflict`), and leaves the files that the
 * other call needs. Each call writes before it looks for the other: the earlier one stores its schema and then lists
 * the marks, the later one adds its mark and then lists the schemas. Therefore at least one of them notices the other.
 */
export const fillNewArray = <E, R>(
  request: FillRequest,
  filling: Filling<E, R>,
): Effect.Effect<{ readonly array: OpenedArray; readonly written: WriteResult }, E | FillError, R | Storage | Codecs> =>
  Effect.gen(function* () {
    const uri = yield* placeOf(request.uri)
    const target = yield* inspectTarget(uri, request.target, (id) => digestOf(request, id))
    const { resumed, marks: earlier } = target
    const { array: handle, ...made } = yield* newArray(uri, request.schema, request.creating, resumed?.schemaName)
    const array = openedOf(handle)
    const { version } = array.schema
    const { input } = filling
    if (resumed?.input?.digest !== (resumed === undefined ? undefined : input?.expected?.digest)) {
      return yield* Effect.fail(takenOver(uri))
    }
    /** ends the call if the earlier call that it resumes has stored the complete array */
    const finishResumed = ({ checkpoint }: Unfinished, marks: ReadonlyArray<string>) =>
      Effect.gen(function* () {
        if (input !== undefined) yield* input.check
        const storage = yield* Storage
        for (const name of marks) yield* storage.remove(join(uri, name))
        return { array, written: writtenOf(checkpoint) }
      })
    if (resumed !== undefined && target.isStored) return yield* finishResumed(resumed, earlier)

    const id = yield* newUuid
    const isFirst = earlier.length === 0
    const markName = isFirst ? UNFINISHED_FILE : takeoverFile(id)
    const mark = join(uri, markName)
    /** existing content to remove; it may change until this call has its mark */
    let { replaced } = target
    const isUsable = resumed !== undefined && (request.keepsFragments || resumed.checkpoint.commit !== null) &&
      (yield* areFragmentsComplete(uri, version, resumed.checkpoint))
    /** content of the mark */
    let unfinished: Unfinished = {
      format: "tessera-unfinished",
      version: 1,
      operation: request.operation,
      source: redactUri(request.source),
      id,
      begun: yield* Clock.currentTimeMillis,
      request: yield* digestOf(request, id),
      replaces: replaced === "array",
      schemaName: version < Since.schemaFolder ? "" : array.schemaName,
      checkpoint: isUsable ? resumed.checkpoint : NO_CHECKPOINT,
      ...(isFirst ? {} : { takes: earlier }),
      ...(resumed?.input === undefined ? {} : { input: resumed.input }),
    }
    /**
     * state of the write; not stored in the mark for the oldest formats, which commit fragments by their metadata file
     */
    let checkpoint = unfinished.checkpoint
    const isSaved = version >= Since.splitDimensions

    /** whether this call owns the target, and whether the files of an earlier call were removed */
    let [isMarked, isCleared] = [false, false]
    /** whether the replaced array was removed */
    let isReplaced = false
    /**
     * returns whether a failure keeps the files to be resumed: those of an earlier call, or if the old array was
     * removed
     */
    const isKept = (): boolean => resumed !== undefined || isReplaced || (isMarked && !isCleared)
    /**
     * returns whether this call owns a target with these marks, and the marks of other calls without the earlier ones
     */
    const ownerOf = (marks: ReadonlyArray<string>) => {
      const others = marks.filter((name) => name !== markName && !earlier.includes(name))
      return { isOwner: marks.includes(markName) && others.length === 0, others }
    }
    const owner = Effect.flatMap(Storage, (storage) => Effect.map(storage.list(uri), (root) => ownerOf(marksIn(root))))
    const checkOwner = Effect.filterOrFail(owner, ({ isOwner }) => isOwner, () => takenOver(uri))
    const checkWhole = Effect.suspend(() =>
      isSaved
        ? Effect.filterOrFail(areFragmentsComplete(uri, version, checkpoint), (whole) => whole, () => takenOver(uri))
        : Effect.void
    )
    /** removes marks of earlier calls */
    const removeMarks = (names: ReadonlyArray<string>) =>
      names.length === 0
        ? Effect.void
        : Effect.flatMap(Storage, (storage) => Effect.asVoid(storage.removeAll(names.map((name) => join(uri, name)))))
    const store = (changes: Partial<Unfinished>) =>
      Effect.gen(function* () {
        yield* checkOwner
        const storage = yield* Storage
        unfinished = { ...unfinished, ...changes }
        yield* storage.write(mark, encodeUnfinished(unfinished))
      })

    /** whether the array is complete, and whether its schema may be stored */
    let [isDone, isSchemaStored] = [false, false]
    /** whether another call has resumed this one after the last check */
    let isResumed = false
    /** returns the files that a failure removes */
    const removal: Effect.Effect<Removal | undefined, never, Storage> = Effect.gen(function* () {
      // remove nothing if the array is complete
      if (isDone) return undefined
      if (!isMarked) return {}
      const { isOwner, others } = yield* owner
      if (isOwner) return isKept() ? undefined : { last: mark }
      const there = yield* currentMark(uri, others)
      // keep the files in the last mark of this call if another call has resumed it and finished
      const names = schemaFiles(yield* listSchemas(uri)).map(({ name }) => name.name)
      const isResumedByOther = there !== undefined || isResumed ||
        (unfinished.schemaName === ""
          ? yield* areFragmentsComplete(uri, version, unfinished.checkpoint)
          : !isSchemaStored && names.includes(unfinished.schemaName))
      const otherMark = there ?? unfinished
      const kept = isResumedByOther
        ? new Set([...namesOf(otherMark.checkpoint), otherMark.schemaName])
        : new Set<string>()
      const { commit, fragments } = otherMark.checkpoint
      if (there === undefined && commit !== null && !fragments.includes(commit)) {
        // a call that finished with another commit does not need this commit, which may name removed fragments
        const committed = yield* Effect.flatMap(Storage, (storage) => storage.list(join(uri, COMMITS_FOLDER)))
        if (committed.some((entry) => parseName(entry.name)?.name !== commit)) kept.delete(commit)
      }
      const isNamedByOther = (path: string) => kept.has(parseName(lastComponent(path))?.name ?? "")
      return {
        isRemoved: (file: string) =>
          file === mark ||
          isOurs(file) && !isNamedByOther(file) && !isNamedByOther(file.slice(0, file.lastIndexOf("/"))),
      }
    }).pipe(Effect.catchAll(() => Effect.succeed(undefined)))

    const filled = Effect.gen(function* () {
      const storage = yield* Storage
      yield* begin(unfinished, uri, markName)
      const listing = yield* listSchemas(uri)
      if (!ownerOf(marksIn(listing.root)).isOwner) return yield* Effect.fail(takenOver(uri))
      const schemas = schemaFiles(listing).map(({ name }) => name.name)
      if (resumed !== undefined && hasStored((yield* currentMark(uri, earlier)) ?? resumed, schemas)) {
        isDone = true
        return yield* finishResumed(resumed, [...earlier, markName])
      }
      if (schemas.length > 0 && replaced !== "array") {
        if (request.target.overwrite !== true && resumed === undefined) {
          const detail = "another program has created an array here"
          return yield* Effect.fail(new AlreadyExists({ uri, detail, hint: { _tag: "Overwrite" } }))
        }
        replaced = "array"
      }
      isMarked = true
      if (replaced === "array" && !unfinished.replaces) yield* store({ replaces: true })
      yield* removeMarks(earlier)
      if (resumed !== undefined && replaced === undefined) yield* removeArray(uri, namesOf(checkpoint), checkOwner)
      if (replaced === "unfinished") yield* removeArray(uri, new Set(), checkOwner)
      isCleared = true
      /** removes the replaced array; if that fails before one of its schemas is removed, the array remains */
      const replace = Effect.gen(function* () {
        if (replaced !== "array" || isReplaced) return
        const schemas = Effect.map(listSchemas(uri), (listing) => schemaFiles(listing).length)
        const before = yield* schemas
        const remove = removeArray(uri, namesOf(checkpoint), Effect.tap(checkOwner, () => void (isReplaced = true)))
        yield* remove.pipe(
          Effect.tapError(() => Effect.map(schemas, (now) => void (isReplaced = now < before))),
        )
        // before format 10 the old and the new array have the same schema name
        yield* store({ replaces: false })
        yield* made.createFolders
      })
      const canResume = request.keepsFragments && isSaved
      /**
       * saves the checkpoint; since other calls may continue with these fragments from now on, their writers no longer
       * remove them
       */
      const save = (written: WrittenSoFar, commit: string | null) =>
        Effect.gen(function* () {
          for (const { state } of written.fragments) state.isKept = true
          checkpoint = checkpointOf(written, commit)
          yield* store(input === undefined ? { checkpoint } : { checkpoint, input: yield* input.passed })
        })
      const checkpoints: Checkpoints = {
        start: checkpoint,
        save: (written) => canResume ? save(written, null) : Effect.void,
        beforeCommit: (written) =>
          Effect.gen(function* () {
            const commit = yield* newCommitName(written.fragments)
            if (isSaved) yield* save(written, commit)
            else {
              yield* checkOwner
              checkpoint = checkpointOf(written, commit)
            }
            yield* checkWhole
            if (replaced === "array") { for (const { state } of written.fragments) state.isKept = true }
            yield* replace
            return commit
          }),
      }
      if (replaced !== "array") yield* made.createFolders
      const written = checkpoint.commit === null
        ? yield* filling.cells(array, checkpoints)
        : yield* Effect.zipRight(input?.check ?? Effect.void, commitKept(array, checkpoint, replace))
      yield* replace
      yield* filling.rest(array)
      yield* Effect.uninterruptible(
        Effect.gen(function* () {
          yield* checkOwner
          isSchemaStored = true
          yield* made.storeSchema
          const listed = yield* Effect.either(listSchemas(uri))
          if (listed._tag === "Left") return
          const { isOwner, others } = ownerOf(marksIn(listed.right.root))
          if (isOwner) {
            // also remove marks of earlier calls, which may have written them again
            return yield* Effect.ignore(Effect.zipRight(removeMarks(earlier), storage.remove(mark)))
          }
          // another call has started after the check: it either continues with the files of this call, or removes them
          const there = yield* currentMark(uri, others)
          const names = schemaFiles(listed.right).map(({ name }) => name.name)
          const isAlone = names.every((name) => name === array.schemaName) &&
            (there === undefined || there.schemaName === unfinished.schemaName)
          if (!isAlone) yield* Effect.fail(takenOver(uri))
          isResumed = true
          yield* checkWhole
        }).pipe(Effect.tap(Effect.sync(() => void (isDone = true)))),
      )
      return { array, written }
    })
    return yield* removeOnFailure(filled, removal)
  })

const checkpointOf = (
  { inputCells: input, cells, bytes, fragments }: WrittenSoFar,
  commit: string | null,
): Checkpoint => ({
  inputCells: input,
  cells,
  bytes,
  fragments: fragments.map(({ name }) => name),
  commit,
})

/** Commits fragments that an earlier process finished. */
const commitKept = (
  array: OpenedArray,
  checkpoint: Checkpoint,
  replace: Effect.Effect<void, StorageError, Storage>,
): Effect.Effect<WriteResult, StorageError, Storage> => {
  const fragments = keptFragments({ uri: array.uri, version: array.schema.version }, { start: checkpoint })
  return Effect.as(
    Effect.zipRight(replace, commitFragments(fragments, checkpoint.commit ?? undefined)),
    writtenOf(checkpoint),
  )
}

/** Marks the target as unfinished. */
const begin = (
  unfinished: Unfinished,
  uri: string,
  name: string,
): Effect.Effect<void, AlreadyExists | StorageError, Storage> =>
  Effect.gen(function* () {
    const storage = yield* Storage
    const mark = join(uri, name)
    const isOurs = loadMark(uri, name).pipe(
      Effect.map((there) => there?.id === unfinished.id),
      Effect.catchTag("FormatError", () => Effect.succeed(false)),
    )
    const taken = new AlreadyExists({ uri, detail: "another copy or import has started here; choose another target" })
    yield* storage.create(mark, encodeUnfinished(unfinished)).pipe(
      // the mark may exist if the response to an earlier attempt was lost
      Effect.catchTag("AlreadyExists", () => Effect.flatMap(isOurs, (ours) => ours ? Effect.void : Effect.fail(taken))),
      Effect.tapError((error) =>
        error === taken
          ? Effect.void
          : Effect.ignore(Effect.flatMap(isOurs, (ours) => ours ? storage.remove(mark) : Effect.void))
      ),
    )
  })
