/**
 * Names of consolidated files. They are derived from the inputs, so that the same task always has the same result.
 * Format: `timestamped_name.md`.
 */
import * as Effect from "effect/Effect"
import { Codecs } from "../../../platform/codecs/service.ts"
import { toHex } from "../../../schema/array/scalar.ts"
import { compareNames, formatName, type TimestampedName } from "../../../schema/name/timestamped_name.ts"

const encoder = new TextEncoder()

/** Returns the first and the last time of some names. */
export const spanOf = (names: ReadonlyArray<TimestampedName>): readonly [start: number, end: number] => [
  names.reduce((min, { start }) => Math.min(min, start), Infinity),
  names.reduce((max, { end }) => Math.max(max, end), 0),
]

/**
 * Returns the UUID of the result of a task. It consists of the first half of the newest input's UUID, so that the
 * result has the position of this input among names of the same time, and a hash of the inputs and of `task`.
 */
export const consolidatedUuid = (
  inputs: ReadonlyArray<TimestampedName>,
  task: string,
): Effect.Effect<string, never, Codecs> =>
  Effect.map(Codecs, ({ sha256 }) => {
    const sorted = [...inputs].sort(compareNames)
    const hash = toHex(sha256(encoder.encode([...sorted.map(({ name }) => name), task].join("\n"))))
    return sorted[sorted.length - 1].uuid.slice(0, 16) + hash.slice(0, 16)
  })

/** Returns the name of the result of a task, which spans the times of all inputs. */
export const consolidatedFileName = (
  inputs: ReadonlyArray<TimestampedName>,
  task: string,
  version?: number,
): Effect.Effect<string, never, Codecs> =>
  Effect.map(consolidatedUuid(inputs, task), (uuid) => formatName(...spanOf(inputs), uuid, version))
