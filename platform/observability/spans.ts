/**
 * Spans of operations and of batches. They exist while the program has a tracer: with Effect's default tracer, which keeps
 * its spans to itself, or with tracing disabled, an operation runs as it is.
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
import * as Sink from "effect/Sink"
import * as Stream from "effect/Stream"
import * as Tracer from "effect/Tracer"
import { redactUri } from "../../schema/errors/redact.ts"
import { type Amounts, countsOf, makeCounts, OperationCounts } from "./counts.ts"

/** Attributes of a span: names, numbers and redacted URIs; never cell values or credentials. */
export type Attributes = Readonly<Record<string, string | number | boolean | undefined>>

const defaultTracer = Context.get(DefaultServices.liveServices, Tracer.Tracer)

const isTracing = (fiber: Fiber.RuntimeFiber<unknown, unknown>): boolean =>
  fiber.currentTracer !== defaultTracer && fiber.getFiberRef(FiberRef.currentTracerEnabled)

const ALWAYS: ReadonlyArray<keyof Amounts> = ["requests", "bytesRead"]

const attributeOf = (name: string): string =>
  `tessera.${name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}`

const setAttributes = (span: Tracer.Span, attributes: Attributes): void => {
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined) span.attribute(`tessera.${name}`, value)
  }
}

/** An operation under way: what it counts is part of the operation around it. */
const startCounts = (fiber: Fiber.RuntimeFiber<unknown, unknown>) => {
  const counts = makeCounts()
  const outer = countsOf(fiber)
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

const uriAttribute = (uri: string | undefined): Attributes => uri === undefined ? {} : { uri: redactUri(uri) }

/**
 * `operation` in a span `tessera.<name>`. `uri` is the array or group; `attributes` returns what else the result tells.
 */
export const traced = <A, E, R>(
  name: string,
  uri: string | undefined,
  operation: Effect.Effect<A, E, R>,
  attributes?: (result: A) => Attributes,
): Effect.Effect<A, E, R> =>
  Effect.withFiberRuntime<A, E, R>((fiber) => {
    if (!isTracing(fiber)) return operation
    const { counts, finish } = startCounts(fiber)
    return Effect.useSpan(`tessera.${name}`, { captureStackTrace: false }, (span) => {
      setAttributes(span, uriAttribute(uri))
      return Effect.onExit(
        Effect.provideService(Effect.withParentSpan(operation, span), OperationCounts, counts),
        (exit) =>
          Effect.sync(() => {
            if (exit._tag === "Success" && attributes !== undefined) setAttributes(span, attributes(exit.value))
            finish(span)
          }),
      )
    }) as Effect.Effect<A, E, R>
  })

/** A span that ends with the scope, and the context of what runs in it. */
const scopedSpan = (fiber: Fiber.RuntimeFiber<unknown, unknown>, name: string, uri: string | undefined) => {
  const { counts, finish } = startCounts(fiber)
  return Effect.withFiberRuntime<Tracer.Span>(() => Effect.makeSpan(`tessera.${name}`, { captureStackTrace: false }))
    .pipe(
      (make) =>
        Effect.acquireRelease(
          Effect.tap(make, (span) => Effect.sync(() => setAttributes(span, uriAttribute(uri)))),
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

/** `stream` in a span `tessera.<name>`, from its first pull to its end. */
export const tracedStream = <A, E, R>(
  name: string,
  uri: string | undefined,
  stream: Stream.Stream<A, E, R>,
): Stream.Stream<A, E, R> =>
  Stream.unwrapScoped(
    Effect.withFiberRuntime((fiber) =>
      isTracing(fiber)
        ? Effect.map(scopedSpan(fiber, name, uri), ({ provide }) => Stream.mapInputContext(stream, provide<R>))
        : Effect.succeed(stream)
    ),
  )

/** `sink` in a span `tessera.<name>`, from its first element to its end. */
export const tracedSink = <A, In, L, E, R>(
  name: string,
  uri: string | undefined,
  sink: Sink.Sink<A, In, L, E, R>,
): Sink.Sink<A, In, L, E, R> =>
  Sink.unwrapScoped(Effect.withFiberRuntime((fiber) =>
    isTracing(fiber)
      ? Effect.map(
        scopedSpan(fiber, name, uri),
        ({ provide }) => Sink.fromChannel(Channel.mapInputContext(Sink.toChannel(sink), provide<R>)),
      )
      : Effect.succeed(sink)
  ))

/** A batch of an operation, such as reading the tiles of a field, in a span `tessera.<name>`. */
export const tracedBatch = <A, E, R>(
  name: string,
  attributes: () => Attributes,
  batch: Effect.Effect<A, E, R>,
): Effect.Effect<A, E, R> =>
  Effect.withFiberRuntime<A, E, R>((fiber) =>
    isTracing(fiber)
      ? Effect.useSpan(`tessera.${name}`, { captureStackTrace: false }, (span) => {
        setAttributes(span, attributes())
        return Effect.withParentSpan(batch, span)
      }) as Effect.Effect<A, E, R>
      : batch
  )

/** Notes that tiles of a fragment are read, for the attribute `tessera.fragments` of the operation. */
export const countFragment = (uri: string): Effect.Effect<void> =>
  Effect.withFiberRuntime((fiber) => {
    countsOf(fiber)?.fragments.add(uri)
    return Effect.void
  })
