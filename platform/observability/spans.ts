/**
 * Spans for operations and batches. Spans are created only if the program has a tracer: with Effect's default tracer,
 * which does not export spans, or with tracing disabled, an operation runs unchanged.
 *
 * Attributes of an operation: `tessera.uri` (without user info and query) and, when it ends, `tessera.requests`,
 * `tessera.bytes_read`, `tessera.bytes_written`, `tessera.fragments`, `tessera.tiles_decoded`, `tessera.tiles_pruned`,
 * `tessera.cache_hits`, `tessera.cache_misses` and `tessera.retries`. They include those of nested operations.
 *
 * @module
 */
import * as Channel from "effect/Channel"
import * as Context from "effect/Context"
import * as DefaultServices from "effect/DefaultServices"
import * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import * as FiberRef from "effect/FiberRef"
import type * as Scope from "effect/Scope"
import * as Sink from "effect/Sink"
import * as Stream from "effect/Stream"
import * as Tracer from "effect/Tracer"
import { redactUri } from "../../schema/errors/redact.ts"
import { type Amounts, makeCounts, metricCountsOf, OperationCounts } from "./counts.ts"

/** Attributes of a span: names, numbers and redacted URIs; never cell values or credentials. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean | undefined>>

const defaultTracer = Context.get(DefaultServices.liveServices, Tracer.Tracer)

const isTracing = (fiber: Fiber.RuntimeFiber<unknown, unknown>): boolean =>
  fiber.currentTracer !== defaultTracer && fiber.getFiberRef(FiberRef.currentTracerEnabled)

const ALWAYS: ReadonlyArray<keyof Amounts> = ["requests", "bytesRead"]

const attributeOf = (name: string): string =>
  `tessera.${name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}`

const setAttributes = (span: Tracer.Span, attributes: SpanAttributes): void => {
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined) span.attribute(`tessera.${name}`, value)
  }
}

/** Starts the counts of an operation, which are also added to the enclosing operation. */
const startCounts = (fiber: Fiber.RuntimeFiber<unknown, unknown>) => {
  const counts = makeCounts()
  const outer = metricCountsOf(fiber)
  const finish = (span: Tracer.Span): void => {
    for (const key in counts.amounts) {
      const name = key as keyof Amounts
      const amount = counts.amounts[name]
      if (amount > 0 || ALWAYS.includes(name)) span.attribute(attributeOf(name), amount)
      if (outer !== undefined) outer.amounts[name] += amount
    }
    if (counts.fragments.size > 0) span.attribute("tessera.fragments", counts.fragments.size)
    if (outer !== undefined) { for (const fragment of counts.fragments) outer.fragments.add(fragment) }
  }
  return { counts, finish }
}

/** Target of an operation: an array, a group, or a URI. */
export type Target = string | { readonly uri: string }

const targetAttribute = (target: Target): SpanAttributes => {
  const uri: unknown = typeof target === "string" ? target : target?.uri
  // JavaScript programs may pass any value; the operation itself rejects invalid ones
  return typeof uri === "string" ? { uri: redactUri(uri) } : {}
}

/** Runs an operation on `target` in a span `tessera.<name>`. */
export const traced =
  (name: string, target: Target) => <A, E, R>(operation: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.withFiberRuntime<A, E, R>((fiber) => {
      if (!isTracing(fiber)) return operation
      const { counts, finish } = startCounts(fiber)
      return Effect.useSpan(`tessera.${name}`, { captureStackTrace: false }, (span) => {
        setAttributes(span, targetAttribute(target))
        return Effect.ensuring(
          Effect.provideService(Effect.withParentSpan(operation, span), OperationCounts, counts),
          Effect.sync(() => finish(span)),
        )
      }) as Effect.Effect<A, E, R>
    })

/** Starts a span that ends with the scope; returns the context for the code in the span. */
const scopedSpan = (fiber: Fiber.RuntimeFiber<unknown, unknown>, name: string, target: Target) => {
  const { counts, finish } = startCounts(fiber)
  return Effect.withFiberRuntime<Tracer.Span>(() => Effect.makeSpan(`tessera.${name}`, { captureStackTrace: false }))
    .pipe(
      (make) =>
        Effect.acquireRelease(
          Effect.tap(make, (span) => Effect.sync(() => setAttributes(span, targetAttribute(target)))),
          (span, exit: Exit.Exit<unknown, unknown>) =>
            Effect.clockWith((clock) =>
              Effect.sync(() => {
                finish(span)
                span.end(clock.unsafeCurrentTimeNanos(), exit)
              })
            ),
        ),
      Effect.map((span) => ({
        span,
        provide: <R>(context: Context.Context<R>): Context.Context<R> =>
          context.pipe(Context.add(Tracer.ParentSpan, span), Context.add(OperationCounts, counts)) as Context.Context<
            R
          >,
      })),
    )
}

/** Runs a stream over `target` in a span `tessera.<name>`, from its first pull to its end. */
export const tracedStream =
  (name: string, target: Target) => <A, E, R>(stream: Stream.Stream<A, E, R>): Stream.Stream<A, E, R> =>
    Stream.unwrapScoped(
      Effect.withFiberRuntime((fiber) =>
        isTracing(fiber)
          ? Effect.map(scopedSpan(fiber, name, target), ({ provide }) => Stream.mapInputContext(stream, provide<R>))
          : Effect.succeed(stream)
      ),
    )

/** Runs a sink into `target` in a span `tessera.<name>`, from its first element to its end. */
export const tracedSink =
  (name: string, target: Target) => <A, In, L, E, R>(sink: Sink.Sink<A, In, L, E, R>): Sink.Sink<A, In, L, E, R> =>
    Sink.unwrapScoped(
      Effect.withFiberRuntime<Sink.Sink<A, In, L, E, R>, E, Scope.Scope | R>((fiber) =>
        isTracing(fiber)
          ? Effect.map(
            scopedSpan(fiber, name, target),
            ({ provide }) => Sink.fromChannel(Channel.mapInputContext(Sink.toChannel(sink), provide<R>)),
          )
          : Effect.succeed(sink)
      ),
    )

/** Runs a batch of an operation, such as reading tiles of a field, in a span `tessera.<name>`. */
export const tracedBatch =
  (name: string, attributes: () => SpanAttributes) =>
  <A, E, R>(batch: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.withFiberRuntime<A, E, R>((fiber) =>
      isTracing(fiber)
        ? Effect.useSpan(`tessera.${name}`, { captureStackTrace: false }, (span) => {
          setAttributes(span, attributes())
          return Effect.withParentSpan(batch, span)
        }) as Effect.Effect<A, E, R>
        : batch
    )

/** Records the fragments that are read, for the operation's attribute `tessera.fragments`. */
export const countFragments = (fragments: ReadonlyArray<{ readonly uri: string }>): Effect.Effect<void> =>
  Effect.withFiberRuntime((fiber) => {
    const counts = metricCountsOf(fiber)
    if (counts !== undefined) { for (const { uri } of fragments) counts.fragments.add(uri) }
    return Effect.void
  })

/**
 * Returns the caller's services, to provide them to later calls; each later call keeps the span and the counts of its
 * own operation.
 */
export const services = <R>(): Effect.Effect<Context.Context<R>, never, R> =>
  Effect.map(
    Effect.context<R>(),
    (context) =>
      Context.omit(Tracer.ParentSpan, OperationCounts)(context as Context.Context<never>) as Context.Context<R>,
  )
