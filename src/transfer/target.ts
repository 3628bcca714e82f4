/**
 * The target of a copy or an import: its existing content, and whether the call may use it.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import { AlreadyExists, type StorageError } from "../../platform/errors.ts"
import { compareBytewise } from "../../platform/storage/utf8_order.ts"
import { type Entry, Storage } from "../../platform/storage/service.ts"
import type { FormatError } from "../../schema/errors/format_error.ts"
import { redactUri } from "../../schema/errors/redact.ts"
import { arrayFolders, GROUP_FILE, GROUP_FOLDER } from "../../schema/name/array_paths.ts"
import { parseName } from "../../schema/name/timestamped_name.ts"
import { CURRENT_VERSION } from "../../schema/version/version.ts"
import { hasSchema } from "../array/create/create.ts"
import { schemaFiles } from "../array/open/directory.ts"
import { InvalidOption } from "../array/open/errors.ts"
import { join, listSchemas, type SchemaListing, withoutSlash } from "../array/open/listing.ts"
import { linkedFolders } from "../array/create/remove_array.ts"
import { isMark, loadUnfinished, marksIn, type Unfinished } from "../array/open/unfinished.ts"

/** Handling of existing content at the target. */
export interface TargetOptions {
  /**
   * Replaces an array at the target, or the remains of a killed copy or import. The old array remains readable until
   * all new cells are written; then it is removed, except files of other programs. Default: false.
   */
  readonly overwrite?: boolean
  /**
   * Continues the same copy or import if it was killed: finished fragments are kept. Starts from the beginning if the
   * target contains no unfinished one. Default: false.
   */
  readonly resume?: boolean
}

/** The names of {@link TargetOptions}. */
export const TARGET_OPTIONS: ReadonlyArray<string> = ["overwrite", "resume"] satisfies Array<keyof TargetOptions>

/** The existing content of a target that a call may use. */
export interface TransferTarget {
  /** The mark to resume. */
  readonly resumed: Unfinished | undefined
  /** Existing content that will be removed: an array, or the remains of a copy or import that is not resumed. */
  readonly replaced: "array" | "unfinished" | undefined
  /** Names of the marks at the target. */
  readonly marks: ReadonlyArray<string>
  /** Whether the array to resume is complete and only its mark remains. */
  readonly isStored: boolean
}

const EMPTY_TARGET: TransferTarget = { resumed: undefined, replaced: undefined, marks: [], isStored: false }

const dateOf = (time: number): string => {
  const date = new Date(time)
  return Number.isNaN(date.getTime()) ? String(time) : date.toISOString()
}

const namesIn = (names: ReadonlyArray<string>): string => {
  const others = names.length - 1
  const rest = others === 0 ? "" : others === 1 ? " and 1 other name" : ` and ${others} other names`
  return `${JSON.stringify(names[0])}${rest}`
}

/** Returns the names in a folder that listings omit, such as pipes and broken links. */
const unlistedIn = (uri: string): Effect.Effect<ReadonlyArray<string>, StorageError, Storage> =>
  Effect.flatMap(Storage, (storage) => storage.unlisted?.(uri) ?? Effect.succeed([]))

/** Maximum depth of folders; the deepest folder of an array contains the enumerations of a label. */
const MAX_DEPTH = 5

/**
 * Returns whether a folder with these entries contains only folders, at any depth. A link does not count as a folder.
 */
const hasOnlyFolders = (
  uri: string,
  entries: ReadonlyArray<Entry>,
  depth: number,
): Effect.Effect<boolean, StorageError, Storage> =>
  Effect.gen(function* () {
    if (depth > MAX_DEPTH || entries.some(({ kind, isLink }) => kind === "file" || isLink === true)) return false
    if ((yield* unlistedIn(uri)).length > 0) return false
    const storage = yield* Storage
    for (const { name } of entries) {
      const below = join(uri, name)
      if (!(yield* hasOnlyFolders(below, yield* storage.list(below), depth + 1))) return false
    }
    return true
  })

const isArrayFolder = ({ name }: Entry): boolean => arrayFolders(CURRENT_VERSION).includes(name)

/** Returns whether a folder contains only empty folders of the format, which a failed creation may leave. */
const hasOnlyEmptyFolders = ({ uri, root }: SchemaListing): Effect.Effect<boolean, StorageError, Storage> =>
  root.every(isArrayFolder) ? hasOnlyFolders(uri, root, 1) : Effect.succeed(false)

/**
 * Returns the array that contains the target in one of its own folders, if any: all names in these folders belong to
 * the format.
 */
const arrayAround = (uri: string): Effect.Effect<string | undefined, StorageError, Storage> =>
  Effect.gen(function* () {
    for (const { index } of uri.matchAll(/(?<=^|\/)__/g)) {
      const folder = index === 0 ? "." : withoutSlash(uri.slice(0, index))
      if (folder.endsWith(":/") || folder.endsWith("://")) continue
      const listing = yield* listSchemas(folder)
      if (hasSchema(listing) || marksIn(listing.root).length > 0) return folder
    }
    return undefined
  })

/** Returns whether a folder contains only parts of an array, which two calls that compete for a target may leave. */
const hasOnlyParts = ({ uri, root }: SchemaListing): Effect.Effect<boolean, StorageError, Storage> =>
  Effect.gen(function* () {
    const storage = yield* Storage
    if (!root.every((entry) => entry.kind === "folder" && isArrayFolder(entry))) return false
    for (const { name } of root) {
      const folder = join(uri, name)
      const entries = yield* storage.list(folder)
      const others = yield* unlistedIn(folder)
      if (others.length > 0 || !entries.every((entry) => parseName(entry.name) !== undefined && !entry.isLink)) {
        return false
      }
    }
    return true
  })

/**
 * Returns whether the call of a mark has stored the schema of its array, which is the last step. `schemas` are the
 * names of all stored schemas.
 */
export const hasStored = ({ schemaName, replaces }: Unfinished, schemas: ReadonlyArray<string>): boolean =>
  schemas.length > 0 && (schemaName === "" ? !replaces : schemas.includes(schemaName))

/** Loads the mark of a target, if there is one. */
export const loadTarget = (
  uri: string,
): Effect.Effect<Unfinished | undefined, StorageError | FormatError, Storage> =>
  Effect.flatMap(Storage, (storage) => Effect.flatMap(storage.list(uri), (root) => loadUnfinished(uri, marksIn(root))))

/**
 * Inspects a target before anything is written. Fails with `AlreadyExists`, which describes the content, if the options
 * do not permit it.
 */
export const inspectTarget = (
  uri: string,
  { overwrite = false, resume = false }: TargetOptions,
  request: (id: string) => Effect.Effect<string, InvalidOption>,
): Effect.Effect<TransferTarget, AlreadyExists | InvalidOption | StorageError | FormatError, Storage> =>
  Effect.gen(function* () {
    if (overwrite && resume) {
      const detail = "a copy or import is either resumed or started again; omit overwrite or resume"
      return yield* Effect.fail(new InvalidOption({ uri, option: "resume", reason: "Conflict", detail }))
    }
    const refuse = (detail: string, hint?: "ChooseTarget" | "Overwrite" | "Resume") =>
      Effect.fail(new AlreadyExists({ uri, detail, hint: hint === undefined ? undefined : { _tag: hint } }))
    const around = yield* arrayAround(uri)
    if (around !== undefined) {
      return yield* refuse(`it would be inside the array ${redactUri(around)}`, "ChooseTarget")
    }
    const listing = yield* listSchemas(uri)
    const { root } = listing
    const others = yield* unlistedIn(uri)
    const names = [...root.map(({ name }) => name), ...others].sort(compareBytewise)
    if (names.length === 0) return EMPTY_TARGET
    const schemas = schemaFiles(listing).map(({ name }) => name.name)
    const isArray = hasSchema(listing)
    if (!isArray && root.some(({ name }) => name === GROUP_FILE || name === GROUP_FOLDER)) {
      return yield* refuse("there is a group here", "ChooseTarget")
    }
    // reject linked folders: their content is not in this folder and may be part of another array
    const [linked] = [...linkedFolders(root), ...linkedFolders(listing.schemas)]
    if (linked !== undefined) {
      const subject = `its folder ${JSON.stringify(linked.name)} is a symbolic link`
      return yield* refuse(`${subject}, and nothing is written or removed behind links`, "ChooseTarget")
    }
    const folder = root.find(({ name, kind }) => kind === "folder" && isMark(name))
    if (folder !== undefined) return yield* refuse(`${folder.name} is a folder here; rename it`, "ChooseTarget")
    const marks = marksIn(root)
    if (overwrite && (isArray || marks.length > 0 || (others.length === 0 && (yield* hasOnlyParts(listing))))) {
      return { ...EMPTY_TARGET, replaced: isArray ? "array" : "unfinished", marks }
    }
    const unfinished = yield* loadUnfinished(uri, marks)
    const isStored = unfinished !== undefined && hasStored(unfinished, schemas)
    if (unfinished !== undefined && (resume || !isArray)) {
      const { operation, source, begun } = unfinished
      const state = `an unfinished ${operation} of ${source}, begun at ${dateOf(begun)}, is here`
      if (!resume) return yield* refuse(state, "Resume")
      if (unfinished.request !== (yield* request(unfinished.id))) {
        const detail = `${state}, with another source or other options; resume that one, or overwrite it`
        return yield* Effect.fail(new InvalidOption({ uri, option: "resume", reason: "Conflict", detail }))
      }
      return { resumed: unfinished, replaced: isArray && !isStored ? "array" : undefined, marks, isStored }
    }
    if (!isArray && (yield* hasOnlyEmptyFolders(listing))) return EMPTY_TARGET
    if (isArray) return yield* refuse("there is an array here already", "Overwrite")
    return yield* refuse(`the folder is not empty: it has ${namesIn(names)}; choose a new or an empty folder`)
  })
