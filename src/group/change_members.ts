/**
 * Adds and removes members of groups. Changes that are made together become one file in `__group`.
 *
 * A file of version 2 contains only the changes. Engines from 2.15 to 2.18 write it, and all later ones replay it, so
 * concurrent changes do not undo each other. Groups of version 1 (before 2.15) continue with complete member lists,
 * since engines do not combine files of both versions.
 *
 * Format: `group.md`.
 */
import * as Effect from "effect/Effect"
import { failOn } from "../../platform/attempt.ts"
import type { Codecs } from "../../platform/codecs/service.ts"
import type { NotFound, StorageError } from "../../platform/errors.ts"
import type { Storage } from "../../platform/storage/service.ts"
import { runSteps, turnIfDue, withTurns } from "../../platform/host/event_loop_turns.ts"
import { GroupDetails, type GroupMember } from "../../schema/group.ts"
import { GROUP_FOLDER } from "../../schema/name/array_paths.ts"
import { innerPathFault } from "../../schema/name/inner_path.ts"
import { formatName } from "../../schema/name/timestamped_name.ts"
import { CURRENT_VERSION } from "../../schema/version/version.ts"
import { type ChangeOptions, changingOf } from "../array/create/change_options.ts"
import { createStructure, type StoreError } from "../array/create/create_structure.ts"
import { type ArrayNotFound, type InvalidOption, WriteError, type WriteReason } from "../array/open/errors.ts"
import { join, withoutSlash } from "../array/open/listing.ts"
import { momentAfter, newerOf, type Newest, newestOf, waitUntil } from "../array/create/write_time.ts"
import { newUuid } from "../array/create/fragment_name.ts"
import { accessOf } from "../array/open/open.ts"
import { attemptOptions, checkNames, type Refuse, refuseFor } from "../array/open/open_options.ts"
import { inParts } from "../kernel/steps.ts"
import type { TileError } from "../tile/attempt.ts"
import { identity, memberUri } from "./member_uri.ts"
import { kindAt, type ObjectKind } from "./object_type.ts"
import { isWhole, loadGroup, memberKey, type TileGroup } from "./open_group.ts"

/** A member to be added. */
export interface NewMember {
  /** URI or absolute path of the member; with `relative`, its path relative to the group. */
  readonly uri: string
  /** Name of the member in the group. A member without a name is identified by its URI. */
  readonly name?: string
  /** Whether `uri` is relative to the group, so that the member moves with the group. Default: false. */
  readonly relative?: boolean
  /** Kind of the member. Default: the kind of the object at its URI. */
  readonly type?: ObjectKind
}

/** Members to be added and removed together. */
export interface MemberChanges {
  /** Members to add. A member replaces an existing one of the same name. */
  readonly add?: ReadonlyArray<NewMember>
  /** Members to remove, by their names or URIs. The objects themselves stay. */
  readonly remove?: ReadonlyArray<string>
}

/** Errors of changing members. */
export type ChangeMembersError =
  | InvalidOption
  | WriteError
  | ArrayNotFound
  | NotFound
  | StorageError
  | TileError
  | StoreError

/** Returns a member's URI in the form that engines store: paths as `file://`. */
const storedUri = (uri: string, relative: boolean): string =>
  withoutSlash(!relative && uri.startsWith("/") ? `file://${uri}` : uri)

/** Returns whether a URI is absolute. */
const isWholeUri = (uri: string): boolean => uri.startsWith("/") || /^[A-Za-z][A-Za-z0-9+.-]*:\/\//.test(uri)

/** Returns why a member is invalid, without looking at the object at its URI; `undefined` if it is valid. */
const memberFault = ({ uri, name, relative = false }: NewMember): string | undefined => {
  if (typeof uri !== "string" || uri === "") return "a member has a path or URI, as text"
  if (relative && isWholeUri(uri)) return "a relative URI starts at the group; give it without relative"
  const fault = relative ? innerPathFault(uri, "member") : undefined
  if (fault !== undefined) return `the relative URI ${fault}`
  if (!relative && !isWholeUri(uri)) {
    return "this is not a complete path or URI; pass one, or relative: true for a path inside the group"
  }
  return name === "" ? "a name has at least one letter; omit it for a member without a name" : undefined
}

/** Converts members to stored form. Determines missing types from the storage. */
const membersOf = (
  group: string,
  added: ReadonlyArray<NewMember>,
): Effect.Effect<ReadonlyArray<GroupMember>, WriteError | StorageError, Storage> =>
  Effect.gen(function* () {
    const refuse = (reason: WriteReason, { uri, name }: NewMember, detail: string) =>
      new WriteError({ uri: group, field: name ?? String(uri), reason, detail })
    const types: Array<ObjectKind | undefined> = []
    const unknown: Array<number> = []
    yield* inStepsOr(added.length, (i) => {
      const fault = memberFault(added[i])
      if (fault !== undefined) throw refuse("InvalidName", added[i], fault)
      if ((types[i] = added[i].type) === undefined) unknown.push(i)
    })
    const find = (i: number) => {
      const at = memberUri(group, added[i].uri, added[i].relative ?? false)
      return Effect.flatMap(kindAt(at), (objectKind) => {
        if (objectKind === undefined) {
          return Effect.fail(
            refuse("Missing", added[i], `there is no array or group at ${at}; give its type if it is to come later`),
          )
        }
        types[i] = objectKind
        return turnIfDue
      })
    }
    yield* Effect.forEach(unknown, find, { concurrency: 16, discard: true })
    const out: Array<GroupMember> = []
    yield* inStepsOr(added.length, (i) => {
      const { uri, name, relative = false } = added[i]
      const type = types[i]!
      if (type !== "array" && type !== "group") {
        throw refuse("WrongType", added[i], `a member is an array or a group, not ${type}`)
      }
      out.push({ version: 2, type, relative, uri: storedUri(uri, relative), name: name ?? null, deleted: false })
    })
    return out
  })

/** Runs a loop in steps; a `WriteError` that it throws becomes the error of the Effect. */
const inStepsOr = (n: number, body: (i: number) => void): Effect.Effect<void, WriteError> =>
  runSteps(
    () =>
      inParts(n, (from, to) => {
        for (let i = from; i < to; i++) body(i)
      }, STEP_MEMBERS),
    failOn(WriteError),
  )

/** Number of members between two yields. */
const STEP_MEMBERS = 1024

/** Returns a function that finds a member by name or URI. It throws WriteError. */
const memberFinder = (
  group: string,
  members: ReadonlyArray<GroupMember>,
): (requested: string) => GroupMember => {
  const byKey = new Map<string, GroupMember>()
  for (const member of members) if (!byKey.has(memberKey(member))) byKey.set(memberKey(member), member)
  let places: Map<string, Array<GroupMember>> | undefined
  /** members by location; computed only if a name is not found */
  const byPlace = (): Map<string, Array<GroupMember>> => {
    if (places !== undefined) return places
    places = new Map()
    for (const member of members) {
      const place = identity(memberUri(group, member.uri, member.relative))
      const there = places.get(place)
      if (there === undefined) places.set(place, [member])
      else there.push(member)
    }
    return places
  }
  return (requested) => {
    const refuse = (reason: WriteReason, detail: string): never => {
      throw new WriteError({ uri: group, field: requested, reason, detail })
    }
    const named = byKey.get(requested)
    if (named !== undefined) return named
    const at = new Set([identity(memberUri(group, requested, false)), identity(memberUri(group, requested, true))])
    const there = [...at].flatMap((place) => byPlace().get(place) ?? [])
    if (there.length === 1) return there[0]
    return there.length === 0
      ? refuse("UnknownName", "the group has no member of this name or URI")
      : refuse("Duplicate", "several members have this URI; remove them by their names")
  }
}

const checkChanges = (changes: MemberChanges, refuse: Refuse): MemberChanges => {
  checkNames(changes, ["add", "remove"] satisfies ReadonlyArray<keyof MemberChanges>, refuse)
  for (const name of ["add", "remove"] as const) {
    if (changes[name] !== undefined && !Array.isArray(changes[name])) refuse(name, "give a list of members")
  }
  return changes
}

/** Changes the members of a group. */
export const changeMembers = (
  group: TileGroup | string,
  changes: MemberChanges,
  options: ChangeOptions = {},
): Effect.Effect<void, ChangeMembersError, Storage | Codecs> =>
  withTurns(Effect.gen(function* () {
    const { uri, time, key } = yield* changingOf(group, options)
    const { add = [], remove = [] } = yield* attemptOptions(() => checkChanges(changes, refuseFor(uri)))
    const access = yield* accessOf({ key, verifyChecksums: true })
    // a change without an explicit time follows all existing ones
    const { names, members } = yield* loadGroup(uri, { start: 0, end: time === undefined ? Infinity : time[1] }, access)
    const changed = new Map<string, GroupMember>()
    const change = (member: GroupMember): void => {
      const key = memberKey(member)
      if (changed.has(key)) {
        throw new WriteError({ uri, field: key, reason: "Duplicate", detail: "it is added or removed twice" })
      }
      changed.set(key, member)
    }
    if (remove.length > 0) {
      const findMember = memberFinder(uri, members)
      yield* inStepsOr(remove.length, (i) => change({ ...findMember(remove[i]), version: 2, deleted: true }))
    }
    const added = yield* membersOf(uri, add)
    yield* inStepsOr(added.length, (i) => change(added[i]))
    if (changed.size === 0) {
      return
    }

    const newest = names[names.length - 1]
    const whole = newest !== undefined && isWhole(newest)
    const after = () => new Map([...members.map((member) => [memberKey(member), member] as const), ...changed])
    const details: GroupDetails = whole
      ? { version: 1, members: [...after().values()].filter((m) => !m.deleted).map((m) => ({ ...m, version: 1 })) }
      : { version: 2, members: [...changed.values()] }
    const before = names.reduce(
      (last: Newest | undefined, timestampedName) => newerOf(last, newestOf(timestampedName)),
      undefined,
    )
    const moment = time ?? (yield* momentAfter(uri, before))
    const name = formatName(...moment, yield* newUuid, whole ? undefined : 2)
    if (time === undefined) yield* waitUntil(moment)
    yield* createStructure(access, join(uri, GROUP_FOLDER, name), GroupDetails, details, CURRENT_VERSION)
  }))
