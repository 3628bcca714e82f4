/**
 * Streams outside Effect.
 *
 * @module
 */
import type * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"

/**
 * A stream for `for await`: what it needs comes from `layer`, and is closed when the loop ends, however it ends; what is
 * under way is interrupted. The loop throws the stream's own tagged errors. Elements are made when they are asked for.
 *
 * ```ts
 * import { Dense, layerDefault, TileArray, toAsyncIterable } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 * import * as Schema from "effect/Schema"
 *
 * const Reading = Schema.Struct({ station: Schema.Number, temperature: Schema.Number })
 * const readings = TileArray.open("tests/golden/demo/weather").pipe(
 *   Effect.flatMap((a) => Dense.read(a, { select: ["station", "temperature"], ranges: { day: 60, station: [1, 2] } })),
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
): AsyncIterable<A> => Stream.toAsyncIterable(Stream.provideLayer(stream, layer))
