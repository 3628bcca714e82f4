/**
 * Copies arrays and groups file by file.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { traced } from "../../platform/observability/spans.ts"
import type { Codecs } from "../../platform/codecs/service.ts"
import { AlreadyExists, type NotFound, type StorageError } from "../../platform/errors.ts"
import { type FileEntry, inFlight, listAll, Storage } from "../../platform/storage/service.ts"
import { ArrayNotFound, type InvalidOption } from "../array/open/errors.ts"
import { join } from "../array/open/listing.ts"
import { attemptOptions, checkNames, placeOf, refuseFor } from "../array/open/open_options.ts"
import { removeOnFailure } from "../array/create/created_files.ts"
import { marksObject, removeListedFiles } from "./remove_files.ts"
import { changeMembers, type ChangeMembersError } from "../group/change_members.ts"
import { identity } from "../group/member_uri.ts"
import { type GroupError, openGroup } from "../group/open_group.ts"
import { checkPlace, contentOf, locate } from "./locate.ts"

/** Options of a copy. */
export interface CopyObjectOptions {
  /** Called after each file. */
  readonly onProgress?: (progress: CopyObjectResult) => void
}

/** Files copied so far. */
export interface CopyObjectResult {
  /** Number of files. */
  readonly files: number
  /** Their size in bytes, as far as listings contain sizes. */
  readonly bytes: number
}

/** Errors of copies of objects. */
export type CopyObjectError =
  | InvalidOption
  | ArrayNotFound
  | AlreadyExists
  | NotFound
  | StorageError
  | GroupError
  | ChangeMembersError

/** Lists the files of an object. */
const listFiles = (uri: string): Effect.Effect<ReadonlyArray<FileEntry>, StorageError, Storage> =>
  Effect.gen(function* () {
    const storage = yield* Storage
    const files: Array<FileEntry> = []
    yield* Stream.runForEach(listAll(storage, uri), (file) => Effect.sync(() => void files.push(file)))
    return files
  })

/** Copies files: those that make folders arrays or groups last, and of these the deepest first. */
const copyFiles = (
  from: string,
  to: string,
  files: ReadonlyArray<FileEntry>,
  started: Set<string>,
  onFile: (file: FileEntry) => void,
): Effect.Effect<void, NotFound | StorageError, Storage> =>
  Effect.gen(function* () {
    const storage = yield* Storage
    const concurrency = inFlight(storage, to, 16)
    const copy = (file: FileEntry) =>
      Effect.suspend(() => {
        started.add(file.path)
        return Effect.map(storage.copy(join(from, file.path), join(to, file.path)), () => onFile(file))
      })
    yield* Effect.forEach(files.filter(({ path }) => !marksObject(path)), copy, { concurrency, discard: true })
    const last = files.filter(({ path }) => marksObject(path))
    const depth = ({ path }: FileEntry): number => path.split("/").length
    last.sort((a, b) => depth(b) - depth(a))
    // a group becomes visible after its members
    for (const file of last) yield* copy(file)
  })

/** Maximum number of times that files of other writers are copied after the rest. */
const MAX_ROUNDS = 3

/**
 * Copies all files to a new folder. If it fails or is interrupted, the copied files and the new folders are removed.
 * Returns the paths of the copied files.
 */
export const copyToNewFolder = (
  from: string,
  to: string,
  onFile: (file: FileEntry) => void,
): Effect.Effect<ReadonlyArray<string>, CopyObjectError, Storage | Codecs> =>
  Effect.gen(function* () {
    const storage = yield* Storage
    const started = new Set<string>()
    const folders = yield* storage.createFolder(to)
    const copyAll = Effect.gen(function* () {
      // other writers may add files while the first ones are copied
      for (let round = 0; round < MAX_ROUNDS; round++) {
        const missing = (yield* listFiles(from)).filter(({ path }) => !started.has(path))
        if (missing.length === 0) break
        yield* copyFiles(from, to, missing, started, onFile)
      }
      yield* removeOnFailure(renameMembers(from, to))
    })
    const removeCopied = Effect.gen(function* () {
      yield* removeListedFiles(to, [...started])
      for (const folder of folders.toReversed()) yield* storage.removeFolder(folder)
    })
    yield* Effect.onExit(copyAll, (exit) => exit._tag === "Success" ? Effect.void : Effect.ignore(removeCopied))
    return [...started]
  })

/**
 * Makes members of copied groups relative if their URIs are below the source: these members were copied too. Members
 * elsewhere keep their URIs.
 */
export const renameMembers = (
  from: string,
  to: string,
): Effect.Effect<void, GroupError | ChangeMembersError, Storage | Codecs> =>
  Effect.gen(function* () {
    const storage = yield* Storage
    const source = `${identity(from)}/`
    const visit = (uri: string): Effect.Effect<void, GroupError | ChangeMembersError, Storage | Codecs> =>
      Effect.gen(function* () {
        const entries = yield* storage.list(uri)
        const content = contentOf(entries)
        if (content === "array" || content === "remains") return
        if (content === "group") {
          const { members } = yield* openGroup(uri)
          const old = members.filter((member) => !member.relative && identity(member.uri).startsWith(source))
          const folder = `${identity(uri)}/`
          const changes = old.map((member) => {
            const place = join(to, identity(member.uri).slice(source.length))
            const isBelow = identity(place).startsWith(folder)
            return {
              uri: isBelow ? identity(place).slice(folder.length) : place,
              relative: isBelow,
              type: member.type,
              ...(member.name === null ? {} : { name: member.name }),
            }
          })
          const unnamed = old.filter(({ name }) => name === null).map((member) => member.uri)
          if (changes.length > 0) yield* changeMembers(uri, { add: changes, remove: unnamed })
        }
        for (const { name, kind, isLink } of entries) {
          if (kind === "folder" && isLink !== true && !name.startsWith("__")) yield* visit(join(uri, name))
        }
      })
    yield* visit(to)
  })

/** Returns the places of source and target; fails unless the source is an array or a group, and if the target exists or is inside it. */
export const checkTransfer = (
  from: string,
  to: string,
  verb: string,
): Effect.Effect<readonly [from: string, to: string], CopyObjectError, Storage> =>
  Effect.gen(function* () {
    const [source, target] = [yield* placeOf(from), yield* placeOf(to)]
    yield* checkPlace(source, verb)
    yield* checkPlace(target, verb)
    const storage = yield* Storage
    const { content } = yield* locate(source)
    if (content !== "array" && content !== "group") {
      const detail = "this folder is neither an array nor a group"
      return yield* Effect.fail(new ArrayNotFound({ uri: source, reason: "OtherFiles", detail }))
    }
    const isInside = `${identity(target)}/`.startsWith(`${identity(source)}/`)
    const isTaken = (yield* storage.list(target)).length > 0 || (yield* storage.exists(target))
    if (isInside || isTaken) {
      const detail = isInside ? "the target is the source, or in it" : "the target exists"
      return yield* Effect.fail(new AlreadyExists({ uri: target, detail, hint: { _tag: "ChooseTarget" } }))
    }
    return [source, target]
  })

/**
 * Copies an array or a group to a new place, file by file: with its history, and without decoding anything. A group is
 * copied with everything in its folder; members that are elsewhere stay members of the copy, and absolute URIs of
 * members inside the folder become relative. Source and target may be in different storages.
 *
 * The copy becomes visible at the end. If it fails or is interrupted, the files that it wrote are removed. Files that
 * are written to the source meanwhile may be missing in the copy: copy an array that has writers with
 * `TileArray.copy`. Links are not followed. `TileArray.copy` also selects cells, and changes format and key.
 *
 * Fails with `ArrayNotFound` if there is no array or group at `from`, with `AlreadyExists` if something exists at `to`,
 * with `InvalidOption`, `StorageError` or `NotFound`, and as `Group.open` and `Group.changeMembers` do.
 *
 * ```ts
 * import { Dense, layerDefault, Objects, TileArray } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 *
 * const program = Effect.gen(function* () {
 *   const { files } = yield* Objects.copy("tests/golden/demo/weather", "mem://weather")
 *   const { shape } = yield* Dense.read(yield* TileArray.open("mem://weather"))
 *   return [files > 3, shape.length]
 * })
 * assertEquals(await Effect.runPromise(Effect.provide(program, layerDefault)), [true, 2])
 * ```
 */
export const copyObject = (
  from: string,
  to: string,
  options: CopyObjectOptions = {},
): Effect.Effect<CopyObjectResult, CopyObjectError, Storage | Codecs> =>
  Effect.gen(function* () {
    yield* attemptOptions(() =>
      checkNames(options, ["onProgress"] satisfies Array<keyof CopyObjectOptions>, refuseFor(to))
    )
    const [source, target] = yield* checkTransfer(from, to, "copying")
    let copied: CopyObjectResult = { files: 0, bytes: 0 }
    yield* copyToNewFolder(source, target, ({ size }) => {
      copied = { files: copied.files + 1, bytes: copied.bytes + (size ?? 0) }
      options.onProgress?.(copied)
    })
    return copied
  }).pipe(traced("Objects.copy", to))
