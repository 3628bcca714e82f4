/**
 * Exports the spans and metrics of a write and a read with OpenTelemetry. The exporters here store everything in
 * memory, and the example prints it; a service uses the exporters of `@opentelemetry/exporter-trace-otlp-http` and
 * `@opentelemetry/exporter-metrics-otlp-http`.
 *
 *     deno run -A examples/tracing.ts
 */
import * as NodeSdk from "@effect/opentelemetry/NodeSdk"
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  PeriodicExportingMetricReader,
} from "@opentelemetry/sdk-metrics"
import { InMemorySpanExporter, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-base"
import * as Effect from "effect/Effect"
import { ArraySchema, Attr, Dense, Dim, Filter, layerDefault, TileArray } from "../mod.ts"

const Grid = ArraySchema.dense({
  dims: { row: Dim.int32([1, 100], { tile: 10 }), column: Dim.int32([1, 100], { tile: 10 }) },
  attrs: { height: Attr.float32({ filters: [Filter.zstd({ level: 3 })] }) },
})

const program = Effect.gen(function* () {
  const grid = yield* TileArray.create("mem://grid", Grid)
  yield* Dense.write(grid, { row: [1, 100], column: [1, 100] }, { height: new Float32Array(10_000).fill(1.5) })
  const { columns } = yield* Dense.read(yield* TileArray.reopen(grid), { region: { row: [1, 20], column: [1, 20] } })
  return columns.height.length
}).pipe(Effect.withSpan("example"))

const spans = new InMemorySpanExporter()
const metrics = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE)
const telemetry = NodeSdk.layer(() => ({
  resource: { serviceName: "tessera-example" },
  spanProcessor: new SimpleSpanProcessor(spans),
  metricReader: new PeriodicExportingMetricReader({ exporter: metrics }),
}))

// the spans are printed before the layer closes, because InMemorySpanExporter drops them when it shuts down
const run = Effect.flatMap(program, (cells) =>
  Effect.sync(() => {
    console.log(`${cells} cells`)
    for (const { name, attributes } of spans.getFinishedSpans()) console.log(name, JSON.stringify(attributes))
  }))
await Effect.runPromise(run.pipe(Effect.provide(layerDefault), Effect.provide(telemetry)))

for (const { scopeMetrics } of metrics.getMetrics()) {
  for (const { descriptor, dataPoints } of scopeMetrics.flatMap((scope) => scope.metrics)) {
    if (!descriptor.name.startsWith("tessera.")) continue
    for (const { attributes, value } of dataPoints) console.log(descriptor.name, JSON.stringify(attributes), value)
  }
}
