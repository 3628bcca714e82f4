/**
 * Read-only storage on a web server: any server that serves files, with range requests for large ones.
 *
 * Folders are listed from a manifest (`tessera publish` creates one) in the array or above it, or else from the
 * server's index pages. A query is sent with every request: `https://host/array?sig=…` reads
 * `https://host/array/__schema/…?sig=…`; it ends at the next slash, so a slash in it must be written `%2F`.
 *
 * @module
 */
import { type HttpClient, withTracerDisabledWhen } from "@effect/platform/HttpClient"
import * as Effect from "effect/Effect"
import { NotFound, StorageError, type StorageOp } from "../../errors.ts"
import { checkHttpOptions } from "./check_options.ts"
import { makeListing } from "./listing.ts"
import { makeReads } from "./ranges.ts"
import { type HttpOptions, makeSend } from "./request.ts"
import { withMetrics } from "../measured.ts"
import { withDefaults } from "../defaults.ts"
import type { Storage } from "../service.ts"

const readOnly = (op: StorageOp, uri: string): Effect.Effect<never, StorageError> =>
  Effect.fail(
    new StorageError({
      op,
      uri,
      reason: "Unsupported",
      cause: new Error("http:// and https:// are read-only; write to the files that the server serves"),
    }),
  )

/**
 * Creates a storage that reads from web servers through `client`, with one request per call, range and folder, without
 * retries and without a concurrency limit; {@link httpFiles} adds those.
 *
 * Errors: `NotFound` for 404 and 410; `StorageError` with reason `Denied` for 401 and 403; `Unavailable` for 429, 5xx,
 * interrupted bodies and unreachable servers; `Timeout` for servers that do not respond in time; `Truncated` for bodies
 * shorter than declared and for ranges past the end; `Unsupported` for writes, for a server that responds to a range
 * with a large whole file, and for one that lists no folders and has no manifest; `Conflict` for a file that the
 * manifest lists and the server does not have, and for one that changed since it was first read; and `Unknown` for
 * invalid responses. Interruption cancels requests in flight.
 *
 * A file has changed if its ETag, Last-Modified or size differs from earlier responses. `read` and `readTail` start
 * with the current file; `readRanges` and `size` fail once, and use the new version when they are called again. An open
 * array keeps the file versions that it started with: once one of the files has changed, its reads fail until it is
 * reopened.
 *
 * This storage follows redirects itself: at most 10, not from `https:` to `http:` (`Denied`), and without the option
 * `headers` to other origins. The client must not follow them; for one based on `fetch` the redirect mode is set with
 * `FetchHttpClient.RequestInit`, replacing a `RequestInit` of its layer. The client's requests create no spans;
 * `withSpans` adds spans without query strings.
 *
 * ```ts
 * import { makeHttpStorage } from "@tessera/array/platform"
 * import { assertEquals } from "@std/assert"
 * import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
 * import { HttpClient } from "@effect/platform/HttpClient"
 * import * as Effect from "effect/Effect"
 *
 * const program = HttpClient.pipe(Effect.map((client) => makeHttpStorage(client)), Effect.provide(FetchHttpClient.layer))
 * const storage = Effect.runSync(program)
 * const write = storage.write("https://example.org/file", new Uint8Array())
 * assertEquals(Effect.runSync(Effect.flip(write)).reason, "Unsupported")
 * ```
 */
export const makeHttpStorage = (client: HttpClient, options: HttpOptions = {}): Storage => {
  checkHttpOptions(options)
  // the client's spans would contain headers and URLs with queries
  const send = makeSend(withTracerDisabledWhen(client, () => true), options)
  const reads = makeReads(send)
  const { list, listedBy } = makeListing(send)

  /** Handles a missing file that the manifest lists: the manifest is older than the array. */
  const mapStaleManifest = <A>(op: StorageOp, uri: string, read: Effect.Effect<A, NotFound | StorageError>) =>
    Effect.mapError(read, (error) => {
      const manifest = error instanceof NotFound ? listedBy(uri) : undefined
      if (manifest === undefined) return error
      const cause = new Error(`the manifest ${manifest} names this file, which no longer exists; publish it again`)
      return new StorageError({ op, uri, reason: "Conflict", cause })
    })

  return withDefaults(withMetrics({
    list,
    head: (uri) => mapStaleManifest("head", uri, reads.head(uri)),
    size: (uri) => mapStaleManifest("size", uri, reads.size("size", uri)),
    read: (uri) => mapStaleManifest("read", uri, reads.read(uri)),
    readRanges: (uri, ranges) => mapStaleManifest("readRanges", uri, reads.readRanges(uri, ranges)),
    readTail: (uri, length) => mapStaleManifest("readTail", uri, reads.readTail(uri, length)),
    write: (uri) => readOnly("write", uri),
    openWrite: (uri) => readOnly("openWrite", uri),
    create: (uri) => readOnly("create", uri),
    createFolder: (uri) => readOnly("createFolder", uri),
    copy: (_from, to) => readOnly("copy", to),
    removeAll: (uris) => uris.length === 0 ? Effect.succeed([]) : readOnly("removeAll", uris[0]),
    remove: (uri) => readOnly("remove", uri),
    removeFolder: (uri) => readOnly("removeFolder", uri),
  }))
}
