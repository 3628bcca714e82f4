/**
 * New changes of an array or group, as they appear.
 *
 * @module
 */
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import * as Stream from "effect/Stream"
import type { Codecs } from "../../platform/codecs/service.ts"
import { tracedStream } from "../../platform/observability/spans.ts"
import { inFlight, Storage } from "../../platform/storage/service.ts"
import { resolveTags } from "../array/metadata/tag_times.ts"
import type { AnyTileArray } from "../array/open/handle.ts"
import { accessOf } from "../array/open/open.ts"
import {
  attemptOptions,
  checkNames,
  openingOf,
  type OpenOptions,
  refuseFor,
  type TimeInput,
} from "../array/open/open_options.ts"
import type { TileGroup } from "../group/open_group.ts"
import { addressOf } from "./address.ts"
import type { LoggedChange } from "./change.ts"
import { findEntries, type LogError } from "./log.ts"
import { loadItems } from "./tags.ts"

/** Options of a stream of changes. */
export interface ChangesOptions {
  /**
   * Emits existing changes too: those whose last time is this time or later. A time in any form, or a named time:
   * `"tag:release-1"`. Default: only changes that appear after the stream has started.
   */
  readonly since?: TimeInput
  /** When the folders are listed again; the stream ends with the schedule. Default: every second, forever. */
  readonly schedule?: Schedule.Schedule<unknown, void>
  /** The AES-256-GCM key of an encrypted array. Not required for an array that was opened with its key. */
  readonly key?: OpenOptions["key"]
}

/** Milliseconds between two listings. */
const DEFAULT_INTERVAL = 1000

/**
 * Streams the changes of an array or group as they appear, each once, in the order of the listings that contain them; those of
 * one listing are in the order of time. The folders are listed according to `schedule`, and only new files are read. A
 * consolidation is a change of its own; it does not repeat the changes that it combines. What a vacuum removes between
 * two listings is not emitted. Interruption stops the stream.
 *
 * Fails as `TileArray.log` does; also if the array or group does not exist, or no longer.
 *
 * ```ts
 * import { ArraySchema, Attr, Dim, layerMemory, layerNative, Sparse, TileArray } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 * import * as Chunk from "effect/Chunk"
 * import * as Effect from "effect/Effect"
 * import * as Fiber from "effect/Fiber"
 * import * as Layer from "effect/Layer"
 * import * as Schedule from "effect/Schedule"
 * import * as Stream from "effect/Stream"
 *
 * const Log = ArraySchema.sparse({ dims: { x: Dim.uint32([0, 9]) }, attrs: { n: Attr.uint8() } })
 * const program = Effect.gen(function* () {
 *   const array = yield* TileArray.create("mem://log", Log, { at: 500 })
 *   const changes = TileArray.changes("mem://log", { since: 500, schedule: Schedule.spaced("10 millis") })
 *   const fiber = yield* Effect.fork(Stream.runCollect(Stream.take(changes, 2)))
 *   yield* Sparse.write(array, { x: [1], n: [7] }, { at: 1000 })
 *   return Chunk.toReadonlyArray(yield* Fiber.join(fiber)).map(({ kind }) => kind)
 * })
 * const kinds = await Effect.runPromise(Effect.provide(program, Layer.merge(layerMemory, layerNative)))
 * assertEquals(kinds, ["created", "written"])
 * ```
 */
export const changes = (
  target: AnyTileArray | TileGroup | string,
  options: ChangesOptions = {},
): Stream.Stream<LoggedChange, LogError, Storage | Codecs> =>
  Stream.unwrap(Effect.gen(function* () {
    const storage = yield* Storage
    yield* attemptOptions(() => {
      const refuse = refuseFor(target)
      checkNames(options, ["since", "schedule", "key"], refuse)
      if (options.schedule !== undefined && !Schedule.isSchedule(options.schedule)) {
        refuse("schedule", 'this is not a Schedule of Effect; give one, such as Schedule.spaced("1 second")')
      }
    })
    const { uri: place, key: chosen } = addressOf(target, options.key)
    const { since } = yield* resolveTags(place, { since: options.since }, chosen, loadItems)
    const { uri, time, key } = yield* openingOf(place, {
      end: Number.MAX_SAFE_INTEGER,
      ...(since === undefined ? {} : { start: since }),
      ...(chosen === undefined ? {} : { key: chosen }),
    })
    const access = yield* accessOf({ key, verifyChecksums: true })
    const schedule: Schedule.Schedule<unknown, void> = options.schedule ?? Schedule.spaced(DEFAULT_INTERVAL)
    const driver = yield* Schedule.driver(schedule)

    // the changes of the last two listings: a listing may miss a file while its folder changes
    let [seen, earlier]: [ReadonlySet<string> | undefined, ReadonlySet<string>] = [undefined, new Set()]
    const poll = Effect.gen(function* () {
      const entries = yield* findEntries(access, uri)
      const isNew = seen === undefined
        ? ({ end }: { readonly end: number }) => since !== undefined && end >= time.start
        : ({ id }: { readonly id: string }) => !seen!.has(id) && !earlier.has(id)
      const changes = yield* Effect.forEach(entries.filter((entry) => isNew(entry)), ({ load }) => load, {
        concurrency: inFlight(storage, uri, 16),
      })
      earlier = seen ?? earlier
      seen = new Set(entries.map(({ id }) => id))
      return changes
    })
    let isFirst = true
    return Stream.repeatEffectChunkOption(Effect.gen(function* () {
      if (!isFirst) {
        // the schedule has ended
        yield* Effect.mapError(driver.next(undefined), () => Option.none())
      }
      isFirst = false
      return Chunk.unsafeFromArray(yield* Effect.mapError(poll, Option.some))
    }))
  })).pipe(tracedStream("TileArray.changes", target))
