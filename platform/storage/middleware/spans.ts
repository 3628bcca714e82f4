/**
 * A storage middleware that adds spans.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { redactUri } from "../../../schema/errors/redact.ts"
import { mapStorage, type WrapCall } from "../map_storage.ts"
import { Storage } from "../service.ts"

/**
 * Wraps each call in a span `tessera.storage.<operation>`. Attributes: `tessera.uri` without user info and query,
 * `tessera.ranges` for `readRanges`, and `tessera.bytes` for bytes read or written. HTTP storage itself creates no
 * spans, since their URLs would contain queries.
 *
 * ```ts
 * import { makeMemoryStorage, withSpans } from "@tessera/array/platform"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 *
 * const storage = withSpans(makeMemoryStorage())
 * const program = Effect.zipRight(storage.write("mem://a", Uint8Array.of(1)), storage.size("mem://a"))
 * assertEquals(Effect.runSync(program), 1)
 * ```
 */
export const withSpans = (storage: Storage): Storage => {
  const spanned = <A, E, R>(
    operation: string,
    uri: string,
    call: Effect.Effect<A, E, R>,
    bytesOf?: (result: A) => number | undefined,
    ranges?: number,
  ): Effect.Effect<A, E, R> =>
    Effect.useSpan(`tessera.storage.${operation}`, { captureStackTrace: false, kind: "client" }, (span) => {
      span.attribute("tessera.uri", redactUri(uri))
      if (ranges !== undefined) span.attribute("tessera.ranges", ranges)
      const inSpan = Effect.withParentSpan(call, span) as Effect.Effect<A, E, R>
      if (bytesOf === undefined) return inSpan
      return Effect.tap(inSpan, (result) => Effect.sync(() => span.attribute("tessera.bytes", bytesOf(result) ?? 0)))
    })
  /** Returns the size of a read's result in bytes. */
  const sizeOf = (result: unknown): number | undefined => {
    if (result instanceof Uint8Array) return result.length
    if (Array.isArray(result)) return result.reduce((sum, part) => sum + (sizeOf(part) ?? 0), 0)
    const bytes = (result as { readonly bytes?: unknown } | null | undefined)?.bytes
    return bytes instanceof Uint8Array ? bytes.length : undefined
  }
  const wrap: WrapCall = (call, operation, uri) => spanned(operation, uri, call)
  const mapped = mapStorage(storage, {
    read: (call, operation, uri) => spanned(operation, uri, call, operation.startsWith("read") ? sizeOf : undefined),
    list: wrap,
    write: wrap,
  })
  return {
    ...mapped,
    readRanges: (uri, ranges, into) =>
      spanned("readRanges", uri, storage.readRanges(uri, ranges, into), sizeOf, ranges.length),
    write: (uri, bytes) => spanned("write", uri, storage.write(uri, bytes), () => bytes.length),
    create: (uri, bytes) => spanned("create", uri, storage.create(uri, bytes), () => bytes.length),
    openWrite: (uri) =>
      Effect.map(spanned("openWrite", uri, storage.openWrite(uri)), (file) => ({
        write: (bytes) => spanned("append", uri, file.write(bytes), () => bytes.length),
        finish: spanned("finish", uri, file.finish),
      })),
  }
}

/**
 * A layer that applies {@link withSpans} to the storage of the layer below.
 *
 * ```ts
 * import { layerMemory, layerSpans, StorageService } from "@tessera/array/platform"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 * import * as Layer from "effect/Layer"
 *
 * const program = Effect.flatMap(StorageService, (storage) => storage.list("mem://folder"))
 * assertEquals(Effect.runSync(Effect.provide(program, Layer.provide(layerSpans, layerMemory))), [])
 * ```
 */
export const layerSpans: Layer.Layer<Storage, never, Storage> = Layer.effect(Storage, Effect.map(Storage, withSpans))
