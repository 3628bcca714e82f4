/**
 * Storage on a web server, to read from: any server that serves files, with ranges for large ones.
 *
 * Folders come from a manifest (`tessera publish` makes one) at the array or above it, or else from the index pages of the
 * server. A query goes with every request: `https://host/array?sig=…` reads `https://host/array/__schema/…?sig=…`; it ends
 * at the next slash, so a slash in it must be written `%2F`.
 *
 * @module
 */
import { type HttpClient, withTracerDisabledWhen } from "@effect/platform/HttpClient"
import * as Effect from "effect/Effect"
import { NotFound, StorageError, type StorageOp } from "../../errors.ts"
import { makeListing } from "./listing.ts"
import { makeReads } from "./ranges.ts"
import { type HttpOptions, makeSend } from "./request.ts"
import { withMetrics } from "../measured.ts"
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
 * A storage that asks web servers by `client`, one request at a time for each call, each range and each folder, without
 * retries and without limit: {@link httpFiles} adds those.
 *
 * What it answers with, besides the bytes: `NotFound` for 404 and 410; `StorageError` with reason `Denied` for 401 and
 * 403, `Unavailable` for 429, 5xx, bodies that break off and a server that is not there, `Timeout` when it does not answer
 * in time, `Truncated` for bodies that are shorter than promised and for ranges past the end, `Unsupported` for writes, for a server that answers a range
 * with a large whole file, and for one that lists no folder where there is no manifest, `Conflict` for a file that the
 * manifest names and the server does not have and for one that changed since it was first read, and `Unknown` for what no
 * server should answer. Interruption gives up the requests under way.
 *
 * A file changed if its ETag, its Last-Modified or its size is another than in the answers before. `read` and `readTail`
 * begin with the file as it is; `readRanges` and `size` fail once, and begin anew when they are called again. An array that
 * is open holds on to the files that it began with: once one of them changed, its reads fail until it is opened again.
 *
 * Redirects are followed here: at most 10, not from `https:` to `http:` (`Denied`), and without the option `headers` where
 * they lead to another origin. The client must not follow them itself; for one over `fetch` the redirect mode is set with
 * `FetchHttpClient.RequestInit`, in place of a `RequestInit` that its layer was given. Requests make no spans.
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
  // spans of the client would show URLs with their queries, and headers
  const send = makeSend(withTracerDisabledWhen(client, () => true), options)
  const reads = makeReads(send)
  const { list, listedBy } = makeListing(send)

  /** A file that is gone though the manifest names it: the manifest is older than the array. */
  const mapStaleManifest = <A>(op: StorageOp, uri: string, read: Effect.Effect<A, NotFound | StorageError>) =>
    Effect.mapError(read, (error) => {
      const manifest = error instanceof NotFound ? listedBy(uri) : undefined
      if (manifest === undefined) return error
      const cause = new Error(`the manifest ${manifest} names this file, which is gone; publish it again`)
      return new StorageError({ op, uri, reason: "Conflict", cause })
    })

  return withMetrics({
    list,
    size: (uri) => mapStaleManifest("size", uri, reads.size("size", uri)),
    read: (uri) => mapStaleManifest("read", uri, reads.read(uri)),
    readRanges: (uri, ranges) => mapStaleManifest("readRanges", uri, reads.readRanges(uri, ranges)),
    readTail: (uri, length) => mapStaleManifest("readTail", uri, reads.readTail(uri, length)),
    write: (uri) => readOnly("write", uri),
    openWrite: (uri) => readOnly("openWrite", uri),
    create: (uri) => readOnly("create", uri),
    createFolder: (uri) => readOnly("createFolder", uri),
    remove: (uri) => readOnly("remove", uri),
    removeFolder: (uri) => readOnly("removeFolder", uri),
  })
}
