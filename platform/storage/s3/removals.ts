/**
 * Removes objects: in bulk (`DeleteObjects`), and with all objects below a name.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import { StorageError, type StorageOp } from "../../errors.ts"
import type { Send } from "../http/request.ts"
import type { Storage } from "../service.ts"
import { type Change, changeForDocument, failureOf, objectAt, sendChange } from "./calls.ts"
import { s3Failure } from "./failure.ts"
import type { S3Listing } from "./listing.ts"
import { s3Location } from "./location.ts"
import { contentMd5 } from "./send.ts"
import { childrenOf, escapeXml, isXmlText, textOf } from "./xml.ts"

/** Maximum number of keys of one request. */
const MAX_KEYS = 1000

/** Maximum number of concurrent requests. */
const CONCURRENCY = 8

/** An object to remove. `uri` is the one of the error if it cannot be removed. */
interface Removal {
  readonly uri: string
  readonly key: string
}

/** Creates the removing functions. */
export const makeS3Removals = (send: Send, { objectsBelow }: S3Listing): Pick<Storage, "remove" | "removeAll"> => {
  /** Whether the server lacks bulk removals, as some compatible ones do; set by its first refusal. */
  let lacksBulk = false

  const removeOne = (op: StorageOp, bucket: string, { uri, key }: Removal): Effect.Effect<void, StorageError> =>
    Effect.gen(function* () {
      const change: Change = { op, uri, method: "DELETE", location: { bucket, key } }
      const response = yield* sendChange(send, change)
      if (response.status === 404 || response.status < 300) return yield* response.discard
      yield* Effect.catchTag(failureOf(change, response), "NotFound", () => Effect.void)
    })

  const removeSingly = (op: StorageOp, bucket: string, removals: ReadonlyArray<Removal>) =>
    Effect.map(
      Effect.forEach(removals, (removal) => Effect.either(removeOne(op, bucket, removal)), {
        concurrency: CONCURRENCY,
      }),
      (results) => results.flatMap((result) => result._tag === "Left" ? [result.left] : []),
    )

  /** Removes up to 1,000 objects by one request; returns one error per object that could not be removed. */
  const removeBulk = (
    op: StorageOp,
    bucket: string,
    removals: ReadonlyArray<Removal>,
  ): Effect.Effect<ReadonlyArray<StorageError>, StorageError> =>
    Effect.gen(function* () {
      if (lacksBulk || removals.length === 1) return yield* removeSingly(op, bucket, removals)
      const uris = new Map(removals.map(({ uri, key }) => [key, uri]))
      const objects = removals.map(({ key }) => `<Object><Key>${escapeXml(key)}</Key></Object>`)
      const body = new TextEncoder().encode(`<Delete><Quiet>true</Quiet>${objects.join("")}</Delete>`)
      const headers = { "content-md5": yield* contentMd5(body), "content-type": "application/xml" }
      const uri = removals[0].uri
      const change: Change = {
        op,
        uri,
        method: "POST",
        location: { bucket, key: "" },
        query: "?delete=",
        headers,
        body,
      }
      const result = yield* Effect.either(changeForDocument(send, change, "DeleteResult"))
      if (result._tag === "Left") {
        const error = result.left
        if (error._tag === "StorageError" && error.reason !== "Unsupported") return yield* Effect.fail(error)
        lacksBulk = true
        return yield* removeSingly(op, bucket, removals)
      }
      return childrenOf(result.right, "Error").flatMap((failure) => {
        const key = textOf(failure, "Key") ?? ""
        const code = textOf(failure, "Code") ?? ""
        const known = /^[A-Za-z0-9.]{1,64}$/.test(code) ? code : undefined
        if (known === "NoSuchKey") return []
        // a failure with an unknown key may belong to any of the objects
        return [s3Failure(op, uris.get(key) ?? uri, known === "AccessDenied" ? 403 : 500, known)]
      })
    })

  const removeObjects = (
    op: StorageOp,
    bucket: string,
    removals: ReadonlyArray<Removal>,
  ): Effect.Effect<ReadonlyArray<StorageError>, StorageError> => {
    const plain = removals.filter(({ key }) => isXmlText(key))
    const others = removals.filter(({ key }) => !isXmlText(key))
    const groups = Array.from(
      { length: Math.ceil(plain.length / MAX_KEYS) },
      (_, i) => plain.slice(i * MAX_KEYS, (i + 1) * MAX_KEYS),
    )
    const bulk = Effect.forEach(groups, (group) => removeBulk(op, bucket, group), { concurrency: CONCURRENCY })
    return Effect.zipWith(
      bulk,
      removeSingly(op, bucket, others),
      (failures, singles) => [...failures.flat(), ...singles],
    )
  }

  const removeAll: Storage["removeAll"] = (uris) =>
    Effect.gen(function* () {
      const op = "removeAll"
      const failures: Array<StorageError> = []
      const buckets = new Map<string, Array<Removal>>()
      for (const uri of uris) {
        const location = yield* Effect.either(objectAt(op, uri))
        if (location._tag === "Left") failures.push(location.left)
        else {
          const { bucket, key } = location.right
          const removals = buckets.get(bucket)
          if (removals === undefined) buckets.set(bucket, [{ uri, key }])
          else removals.push({ uri, key })
        }
      }
      for (const [bucket, removals] of buckets) failures.push(...yield* removeObjects(op, bucket, removals))
      return failures
    })

  const remove: Storage["remove"] = (uri) =>
    Effect.gen(function* () {
      const op = "remove"
      const { bucket, key } = yield* Effect.try({
        try: () => s3Location(op, uri),
        catch: (error) => error as StorageError,
      })
      if (key === "") {
        const cause = new Error("this would remove all objects of the bucket; name a folder in it")
        return yield* Effect.fail(new StorageError({ op, uri, reason: "Unsupported", cause }))
      }
      let own: ReadonlyArray<Removal> = [{ uri, key }]
      let next: string | undefined
      do {
        const page = yield* objectsBelow(op, uri, next)
        const removals = [...own, ...page.objects.map((object) => ({ uri, key: object.key }))]
        own = []
        const [failure] = removals.length === 0 ? [] : yield* removeObjects(op, bucket, removals)
        if (failure !== undefined) return yield* Effect.fail(failure)
        next = page.next
      } while (next !== undefined)
    })

  return { remove, removeAll }
}
