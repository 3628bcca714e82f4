/**
 * Storage in Amazon S3 and compatible stores.
 *
 * @module
 */
import { type HttpClient, withTracerDisabledWhen } from "@effect/platform/HttpClient"
import * as Effect from "effect/Effect"
import { makeReads } from "../http/ranges.ts"
import { makeSendOnce } from "../http/request.ts"
import { withDefaults } from "../defaults.ts"
import { withMetrics } from "../measured.ts"
import type { Storage } from "../service.ts"
import { envCredentials } from "./environment.ts"
import { makeS3Listing } from "./listing.ts"
import { objectUrl, s3Location } from "./location.ts"
import { checkS3Options, type S3Options } from "./options.ts"
import { makeS3Removals } from "./removals.ts"
import { makeS3Send } from "./send.ts"
import { makeS3OpenWrite } from "./upload.ts"
import { makeS3Writes } from "./writes.ts"

/**
 * Creates a storage for `s3://bucket/key` and `s3a://bucket/key` URIs that sends its requests through `client`, one per
 * call, range and page of a listing, without retries and without a concurrency limit; {@link s3Files} adds those.
 *
 * Every request is signed (AWS Signature Version 4) with the hash of its body. `create` uses `If-None-Match`, so that
 * one of several writers succeeds. `openWrite` sends large files as multipart uploads and aborts them if the scope
 * closes before `finish`. `removeAll` removes 1,000 objects per request; `copy` copies inside the store. Files that
 * change during reads are detected by their ETags.
 *
 * Errors: `NotFound` for missing objects; `StorageError` with reason `Denied` for missing permissions, wrong keys and a
 * wrong clock, `Unavailable` and `Timeout` for failures that a retry may solve, `Truncated` for cut bodies and ranges
 * past the end, `Conflict` for objects that changed, `BadName` for names that S3 does not accept, `Full`, and `Unknown`
 * for other responses; their `cause` contains the status and the code. Redirects are not followed, so that no other host
 * receives signed requests; buckets in other regions are found by the name of their region. Throws `InvalidOption`.
 *
 * ```ts
 * import { makeS3Storage, staticCredentials } from "@tessera/array/aws"
 * import { assertEquals } from "@std/assert"
 * import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
 * import { HttpClient } from "@effect/platform/HttpClient"
 * import * as Effect from "effect/Effect"
 *
 * const credentials = staticCredentials({ accessKeyId: "id", secretAccessKey: "secret" })
 * const program = Effect.map(HttpClient, (client) => makeS3Storage(client, { region: "eu-central-1", credentials }))
 * const storage = Effect.runSync(Effect.provide(program, FetchHttpClient.layer))
 * assertEquals(Effect.runSync(Effect.flip(storage.read("s3://b/file"))).message.includes("bucket"), true)
 * ```
 */
export const makeS3Storage = (client: HttpClient, options: S3Options = {}): Storage => {
  checkS3Options(options)
  // the client's spans would contain headers
  const sendOnce = makeSendOnce(withTracerDisabledWhen(client, () => true), options.timeout)
  const s3Send = makeS3Send(sendOnce, options.credentials ?? envCredentials(), options)
  const { send } = s3Send
  const reads = makeReads(send, (op, uri) => objectUrl(s3Location(op, uri)))
  const listing = makeS3Listing(send)
  const size: Storage["size"] = (uri) => reads.size("size", uri)
  const { write, create, createAs, copy } = makeS3Writes(s3Send, options, size)
  return withDefaults(withMetrics({
    list: listing.list,
    listPage: listing.listPage,
    listAllPage: listing.listAllPage,
    head: reads.head,
    size,
    read: reads.read,
    readRanges: reads.readRanges,
    readTail: reads.readTail,
    write,
    create,
    createAs,
    copy,
    openWrite: makeS3OpenWrite(send, options),
    createFolder: () => Effect.succeed([]),
    removeFolder: () => Effect.void,
    ...makeS3Removals(send, listing),
  }))
}
