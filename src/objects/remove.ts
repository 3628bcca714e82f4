/**
 * Removes arrays and groups.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { traced } from "../../platform/observability/spans.ts"
import type { Codecs } from "../../platform/codecs/service.ts"
import type { StorageError } from "../../platform/errors.ts"
import { type Entry, inFlight, listAll, Storage } from "../../platform/storage/service.ts"
import { ArrayNotFound, type InvalidOption } from "../array/open/errors.ts"
import { join } from "../array/open/listing.ts"
import { attemptOptions, checkNames, type OpenOptions, placeOf, refuseFor } from "../array/open/open_options.ts"
import { planRemoval, type RemovalStep } from "../array/create/remove_array.ts"
import { MANIFEST_NAME } from "../../platform/storage/http/manifest.ts"
import { GROUP_FILE, groupFolders } from "../../schema/name/array_paths.ts"
import { parseName } from "../../schema/name/timestamped_name.ts"
import { isRemote, mayFollow } from "../group/follow.ts"
import { identity } from "../group/member_uri.ts"
import type { ObjectKind } from "../group/object_type.ts"
import { type GroupError, openGroup } from "../group/open_group.ts"
import { checkPlace, contentOf, locate } from "./locate.ts"

/** Options of a removal. */
export interface RemoveOptions extends Pick<OpenOptions, "key"> {
  /**
   * Whether everything in the folder is removed, including files that do not belong to an array or group; required for
   * a folder that is neither. Default: `false`.
   */
  readonly force?: boolean
  /**
   * Whether members of groups that are outside of their group's folder are removed too. For groups from the network,
   * only members in the group's own origin. Default: `false`.
   */
  readonly members?: boolean
  /** Whether only the result is computed, and nothing is removed. Default: `false`. */
  readonly dryRun?: boolean
}

/** A removed object. */
export interface RemovedObject {
  /** URI of the object. */
  readonly uri: string
  /** Its kind; `remains` for an array without a schema, `folder` for a folder that is neither array nor group. */
  readonly type: ObjectKind | "remains" | "folder"
}

/** Result of a removal. */
export interface RemoveResult {
  /** The removed objects: members before their groups. */
  readonly objects: ReadonlyArray<RemovedObject>
  /** Number of removed files. */
  readonly files: number
  /** Their size in bytes, as far as listings contain sizes. */
  readonly bytes: number
  /** URIs of files that remain because they do not belong to an array or group: up to 1,000. */
  readonly kept: ReadonlyArray<string>
  /** URIs of members outside of their group's folder, which remain. */
  readonly references: ReadonlyArray<string>
}

/** Errors of removals. */
export type RemoveError = InvalidOption | ArrayNotFound | StorageError | GroupError

/** Maximum depth of folders and groups below the object. */
const MAX_DEPTH = 64

/** Maximum number of kept files that are reported. */
const MAX_KEPT = 1000

/** The steps that remove an object, in order. */
interface Planned {
  readonly object: RemovedObject
  readonly steps: ReadonlyArray<RemovalStep>
}

const CHANGE_OPTIONS: ReadonlyArray<string> = ["key", "force", "members", "dryRun"] satisfies Array<keyof RemoveOptions>

/** Returns the steps that remove a group's own files: those with names that the format defines. */
const planGroup = (
  uri: string,
  entries: ReadonlyArray<Entry>,
): Effect.Effect<ReadonlyArray<RemovalStep>, StorageError, Storage> =>
  Effect.gen(function* () {
    const storage = yield* Storage
    const steps: Array<RemovalStep> = []
    for (const folder of groupFolders) {
      if (!entries.some(({ name, kind, isLink }) => name === folder && kind === "folder" && isLink !== true)) continue
      const at = join(uri, folder)
      const files = (yield* storage.list(at)).filter(({ name, kind }) =>
        kind === "file" && parseName(name) !== undefined
      )
      steps.push({ names: files.map(({ name }) => join(at, name)) }, { emptyFolder: at })
    }
    const own = entries.filter(({ name, kind }) => kind === "file" && (name === GROUP_FILE || name === MANIFEST_NAME))
    // the file that marks the group comes last, so that a removal which stopped can be repeated
    steps.push({ names: own.map(({ name }) => join(uri, name)) }, { emptyFolder: uri })
    return steps
  })

/** Plans the removal of an object and of everything below it. */
const makePlanner = (options: RemoveOptions) => {
  const planned: Array<Planned> = []
  const references: Array<string> = []
  const visited = new Set<string>()

  const plan = (
    uri: string,
    entries: ReadonlyArray<Entry>,
    depth: number,
  ): Effect.Effect<void, RemoveError, Storage | Codecs> =>
    Effect.gen(function* () {
      const place = identity(uri)
      if (visited.has(place) || depth > MAX_DEPTH) return
      visited.add(place)
      const content = contentOf(entries)
      if (content === "array" || content === "remains") {
        const steps = yield* planRemoval(uri, new Set(), 0)
        planned.push({ object: { uri, type: content }, steps: [...steps, { emptyFolder: uri }] })
        return
      }
      yield* planBelow(uri, entries, depth)
      if (content !== "group") {
        if (depth > 0) planned.push({ object: { uri, type: "folder" }, steps: [{ emptyFolder: uri }] })
        return
      }
      yield* planMembers(uri, depth)
      planned.push({ object: { uri, type: "group" }, steps: yield* planGroup(uri, entries) })
    })

  /** Plans the objects in the folders of a group. */
  const planBelow = (uri: string, entries: ReadonlyArray<Entry>, depth: number) =>
    Effect.gen(function* () {
      const storage = yield* Storage
      for (const { name, kind, isLink } of entries) {
        // the target of a link may belong to another group
        if (kind !== "folder" || isLink === true || groupFolders.includes(name)) continue
        const at = join(uri, name)
        yield* plan(at, yield* storage.list(at), depth + 1)
      }
    })

  /** Plans the members outside of the group's folder, or reports them. */
  const planMembers = (uri: string, depth: number) =>
    Effect.gen(function* () {
      const storage = yield* Storage
      const settings = options.key === undefined ? {} : { key: options.key }
      const opened = yield* Effect.either(openGroup(uri, settings))
      if (opened._tag === "Left") {
        // a damaged group can be removed by force
        return options.force === true ? undefined : yield* Effect.fail(opened.left)
      }
      for (const { uri: member, relative } of opened.right.members) {
        if (`${identity(member)}/`.startsWith(`${identity(uri)}/`)) continue
        const isAllowed = mayFollow({ group: uri, uri: member, relative }, isRemote(uri), new Set())
        if (options.members !== true || !isAllowed) {
          references.push(member)
          continue
        }
        yield* checkPlace(member, "removing")
        const entries = yield* storage.list(member)
        if (contentOf(entries) === "other") references.push(member)
        else if (entries.length > 0) yield* plan(member, entries, depth + 1)
      }
    })

  return { plan, planned, references }
}

/** Counts the files that the steps remove, and lists the others. */
const countFiles = (
  roots: ReadonlyArray<string>,
  steps: ReadonlyArray<RemovalStep>,
  all: boolean,
): Effect.Effect<Pick<RemoveResult, "files" | "bytes" | "kept">, StorageError, Storage> =>
  Effect.gen(function* () {
    const storage = yield* Storage
    const names = new Set(steps.flatMap((step) => "names" in step ? step.names : []))
    const isRemoved = (root: string, path: string): boolean => {
      // a step names the file, or a folder above it
      for (let end = path.length; end > 0; end = path.lastIndexOf("/", end - 1)) {
        if (names.has(join(root, path.slice(0, end)))) return true
      }
      return false
    }
    let files = 0
    let bytes = 0
    const kept: Array<string> = []
    for (const root of roots) {
      yield* Stream.runForEach(listAll(storage, root), ({ path, size }) =>
        Effect.sync(() => {
          if (all || isRemoved(root, path)) {
            files++
            bytes += size ?? 0
          } else if (kept.length < MAX_KEPT) kept.push(join(root, path))
        }))
    }
    return { files, bytes, kept }
  })

const runSteps = (steps: ReadonlyArray<RemovalStep>): Effect.Effect<void, StorageError, Storage> =>
  Effect.gen(function* () {
    const storage = yield* Storage
    for (const step of steps) {
      if ("emptyFolder" in step) yield* storage.removeFolder(step.emptyFolder)
      else {
        const concurrency = inFlight(storage, step.names[0] ?? "", 16)
        yield* Effect.forEach(step.names, (name) => storage.remove(name), { concurrency, discard: true })
      }
    }
  })

/**
 * Removes an array, or a group with all arrays and groups in its folder. Only files that the format defines are removed,
 * and folders that are then empty; other files remain and are reported as `kept`. With `force`, the whole folder is
 * removed. Members of a group that are outside of its folder remain and are reported as `references`, unless `members`
 * is set.
 *
 * Lists everything first and removes exactly what was listed: the schema of an array first, so that a reader finds
 * either the array or nothing; members before their group. If it fails or is interrupted, a second call removes the
 * rest. Links are removed, their targets are not.
 *
 * Fails with `ArrayNotFound` if there is nothing at the URI, or (`OtherFiles`) a folder that is neither array nor group,
 * which requires `force`; with `InvalidOption` for the root of a bucket or file system; with `StorageError`; and as
 * `Group.open` does. Format: `array_file_hierarchy.md`, `group_file_hierarchy.md`.
 *
 * ```ts
 * import { ArraySchema, Attr, Dim, layerMemory, layerNative, Objects, TileArray } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 * import * as Layer from "effect/Layer"
 *
 * const program = Effect.gen(function* () {
 *   const schema = ArraySchema.dense({ dims: { x: Dim.int32([1, 4]) }, attrs: { a: Attr.int32() } })
 *   yield* TileArray.create("mem://array", schema)
 *   const { objects, files } = yield* Objects.remove("mem://array", { dryRun: true })
 *   yield* Objects.remove("mem://array")
 *   return [objects, files, yield* TileArray.exists("mem://array")]
 * })
 * const result = await Effect.runPromise(Effect.provide(program, Layer.merge(layerMemory, layerNative)))
 * assertEquals(result, [[{ uri: "mem://array", type: "array" }], 1, false])
 * ```
 */
export const removeObject = (
  uri: string,
  options: RemoveOptions = {},
): Effect.Effect<RemoveResult, RemoveError, Storage | Codecs> =>
  Effect.gen(function* () {
    const at = yield* placeOf(uri)
    yield* attemptOptions(() => checkNames(options, CHANGE_OPTIONS, refuseFor(at)))
    yield* checkPlace(at, "removing")
    const storage = yield* Storage
    const { content, entries } = yield* locate(at)
    const force = options.force === true
    if (content === "other" && !force) {
      const detail = "this folder is neither an array nor a group; to remove it with everything in it, use force"
      return yield* Effect.fail(new ArrayNotFound({ uri: at, reason: "OtherFiles", detail }))
    }
    const { plan, planned, references } = makePlanner(options)
    yield* plan(at, entries, 0)
    const objects = planned.map(({ object }) => object).filter(({ type }) => type !== "folder")
    if (content === "other") objects.push({ uri: at, type: "folder" })
    const steps = planned.flatMap(({ steps }) => steps)
    const outside = objects.map(({ uri }) => uri)
      .filter((each) => !`${identity(each)}/`.startsWith(`${identity(at)}/`))
    const inside = yield* countFiles([at], steps, force)
    const others = yield* countFiles(outside, steps, false)
    if (options.dryRun !== true) {
      yield* runSteps(steps)
      if (force) yield* storage.remove(at)
    }
    return {
      objects,
      files: inside.files + others.files,
      bytes: inside.bytes + others.bytes,
      kept: [...inside.kept, ...others.kept],
      references,
    }
  }).pipe(traced("Objects.remove", uri))
