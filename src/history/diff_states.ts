/**
 * Opens the two states of an array that a comparison reads.
 */
import * as Effect from "effect/Effect"
import type { Codecs } from "../../platform/codecs/service.ts"
import type { Storage } from "../../platform/storage/service.ts"
import { makeBoundedCache } from "../kernel/bounded_cache.ts"
import { resolveTags } from "../array/metadata/tag_times.ts"
import type { AnyTileArray } from "../array/open/handle.ts"
import { openArrayWithin, type OpenedArray, type OpenError, reopenArray } from "../array/open/open.ts"
import {
  attemptOptions,
  checkNames,
  millis,
  type Opening,
  openingOf,
  type OpenOptions,
  placeOf,
  refuseFor,
  type TimeInput,
} from "../array/open/open_options.ts"
import type { TileGroup } from "../group/open_group.ts"
import { addressOf } from "./address.ts"
import { loadItems } from "./tags.ts"

/** Name of the option of the earlier time. */
const FROM = "from"

/** The two times of a comparison. */
export interface DiffOptions {
  /** The earlier time; its writes are included. A time in any form, or a named time: `"tag:release-1"`. */
  readonly from: TimeInput
  /** The later time; its writes are included. Default: now. */
  readonly to?: TimeInput
  /** The AES-256-GCM key of an encrypted array. Not required for an array that was opened with its key. */
  readonly key?: OpenOptions["key"]
}

/** The two validated times. */
export interface DiffTimes {
  readonly uri: string
  readonly key: Opening["key"]
  readonly from: number
  readonly to: number
}

/** Validates the options of a comparison; `more` lists the names of options that the caller validates. */
export const diffTimes = (
  target: AnyTileArray | TileGroup | string,
  options: DiffOptions,
  more: ReadonlyArray<string> = [],
): Effect.Effect<DiffTimes, OpenError, Storage | Codecs> =>
  Effect.gen(function* () {
    yield* attemptOptions(() => checkNames(options, ["to", "key", FROM, ...more], refuseFor(target)))
    const { uri: place, key: chosen } = addressOf(target, options.key)
    const uri = yield* placeOf(place)
    const { from, to } = yield* resolveTags(uri, { to: options.to, from: options.from }, chosen, loadItems)
    const refuse = refuseFor(uri)
    const start = yield* attemptOptions(() =>
      millis(FROM, from, refuse) ?? refuse(FROM, "pass the earlier time of the comparison")
    )
    const opening = yield* openingOf(uri, chosen === undefined ? {} : { key: chosen })
    const end = yield* attemptOptions(() => {
      const end = millis("to", to, refuse) ?? Math.max(opening.time.end, start)
      if (start > end) {
        refuse(FROM, `${start} is later than to, ${end}; exchange them`, undefined, { reason: "Conflict" })
      }
      return end
    })
    return { uri, key: opening.key, from: start, to: end }
  })

/** The two states of an array. */
export interface DiffStates {
  readonly before: OpenedArray
  readonly after: OpenedArray
}

/** Opens an array at two times. */
export const openStates = ({ uri, key, from, to }: DiffTimes): Effect.Effect<DiffStates, OpenError, Storage | Codecs> =>
  Effect.gen(function* () {
    const after = yield* openArrayWithin(makeBoundedCache(), uri, { end: to, ...(key === undefined ? {} : { key }) })
    return { before: yield* reopenArray(after, { end: from }), after }
  })

/** Returns the names of the fragments of one state whose cells the other one does not show in the same way. */
export const changedFragments = ({ before, after }: DiffStates): ReadonlySet<string> => {
  const names = (array: OpenedArray) => new Set(array.fragments.map(({ name }) => name.name))
  const [old, current] = [names(before), names(after)]
  // of a consolidated fragment, an earlier state shows only the earlier cells
  const filtered = before.fragments.filter(({ name }) => name.end > before.time.end).map(({ name }) => name.name)
  return new Set([
    ...[...old].filter((name) => !current.has(name)),
    ...[...current].filter((name) => !old.has(name)),
    ...filtered,
  ])
}
