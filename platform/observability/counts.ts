/**
 * Counting: adds amounts to the metrics, and to the counts of the current traced operation.
 *
 * @module
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import * as FiberRef from "effect/FiberRef"
import type * as Metric from "effect/Metric"
import * as MetricLabel from "effect/MetricLabel"
import * as metrics from "./metrics.ts"

/** Amounts to count. */
export interface Amounts {
  /** Requests to storage backends; each byte range is one request. */
  readonly requests?: number
  /** Requests that failed. */
  readonly failures?: number
  /** Bytes that backends returned. */
  readonly bytesRead?: number
  /** Bytes that backends stored. */
  readonly bytesWritten?: number
  /** Retried calls. */
  readonly retries?: number
  /** Reads served from a cache. */
  readonly cacheHits?: number
  /** Reads that a cache passed on to the storage. */
  readonly cacheMisses?: number
  /** Data tiles that were decoded. */
  readonly tilesDecoded?: number
  /** Tiles that were skipped because of tile metadata. */
  readonly tilesPruned?: number
}

const metricOf: Readonly<Record<keyof Amounts, Metric.Metric.Counter<number>>> = {
  requests: metrics.requests,
  failures: metrics.failures,
  bytesRead: metrics.bytesRead,
  bytesWritten: metrics.bytesWritten,
  retries: metrics.retries,
  cacheHits: metrics.cacheHits,
  cacheMisses: metrics.cacheMisses,
  tilesDecoded: metrics.tilesDecoded,
  tilesPruned: metrics.tilesPruned,
}

/** Counts of one traced operation. */
export interface OperationCounts {
  /** Total of each amount. */
  readonly amounts: Record<keyof Amounts, number>
  /** URIs of the fragments whose tiles were read. */
  readonly fragments: Set<string>
}

/** The tag of {@link OperationCounts}, which is provided only while the program has a tracer. */
export const OperationCounts: Context.Tag<OperationCounts, OperationCounts> = Context.GenericTag(
  "@tessera/array/OperationCounts",
)

/** Returns counts that are zero. */
export const makeCounts = (): OperationCounts => ({
  amounts: {
    requests: 0,
    failures: 0,
    bytesRead: 0,
    bytesWritten: 0,
    retries: 0,
    cacheHits: 0,
    cacheMisses: 0,
    tilesDecoded: 0,
    tilesPruned: 0,
  },
  fragments: new Set(),
})

/** Returns the counts of the operation that a fiber belongs to. */
export const metricCountsOf = (fiber: Fiber.RuntimeFiber<unknown, unknown>): OperationCounts | undefined =>
  fiber.currentContext.unsafeMap.get(OperationCounts.key)

const NO_TAGS: ReadonlyArray<MetricLabel.MetricLabel> = []

/** Returns the tags of a metric. Create each list once: Effect looks up the counter by the identity of the list. */
export const tags = (labels: Readonly<Record<string, string>>): ReadonlyArray<MetricLabel.MetricLabel> =>
  Object.entries(labels).map(([key, value]) => MetricLabel.make(key, value))

/** Adds one amount from a fiber. `own` contains tags of the metric. */
export const addAmount = (
  fiber: Fiber.RuntimeFiber<unknown, unknown>,
  name: keyof Amounts,
  amount: number,
  own: ReadonlyArray<MetricLabel.MetricLabel> = NO_TAGS,
): void => {
  if (amount === 0) return
  const ambient = fiber.getFiberRef(FiberRef.currentMetricLabels)
  metricOf[name].unsafeUpdate(amount, ambient.length === 0 ? own : [...own, ...ambient])
  const counts = metricCountsOf(fiber)
  if (counts !== undefined) counts.amounts[name] += amount
}

/** Adds amounts to the metrics and to the operation's counts; call it once per batch. */
export const addToMetrics = (amounts: Amounts, own?: ReadonlyArray<MetricLabel.MetricLabel>): Effect.Effect<void> =>
  Effect.withFiberRuntime((fiber) => {
    for (const name in amounts) addAmount(fiber, name as keyof Amounts, amounts[name as keyof Amounts]!, own)
    return Effect.void
  })
