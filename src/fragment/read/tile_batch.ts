/**
 * Observes reads of tiles: each batch is a span, and its tiles are counted.
 */
import * as Effect from "effect/Effect"
import { addToMetrics } from "../../../platform/observability/counts.ts"
import { countFragments, tracedBatch } from "../../../platform/observability/spans.ts"
import type { Field } from "../field.ts"
import type { Fragment } from "../fragment.ts"

/** Runs a read of `tiles` data tiles of a field in a span `tessera.readTiles`. */
export const tileBatch =
  (fragment: Fragment, field: Field, tiles: number) =>
  <A, E, R>(read: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    tiles === 0
      ? read
      : Effect.zipLeft(read, Effect.zipRight(addToMetrics({ tilesDecoded: tiles }), countFragments([fragment]))).pipe(
        tracedBatch("readTiles", () => ({ fragment: fragment.name.name, field: field.name, tiles })),
      )
