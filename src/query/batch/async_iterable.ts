/**
 * Streams for programs that do not use Effect: async iterables and web streams.
 *
 * @module
 */
import { invalidOption, shownValue } from "../../../platform/errors.ts"
import { checkOptionNames } from "../../../platform/options.ts"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"

/** Options of a stream run. */
export interface RunOptions {
  /**
   * Ends the run when the signal is aborted: requests in flight are cancelled and the loop throws the signal's reason.
   */
  readonly signal?: AbortSignal
}

/** Returns whether a value is an AbortSignal; signals of other realms are accepted. */
const isSignal = (value: unknown): boolean =>
  typeof value === "object" && value !== null && "aborted" in value && "addEventListener" in value

/** Waits until a signal is aborted, then fails with its reason. */
const failOnAbort = (signal: AbortSignal): Effect.Effect<never, unknown> =>
  Effect.async((resume) => {
    const fail = () => resume(Effect.fail(signal.reason))
    if (signal.aborted) return fail()
    signal.addEventListener("abort", fail, { once: true })
    return Effect.sync(() => signal.removeEventListener("abort", fail))
  })

/**
 * Converts a stream to an async iterable for `for await`. `layer` provides the services of the stream. When the loop
 * ends for any reason, running work is interrupted and the services are released. The loop throws the stream's own
 * tagged errors. While the loop body works on one element, the next one is prepared, and no more than one.
 *
 * ```ts
 * import { Dense, layerDefault, TileArray, toAsyncIterable } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 * import * as Schema from "effect/Schema"
 *
 * const Reading = Schema.Struct({ station: Schema.Number, temperature: Schema.Number })
 * const readings = TileArray.open("tests/golden/demo/weather").pipe(
 *   Effect.flatMap((a) => Dense.read(a, { select: ["station", "temperature"], region: { day: 60, station: [1, 2] } })),
 *   Dense.rows(Reading),
 * )
 * const found: Array<typeof Reading.Type> = []
 * for await (const reading of toAsyncIterable(readings, layerDefault)) found.push(reading)
 * assertEquals(found, [{ station: 1, temperature: 7.5 }, { station: 2, temperature: 8 }])
 * ```
 */
export const toAsyncIterable = <A, E, R, E2>(
  stream: Stream.Stream<A, E, R>,
  layer: Layer.Layer<R, E2>,
  options: RunOptions = {},
): AsyncIterable<A> => {
  checkOptionNames(options, ["signal"] satisfies Array<keyof RunOptions>)
  const { signal } = options
  if (signal !== undefined && !isSignal(signal)) {
    throw invalidOption("", "signal", `${shownValue(signal)} is invalid; expected an AbortSignal`, signal)
  }
  const whole = Stream.provideLayer(stream, layer)
  if (signal === undefined) return Stream.toAsyncIterable(whole)
  const run = Stream.toAsyncIterable(Stream.interruptWhen(whole, failOnAbort(signal)))
  return {
    [Symbol.asyncIterator]: () => {
      const iterator = run[Symbol.asyncIterator]()
      return {
        // do not return an element that was prepared before the abort
        next: async () => {
          if (!signal.aborted) return iterator.next()
          await iterator.return!()
          throw signal.reason
        },
        return: () => iterator.return!(),
      }
    },
  }
}

/**
 * Converts a stream to a web `ReadableStream`, for a `Response`, for `pipeThrough` and `pipeTo`, or for transfer to a
 * worker. Elements are prepared on demand, at most one ahead. `layer` provides the services of the stream; they are
 * released when the stream ends for any reason. Cancelling the stream, or aborting `signal`, interrupts running work
 * and cancels requests in flight. Reads reject with the stream's own tagged errors, or with the signal's reason.
 *
 * ```ts
 * import { Cells, layerDefault, Sparse, TileArray, toReadableStream } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 * import * as Stream from "effect/Stream"
 *
 * const places = TileArray.open("tests/support/quakes").pipe(
 *   Stream.flatMap((array) => Sparse.stream(array, { select: ["place"], order: "row" })),
 *   Stream.map(({ columns }) => Cells.texts(columns.place).join("\n") + "\n"),
 * )
 * const body = toReadableStream(places, layerDefault).pipeThrough(new TextEncoderStream())
 * assertEquals(await new Response(body).text(), "Crete\nNiigata\nTōhoku\n")
 * ```
 */
export const toReadableStream = <A, E, R, E2>(
  stream: Stream.Stream<A, E, R>,
  layer: Layer.Layer<R, E2>,
  options: RunOptions = {},
): ReadableStream<A> => {
  const iterable = toAsyncIterable(stream, layer, options)
  let iterator: AsyncIterator<A> | undefined
  return new ReadableStream<A>({
    pull: async (controller) => {
      iterator ??= iterable[Symbol.asyncIterator]()
      const next = await iterator.next()
      if (next.done === true) controller.close()
      else controller.enqueue(next.value)
    },
    cancel: async () => {
      await iterator?.return?.()
    },
  }, { highWaterMark: 0 })
}
