/**
 * Lists the arrays and groups directly below a URI, and recursively.
 *
 * @module
 */
import { showEntry } from "../../schema/errors/inspect.ts"
import { redactUri } from "../../schema/errors/redact.ts"
import * as Effect from "effect/Effect"
import { traced } from "../../platform/observability/spans.ts"
import type { Codecs } from "../../platform/codecs/service.ts"
import type { StorageError } from "../../platform/errors.ts"
import { following } from "../../platform/storage/http/origin.ts"
import { Storage } from "../../platform/storage/service.ts"
import { runSteps, turnIfDue, withTurns } from "../../platform/host/event_loop_turns.ts"
import { inParts } from "../kernel/steps.ts"
import { ArrayNotFound } from "../array/open/errors.ts"
import { join } from "../array/open/listing.ts"
import type { InvalidOption } from "../array/open/errors.ts"
import { attemptOptions, openingOf, type OpenOptions, placeOf, refuseFor } from "../array/open/open_options.ts"
import { type AllowedOrigins, checkAllow, isRemote, mayFollow } from "./follow.ts"
import { identity } from "./member_uri.ts"
import { kindAt, kindOfFolder, type ObjectKind } from "./object_type.ts"
import { type GroupError, openGroup } from "./open_group.ts"

/** Options of listing objects. */
export interface ListOptions extends OpenOptions {
  /**
   * Origins and schemes of members that are opened in addition to the origin of their group, for groups loaded over the
   * network: origins such as `"https://data.example"` or `"s3://bucket"`, and schemes such as `"file:"` or `"https:"`.
   * Default: none. Members of local groups may be anywhere.
   */
  readonly allow?: ReadonlyArray<string>
}

/** An array or a group. */
export interface ObjectEntry {
  /** URI of the object. */
  readonly uri: string
  /** Kind of the object. */
  readonly type: ObjectKind
  /** Name in the group or in the folder; `null` for a member without a name. */
  readonly name: string | null
  /** Set for a member of a group from the network whose origin is not allowed; see {@link ListOptions.allow}. */
  readonly foreign?: true
}

/** An object with its descendants. */
export interface ObjectTree extends ObjectEntry {
  /** Empty for arrays. */
  readonly children: ReadonlyArray<ObjectTree>
  /**
   * Why children are missing: the group was listed before, does not exist, requires another key, or its storage does
   * not respond. `"foreign"`: the object is a member of a group from the network, and its origin is not allowed; see
   * {@link ListOptions.allow}. `"limit"`: 100,000 groups were opened before.
   */
  readonly cut?: "seen" | "missing" | "locked" | "unreachable" | "foreign" | "limit"
}

/** Maximum depth of groups in groups: links can make a folder its own child. */
export const MAX_DEPTH = 64

/**
 * Maximum number of groups that are opened for one tree or walk. Two links of a folder to itself make 2^40 paths, and a
 * server can return groups without end.
 */
export const MAX_GROUPS = 100_000

/** Returns the arrays and groups directly inside a folder. */
const listFolder = (uri: string): Effect.Effect<ReadonlyArray<ObjectEntry>, StorageError, Storage> =>
  Effect.gen(function* () {
    const storage = yield* Storage
    const folders = (yield* storage.list(uri)).filter((e) => e.kind === "folder")
    const types = yield* Effect.forEach(folders, (e) =>
      // skip folders without permission (`lost+found`)
      Effect.catchIf(
        kindAt(join(uri, e.name)),
        (error) => error.reason === "Denied",
        () =>
          Effect.as(
            Effect.annotateLogs(Effect.logDebug("a folder is skipped: permission denied"), {
              uri: redactUri(join(uri, e.name)),
            }),
            undefined,
          ),
      ), { concurrency: 16 })
    return folders.flatMap(({ name }, i): ReadonlyArray<ObjectEntry> => {
      const type = types[i]
      return type === undefined ? [] : [showEntry({ uri: join(uri, name), type, name })]
    })
  })

/**
 * Returns the members of a group, or the arrays and groups directly inside a folder. A group from before TileDB 2.8 is
 * listed as a folder; an array has no members. Takes a listing, for a group the requests of opening it, and for another
 * folder a listing of each folder in it. Fails with `ArrayNotFound` if nothing exists at the URI, and otherwise as
 * `Group.open` does. Members are not opened. Members of a group from the network whose origin is not allowed are marked
 * `foreign`.
 *
 * ```ts
 * import { Group, layerMemory, layerNative } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 * import * as Layer from "effect/Layer"
 *
 * const program = Effect.gen(function* () {
 *   yield* Group.create("mem://lab/plates")
 *   return yield* Group.ls("mem://lab")
 * })
 * assertEquals(await Effect.runPromise(Effect.provide(program, Layer.merge(layerMemory, layerNative))), [
 *   { uri: "mem://lab/plates", type: "group", name: "plates" },
 * ])
 * ```
 */
export const ls = (
  uri: string,
  options: ListOptions = {},
): Effect.Effect<ReadonlyArray<ObjectEntry>, GroupError, Storage | Codecs> =>
  Effect.flatMap(listingOf(uri, options), ({ uri, ...listing }) => lsWithin(uri, listing)).pipe(traced("Group.ls", uri))

/** Validated options of a listing, and the objects on the path to it. */
export interface ListingAt {
  readonly options: OpenOptions
  readonly allow: AllowedOrigins
  /** Whether this object, or one on the path to it, was loaded over the network. */
  readonly remote: boolean
  /** Maximum number of groups that are opened. */
  readonly maxGroups: number
}

/** Validates the options of a listing that starts at a URI. */
export const listingOf = (
  uri: string,
  options: ListOptions,
  max: number = MAX_GROUPS,
): Effect.Effect<ListingAt & { readonly uri: string }, InvalidOption> =>
  Effect.gen(function* () {
    const { uri: at } = yield* openingOf(uri, options, ["allow"])
    const { allow, ...opening } = options
    const allowed = yield* attemptOptions(() => checkAllow(allow, refuseFor(at)))
    return { uri: at, options: opening, allow: allowed, remote: isRemote(at), maxGroups: max }
  })

/** Returns the listing of an object that was found in another listing. */
export const within = (listing: ListingAt, { uri }: ObjectEntry): ListingAt => ({
  ...listing,
  remote: listing.remote || isRemote(uri),
})

/** Like {@link ls}, for an object below the start of a listing. */
export const lsWithin = (
  uri: string,
  { options, allow, remote }: ListingAt,
): Effect.Effect<ReadonlyArray<ObjectEntry>, GroupError, Storage | Codecs> =>
  withTurns(Effect.gen(function* () {
    const at = yield* placeOf(uri)
    const storage = yield* Storage
    const entries = yield* storage.list(at)
    if (entries.length === 0) {
      return yield* Effect.fail(
        new ArrayNotFound({
          uri: at,
          reason: "Empty",
          detail: "there is nothing here; check the path and the permission to list it",
        }),
      )
    }
    const kind = kindOfFolder(entries)
    if (kind === "array") return []
    if (kind === undefined) return yield* listFolder(at)
    const group = yield* openGroup(at, options)
    if (!group.recorded) return yield* listFolder(at)
    const out: Array<ObjectEntry> = []
    const show = (from: number, to: number): void => {
      for (const { uri, type, name, relative } of group.members.slice(from, to)) {
        const foreign = mayFollow({ group: at, uri, relative }, remote, allow) ? {} : { foreign: true as const }
        out.push(showEntry({ uri, type, name, ...foreign }))
      }
    }
    yield* runSteps(() => inParts(group.members.length, show, STEP_MEMBERS))
    return out
  }))

/** Number of members between two yields. */
const STEP_MEMBERS = 256

const nodeOf = (
  { foreign, ...entry }: ObjectEntry,
  listing: ListingAt,
  seen: Set<string>,
  depth: number,
): Effect.Effect<ObjectTree, GroupError, Storage | Codecs> =>
  Effect.gen(function* () {
    if (foreign) return showEntry({ ...entry, children: [], cut: "foreign" })
    if (entry.type === "array") return showEntry({ ...entry, children: [] })
    const id = identity(entry.uri)
    if (seen.has(id) || depth >= MAX_DEPTH) return showEntry({ ...entry, children: [], cut: "seen" })
    if (seen.size >= listing.maxGroups) return showEntry({ ...entry, children: [], cut: "limit" })
    seen.add(id)
    const cut = (why: NonNullable<ObjectTree["cut"]>) => () => Effect.succeed(why)
    const inside = within(listing, entry)
    const match = yield* Effect.catchTags(following(lsWithin(entry.uri, inside)), {
      ArrayNotFound: cut("missing"),
      NotFound: cut("missing"),
      DecryptionFailed: cut("locked"),
      StorageError: cut("unreachable"),
    })
    if (typeof match === "string") return showEntry({ ...entry, children: [], cut: match })
    const children: Array<ObjectTree> = []
    for (const child of match) {
      children.push(yield* nodeOf(child, inside, seen, depth + 1))
      yield* turnIfDue
    }
    return showEntry({ ...entry, children })
  })

/**
 * Returns everything below a URI as a tree. Children are omitted, with the reason in `cut`, for a group listed before
 * (groups may form cycles), beyond 64 levels, after the first 100,000 groups, and for groups that cannot be opened.
 * Takes an {@link ls} for each group. Fails as {@link ls} of the URI itself does, and for groups with damaged files.
 *
 * Members of a group from a web server that have another origin – on other servers, in local files – are listed with
 * `cut: "foreign"` and not opened, unless `allow` lists their origin. The same applies to everything below the group.
 *
 * ```ts
 * import { Group, layerMemory, layerNative } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 * import * as Layer from "effect/Layer"
 *
 * const program = Effect.gen(function* () {
 *   yield* Group.create("mem://all")
 *   yield* Group.create("mem://all/some")
 *   yield* Group.add("mem://all", [
 *     { uri: "some", relative: true, name: "some" },
 *     { uri: "mem://gone", type: "group", name: "gone" },
 *   ])
 *   return (yield* Group.tree("mem://all")).map(({ name, cut }) => [name, cut])
 * })
 * assertEquals(await Effect.runPromise(Effect.provide(program, Layer.merge(layerMemory, layerNative))), [
 *   ["gone", "missing"],
 *   ["some", undefined],
 * ])
 * ```
 */
export const tree = (
  uri: string,
  options: ListOptions = {},
): Effect.Effect<ReadonlyArray<ObjectTree>, GroupError, Storage | Codecs> =>
  treeOf(uri, options, MAX_GROUPS).pipe(traced("Group.tree", uri))

/** Like {@link tree}, with another maximum number of groups. */
export const treeOf = (
  uri: string,
  options: ListOptions,
  max: number,
): Effect.Effect<ReadonlyArray<ObjectTree>, GroupError, Storage | Codecs> =>
  withTurns(Effect.gen(function* () {
    const { uri: at, ...listing } = yield* listingOf(uri, options, max)
    const seen = new Set([identity(at)])
    const out: Array<ObjectTree> = []
    for (const entry of yield* lsWithin(at, listing)) {
      out.push(yield* nodeOf(entry, listing, seen, 1))
      yield* turnIfDue
    }
    return out
  }))
