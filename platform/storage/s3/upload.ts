/**
 * Writes an object sequentially: a small one by one request, a larger one as a multipart upload, whose parts are sent
 * while the program produces the next ones.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { type NotFound, StorageError, type StorageOp } from "../../errors.ts"
import type { Send } from "../http/request.ts"
import type { Storage } from "../service.ts"
import {
  type Change,
  changeForDocument,
  checksumHeaders,
  failureOf,
  newObjectHeaders,
  objectAt,
  sendChange,
  WRITE_ID_HEADER,
} from "./calls.ts"
import { s3CodeOf } from "./failure.ts"
import { encodeText, objectUrl } from "./location.ts"
import { DEFAULT_PART_SIZE, DEFAULT_PARTS, type S3Options } from "./options.ts"
import { childrenOf, escapeXml, parseXml, textOf } from "./xml.ts"

/** Maximum number of parts of an object. */
const MAX_PARTS = 10_000

/** Maximum length of the ID of an upload. */
const MAX_ID_LENGTH = 4096

/** Maximum length of an ETag. */
const MAX_TAG_LENGTH = 256

/** Maximum size of a list of uploads, in bytes. */
const MAX_UPLOADS_SIZE = 1 << 20

/** Minimum size of a buffer that has content, in bytes. */
const MIN_BUFFER_SIZE = 1 << 16

/** Number of times that an abort is repeated. */
const ABORT_RETRIES = 2

/** A UUID in a name, with hyphens or without. */
const UUID = /[0-9a-f]{32}|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/

/** A part of an upload. */
interface Part {
  readonly number: number
  readonly bytes: Uint8Array
}

/** Removes the tag of missing objects: a missing upload is a failure of the storage. */
const asStorageError = (op: StorageOp, uri: string) => (error: NotFound | StorageError): StorageError =>
  error._tag === "StorageError"
    ? error
    : new StorageError({ op, uri, reason: "Unknown", cause: new Error("the server does not know the upload") })

/** Returns a function that opens objects for sequential writing. */
export const makeS3OpenWrite = (send: Send, options: S3Options): Storage["openWrite"] => (uri) =>
  Effect.gen(function* () {
    const location = yield* objectAt("openWrite", uri)
    const scope = yield* Effect.scope
    const partSize = options.partSize ?? DEFAULT_PART_SIZE
    const maxConcurrent = Math.floor(options.parts ?? DEFAULT_PARTS)
    const turns = Effect.unsafeMakeSemaphore(maxConcurrent)
    const objectHeaders = newObjectHeaders(options)
    const id: string = crypto.randomUUID()

    let state: "open" | "finished" | "closed" = "open"
    let buffer: Uint8Array = new Uint8Array(0)
    let length = 0
    let uploadId: string | undefined
    /** Whether a failed request may have started an upload whose ID is not known. */
    let lostStart = false
    /** Number of parts whose sending has started. */
    let parts = 0
    /** ETags of the sent parts. */
    let tags: Array<string> = []
    /** Parts that could not be sent. */
    let failed: Array<Part> = []

    const fail = (op: StorageOp, reason: StorageError["reason"], message: string) =>
      Effect.fail(new StorageError({ op, uri, reason, cause: new Error(message) }))

    const whileOpen = (op: StorageOp, use: Effect.Effect<void, StorageError>): Effect.Effect<void, StorageError> =>
      Effect.suspend(() => state === "open" ? use : fail(op, "Unknown", `the file is already ${state}`))

    /** Starts the upload. */
    const start = (op: StorageOp): Effect.Effect<void, StorageError> =>
      Effect.suspend(() => {
        if (uploadId !== undefined) return Effect.void
        const headers = {
          ...objectHeaders,
          [WRITE_ID_HEADER]: id,
          ...(options.checksums ? { "x-amz-checksum-algorithm": "SHA256" } : {}),
        }
        const change: Change = { op, uri, method: "POST", location, query: "?uploads=", headers }
        const started = Effect.onExit(changeForDocument(send, change, "InitiateMultipartUploadResult"), (exit) =>
          Effect.sync(() => lostStart ||= Exit.isFailure(exit)))
        return Effect.flatMap(Effect.mapError(started, asStorageError(op, uri)), (document) => {
          const text = textOf(document, "UploadId")
          if (text === undefined || text === "" || text.length > MAX_ID_LENGTH) {
            return fail(op, "Unknown", "the server sent no ID of the upload")
          }
          uploadId = text
          return Effect.void
        })
      })

    const sendPart = (op: StorageOp, { number, bytes }: Part): Effect.Effect<void, StorageError> =>
      Effect.gen(function* () {
        const query = `?partNumber=${number}&uploadId=${encodeText(uploadId!)}`
        const headers = yield* checksumHeaders(options, bytes)
        const change: Change = { op, uri, method: "PUT", location, query, headers, body: bytes }
        const response = yield* sendChange(send, change)
        if (response.status !== 200) return yield* Effect.mapError(failureOf(change, response), asStorageError(op, uri))
        yield* response.discard
        const tag = response.header("etag")
        if (tag === undefined || tag.length > MAX_TAG_LENGTH) {
          return yield* fail(op, "Unknown", "the server sent no ETag of a part")
        }
        tags[number - 1] = tag
      })

    /** Sends the buffer as a part, in the background; waits while the maximum number of parts are being sent. */
    const flush = (op: StorageOp): Effect.Effect<void> =>
      Effect.uninterruptibleMask((restore) =>
        Effect.zipRight(
          restore(turns.take(1)),
          Effect.suspend(() => {
            const part: Part = { number: ++parts, bytes: buffer.subarray(0, length) }
            buffer = new Uint8Array(0)
            length = 0
            const sent = Effect.onExit(Effect.interruptible(sendPart(op, part)), (exit) =>
              Effect.suspend(() => {
                if (Exit.isFailure(exit)) failed.push(part)
                return turns.release(1)
              }))
            return Effect.forkIn(Effect.ignore(sent), scope)
          }),
        )
      )

    /** Sends the parts that failed again. */
    const repeatFailed = (op: StorageOp): Effect.Effect<void, StorageError> =>
      Effect.suspend(() => {
        const [part] = failed
        if (part === undefined) return Effect.void
        return Effect.flatMap(sendPart(op, part), () => {
          failed = failed.filter((other) => other !== part)
          return repeatFailed(op)
        })
      })

    const append = (bytes: Uint8Array): void => {
      const end = length + bytes.length
      if (end > buffer.length) {
        const grown = new Uint8Array(Math.min(partSize, Math.max(end, 2 * buffer.length, MIN_BUFFER_SIZE)))
        grown.set(buffer.subarray(0, length))
        buffer = grown
      }
      buffer.set(bytes, length)
      length = end
    }

    // everything that can fail comes before the first change of the buffer, so that a failed call has no effect
    const write = (bytes: Uint8Array): Effect.Effect<void, StorageError> =>
      Effect.gen(function* () {
        const op = "append"
        yield* repeatFailed(op)
        const total = Math.ceil((length + bytes.length) / partSize)
        if (parts + total > MAX_PARTS) {
          return yield* fail(op, "Full", `the file has more than ${MAX_PARTS} parts; choose a larger partSize`)
        }
        if (total > 1) yield* start(op)
        let at = 0
        while (bytes.length - at > partSize - length) {
          const end = at + partSize - length
          append(bytes.subarray(at, end))
          at = end
          yield* flush(op)
        }
        append(bytes.subarray(at))
      })

    const putWhole: Effect.Effect<void, StorageError> = Effect.gen(function* () {
      const op = "finish"
      const body = buffer.subarray(0, length)
      const headers = { ...objectHeaders, ...yield* checksumHeaders(options, body) }
      const change: Change = { op, uri, method: "PUT", location, headers, body }
      const response = yield* sendChange(send, change)
      if (response.status === 200 || response.status === 201) return yield* response.discard
      yield* Effect.mapError(failureOf(change, response), asStorageError(op, uri))
    })

    /** Whether the object is the result of this writer. */
    const isWritten: Effect.Effect<boolean, StorageError> = Effect.gen(function* () {
      const response = yield* send({ op: "finish", uri, method: "HEAD", url: objectUrl(location) })
      yield* response.discard
      return response.status === 200 && response.header(WRITE_ID_HEADER) === id
    })

    const complete: Effect.Effect<void, StorageError> = Effect.gen(function* () {
      const op = "finish"
      if (length > 0) yield* flush(op)
      // all turns are free once no part is being sent
      yield* turns.withPermits(maxConcurrent)(Effect.void)
      yield* repeatFailed(op)
      const list = tags.map((tag, i) => `<Part><PartNumber>${i + 1}</PartNumber><ETag>${escapeXml(tag)}</ETag></Part>`)
      const body = new TextEncoder().encode(`<CompleteMultipartUpload>${list.join("")}</CompleteMultipartUpload>`)
      const query = `?uploadId=${encodeText(uploadId!)}`
      const headers = { "content-type": "application/xml" }
      const change: Change = { op, uri, method: "POST", location, query, headers, body }
      yield* Effect.catchAll(
        Effect.asVoid(changeForDocument(send, change, "CompleteMultipartUploadResult")),
        (error) => {
          const failure = Effect.fail(asStorageError(op, uri)(error))
          // an earlier attempt may have completed the upload, and its response was lost
          const isGone = error._tag === "NotFound" || s3CodeOf(error) === "NoSuchUpload"
          return isGone ? Effect.flatMap(isWritten, (written) => written ? Effect.void : failure) : failure
        },
      )
    })

    const abort = (upload: string): Effect.Effect<void, StorageError> =>
      Effect.flatMap(
        sendChange(send, {
          op: "openWrite",
          uri,
          method: "DELETE",
          location,
          query: `?uploadId=${encodeText(upload)}`,
        }),
        ({ discard }) => discard,
      )

    /**
     * Aborts uploads whose first response was lost. Uploads of other writers to the same name cannot be told apart, so
     * this is done only for names with a UUID, which no other writer uses.
     */
    const abortLost: Effect.Effect<void, StorageError> = Effect.gen(function* () {
      if (!lostStart || !UUID.test(location.key)) return
      const query = `?prefix=${encodeText(location.key)}&uploads=`
      const url = objectUrl({ bucket: location.bucket, key: "" }) + query
      const response = yield* send({ op: "openWrite", uri, method: "GET", url })
      for (const upload of uploadsIn(yield* response.body(MAX_UPLOADS_SIZE))) {
        if (upload.key === location.key) yield* abort(upload.id)
      }
    })

    const release = Effect.suspend(() => {
      const upload = state === "finished" ? undefined : uploadId
      if (state === "open") state = "closed"
      buffer = new Uint8Array(0)
      tags = []
      failed = []
      const aborted = upload === undefined ? Effect.void : Effect.retry(abort(upload), { times: ABORT_RETRIES })
      return Effect.zipRight(
        Effect.catchAll(aborted, () =>
          Effect.annotateLogs(
            Effect.logWarning("an unfinished multipart upload could not be aborted; a lifecycle rule removes it"),
            { uri },
          )),
        Effect.ignore(abortLost),
      )
    })
    yield* Effect.addFinalizer(() => release)

    return {
      write: (bytes) => whileOpen("append", write(bytes)),
      finish: Effect.suspend(() =>
        state === "finished" ? Effect.void : whileOpen(
          "finish",
          Effect.map(Effect.suspend(() => parts === 0 ? putWhole : complete), () => {
            state = "finished"
          }),
        )
      ),
    }
  })

/** Returns the uploads in progress that a document lists. */
const uploadsIn = (bytes: Uint8Array): ReadonlyArray<{ readonly key: string; readonly id: string }> => {
  const root = parseXml(bytes)
  const uploads = root === undefined ? [] : childrenOf(root, "Upload")
  return uploads.map((element) => ({ key: textOf(element, "Key") ?? "", id: textOf(element, "UploadId") ?? "" }))
}
