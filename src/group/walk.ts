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
import { type OpenOptions, placeOf } from "../array/open_options.ts"
import { DEEPEST, ls, type ObjectEntry } from "./list_objects.ts"
import { identity } from "./member_uri.ts"
import type { GroupError } from "./open_group.ts"

/** An object that a walk meets. */
export interface Visit extends ObjectEntry {
  /** 1 for what is directly below the start. */
  readonly depth: number
}

/**
 * All arrays and groups below a URI, a group before its members. Every group is entered once, however often it is met, and
 * members that are not there are visited all the same. Costs a `Group.ls` for each group, when the stream comes to it. Fails as
 * that does, but not for groups that are not there.
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
  options: OpenOptions = {},
): Stream.Stream<Visit, GroupError, Storage | Codecs> => {
  const visits = (at: string, depth: number): Effect.Effect<ReadonlyArray<Visit>, GroupError, Storage | Codecs> =>
    Effect.map(ls(at, options), (found) => found.map((entry) => ({ ...entry, depth })))
  const nothing = () => Effect.succeed<ReadonlyArray<Visit>>([])
  return Stream.unwrap(Effect.gen(function* () {
    const start = yield* placeOf(uri)
    const first = yield* visits(start, 1)
    const entered = new Set([identity(start)])
    return Stream.paginateChunkEffect(first, (pending) =>
      Effect.gen(function* () {
        // up to and including the next group to enter: one listing a step
        const at = pending.findIndex((v) => v.type === "group" && v.depth < DEEPEST && !entered.has(identity(v.uri)))
        if (at < 0) return [Chunk.unsafeFromArray(pending), Option.none<ReadonlyArray<Visit>>()]
        const group = pending[at]
        entered.add(identity(group.uri))
        const found = yield* Effect.catchTags(visits(group.uri, group.depth + 1), {
          ArrayNotFound: nothing,
          NotFound: nothing,
        })
        return [Chunk.unsafeFromArray(pending.slice(0, at + 1)), Option.some([...found, ...pending.slice(at + 1)])]
      }))
  }))
}
