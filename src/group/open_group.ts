/**
 * Opens groups: determines the members at a time. Format: `group.md`.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import type { EncryptionKey } from "../../platform/keys.ts"
import { showEntry, showRedacted } from "../../schema/errors/inspect.ts"
import { redactUri } from "../../schema/errors/redact.ts"
import type { Codecs } from "../../platform/codecs/service.ts"
import type { NotFound, StorageError } from "../../platform/errors.ts"
import { compareBytewise } from "../../platform/storage/utf8_order.ts"
import { type Entry, Storage } from "../../platform/storage/service.ts"
import { runSteps, withTurns } from "../../platform/host/event_loop_turns.ts"
import { decodeSteps } from "../../schema/binary/mod.ts"
import { GroupDetails, type GroupMember } from "../../schema/group.ts"
import { FormatError } from "../../schema/errors/format_error.ts"
import { checkInnerPath, type InnerPathPlace, shownUri } from "../../schema/name/inner_path.ts"
import { GROUP_FOLDER } from "../../schema/name/array_paths.ts"
import { compareNames, parseName, type TimestampedName } from "../../schema/name/timestamped_name.ts"
import type { TimeRange } from "../array/open/directory.ts"
import { ArrayNotFound, type ArrayNotFoundReason, type InvalidOption } from "../array/open/errors.ts"
import { join } from "../array/open/listing.ts"
import { accessOf } from "../array/open/open.ts"
import { withKey } from "../array/open/key.ts"
import { openingOf, type OpenOptions } from "../array/open/open_options.ts"
import { attemptTileSteps, type TileError } from "../tile/attempt.ts"
import { type GenericTile, openGenericTileSteps, type TileAccess } from "../tile/generic_tile.ts"
import { sortSteps } from "../kernel/sort/sort_steps.ts"
import { finish, inParts, type Steps } from "../kernel/steps.ts"
import { memberUri } from "./member_uri.ts"
import { kindOfFolder, type ObjectKind } from "./object_type.ts"

/** A member of a group: an array or a group. */
export interface Member {
  /** URI of the member; relative URIs are resolved. */
  readonly uri: string
  /** Kind of the member. */
  readonly type: ObjectKind
  /** Name of the member in the group; `null` without a name. */
  readonly name: string | null
  /** Whether the group refers to it by a relative path, so that it moves with the group. */
  readonly relative: boolean
}

/** An open group: a snapshot that does not change while others write. */
export interface TileGroup {
  /** URI of the group, without a trailing slash. */
  readonly uri: string
  /** The time range of the open group. */
  readonly time: TimeRange
  /** Members, sorted by name; members without a name by their stored URI. */
  readonly members: ReadonlyArray<Member>
  /**
   * Whether the group stores its members. Groups from before TileDB 2.8 only mark a folder; their members are the
   * objects in it.
   */
  readonly recorded: boolean
  /** The key with which it was opened. It is not enumerable: logs, JSON and spread copies omit it. */
  readonly key: EncryptionKey | undefined
  /** Whether checksums are verified. */
  readonly verifyChecksums: boolean
}

/** Errors of opening a group. */
export type GroupError = InvalidOption | ArrayNotFound | NotFound | StorageError | TileError

const ENCRYPTION_OFFSET = 29

/**
 * Opens a generic tile of a group. Most groups are not encrypted, even those of encrypted arrays: the key is used only
 * if the tile requires one.
 */
export const openGroupTile = (access: TileAccess, uri: string, file: Uint8Array): Steps<GenericTile> =>
  openGenericTileSteps(file[ENCRYPTION_OFFSET] === 0 ? { ...access, key: undefined } : access, uri, file)

/**
 * Returns whether a file contains all members, which is so for version 1. Its name ends with the UUID, or since 2.19
 * with `_1`.
 */
export const isWhole = (name: TimestampedName): boolean => name.version <= 1

/** Returns the key of a member, which is unique in its group: its name, or its URI if it has no name. */
export const memberKey = (member: GroupMember): string => member.name ?? member.uri

/** Returns the members after applying the member files, in the order of time. */
export const replayMembers = (...input: Parameters<typeof replayMembersSteps>): ReadonlyArray<GroupMember> =>
  finish(replayMembersSteps(...input))

/** Number of members between two yields. */
const STEP_MEMBERS = 1024

/** Like {@link replayMembers}, in steps. */
function* replayMembersSteps(
  files: ReadonlyArray<{ readonly whole: boolean; readonly members: ReadonlyArray<GroupMember> }>,
): Steps<ReadonlyArray<GroupMember>> {
  let replayed = 0
  const members = new Map<string, GroupMember>()
  for (const file of files) {
    // a file of version 1 contains all members
    if (file.whole) members.clear()
    for (const member of file.members) {
      const key = memberKey(member)
      if (member.deleted) members.delete(key)
      else members.set(key, member)
      if (++replayed % STEP_MEMBERS === 0) yield
    }
  }
  const sorted = yield* sortSteps([...members], ([a], [b]) => compareBytewise(a, b))
  return sorted.map(([, member]) => member)
}

/** Returns what a folder contains if it is not a group. */
const notGroup = (entries: ReadonlyArray<Entry>): { readonly reason: ArrayNotFoundReason; readonly detail: string } =>
  kindOfFolder(entries) === "array"
    ? { reason: "IsArray", detail: "this is an array, not a group" }
    : entries.length === 0
    ? { reason: "Empty", detail: "there is no group here; check the path and the permission to list it" }
    : { reason: "OtherFiles", detail: "this folder is not a group; list it to see its contents" }

/** Fails if a folder with these entries is not a group. */
export const checkGroup = (uri: string, root: ReadonlyArray<Entry>): Effect.Effect<void, ArrayNotFound> =>
  kindOfFolder(root) === "group" ? Effect.void : Effect.fail(new ArrayNotFound({ uri, ...notGroup(root) }))

/**
 * Checks the path of a relative member; throws FormatError. In a group on a web server the path must also be free of
 * characters that a URL would interpret as a query, a fragment or a slash.
 */
const checkMember = (group: string, path: string, place: InnerPathPlace): void => {
  checkInnerPath(path, place, "member")
  const special = /^https?:/i.test(group) ? /[?#\\]/.exec(path)?.[0] : undefined
  if (special === undefined) return
  const reason = `the path "${shownUri(path)}" contains ${JSON.stringify(special)}`
  throw new FormatError({ ...place, offset: 0, detail: reason })
}

/** The member files of a group. */
export interface LoadedGroup {
  /** Names of all member files, in the order of time. */
  readonly names: ReadonlyArray<TimestampedName>
  /** Members over a time range, sorted by their keys. */
  readonly members: ReadonlyArray<GroupMember>
}

/** Loads the members of the group at `uri` over a time range. */
export const loadGroup = (
  uri: string,
  time: TimeRange,
  access: TileAccess,
): Effect.Effect<LoadedGroup, ArrayNotFound | NotFound | StorageError | TileError, Storage> =>
  withTurns(Effect.gen(function* () {
    const storage = yield* Storage
    const folder = join(uri, GROUP_FOLDER)
    const [root, details] = yield* Effect.all([storage.list(uri), storage.list(folder)], { concurrency: 2 })
    yield* checkGroup(uri, root)

    const names = details
      .map(({ name, kind }) => kind === "file" ? parseName(name) : undefined)
      .filter((name, i) => name !== undefined && name.name === details[i].name) as Array<TimestampedName>
    names.sort(compareNames)
    const visible = names.filter((n) => time.start <= n.start && n.end <= time.end)
    const newest = visible[visible.length - 1]
    const read = newest !== undefined && isWhole(newest) ? [newest] : visible
    const files = yield* Effect.forEach(
      read,
      (name) =>
        Effect.flatMap(storage.read(join(folder, name.name)), (bytes) =>
          attemptTileSteps(function* () {
            const file = join(folder, name.name)
            const tile = yield* openGroupTile(access, file, bytes)
            const { members } = yield* decodeSteps(GroupDetails, tile.bytes, tile.version, file)
            const check = (from: number, to: number): void => {
              for (let i = from; i < to; i++) {
                const { relative, deleted, uri: path } = members[i]
                if (!relative || deleted) continue
                checkMember(uri, path, { uri: file, path: `members.${i}.uri`, version: tile.version })
              }
            }
            yield* inParts(members.length, check, STEP_MEMBERS)
            return { whole: isWhole(name), members }
          })),
      { concurrency: 16 },
    )
    return { names, members: yield* runSteps(() => replayMembersSteps(files)) }
  }))

/** Returns a group in printable form. Its members redact credentials themselves. */
const shownGroup = (group: Omit<TileGroup, "key">): object => ({ ...group, uri: redactUri(group.uri) })

/** Opens a group. */
export const openGroup = (
  uri: string,
  options: OpenOptions = {},
): Effect.Effect<TileGroup, GroupError, Storage | Codecs> =>
  withTurns(Effect.gen(function* () {
    const { uri: at, time, key, verifyChecksums } = yield* openingOf(uri, options)
    const access = yield* accessOf({ key, verifyChecksums })
    const { names, members } = yield* loadGroup(at, time, access)
    const shown: Array<Member> = []
    const show = (from: number, to: number): void => {
      for (const { uri: item, type, name, relative } of members.slice(from, to)) {
        shown.push(showEntry({ uri: memberUri(at, item, relative), type, name, relative }))
      }
    }
    yield* runSteps(() => inParts(members.length, show, STEP_MEMBERS))
    const group = {
      uri: at,
      time,
      members: shown,
      recorded: names.length > 0,
      verifyChecksums,
    }
    return withKey(showRedacted(group, shownGroup), key)
  }))
