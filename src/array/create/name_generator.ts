/**
 * The service that makes the names of fragments, commits, schemas and metadata unique and ordered.
 *
 * @module
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { toHex } from "../../../schema/array/scalar.ts"

/** The time and the digits of one name. */
export interface NameStamp {
  /** Milliseconds since 1970. */
  readonly time: number
  /** 32 lower-case hex digits. */
  readonly uuid: string
}

/** Creates the time and the digits of names. */
export interface NameGenerator {
  /** Creates the next stamp. Its digits sort after those of all earlier stamps of this generator. */
  readonly next: Effect.Effect<NameStamp>
}

/** Maximum number of stamps that a generator creates for one millisecond; further stamps get the next millisecond. */
const MAX_NAMES_PER_MILLISECOND = 2 ** 20
const MAX_MILLISECOND = 2 ** 32 * 1000 - 1

const digits = (n: number, length: number): string => n.toString(16).padStart(length, "0")

/**
 * Creates a generator that uses Effect's clock. The 32 digits are: eight digits of the seconds since 1970, three of the
 * milliseconds, five of a counter, and sixteen random ones.
 *
 * ```ts
 * import { makeNameGenerator } from "@tessera/array"
 * import { assert } from "@std/assert"
 * import * as Effect from "effect/Effect"
 *
 * const { next } = makeNameGenerator()
 * const [first, second] = Effect.runSync(Effect.all([next, next]))
 * assert(first.uuid < second.uuid)
 * ```
 */
export const makeNameGenerator = (): NameGenerator => {
  let millisecond = 0
  let counter = 0
  const uuidAt = (clock: number): string => {
    const now = Math.min(clock, MAX_MILLISECOND)
    // ignore a clock that was set back
    if (now > millisecond) {
      millisecond = now
      counter = 0
    } else if (++counter === MAX_NAMES_PER_MILLISECOND) {
      millisecond++
      counter = 0
    }
    const random = toHex(crypto.getRandomValues(new Uint8Array(8)))
    return digits(Math.floor(millisecond / 1000), 8) + digits(millisecond % 1000, 3) + digits(counter, 5) + random
  }
  return { next: Effect.map(Clock.currentTimeMillis, (time) => ({ time, uuid: uuidAt(time) })) }
}

/** The type of {@link NameGenerator} as a service. */
export type NameGeneratorTag = Context.ReferenceClass<NameGenerator, "@tessera/array/NameGenerator", NameGenerator>

/**
 * The service that names new files. Programs need not provide it: the default is one generator for all operations of a
 * process, so that its writes within one millisecond stay in order. Tests provide their own for fixed names.
 *
 * ```ts
 * import { ArraySchema, Attr, Dim, layerMemory, layerNative, NameGenerator, TileArray } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 * import * as Layer from "effect/Layer"
 *
 * const fixed: NameGenerator = { next: Effect.succeed({ time: 1700000000000, uuid: "0".repeat(32) }) }
 * const Line = ArraySchema.dense({ dims: { x: Dim.int32([1, 8], { tile: 4 }) }, attrs: { a: Attr.int32() } })
 * const program = Effect.provideService(TileArray.create("mem://line", Line), NameGenerator, fixed)
 * const { schemaName } = await Effect.runPromise(Effect.provide(program, Layer.merge(layerMemory, layerNative)))
 * assertEquals(schemaName, `__1700000000000_1700000000000_${"0".repeat(32)}`)
 * ```
 */
export const NameGenerator: NameGeneratorTag = Context.Reference<NameGenerator>()("@tessera/array/NameGenerator", {
  defaultValue: makeNameGenerator,
})
