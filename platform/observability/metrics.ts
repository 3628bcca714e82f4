/**
 * The metrics of the engine. Each is a counter of `effect/Metric`; an exporter such as `@effect/opentelemetry` reads them.
 *
 * | metric | counts | tags |
 * |---|---|---|
 * | `tessera.storage.requests` | requests to a storage backend; each byte range is one | `scheme`, `operation` |
 * | `tessera.storage.failures` | requests that failed | `scheme`, `operation` |
 * | `tessera.storage.bytes_read` | bytes that a backend returned | `scheme` |
 * | `tessera.storage.bytes_written` | bytes that a backend stored | `scheme` |
 * | `tessera.storage.retries` | calls that `withRetry` retried | `scheme` |
 * | `tessera.cache.hits` | ranges, tails and files that `withCache` returned from memory | `scheme` |
 * | `tessera.cache.misses` | those that it read | `scheme` |
 * | `tessera.tiles.decoded` | data tiles that were read and decoded | |
 * | `tessera.tiles.pruned` | tiles that a query skipped because of tile metadata | |
 * | `tessera.workers.jobs` | jobs that worker threads took | |
 * | `tessera.workers.lost` | worker threads that ended with an error | |
 *
 * No tag contains a URI. Tags that a program sets with `Effect.tagMetrics` are added to the counters of storages, caches and
 * tiles.
 *
 * ```ts
 * import { makeMemoryStorage, Metrics } from "@tessera/array/platform"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 * import * as Metric from "effect/Metric"
 *
 * const written = Metrics.bytesWritten.pipe(Metric.tagged("scheme", "mem"), Metric.tagged("job", "example"))
 * const program = Effect.gen(function* () {
 *   yield* makeMemoryStorage().write("mem://a", new Uint8Array(10))
 *   return (yield* Metric.value(written)).count
 * })
 * assertEquals(Effect.runSync(Effect.tagMetrics(program, { job: "example" })), 10)
 * ```
 *
 * @module
 */
import * as Metric from "effect/Metric"

const counter = (name: string, description: string): Metric.Metric.Counter<number> =>
  Metric.counter(`tessera.${name}`, { description, incremental: true })

/**
 * `tessera.storage.requests`
 *
 * ```ts
 * import { Metrics } from "@tessera/array/platform"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 * import * as Metric from "effect/Metric"
 *
 * assertEquals(typeof Effect.runSync(Metric.value(Metrics.requests)).count, "number")
 * ```
 */
export const requests: Metric.Metric.Counter<number> = counter("storage.requests", "Requests to a storage backend")

/**
 * `tessera.storage.failures`
 *
 * ```ts
 * import { Metrics } from "@tessera/array/platform"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 * import * as Metric from "effect/Metric"
 *
 * assertEquals(typeof Effect.runSync(Metric.value(Metrics.failures)).count, "number")
 * ```
 */
export const failures: Metric.Metric.Counter<number> = counter(
  "storage.failures",
  "Requests to a storage backend that failed",
)

/**
 * `tessera.storage.bytes_read`
 *
 * ```ts
 * import { Metrics } from "@tessera/array/platform"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 * import * as Metric from "effect/Metric"
 *
 * assertEquals(typeof Effect.runSync(Metric.value(Metrics.bytesRead)).count, "number")
 * ```
 */
export const bytesRead: Metric.Metric.Counter<number> = counter(
  "storage.bytes_read",
  "Bytes that a storage backend returned",
)

/**
 * `tessera.storage.bytes_written`
 *
 * ```ts
 * import { Metrics } from "@tessera/array/platform"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 * import * as Metric from "effect/Metric"
 *
 * assertEquals(typeof Effect.runSync(Metric.value(Metrics.bytesWritten)).count, "number")
 * ```
 */
export const bytesWritten: Metric.Metric.Counter<number> = counter(
  "storage.bytes_written",
  "Bytes that a storage backend stored",
)

/**
 * `tessera.storage.retries`
 *
 * ```ts
 * import { Metrics } from "@tessera/array/platform"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 * import * as Metric from "effect/Metric"
 *
 * assertEquals(typeof Effect.runSync(Metric.value(Metrics.retries)).count, "number")
 * ```
 */
export const retries: Metric.Metric.Counter<number> = counter(
  "storage.retries",
  "Storage calls that were retried after a failure",
)

/**
 * `tessera.cache.hits`
 *
 * ```ts
 * import { Metrics } from "@tessera/array/platform"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 * import * as Metric from "effect/Metric"
 *
 * assertEquals(typeof Effect.runSync(Metric.value(Metrics.cacheHits)).count, "number")
 * ```
 */
export const cacheHits: Metric.Metric.Counter<number> = counter("cache.hits", "Reads that the cache answered")

/**
 * `tessera.cache.misses`
 *
 * ```ts
 * import { Metrics } from "@tessera/array/platform"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 * import * as Metric from "effect/Metric"
 *
 * assertEquals(typeof Effect.runSync(Metric.value(Metrics.cacheMisses)).count, "number")
 * ```
 */
export const cacheMisses: Metric.Metric.Counter<number> = counter("cache.misses", "Reads that the cache passed on")

/**
 * `tessera.tiles.decoded`
 *
 * ```ts
 * import { Metrics } from "@tessera/array/platform"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 * import * as Metric from "effect/Metric"
 *
 * assertEquals(typeof Effect.runSync(Metric.value(Metrics.tilesDecoded)).count, "number")
 * ```
 */
export const tilesDecoded: Metric.Metric.Counter<number> = counter(
  "tiles.decoded",
  "Data tiles that were read and decoded",
)

/**
 * `tessera.tiles.pruned`
 *
 * ```ts
 * import { Metrics } from "@tessera/array/platform"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 * import * as Metric from "effect/Metric"
 *
 * assertEquals(typeof Effect.runSync(Metric.value(Metrics.tilesPruned)).count, "number")
 * ```
 */
export const tilesPruned: Metric.Metric.Counter<number> = counter(
  "tiles.pruned",
  "Tiles that queries skipped because of tile metadata",
)

/**
 * `tessera.workers.jobs`
 *
 * ```ts
 * import { Metrics } from "@tessera/array/platform"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 * import * as Metric from "effect/Metric"
 *
 * assertEquals(typeof Effect.runSync(Metric.value(Metrics.workerJobs)).count, "number")
 * ```
 */
export const workerJobs: Metric.Metric.Counter<number> = counter("workers.jobs", "Jobs that worker threads took")

/**
 * `tessera.workers.lost`
 *
 * ```ts
 * import { Metrics } from "@tessera/array/platform"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 * import * as Metric from "effect/Metric"
 *
 * assertEquals(typeof Effect.runSync(Metric.value(Metrics.workersLost)).count, "number")
 * ```
 */
export const workersLost: Metric.Metric.Counter<number> = counter(
  "workers.lost",
  "Worker threads that ended with an error",
)
