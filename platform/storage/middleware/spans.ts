/**
 * A storage whose calls are spans.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { redactUri } from "../../../schema/errors/redact.ts"
import { Storage } from "../service.ts"

/**
 * `storage`, with each call in a span `tessera.storage.<operation>`. Attributes: `tessera.uri` without user info and query,
 * `tessera.ranges` of `readRanges`, and `tessera.bytes` of what was read or written. Spans of HTTP requests are left out
 * otherwise, as their URLs contain the query.
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
    bytesOf?: (result: A) => number,
    ranges?: number,
  ): Effect.Effect<A, E, R> =>
    Effect.useSpan(`tessera.storage.${operation}`, { captureStackTrace: false, kind: "client" }, (span) => {
      span.attribute("tessera.uri", redactUri(uri))
      if (ranges !== undefined) span.attribute("tessera.ranges", ranges)
      const inSpan = Effect.withParentSpan(call, span) as Effect.Effect<A, E, R>
      if (bytesOf === undefined) return inSpan
      return Effect.tap(inSpan, (result) => Effect.sync(() => span.attribute("tessera.bytes", bytesOf(result))))
    })
  return {
    ...storage,
    list: (uri) => spanned("list", uri, storage.list(uri)),
    size: (uri) => spanned("size", uri, storage.size(uri)),
    read: (uri) => spanned("read", uri, storage.read(uri), (bytes) => bytes.length),
    readRanges: (uri, ranges, into) =>
      spanned(
        "readRanges",
        uri,
        storage.readRanges(uri, ranges, into),
        (parts) => parts.reduce((sum, part) => sum + part.length, 0),
        ranges.length,
      ),
    readTail: (uri, length) => spanned("readTail", uri, storage.readTail(uri, length), ({ bytes }) => bytes.length),
    write: (uri, bytes) => spanned("write", uri, storage.write(uri, bytes), () => bytes.length),
    openWrite: (uri) =>
      Effect.map(spanned("openWrite", uri, storage.openWrite(uri)), (file) => ({
        write: (bytes) => spanned("append", uri, file.write(bytes), () => bytes.length),
        finish: spanned("finish", uri, file.finish),
      })),
    create: (uri, bytes) => spanned("create", uri, storage.create(uri, bytes), () => bytes.length),
    createFolder: (uri) => spanned("createFolder", uri, storage.createFolder(uri)),
    remove: (uri) => spanned("remove", uri, storage.remove(uri)),
    removeFolder: (uri) => spanned("removeFolder", uri, storage.removeFolder(uri)),
  }
}

/**
 * The layer of {@link withSpans}, over another.
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
