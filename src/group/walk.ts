/**
 * Visits everything below a URI, one object at a time.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Chunk from "effect/Chunk"
import * as Stream from "effect/Stream"
import { tracedStream } from "../../platform/observability/spans.ts"
import type { Codecs } from "../../platform/codecs/service.ts"
import { following } from "../../platform/storage/http/origin.ts"
import type { Storage } from "../../platform/storage/service.ts"
import {
  type ListingAt,
  listingOf,
  type ListOptions,
  lsWithin,
  MAX_DEPTH,
  MAX_GROUPS,
  type ObjectEntry,
  within,
} from "./list_objects.ts"
import { identity } from "./member_uri.ts"
import type { GroupError } from "./open_group.ts"

/** An object that a walk visits. */
export interface Visit extends ObjectEntry {
  /** 1 for objects directly below the start. */
  readonly depth: number
}

/** A visit that is still to be made, and the listing that contains the object. */
interface Pending {
  readonly visit: Visit
  readonly listing: ListingAt
}

/**
 * Streams all arrays and groups below a URI, each group before its members. Every group is entered once, however often
 * it occurs, and at most 100,000 groups in total; missing members are visited too. Takes a `Group.ls` for each group,
 * on demand. Fails as `Group.ls` does, except for missing groups. Visits with `foreign` are not entered: their origin
 * is not allowed, see {@link ListOptions}.
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
): Stream.Stream<Visit, GroupError, Storage | Codecs> =>
  walkOf(uri, options, MAX_GROUPS).pipe(tracedStream("Group.walk", uri))

/** Like {@link walk}, with another maximum number of groups. */
export const walkOf = (
  uri: string,
  options: ListOptions,
  max: number,
): Stream.Stream<Visit, GroupError, Storage | Codecs> => {
  const visits = (
    at: string,
    listing: ListingAt,
    depth: number,
  ): Effect.Effect<ReadonlyArray<Pending>, GroupError, Storage | Codecs> =>
    Effect.map(
      lsWithin(at, listing),
      (objectEntries) => objectEntries.map((entry) => ({ visit: { ...entry, depth }, listing })),
    )
  const noObjects = () => Effect.succeed<ReadonlyArray<Pending>>([])
  return Stream.unwrap(Effect.gen(function* () {
    const { uri: start, ...listing } = yield* listingOf(uri, options, max)
    // a stack: the next visit is the last item
    const pending = (yield* visits(start, listing, 1)).toReversed()
    const entered = new Set([identity(start)])
    return Stream.paginateChunkEffect(undefined, () =>
      Effect.gen(function* () {
        const met: Array<Visit> = []
        // emit visits up to and including the next group to enter, so that each step takes one listing
        for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
          const { visit, listing } = next
          met.push(visit)
          if (visit.type !== "group" || visit.foreign !== undefined || visit.depth >= MAX_DEPTH) continue
          const id = identity(visit.uri)
          if (entered.has(id) || entered.size >= listing.maxGroups) continue
          entered.add(id)
          const pendings = yield* Effect.catchTags(
            following(visits(visit.uri, within(listing, visit), visit.depth + 1)),
            {
              ArrayNotFound: noObjects,
              NotFound: noObjects,
            },
          )
          for (let i = pendings.length - 1; i >= 0; i--) pending.push(pendings[i])
          return [Chunk.unsafeFromArray(met), Option.some(undefined)]
        }
        return [Chunk.unsafeFromArray(met), Option.none<undefined>()]
      }))
  }))
}
