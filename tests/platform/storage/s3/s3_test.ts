/** S3 storage against a scripted server: lost responses, regions, clocks, expired keys, forged responses, secrets. */
import { assert, assertEquals, assertMatch } from "@std/assert"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import * as Redacted from "effect/Redacted"
import { describe, it } from "node:test"
import { AlreadyExists, NotFound, StorageError } from "../../../../platform/errors.ts"
import { makeFetchClient } from "../../../../platform/storage/http/client.ts"
import {
  AwsCredentials,
  type AwsKeys,
  CredentialsError,
  envCredentials,
  layerAnonymous,
  makeCredentials,
  makeS3Storage,
  s3Files,
  s3OptionsFromEnv,
  staticCredentials,
} from "../../../../platform/storage/s3/mod.ts"
import { makeEndpoint } from "../../../../platform/storage/s3/location.ts"
import type { S3Options } from "../../../../platform/storage/s3/options.ts"
import type { Storage } from "../../../../platform/storage/service.ts"
import { errorDocument, type Script, type ScriptedServer, startScriptedServer } from "./scripted_server.ts"

const run = <A, E>(effect: Effect.Effect<A, E>): Promise<A> => Effect.runPromise(effect)
const fails = <A, E>(effect: Effect.Effect<A, E>): Promise<E> => Effect.runPromise(Effect.flip(effect))
const bytes = (...values: ReadonlyArray<number>): Uint8Array => Uint8Array.from(values)

const SECRET = "canary-secret-0123456789"
const TOKEN = "canary-token-0123456789"
const credentials = staticCredentials({ accessKeyId: "AKIDEXAMPLE", secretAccessKey: SECRET, sessionToken: TOKEN })
const quick = { retry: { times: 4, wait: 1 } } as const
const UUID = "0123456789abcdef0123456789abcdef"

const withServer = async (
  script: Script,
  body: (server: ScriptedServer, open: (options?: S3Options) => Storage) => Promise<void>,
): Promise<void> => {
  const server = await startScriptedServer(script)
  try {
    await body(server, (options) => s3Files({ endpoint: server.endpoint, credentials, ...quick, ...options }))
  } finally {
    server.close()
  }
}

/** Fails every request of a kind once with the response. */
const once = (matches: (method: string, url: string) => boolean, action: ReturnType<Script>): Script => {
  let done = false
  return ({ method, url }) => {
    if (done || !matches(method, url)) return undefined
    done = true
    return action
  }
}

describe("s3: lost responses", () => {
  it("of create: the file counts as created, once", () =>
    withServer(once((method) => method === "PUT", "lost"), async (server, open) => {
      await run(open().create("s3://bucket/file", bytes(1, 2)))
      assertEquals([...server.objects.get("file")!.bytes], [1, 2])
      assertEquals(server.received.map(({ method }) => method), ["PUT", "PUT", "HEAD"])
      assert(await fails(open().create("s3://bucket/file", bytes(3))) instanceof AlreadyExists)
    }))

  it("of create, while another writer creates the file: the call fails", () => {
    let server: ScriptedServer | undefined
    return withServer(
      (_, index) => {
        if (index > 0) return undefined
        // the first request does not arrive, and another writer is faster
        server!.objects.set("file", { bytes: bytes(9), headers: { "x-amz-meta-tessera-write": "other" } })
        return { status: 503, body: errorDocument("SlowDown") }
      },
      async (started, open) => {
        server = started
        assert(await fails(open().create("s3://bucket/file", bytes(1))) instanceof AlreadyExists)
        assertEquals([...started.objects.get("file")!.bytes], [9])
      },
    )
  })

  it("of the end of an upload: the file counts as written", () =>
    withServer(once((method, url) => method === "POST" && url.includes("uploadId"), "lost"), async (server, open) => {
      const content = new Uint8Array(11 << 20).fill(7)
      await run(Effect.scoped(Effect.gen(function* () {
        const file = yield* open({ partSize: 5 << 20 }).openWrite("s3://bucket/file")
        yield* file.write(content)
        yield* file.finish
      })))
      assertEquals(server.objects.get("file")?.bytes.length, content.length)
      assertEquals(server.uploads.size, 0)
    }))

  it("of the start of an upload: no upload remains, if the name has a UUID", () =>
    withServer(once((method, url) => method === "POST" && url.includes("uploads"), "lost"), async (server, open) => {
      await run(Effect.scoped(Effect.gen(function* () {
        const file = yield* open({ partSize: 5 << 20 }).openWrite(`s3://bucket/${UUID}/a0.tdb`)
        yield* file.write(new Uint8Array(11 << 20))
        yield* file.finish
      })))
      assertEquals(server.objects.get(`${UUID}/a0.tdb`)?.bytes.length, 11 << 20)
      assertEquals(server.uploads.size, 0)
    }))

  it("of parts: they are sent again", () => {
    let parts = 0
    return withServer(
      ({ method, url }) => method === "PUT" && url.includes("partNumber") && ++parts % 2 === 1 ? "lost" : undefined,
      async (server, open) => {
        const content = Uint8Array.from({ length: 17 << 20 }, (_, i) => i >>> 16)
        await run(Effect.scoped(Effect.gen(function* () {
          const file = yield* open({ partSize: 5 << 20 }).openWrite("s3://bucket/file")
          for (let at = 0; at < content.length; at += 1 << 20) yield* file.write(content.subarray(at, at + (1 << 20)))
          yield* file.finish
        })))
        const stored = server.objects.get("file")!.bytes
        assert(stored.length === content.length && stored.every((byte, i) => byte === content[i]))
      },
    )
  })
})

describe("s3: regions, clocks and keys", () => {
  it("finds the region of a bucket, and uses it for later requests", () =>
    withServer(
      ({ headers }) =>
        headers.authorization?.includes("/us-east-1/")
          ? {
            status: 301,
            headers: { "x-amz-bucket-region": "eu-central-1" },
            body: errorDocument("PermanentRedirect"),
          }
          : undefined,
      async (server, open) => {
        const storage = open()
        await run(storage.write("s3://bucket/a", bytes(1)))
        await run(storage.write("s3://bucket/b", bytes(2)))
        assertEquals(server.received.length, 3)
        assert(server.received[2].headers.authorization?.includes("/eu-central-1/s3/"))
      },
    ))

  it("takes the region from the document of a malformed authorization, and fails if it does not help", () =>
    withServer(
      () => ({ status: 400, body: errorDocument("AuthorizationHeaderMalformed", "<Region>eu-west-1</Region>") }),
      async (server, open) => {
        const error = await fails(open().read("s3://bucket/a"))
        assert(error instanceof StorageError && error.reason === "Denied", String(error))
        assertEquals(server.received.length, 2)
      },
    ))

  it("corrects a wrong clock by the time of the server", () => {
    const server = new Date(Date.now() + 3_600_000)
    return withServer(
      ({ headers }) => {
        const stamp = headers["x-amz-date"]!.replace(/(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z/, "$1-$2-$3T$4:$5:$6Z")
        return Math.abs(Date.parse(stamp) - server.getTime()) < 60_000
          ? undefined
          : { status: 403, headers: { date: server.toUTCString() }, body: errorDocument("RequestTimeTooSkewed") }
      },
      async ({ received }, open) => {
        const storage = open()
        await run(storage.write("s3://bucket/a", bytes(1)))
        await run(storage.read("s3://bucket/a"))
        assertEquals(received.length, 3)
      },
    )
  })

  it("loads new keys when the server rejects expired ones, once for concurrent requests", async () => {
    let loads = 0
    const load = Effect.sync((): AwsKeys => ({
      accessKeyId: `key${++loads}`,
      secretAccessKey: Redacted.make(SECRET),
    }))
    await withServer(
      ({ headers }) =>
        headers.authorization!.includes("key1/") ? { status: 400, body: errorDocument("ExpiredToken") } : undefined,
      async (_, open) => {
        const storage = open({ credentials: makeCredentials(load) })
        const writes = Array.from({ length: 8 }, (_, i) => storage.write(`s3://bucket/${i}`, bytes(i)))
        await run(Effect.all(writes, { concurrency: "unbounded" }))
        assert(loads >= 2 && loads <= 9, `${loads}`)
      },
    )
  })

  it("fails with Denied if there are no keys, without a request", () =>
    withServer(() => undefined, async (server, open) => {
      const error = await fails(open({ credentials: envCredentials({}) }).read("s3://bucket/a"))
      assert(error instanceof StorageError && error.reason === "Denied")
      assertMatch(error.message, /AWS_ACCESS_KEY_ID/)
      assertEquals(server.received.length, 0)
    }))

  it("does not sign anonymous requests", () =>
    withServer(() => undefined, async (server) => {
      const keys = await run(Effect.provide(AwsCredentials, layerAnonymous))
      await run(s3Files({ endpoint: server.endpoint, credentials: keys }).write("s3://bucket/a", bytes(1)))
      assertEquals(server.received[0].headers.authorization, undefined)
    }))
})

describe("s3: requests", () => {
  it("contain the hash of their body, also of an empty one, and the settings of new objects", () =>
    withServer(() => undefined, async (server, open) => {
      const storage = open({
        requesterPays: true,
        storageClass: "STANDARD_IA",
        acl: "bucket-owner-full-control",
        encryption: { type: "aws:kms", kmsKeyId: "key", bucketKey: true },
        checksums: true,
      })
      await run(storage.write("s3://bucket/a", bytes(1)))
      await run(storage.read("s3://bucket/a"))
      const [put, get] = server.received
      assertEquals(
        put.headers["x-amz-content-sha256"],
        "4bf5122f344554c53bde2ebb8cd2b7e3d1600ad631c385a5d7cce23c7785459a",
      )
      assertEquals(put.headers["x-amz-checksum-sha256"], "S/USLzRFVMU73i67jNK349FgCtYxw4Wl18ziPHeFRZo=")
      assertEquals(put.headers["x-amz-server-side-encryption"], "aws:kms")
      assertEquals(put.headers["x-amz-server-side-encryption-aws-kms-key-id"], "key")
      assertEquals(put.headers["x-amz-server-side-encryption-bucket-key-enabled"], "true")
      assertEquals(put.headers["x-amz-storage-class"], "STANDARD_IA")
      assertEquals(put.headers["x-amz-acl"], "bucket-owner-full-control")
      assertMatch(get.headers["x-amz-content-sha256"]!, /^e3b0c44298fc/)
      assertEquals(get.headers["x-amz-storage-class"], undefined)
      assertEquals([put, get].map(({ headers }) => headers["x-amz-request-payer"]), ["requester", "requester"])
    }))

  it("contain the program's own key for every object, and not for listings", () =>
    withServer(() => undefined, async (server, open) => {
      const customerKey = btoa("k".repeat(32))
      const storage = open({ encryption: { type: "customer", customerKey } })
      await run(storage.write("s3://bucket/a", bytes(1)))
      await run(storage.read("s3://bucket/a"))
      await run(storage.copy("s3://bucket/a", "s3://bucket/b"))
      await run(storage.list("s3://bucket/"))
      const keys = server.received.map(({ headers }) => headers["x-amz-server-side-encryption-customer-key"])
      assertEquals(keys, [customerKey, customerKey, customerKey, undefined])
      assertEquals(server.received[2].headers["x-amz-copy-source-server-side-encryption-customer-key"], customerKey)
    }))

  it("go to the bucket's host or path", () => {
    const url = (options: S3Options, object: string, region = "eu-central-1") => makeEndpoint(options)(object, region)
    assertEquals(url({}, "s3://bucket/a/b"), "https://bucket.s3.eu-central-1.amazonaws.com/a/b")
    assertEquals(url({}, "s3://bucket"), "https://bucket.s3.eu-central-1.amazonaws.com/")
    assertEquals(url({}, "s3://my.bucket/a"), "https://s3.eu-central-1.amazonaws.com/my.bucket/a")
    assertEquals(url({ pathStyle: true }, "s3://bucket/a"), "https://s3.eu-central-1.amazonaws.com/bucket/a")
    assertEquals(url({ dualStack: true }, "s3://bucket/a"), "https://bucket.s3.dualstack.eu-central-1.amazonaws.com/a")
    assertEquals(url({}, "s3://bucket/a", "cn-north-1"), "https://bucket.s3.cn-north-1.amazonaws.com.cn/a")
    assertEquals(url({ endpoint: "http://127.0.0.1:9000/" }, "s3://bucket/a?x=1"), "http://127.0.0.1:9000/bucket/a?x=1")
    assertEquals(
      url({ endpoint: "https://id.r2.cloudflarestorage.com", pathStyle: false }, "s3://bucket/a"),
      "https://bucket.id.r2.cloudflarestorage.com/a",
    )
  })

  it("read options from the environment", () => {
    assertEquals(s3OptionsFromEnv({}), {})
    const environment = {
      AWS_DEFAULT_REGION: "eu-west-1",
      AWS_ENDPOINT_URL: "http://one",
      AWS_ENDPOINT_URL_S3: "http://two",
      AWS_REQUEST_PAYER: "requester",
    }
    assertEquals(s3OptionsFromEnv(environment), { region: "eu-west-1", endpoint: "http://two", requesterPays: true })
  })
})

describe("s3: hostile servers", () => {
  it("cannot redirect a signed request to another host", async () => {
    const other = await startScriptedServer()
    try {
      for (const status of [301, 302, 303, 307, 308]) {
        await withServer(
          () => ({ status, headers: { location: `${other.endpoint}/bucket/a` } }),
          async (_, open) => {
            const error = await fails(open().read("s3://bucket/a"))
            assert(error instanceof StorageError, String(error))
          },
        )
      }
      assertEquals(other.received.length, 0)
    } finally {
      other.close()
    }
  })

  it("fail with typed errors for invalid listings", async () => {
    const page = (body: string): string =>
      `<ListBucketResult><IsTruncated>false</IsTruncated>${body}</ListBucketResult>`
    const bodies = [
      "",
      "no xml",
      "<a>".repeat(100_000),
      "<Other></Other>",
      page("<Contents><Size>1</Size></Contents>"),
      page("<Contents><Key>outside</Key></Contents>"),
      page("<CommonPrefixes><Prefix>outside/</Prefix></CommonPrefixes>"),
      page("<Contents><Key>folder/a"),
      "<ListBucketResult><EncodingType>url</EncodingType><Contents><Key>folder/%ff</Key></Contents></ListBucketResult>",
      "<ListBucketResult><IsTruncated>true</IsTruncated></ListBucketResult>",
      `<!DOCTYPE a [<!ENTITY b "cc">]><ListBucketResult><Contents><Key>folder/&b;</Key></Contents></ListBucketResult>`,
    ]
    for (const body of bodies) {
      await withServer(() => ({ status: 200, body }), async (_, open) => {
        const error = await fails(open().list("s3://bucket/folder"))
        assert(error instanceof StorageError && error.reason === "Unknown", `${body.slice(0, 80)}: ${String(error)}`)
      })
    }
  })

  it("cannot send the same page without end", () =>
    withServer(
      () => ({
        status: 200,
        body:
          "<ListBucketResult><IsTruncated>true</IsTruncated><NextContinuationToken>t</NextContinuationToken></ListBucketResult>",
      }),
      async (server, open) => {
        assert(await fails(open().list("s3://bucket/folder")) instanceof StorageError)
        assertEquals(server.received.length, 2)
      },
    ))

  it("ignore names that are not in the folder, or empty", () =>
    withServer(
      () => ({
        status: 200,
        body: "<ListBucketResult><IsTruncated>false</IsTruncated><Contents><Key>folder/</Key></Contents>" +
          "<Contents><Key>folder/a/b</Key></Contents><Contents><Key>folder/c</Key><Size>-5</Size></Contents>" +
          "<CommonPrefixes><Prefix>folder//</Prefix></CommonPrefixes>" +
          "<CommonPrefixes><Prefix>folder/d/</Prefix></CommonPrefixes></ListBucketResult>",
      }),
      async (_, open) => {
        assertEquals(await run(open().list("s3://bucket/folder")), [
          { name: "c", kind: "file" },
          { name: "d", kind: "folder" },
        ])
      },
    ))

  it("report a failure in the document of a response with status 200", () =>
    withServer(
      ({ method, headers }) =>
        method === "PUT" && headers["x-amz-copy-source"] !== undefined
          ? { status: 200, body: errorDocument("InternalError") }
          : undefined,
      async (_, open) => {
        await run(open().write("s3://bucket/a", bytes(1)))
        const error = await fails(open({}).copy("s3://bucket/a", "s3://bucket/b"))
        assert(error instanceof StorageError && error.reason === "Unavailable", String(error))
      },
    ))

  it("cannot make secrets appear in errors, causes and logs", async () => {
    const logged: Array<string> = []
    const logger = Logger.make(({ message, annotations }) => {
      logged.push(JSON.stringify([message, [...annotations]]))
    })
    const echo: Script = ({ headers }) => ({
      status: 400,
      body: `<Error><Code>Bad</Code><Message>${headers.authorization} ${
        headers["x-amz-security-token"]
      }</Message></Error>`,
    })
    const cut: Script = (_request, _index, response) => {
      response.socket?.destroy()
      return "handled"
    }
    for (const script of [echo, cut]) {
      await withServer(script, async (_, open) => {
        const storage = open({ encryption: { type: "customer", customerKey: btoa(SECRET.padEnd(32).slice(0, 32)) } })
        const calls = [
          storage.read("s3://bucket/a"),
          storage.list("s3://bucket/a"),
          storage.write("s3://bucket/a", bytes(1)),
          storage.create("s3://bucket/a", bytes(1)),
          storage.copy("s3://bucket/a", "s3://bucket/b"),
          storage.removeAll(["s3://bucket/a", "s3://bucket/b"]),
        ]
        for (const call of calls) {
          const observed = (call as Effect.Effect<unknown, unknown>).pipe(
            Effect.catchAll((error) => Effect.logError(error)),
            Logger.withMinimumLogLevel(LogLevel.All),
            Effect.provide(Logger.replace(Logger.defaultLogger, logger)),
          )
          await run(observed)
          const result = await Effect.runPromise(Effect.either(call as Effect.Effect<unknown, unknown>))
          const shown = JSON.stringify(result) + String(result._tag === "Left" ? (result.left as Error).stack : "")
          assert(!/canary|AWS4-HMAC/.test(shown), shown)
        }
      })
    }
    assert(logged.length > 0 && !/canary|AWS4-HMAC/.test(logged.join("\n")))
  })
})

describe("s3: bulk removals", () => {
  it("fall back to single ones on servers without them, for good", () =>
    withServer(
      ({ method }) => method === "POST" ? { status: 501, body: errorDocument("NotImplemented") } : undefined,
      async (server, open) => {
        const storage = open()
        const uris = Array.from({ length: 5 }, (_, i) => `s3://bucket/${i}`)
        for (const uri of uris) await run(storage.write(uri, bytes(1)))
        assertEquals(await run(storage.removeAll(uris.slice(0, 3))), [])
        assertEquals(await run(storage.removeAll(uris.slice(3))), [])
        assertEquals(server.objects.size, 0)
        assertEquals(server.received.filter(({ method }) => method === "POST").length, 1)
      },
    ))

  it("report each object that the server keeps, with its URI", () =>
    withServer(
      ({ method }) =>
        method === "POST"
          ? {
            status: 200,
            body: "<DeleteResult><Error><Key>b</Key><Code>AccessDenied</Code></Error>" +
              "<Error><Key>c</Key><Code>NoSuchKey</Code></Error></DeleteResult>",
          }
          : undefined,
      async (_, open) => {
        const failures = await run(open().removeAll(["s3://bucket/a", "s3://bucket/b", "s3://bucket/c"]))
        assertEquals(failures.map(({ uri, reason }) => [uri, reason]), [["s3://bucket/b", "Denied"]])
      },
    ))
})

describe("s3: credentials", () => {
  it("are loaded once for concurrent callers, again before they expire, and kept while loading fails", async () => {
    let loads = 0
    let broken = false
    const load = Effect.suspend(() =>
      broken ? Effect.fail(new CredentialsError({ source: "a test", detail: "broken" })) : Effect.delay(
        Effect.sync((): AwsKeys => ({
          accessKeyId: `key${++loads}`,
          secretAccessKey: Redacted.make(SECRET),
          expires: Date.now() + 60_000,
        })),
        5,
      )
    )
    const { keys } = makeCredentials(load)
    const all = await run(Effect.all(Array.from({ length: 10 }, () => keys), { concurrency: "unbounded" }))
    // the keys expire within the margin, so that each caller after the first loads them again
    assert(all.every((each) => each !== undefined))
    broken = true
    assertEquals((await run(keys))?.accessKeyId, `key${loads}`)
  })

  it("of the environment need both parts", async () => {
    const detail = async (environment: Record<string, string>) => (await fails(envCredentials(environment).keys)).detail
    assertMatch(await detail({}), /set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY/)
    assertMatch(await detail({ AWS_ACCESS_KEY_ID: "a" }), /AWS_SECRET_ACCESS_KEY is not/)
    assertMatch(await detail({ AWS_SECRET_ACCESS_KEY: SECRET }), /AWS_ACCESS_KEY_ID is not/)
  })

  it("are not printed", async () => {
    const keys = await run(credentials.keys)
    assert(!/canary/.test(JSON.stringify(keys) + String(keys?.secretAccessKey)))
  })
})

describe("s3: reads", () => {
  it("fail with Conflict if the object changes between two ranges", () =>
    withServer(() => undefined, async (server) => {
      const storage = makeS3Storage(makeFetchClient(), { endpoint: server.endpoint, credentials })
      await run(storage.write("s3://bucket/a", new Uint8Array(100)))
      await run(storage.readRanges("s3://bucket/a", [{ offset: 0, length: 10 }]))
      await run(storage.write("s3://bucket/a", new Uint8Array(100).fill(1)))
      const error = await fails(storage.readRanges("s3://bucket/a", [{ offset: 10, length: 10 }]))
      assert(error instanceof StorageError && error.reason === "Conflict", String(error))
    }))

  it("distinguish a missing object from a missing bucket", () =>
    withServer(
      ({ url }) => url.startsWith("/none/") ? { status: 404, body: errorDocument("NoSuchBucket") } : undefined,
      async (_, open) => {
        assert(await fails(open().read("s3://bucket/a")) instanceof NotFound)
        assertEquals(await run(open().exists("s3://bucket/a")), false)
        const error = await fails(open().read("s3://none/a"))
        assert(error instanceof StorageError && /bucket does not exist/.test(error.message), String(error))
      },
    ))
})
