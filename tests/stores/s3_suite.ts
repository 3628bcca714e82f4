/**
 * The storage suite and the cases of S3 on a real server: `deno test -A tests/stores/s3_suite.ts`, or `bun test` of it,
 * with the environment that `deno task stores` sets. `TESSERA_S3_BUCKET` is an existing bucket.
 */
import { assert, assertEquals } from "@std/assert"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import process from "node:process"
import { describe, it } from "node:test"
import { AlreadyExists, StorageError } from "../../platform/errors.ts"
import { makeFetchClient } from "../../platform/storage/http/client.ts"
import { makeS3Storage, s3Files, staticCredentials } from "../../platform/storage/s3/mod.ts"
import type { S3Options } from "../../platform/storage/s3/options.ts"
import type { Storage } from "../../platform/storage/service.ts"
import { storageSuite } from "../support/storage_suite.ts"

const variable = (name: string): string => {
  const value = process.env[name]
  if (value === undefined) throw new Error(`${name} is not set: run deno task stores`)
  return value
}

const bucket = variable("TESSERA_S3_BUCKET")
const server = variable("TESSERA_S3_SERVER")
const credentials = staticCredentials({
  accessKeyId: variable("AWS_ACCESS_KEY_ID"),
  secretAccessKey: variable("AWS_SECRET_ACCESS_KEY"),
})
const options: S3Options = { endpoint: variable("AWS_ENDPOINT_URL_S3"), credentials, partSize: 5 << 20 }

let folders = 0
const newFolder = (): string => `s3://${bucket}/${crypto.randomUUID()}/${++folders}`
const run = <A, E>(effect: Effect.Effect<A, E>): Promise<A> => Effect.runPromise(effect)
const fails = <A, E>(effect: Effect.Effect<A, E>): Promise<E> => Effect.runPromise(Effect.flip(effect))

storageSuite(`s3 on ${server}`, () => ({ storage: s3Files(options), root: newFolder() }))
storageSuite(`s3 on ${server}, with settings of the environment`, () => ({ storage: s3Files(), root: newFolder() }))
storageSuite(`s3 on ${server}, without retries`, () => ({
  storage: makeS3Storage(makeFetchClient(), options),
  root: newFolder(),
}))

/** Returns the IDs of the multipart uploads in progress below a prefix. */
const uploads = async (storage: Storage, root: string): Promise<ReadonlyArray<string>> => {
  const prefix = root.slice(`s3://${bucket}/`.length)
  const { AwsV4Signer } = await import("aws4fetch")
  const signer = new AwsV4Signer({
    url: `${options.endpoint}/${bucket}?uploads=&prefix=${encodeURIComponent(prefix)}`,
    accessKeyId: variable("AWS_ACCESS_KEY_ID"),
    secretAccessKey: variable("AWS_SECRET_ACCESS_KEY"),
    service: "s3",
    region: "us-east-1",
  })
  const { url, headers } = await signer.sign()
  const text = await (await fetch(url, { headers })).text()
  assert(text.includes("ListMultipartUploadsResult"), text)
  void storage
  return [...text.matchAll(/<UploadId>([^<]*)</g)].map(([, id]) => id)
}

describe(`s3 on ${server}`, () => {
  it("uploads a file in parts, of any chunk size", async () => {
    const storage = s3Files(options)
    const root = newFolder()
    const content = new Uint8Array((16 << 20) + 12_345)
    for (let i = 0; i < content.length; i += 101) content[i] = i >>> 7
    for (const chunk of [content.length, 5 << 20, (5 << 20) + 1, 1_000_003, 65_536]) {
      const uri = `${root}/${chunk}`
      await run(Effect.scoped(Effect.gen(function* () {
        const file = yield* storage.openWrite(uri)
        for (let at = 0; at < content.length; at += chunk) yield* file.write(content.subarray(at, at + chunk))
        yield* file.finish
        yield* file.finish
      })))
      const read = await run(storage.read(uri))
      assert(read.length === content.length && read.every((byte, i) => byte === content[i]), `${chunk}`)
    }
    assertEquals(await uploads(storage, root), [])
  })

  it("leaves no upload behind after an interruption, a failure or an early end", async () => {
    const storage = s3Files(options)
    const root = newFolder()
    const part = new Uint8Array(6 << 20)
    const begin = (name: string) =>
      Effect.gen(function* () {
        const file = yield* storage.openWrite(`${root}/${name}`)
        yield* file.write(part)
        yield* file.write(part)
        return file
      })
    await run(Effect.scoped(begin("early")))
    const failed = await Effect.runPromiseExit(Effect.scoped(Effect.zipRight(begin("failed"), Effect.fail("stop"))))
    assert(Exit.isFailure(failed))
    for (const delay of [0, 5, 20, 60, 150]) {
      const fiber = Effect.runFork(Effect.scoped(Effect.zipRight(begin(`interrupted ${delay}`), Effect.never)))
      await new Promise((resolve) => setTimeout(resolve, delay))
      await Effect.runPromise(Fiber.interrupt(fiber))
    }
    assertEquals(await uploads(storage, root), [])
    assertEquals(await run(storage.list(root)), [])
  })

  it("lists and removes thousands of objects in pages and bulk requests", async () => {
    const storage = s3Files({ ...options, requests: 64 })
    const root = newFolder()
    const names = Array.from({ length: 2300 }, (_, i) => `${i % 3 === 0 ? "a&b" : "c<d"}/${i}`)
    await run(Effect.forEach(names, (name) => storage.write(`${root}/${name}`, new Uint8Array(1)), {
      concurrency: 64,
      discard: true,
    }))
    const [first, second] = await run(Effect.all([storage.list(`${root}/a&b`), storage.list(`${root}/c<d`)]))
    assertEquals([first.length, second.length], [767, 1533])
    assertEquals(await run(storage.removeAll(names.slice(0, 1200).map((name) => `${root}/${name}`))), [])
    assertEquals((await run(storage.list(`${root}/c<d`))).length, 733)
    await run(storage.remove(root))
    assertEquals(await run(storage.list(root)), [])
  })

  it("recognises its own file after a lost response, and the file of another writer", async () => {
    const storage = makeS3Storage(makeFetchClient(), options)
    const root = newFolder()
    const { createAs } = storage
    if (createAs === undefined) throw new Error("S3 has createAs")
    await run(createAs(`${root}/file`, new Uint8Array(1), "one"))
    await run(createAs(`${root}/file`, new Uint8Array(1), "one"))
    assert(await fails(createAs(`${root}/file`, new Uint8Array(1), "two")) instanceof AlreadyExists)
    await run(storage.create(`${root}/other`, new Uint8Array(1)))
    assert(await fails(createAs(`${root}/other`, new Uint8Array(1), "one")) instanceof AlreadyExists)
  })

  it("names the setting to change: keys, bucket, and names", async () => {
    const withKeys = (accessKeyId: string, secretAccessKey: string) =>
      makeS3Storage(makeFetchClient(), {
        ...options,
        credentials: staticCredentials({ accessKeyId, secretAccessKey }),
      })
    const wrongSecret = withKeys(variable("AWS_ACCESS_KEY_ID"), "canary-secret-9f8e7d")
    const cases: ReadonlyArray<readonly [Effect.Effect<unknown, unknown>, string, RegExp]> = [
      [wrongSecret.list(newFolder()), "Denied", /secret access key/],
      [wrongSecret.write(`${newFolder()}/a`, new Uint8Array(1)), "Denied", /secret access key/],
      [withKeys("canary-id-123456", "canary-secret-9f8e7d").list(newFolder()), "Denied", /access key/],
      [s3Files(options).list("s3://no-such-bucket-in-tests/a"), "Unknown", /the bucket does not exist/],
      [s3Files(options).read("s3://no-such-bucket-in-tests/a"), "Unknown", /the bucket does not exist/],
      [s3Files(options).read("s3://x/a"), "BadName", /name of the bucket/],
      [s3Files(options).read(`s3://${bucket}/a/../b`), "BadName", /\.\./],
      [s3Files(options).read(`s3://${bucket}/${"a".repeat(1025)}`), "BadName", /1024 bytes/],
      [s3Files(options).write(`s3://${bucket}`, new Uint8Array(1)), "BadName", /name of the object/],
      [s3Files(options).remove(`s3://${bucket}/`), "Unsupported", /all objects of the bucket/],
    ]
    for (const [call, reason, message] of cases) {
      const error = await fails(call)
      assert(error instanceof StorageError, String(error))
      assertEquals([error.reason, message.test(error.message)], [reason, true], error.message)
      assert(!/canary-secret/.test(`${error.message}${JSON.stringify(error)}${String(error.cause)}`))
    }
  })
})
