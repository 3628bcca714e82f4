/**
 * Streams outside Effect.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"

/** How a stream is run. */
export interface RunOptions {
  /** Ends the run when it is aborted: requests in flight are given up, and the loop throws the signal's reason. */
  readonly signal?: AbortSignal
}

/** Fails once a signal is aborted, with its reason. */
const aborted = (signal: AbortSignal): Effect.Effect<never, unknown> =>
  Effect.async((resume) => {
    const fail = () => resume(Effect.fail(signal.reason))
    if (signal.aborted) return fail()
    signal.addEventListener("abort", fail, { once: true })
    return Effect.sync(() => signal.removeEventListener("abort", fail))
  })

/**
 * A stream for `for await`: what it needs comes from `layer`, and is closed when the loop ends, however it ends; what is
 * under way is interrupted. The loop throws the stream's own tagged errors. While it works on an element, the next is made,
 * and no more.
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
  { signal }: RunOptions = {},
): AsyncIterable<A> => {
  const whole = Stream.provideLayer(stream, layer)
  if (signal === undefined) return Stream.toAsyncIterable(whole)
  const run = Stream.toAsyncIterable(Stream.interruptWhen(whole, aborted(signal)))
  return {
    [Symbol.asyncIterator]: () => {
      const iterator = run[Symbol.asyncIterator]()
      return {
        // what was made before the signal is not handed out after it
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
 * A stream as a `ReadableStream` of the web: for a `Response`, for `pipeThrough` and `pipeTo`, for a worker that takes it.
 * Nothing is made before somebody reads, and no more than one element ahead. What it needs comes from `layer`, and is closed
 * when the stream ends, however it ends; cancelling it interrupts what is under way, and so does the `signal`: requests in
 * flight are given up. Reading rejects with the stream's own tagged errors, or with the signal's reason.
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
  let iterator: AsyncIterator<A> | undefined
  return new ReadableStream<A>({
    pull: async (controller) => {
      iterator ??= toAsyncIterable(stream, layer, options)[Symbol.asyncIterator]()
      const next = await iterator.next()
      if (next.done === true) controller.close()
      else controller.enqueue(next.value)
    },
    cancel: async () => {
      await iterator?.return?.()
    },
  }, { highWaterMark: 0 })
}
