/**
 * Single requests that change objects, with the checks of their responses.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import { NotFound, StorageError, type StorageOp } from "../../errors.ts"
import type { HttpRequest, HttpResponse, Send } from "../http/request.ts"
import { readErrorDocument, s3Failure } from "./failure.ts"
import { objectUrl, type S3Location, s3Location } from "./location.ts"
import type { S3Options } from "./options.ts"
import { base64, sha256 } from "./send.ts"
import { parseXml, type XmlElement } from "./xml.ts"

/** Maximum size of a response to a change, in bytes: a bulk removal lists up to 1,000 keys. */
const MAX_RESPONSE_SIZE = 8 << 20

/** Metadata of objects: the name of the write that created it, by which a write recognises its own result. */
export const WRITE_ID_HEADER = "x-amz-meta-tessera-write"

/** A request that changes an object. */
export interface Change {
  readonly op: StorageOp
  readonly uri: string
  readonly method: "PUT" | "POST" | "DELETE"
  readonly location: S3Location
  /** Query with its question mark. */
  readonly query?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Uint8Array
}

/** Returns the location of a URI that names an object. */
export const objectAt = (op: StorageOp, uri: string): Effect.Effect<S3Location, StorageError> =>
  Effect.try({
    try: () => {
      const location = s3Location(op, uri)
      if (location.key !== "") return location
      throw new StorageError({ op, uri, reason: "BadName", cause: new TypeError("the name of the object is missing") })
    },
    catch: (error) => error as StorageError,
  })

/** Sends a change and returns its response, whose body is unread. */
export const sendChange = (send: Send, change: Change): Effect.Effect<HttpResponse, StorageError> => {
  const { op, uri, method, location, query = "", headers, body } = change
  const request: HttpRequest = { op, uri, method, url: objectUrl(location) + query, headers, body }
  return send(request)
}

/** Fails for a response without success. */
export const failureOf = (change: Change, response: HttpResponse): Effect.Effect<never, NotFound | StorageError> =>
  Effect.zipRight(
    response.discard,
    Effect.fail(
      response.status === 404
        ? new NotFound({ uri: change.uri })
        : s3Failure(change.op, change.uri, response.status, undefined),
    ),
  )

/**
 * Sends a change whose response is a document. Servers send the status 200 before a long change ends, and then report a
 * failure in the document.
 */
export const changeForDocument = (
  send: Send,
  change: Change,
  root: string,
): Effect.Effect<XmlElement, NotFound | StorageError> =>
  Effect.gen(function* () {
    const { op, uri } = change
    const response = yield* sendChange(send, change)
    if (response.status !== 200) return yield* failureOf(change, response)
    const bytes = yield* response.body(MAX_RESPONSE_SIZE)
    const document = parseXml(bytes)
    if (document?.name === root) return document
    const { code } = readErrorDocument(bytes)
    if (code !== undefined) {
      // a failure after the status was sent: codes without an entry have the reason of failed servers
      return yield* Effect.fail(s3Failure(op, uri, 500, code))
    }
    const cause = new Error(`the server sent no ${root}`)
    return yield* Effect.fail(new StorageError({ op, uri, reason: "Unavailable", cause }))
  })

/** Returns the headers of new objects: encryption, storage class and access control list. */
export const newObjectHeaders = (options: S3Options): Readonly<Record<string, string>> => {
  const { encryption, storageClass, acl } = options
  const managed = encryption !== undefined && encryption.type !== "customer"
  return {
    ...(managed ? { "x-amz-server-side-encryption": encryption.type } : {}),
    ...(managed && encryption.kmsKeyId !== undefined
      ? { "x-amz-server-side-encryption-aws-kms-key-id": encryption.kmsKeyId }
      : {}),
    ...(managed && encryption.bucketKey !== undefined
      ? { "x-amz-server-side-encryption-bucket-key-enabled": String(encryption.bucketKey) }
      : {}),
    ...(storageClass === undefined ? {} : { "x-amz-storage-class": storageClass }),
    ...(acl === undefined ? {} : { "x-amz-acl": acl }),
  }
}

/** Returns the header with the checksum that the server stores; empty without the option `checksums`. */
export const checksumHeaders = (
  options: S3Options,
  body: Uint8Array,
): Effect.Effect<Readonly<Record<string, string>>> =>
  options.checksums === true
    ? Effect.promise(async () => ({ "x-amz-checksum-sha256": base64(new Uint8Array(await sha256(body))) }))
    : Effect.succeed({})
