/**
 * Visiting everything below a URI, one object after the other.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Chunk from "effect/Chunk"
import * as Stream from "effect/Stream"
import type { Codecs } from "../../platform/codecs.ts"
import type { Storage } from "../../platform/storage.ts"
import {
  DEEPEST,
  type ListingAt,
  listingOf,
  type ListOptions,
  lsWithin,
  type ObjectEntry,
  within,
} from "./list_objects.ts"
import { identity } from "./member_uri.ts"
import type { GroupError } from "./open_group.ts"

/** An object that a walk meets. */
export interface Visit extends ObjectEntry {
  /** 1 for what is directly below the start. */
  readonly depth: number
}

/** A visit that was not made yet, and the listing that it came from. */
interface Pending {
  readonly visit: Visit
  readonly listing: ListingAt
}

/**
 * All arrays and groups below a URI, a group before its members. Every group is entered once, however often it is met, and
 * members that are not there are visited all the same. Costs a `Group.ls` for each group, when the stream comes to it. Fails as
 * that does, but not for groups that are not there. Visits with `foreign` are not entered: a group from the network leads to its
 * own origin and to what `allow` lists, see {@link ListOptions}.
 *
 * ```ts
 * import { Group, layerMemory, layerNative } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 * import * as Layer from "effect/Layer"
 * import * as Stream from "effect/Stream"
 *
 * const program = Effect.gen(function* () {
 *   yield* Group.create("mem://all")
 *   yield* Group.create("mem://all/some")
 *   yield* Group.add("mem://all", { uri: "some", relative: true, name: "some" })
 *   yield* Group.add("mem://all/some", { uri: "mem://all", name: "back" }) // a circle
 *   return yield* Stream.runCollect(Group.walk("mem://all"))
 * })
 * const visits = await Effect.runPromise(Effect.provide(program, Layer.merge(layerMemory, layerNative)))
 * assertEquals(Array.from(visits, ({ name, depth }) => [name, depth]), [["some", 1], ["back", 2]])
 * ```
 */
export const walk = (
  uri: string,
  options: ListOptions = {},
): Stream.Stream<Visit, GroupError, Storage | Codecs> => {
  const visits = (
    at: string,
    listing: ListingAt,
    depth: number,
  ): Effect.Effect<ReadonlyArray<Pending>, GroupError, Storage | Codecs> =>
    Effect.map(lsWithin(at, listing), (found) => found.map((entry) => ({ visit: { ...entry, depth }, listing })))
  const nothing = () => Effect.succeed<ReadonlyArray<Pending>>([])
  const visitsOf = (pending: ReadonlyArray<Pending>) => Chunk.unsafeFromArray(pending.map(({ visit }) => visit))
  return Stream.unwrap(Effect.gen(function* () {
    const { uri: start, ...listing } = yield* listingOf(uri, options)
    const first = yield* visits(start, listing, 1)
    const entered = new Set([identity(start)])
    return Stream.paginateChunkEffect(first, (pending) =>
      Effect.gen(function* () {
        // up to and including the next group to enter: one listing a step
        const at = pending.findIndex(({ visit: v }) =>
          v.type === "group" && v.foreign === undefined && v.depth < DEEPEST && !entered.has(identity(v.uri))
        )
        if (at < 0) return [visitsOf(pending), Option.none<ReadonlyArray<Pending>>()]
        const { visit: group, listing } = pending[at]
        entered.add(identity(group.uri))
        const inside = within(listing, group)
        const found = yield* Effect.catchTags(visits(group.uri, inside, group.depth + 1), {
          ArrayNotFound: nothing,
          NotFound: nothing,
        })
        return [visitsOf(pending.slice(0, at + 1)), Option.some([...found, ...pending.slice(at + 1)])]
      }))
  }))
}
