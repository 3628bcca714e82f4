/**
 * Writes, creates and copies whole objects.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import { AlreadyExists, type NotFound, StorageError } from "../../errors.ts"
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
import { encodeKey, objectUrl } from "./location.ts"
import type { S3Options } from "./options.ts"
import type { S3Send } from "./send.ts"
import { textOf } from "./xml.ts"

/** Maximum size of an object that is written or copied by one request, in bytes. */
const MAX_SINGLE_SIZE = 5 * 2 ** 30

/** Size of the parts of a copy, in bytes. */
const COPY_PART_SIZE = 2 ** 30

/** Maximum number of concurrent parts of a copy. */
const COPY_PARTS = 4

/** The functions that write whole objects. */
export interface S3Writes {
  readonly write: Storage["write"]
  readonly create: Storage["create"]
  /** Creates a file as `create` does; succeeds if an earlier call with this ID created it. */
  readonly createAs: (uri: string, bytes: Uint8Array, id: string) => Effect.Effect<void, AlreadyExists | StorageError>
  readonly copy: Storage["copy"]
}

/** Creates the writing functions. `size` returns the size of an object. */
export const makeS3Writes = (
  { send, sourceKeyHeaders }: S3Send,
  options: S3Options,
  size: Storage["size"],
): S3Writes => {
  const objectHeaders = newObjectHeaders(options)
  const isConditional = options.conditionalWrites ?? true

  const put = (
    change: Omit<Change, "method" | "location"> & { readonly body: Uint8Array },
  ): Effect.Effect<"written" | "exists", StorageError> =>
    Effect.gen(function* () {
      const { op, uri, body } = change
      if (body.length > MAX_SINGLE_SIZE) {
        const cause = new Error("one request writes up to 5 GiB; use openWrite")
        return yield* Effect.fail(new StorageError({ op, uri, reason: "Unsupported", cause }))
      }
      const location = yield* objectAt(op, uri)
      const headers = { ...objectHeaders, ...yield* checksumHeaders(options, body), ...change.headers }
      const whole: Change = { ...change, method: "PUT", location, headers }
      const response = yield* sendChange(send, whole)
      if (response.status === 412) return yield* Effect.as(response.discard, "exists" as const)
      if (response.status !== 200 && response.status !== 201) {
        return yield* Effect.catchTag(failureOf(whole, response), "NotFound", () =>
          Effect.fail(
            new StorageError({ op, uri, reason: "Unknown", cause: new Error("the server responded with status 404") }),
          ))
      }
      yield* response.discard
      return "written" as const
    })

  const write: Storage["write"] = (uri, bytes) => Effect.asVoid(put({ op: "write", uri, body: bytes }))

  /** Returns the ID of the write that created an object. */
  const idAt = (uri: string): Effect.Effect<string | undefined, StorageError> =>
    Effect.gen(function* () {
      const url = objectUrl(yield* objectAt("create", uri))
      const response = yield* send({ op: "create", uri, method: "HEAD", url })
      yield* response.discard
      return response.status === 200 ? response.header(WRITE_ID_HEADER) : undefined
    })

  const createWith = (
    uri: string,
    bytes: Uint8Array,
    id: string | undefined,
  ): Effect.Effect<void, AlreadyExists | StorageError> =>
    Effect.gen(function* () {
      if (!isConditional) {
        const { status } = yield* Effect.tap(
          Effect.flatMap(objectAt("create", uri), (location) =>
            send({ op: "create", uri, method: "HEAD", url: objectUrl(location) })),
          ({ discard }) =>
            discard,
        )
        if (status === 200) return yield* Effect.fail(new AlreadyExists({ uri }))
      }
      const headers = {
        ...(isConditional ? { "if-none-match": "*" } : {}),
        ...(id === undefined ? {} : { [WRITE_ID_HEADER]: id }),
      }
      const result = yield* put({ op: "create", uri, body: bytes, headers })
      // the object may be the result of an earlier attempt whose response was lost
      if (result === "exists" && (id === undefined || (yield* idAt(uri)) !== id)) {
        return yield* Effect.fail(new AlreadyExists({ uri }))
      }
    })

  /** Copies an object that is too large for one request. */
  const copyInParts = (from: string, to: string, source: string): Effect.Effect<void, NotFound | StorageError> =>
    Effect.gen(function* () {
      const op = "copy"
      const total = yield* size(from)
      const location = yield* objectAt(op, to)
      const begin: Change = { op, uri: to, method: "POST", location, query: "?uploads", headers: objectHeaders }
      const started = yield* changeForDocument(send, begin, "InitiateMultipartUploadResult")
      const id = textOf(started, "UploadId") ?? ""
      const upload = `uploadId=${encodeURIComponent(id)}`
      const ranges = Array.from({ length: Math.ceil(total / COPY_PART_SIZE) }, (_, i) => ({
        start: i * COPY_PART_SIZE,
        end: Math.min(total, (i + 1) * COPY_PART_SIZE) - 1,
      }))
      const sourceHeaders = { "x-amz-copy-source": source, ...yield* sourceKeyHeaders }
      const copyParts = Effect.gen(function* () {
        const tags = yield* Effect.forEach(ranges, ({ start, end }, i) => {
          const headers = { ...sourceHeaders, "x-amz-copy-source-range": `bytes=${start}-${end}` }
          const change: Change = {
            op,
            uri: to,
            method: "PUT",
            location,
            query: `?partNumber=${i + 1}&${upload}`,
            headers,
          }
          return Effect.map(changeForDocument(send, change, "CopyPartResult"), (part) => textOf(part, "ETag") ?? "")
        }, { concurrency: COPY_PARTS })
        const parts = tags.map((tag, i) =>
          `<Part><PartNumber>${i + 1}</PartNumber><ETag>${tag.replaceAll('"', "&quot;")}</ETag></Part>`
        )
        const body = new TextEncoder().encode(`<CompleteMultipartUpload>${parts.join("")}</CompleteMultipartUpload>`)
        const finish: Change = { op, uri: to, method: "POST", location, query: `?${upload}`, body }
        yield* changeForDocument(send, finish, "CompleteMultipartUploadResult")
      })
      const abort = Effect.ignore(sendChange(send, { op, uri: to, method: "DELETE", location, query: `?${upload}` }))
      yield* Effect.onExit(copyParts, (exit) => exit._tag === "Success" ? Effect.void : abort)
    })

  const copy: Storage["copy"] = (from, to) =>
    Effect.gen(function* () {
      const { bucket, key } = yield* objectAt("copy", from)
      const location = yield* objectAt("copy", to)
      // S3 refuses to copy an object onto itself
      if (location.bucket === bucket && location.key === key) return yield* Effect.asVoid(size(from))
      const source = `/${bucket}/${encodeKey(key)}`
      const headers = { ...objectHeaders, "x-amz-copy-source": source, ...yield* sourceKeyHeaders }
      const change: Change = { op: "copy", uri: to, method: "PUT", location, headers }
      yield* changeForDocument(send, change, "CopyObjectResult").pipe(
        Effect.asVoid,
        Effect.catchTags({
          // the source is missing
          NotFound: (error) => Effect.fail(Object.assign(error, { uri: from })),
          StorageError: (error) => {
            const code = s3CodeOf(error)
            const isTooLarge = code === "EntityTooLarge" || code === "InvalidRequest"
            return isTooLarge
              ? Effect.flatMap(
                size(from),
                (bytes) => bytes > MAX_SINGLE_SIZE ? copyInParts(from, to, source) : Effect.fail(error),
              )
              : Effect.fail(error)
          },
        }),
      )
    })

  return {
    write,
    create: (uri, bytes) => createWith(uri, bytes, undefined),
    createAs: createWith,
    copy,
  }
}
