/**
 * Tasks of a plan: plain values that other processes can run. One JSON line describes one task.
 *
 * @module
 */
import * as Schema from "effect/Schema"

/** A task: combines fragments into one. */
export interface ConsolidationTask {
  /** Version of the JSON form: 1. */
  readonly version: 1
  /** The kind of files to combine. */
  readonly mode: "fragments"
  /** Names of the fragments to combine, oldest first. */
  readonly fragments: ReadonlyArray<string>
  /** Whether deleted cells are omitted. */
  readonly purgeDeleted: boolean
  /** Size in bytes at which the result continues in another fragment; `null` for no limit. */
  readonly maxFragmentSize: number | null
  /** Size of the fragments in bytes. */
  readonly bytes: number
}

const Name = Schema.String.pipe(Schema.pattern(/^__[0-9a-f_]{1,120}$/))

/**
 * The schema of a task.
 *
 * ```ts
 * import { TileArray } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 * import * as Schema from "effect/Schema"
 *
 * const json = { version: 1, mode: "fragments", fragments: ["__1_1_0a_22", "__2_2_0b_22"], bytes: 9 }
 * const text = JSON.stringify({ ...json, purgeDeleted: false, maxFragmentSize: null })
 * assertEquals(Schema.decodeSync(Schema.parseJson(TileArray.ConsolidationTask))(text).fragments.length, 2)
 * ```
 */
export const ConsolidationTask: Schema.Schema<ConsolidationTask> = Schema.Struct({
  version: Schema.Literal(1),
  mode: Schema.Literal("fragments"),
  fragments: Schema.Array(Name).pipe(Schema.minItems(2)),
  purgeDeleted: Schema.Boolean,
  maxFragmentSize: Schema.NullOr(Schema.Positive),
  bytes: Schema.NonNegative,
})

/** Returns the first fragment that two tasks have in common; `undefined` if the tasks do not overlap. */
export const repeatedFragment = (tasks: ReadonlyArray<ConsolidationTask>): string | undefined => {
  const names = new Set<string>()
  for (const { fragments } of tasks) {
    for (const name of fragments) {
      if (names.has(name)) return name
      names.add(name)
    }
  }
  return undefined
}
