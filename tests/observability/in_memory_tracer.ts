/** A tracer for tests that stores the ended spans. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Tracer from "effect/Tracer"

/** An ended span. */
export interface EndedSpan {
  readonly name: string
  readonly parent: string | undefined
  readonly attributes: ReadonlyMap<string, unknown>
  readonly exit: Exit.Exit<unknown, unknown>
}

/** Returns a tracer and its spans, in the order of their ends. */
export const makeInMemoryTracer = () => {
  const spans: Array<EndedSpan> = []
  const open = new Set<string>()
  let next = 0
  const tracer = Tracer.make({
    span: (name, parent, context, links, startTime, kind) => {
      const spanId = `${++next}`
      const attributes = new Map<string, unknown>()
      const outer = Option.getOrUndefined(parent)
      open.add(spanId)
      const span: Tracer.Span = {
        _tag: "Span",
        name,
        spanId,
        traceId: outer?.traceId ?? `trace-${spanId}`,
        parent,
        context: context ?? Context.empty(),
        status: { _tag: "Started", startTime },
        attributes,
        links,
        sampled: true,
        kind,
        end: (_, exit) => {
          open.delete(spanId)
          spans.push({ name, parent: outer?._tag === "Span" ? outer.name : undefined, attributes, exit })
        },
        attribute: (key, value) => void attributes.set(key, value),
        event: () => {},
        addLinks: () => {},
      }
      return span
    },
    context: (run) => run(),
  })
  return { spans, open, layer: Layer.setTracer(tracer) }
}

/** Runs an effect with an in-memory tracer; returns its spans, also if it fails. */
export const spansOf = async <A, E>(effect: Effect.Effect<A, E>) => {
  const { spans, open, layer } = makeInMemoryTracer()
  const exit = await Effect.runPromiseExit(Effect.provide(effect, layer))
  return { spans, open, exit }
}
