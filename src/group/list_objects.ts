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

/** How to list objects, and which of them to follow. */
export interface ListOptions extends OpenOptions {
  /**
   * Where groups that came over the network may lead, besides their own origin: origins such as `"https://data.example"`
   * or `"s3://bucket"`, and schemes such as `"file:"` or `"https:"`. Default: nowhere. Local groups may lead anywhere.
   */
  readonly allow?: ReadonlyArray<string>
}

/** An array or a group. */
export interface ObjectEntry {
  /** URI of the object. */
  readonly uri: string
  /** Kind of the object. */
  readonly type: ObjectKind
  /** Its name in the group, or in the folder; `null` for a member without a name. */
  readonly name: string | null
  /** Set if a group from the network names an object that it may not lead to; see {@link ListOptions.allow}. */
  readonly foreign?: true
}

/** An object with its descendants. */
export interface ObjectTree extends ObjectEntry {
  /** Empty for arrays. */
  readonly children: ReadonlyArray<ObjectTree>
  /**
   * Why children are missing: the group was listed before, is missing, needs another key, or its storage does not
   * respond. `"foreign"`: the object was not opened, because a group from the network names it and may not lead there;
   * see {@link ListOptions.allow}. `"limit"`: 100,000 groups were opened before.
   */
  readonly cut?: "seen" | "missing" | "locked" | "unreachable" | "foreign" | "limit"
}

/** Groups in groups in groups: no deeper than this, since links can make a folder its own child. */
export const DEEPEST = 64

/**
 * No more groups than these are opened for one tree or walk: two links of a folder to itself make 2^40 paths of it, and a
 * server can invent groups without end.
 */
export const MAX_GROUPS = 100_000

/** The arrays and groups directly in a folder. */
const listFolder = (uri: string): Effect.Effect<ReadonlyArray<ObjectEntry>, StorageError, Storage> =>
  Effect.gen(function* () {
    const storage = yield* Storage
    const folders = (yield* storage.list(uri)).filter((e) => e.kind === "folder")
    const types = yield* Effect.forEach(folders, (e) =>
      // a folder that may not be entered (`lost+found`) does not keep us from its neighbours
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
 * The members of a group, or the arrays and groups directly in a folder. A group from before TileDB 2.8 is listed as the
 * folder that it is. Nothing is below an array. Costs a listing, of a group what opening it costs, of another folder a listing
 * of each folder in it. Fails with `ArrayNotFound` if there is nothing at the URI, and else as `Group.open` does. Members
 * are not opened; those that a group from the network may not lead to are marked `foreign`.
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
  /** Whether this object, or one that led to it, was loaded over the network. */
  readonly remote: boolean
  /** Maximum number of groups that are opened. */
  readonly maxGroups: number
}

/** Checks the options of a listing that starts at a URI. */
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

/** The listing of an object that was met in another. */
export const within = (listing: ListingAt, { uri }: ObjectEntry): ListingAt => ({
  ...listing,
  remote: listing.remote || isRemote(uri),
})

/** {@link ls} on the way from where a listing started. */
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
    yield* runSteps(() => inParts(group.members.length, show, STEP))
    return out
  }))

/** Members between two yields. */
const STEP = 256

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
    if (seen.has(id) || depth >= DEEPEST) return showEntry({ ...entry, children: [], cut: "seen" })
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
 * Returns everything below a URI, nested. Children are omitted, with the reason in `cut`, for a group listed before
 * (groups may form cycles), beyond 64 levels, after the first 100,000 groups, and for groups that cannot be opened.
 * Takes an {@link ls} for each group. Fails as {@link ls} of the URI itself does, and for groups with damaged files.
 *
 * A group from a web server leads to its own origin only. Its members elsewhere – on other servers, in local files –
 * are listed with `cut: "foreign"` and not opened, unless `allow` lists their origin. The same applies to everything
 * below the group.
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

/** As {@link tree}, with another limit. */
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
