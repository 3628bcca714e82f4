/** Web servers with faults, and the number of requests of operations. */
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type { ServerResponse } from "node:http"
import { after, before, describe, it } from "node:test"
import { NotFound, StorageError } from "../../../../platform/errors.ts"
import { corsHint, HttpFailure, retryAfterOf } from "../../../../platform/storage/http/errors.ts"
import { makeFetchClient } from "../../../../platform/storage/http/client.ts"
import { httpFiles } from "../../../../platform/storage/http/default_http.ts"
import type { HttpOptions } from "../../../../platform/storage/http/request.ts"
import { encodeManifest, MANIFEST_NAME } from "../../../../platform/storage/http/manifest.ts"
import { makeHttpStorage } from "../../../../platform/storage/http/http.ts"
import type { Storage } from "../../../../platform/storage/service.ts"
import { type Habits, type Seen, startWebServer, type WebServer } from "../../../support/web_server.ts"

const run = <A, E>(effect: Effect.Effect<A, E>): Promise<A> => Effect.runPromise(effect)
const fails = async <A>(effect: Effect.Effect<A, NotFound | StorageError>): Promise<StorageError> => {
  const error = await run(Effect.flip(effect))
  assert(error instanceof StorageError, String(error))
  return error
}

const client = makeFetchClient()
const content = Uint8Array.from({ length: 1000 }, (_, i) => i * 31 + (i >>> 8))
const text = (value: string): Uint8Array => new TextEncoder().encode(value)

interface Site extends WebServer {
  readonly storage: Storage
  readonly uri: string
  readonly files: Map<string, Uint8Array>
}

/** Runs `body` with a server that has one file. */
const site = async (
  habits: Omit<Habits, "files">,
  body: (site: Site) => Promise<void>,
  options: HttpOptions = {},
): Promise<void> => {
  const files = new Map([["data/file", content]])
  const server = await startWebServer({ files, ...habits })
  try {
    await body({ ...server, files, storage: makeHttpStorage(client, options), uri: `${server.origin}/data/file` })
  } finally {
    await server.close()
  }
}

/** Responds to the first requests with these functions, and then as usual. */
const firstly = (...answers: ReadonlyArray<(response: ServerResponse, seen: Seen) => void>): Habits["first"] => {
  let next = 0
  return (seen, response) => {
    if (next >= answers.length) return undefined
    answers[next++](response, seen)
    return true
  }
}
const status = (code: number, headers: Record<string, string> = {}) => (response: ServerResponse): void => {
  response.writeHead(code, headers).end()
}
const always = (answer: (response: ServerResponse, seen: Seen) => void): Habits["first"] => (seen, response) => {
  answer(response, seen)
  return true
}
/** Sends a body without an end. */
const endlessly = (response: ServerResponse, byte: number): void => {
  const piece = new Uint8Array(1 << 20).fill(byte)
  const more = (): void => {
    if (response.destroyed) return
    if (response.write(piece)) setTimeout(more)
    else response.once("drain", more)
  }
  more()
}
/** Waits until a condition is true, at most about two seconds. */
const until = async (done: () => boolean): Promise<void> => {
  for (let i = 0; i < 200 && !done(); i++) await new Promise((next) => setTimeout(next, 10))
}

const range = { offset: 100, length: 50 }
const some = [range]

describe("statuses", () => {
  it("are converted to the reasons of errors", async () => {
    for (
      const [code, reason] of [
        [401, "Denied"],
        [403, "Denied"],
        [407, "Denied"],
        [408, "Timeout"],
        [504, "Timeout"],
        [429, "Unavailable"],
        [500, "Unavailable"],
        [503, "Unavailable"],
        [400, "Unknown"],
        [418, "Unknown"],
        [204, "Unknown"],
      ] as const
    ) {
      await site({ first: always(status(code)) }, async ({ storage, uri }) => {
        for (const call of [storage.read(uri), storage.readRanges(uri, some)]) {
          const error = await fails(call as Effect.Effect<unknown, NotFound | StorageError>)
          assertEquals([code, error.reason], [code, reason])
          assert(error.cause instanceof HttpFailure)
          assertStringIncludes(error.message, `the server responded with status ${code}`)
          assertStringIncludes(error.message, uri)
        }
      })
    }
    for (const code of [404, 410]) {
      await site({ first: always(status(code)) }, async ({ storage, uri }) => {
        for (const call of [storage.read(uri), storage.size(uri), storage.readTail(uri, 8)]) {
          assert(await run(Effect.flip(call as Effect.Effect<unknown, unknown>)) instanceof NotFound)
        }
      })
    }
  })

  it("reports how long to wait", () => {
    assertEquals(retryAfterOf("120", 0), 120_000)
    assertEquals(retryAfterOf("Fri, 01 Mar 2024 00:00:05 GMT", Date.UTC(2024, 2, 1)), 5000)
    assertEquals(retryAfterOf("Fri, 01 Mar 2024 00:00:05 GMT", Date.UTC(2025, 2, 1)), 0)
    for (const header of [undefined, "soon", "-1", "99999999999999"]) assertEquals(retryAfterOf(header, 0), undefined)
  })

  it("500 twice and then the file: retries succeed after the requested wait", async () => {
    const first = () => firstly(status(500), status(429, { "retry-after": "1" }))
    await site({ first: first() }, async ({ storage, uri }) => {
      assertEquals((await fails(storage.read(uri))).reason, "Unavailable")
    })
    await site({ first: first() }, async ({ uri, seen }) => {
      const start = Date.now()
      assertEquals(await run(httpFiles({ retry: { wait: 1 } }).read(uri)), content)
      assert(Date.now() - start >= 990)
      assertEquals(seen.length, 3)
    })
  })
})

describe("a server without ranges", () => {
  it("serves small files", () =>
    site({ ranges: "no" }, async ({ storage, uri }) => {
      const ranges = [range, { offset: 0, length: 3 }, { offset: 1000, length: 0 }]
      for (let i = 0; i < 2; i++) {
        assertEquals(await run(storage.readRanges(uri, ranges)), [
          content.slice(100, 150),
          content.slice(0, 3),
          new Uint8Array(),
        ])
      }
      assertEquals(await run(storage.readTail(uri, 8)), { bytes: content.slice(992), size: 1000 })
      assertEquals((await fails(storage.readRanges(uri, [{ offset: 990, length: 11 }]))).reason, "Truncated")
      assertEquals((await fails(storage.readRanges(uri, [...ranges, { offset: 1001, length: 0 }]))).reason, "Truncated")
    }))

  it("receives one size request for many ranges", () =>
    site({ ranges: "no" }, async ({ storage, uri, seen }) => {
      await run(storage.readRanges(uri, some))
      seen.length = 0
      await run(storage.readRanges(uri, [range, { offset: 0, length: 3 }, { offset: 500, length: 5 }]))
      assertEquals(seen.length, 1)
    }))

  it("is rejected with a reason if files are large, without reading them", () =>
    site({
      first: always((response, { method }) => {
        response.writeHead(200, { "content-length": String(40 << 20) })
        if (method === "HEAD") response.end()
        else response.write(new Uint8Array(1 << 20))
      }),
    }, async ({ storage, uri, seen }) => {
      for (
        const call of [
          storage.readRanges(uri, [{ offset: 30 << 20, length: 10 }]),
          storage.readTail(uri, 100),
        ]
      ) {
        const error = await fails(call as Effect.Effect<unknown, NotFound | StorageError>)
        assertEquals(error.reason, "Unsupported")
        assertStringIncludes(error.message, "this server does not serve ranges")
      }
      assertEquals(await run(storage.readRanges(uri, [{ offset: 5, length: 10 }])), [new Uint8Array(10)])
      await until(() => seen.every((request) => request.cut))
      assertEquals(seen.map((request) => request.cut), [true, true, true, true], "the bodies are given up")
    }))

  it("serves a large file that is read as a whole", () =>
    site({ ranges: "no" }, async ({ storage, uri, files }) => {
      files.set("data/file", new Uint8Array(40 << 20))
      assertEquals((await run(storage.readRanges(uri, [{ offset: 0, length: 40 << 20 }])))[0].length, 40 << 20)
      assertEquals((await run(storage.readTail(uri, 41 << 20))).bytes.length, 40 << 20)
    }))

  it("is rejected with a reason if it sends no length and an endless body", () =>
    site({
      first: always((response, { method }) => {
        response.writeHead(200)
        if (method === "HEAD") response.end()
        else endlessly(response, 0)
      }),
    }, async ({ storage, uri }) => {
      for (const call of [storage.readTail(uri, 100), storage.size(uri)]) {
        const error = await fails(call as Effect.Effect<unknown, NotFound | StorageError>)
        assertEquals(error.reason, "Unsupported")
      }
      const [start] = await run(storage.readRanges(uri, [{ offset: 10, length: 10 }]))
      assertEquals(start, new Uint8Array(10))
    }))
})

describe("a server that responds incorrectly", () => {
  it("sends other bytes than requested", () =>
    site({ ranges: "other bytes" }, async ({ storage, uri }) => {
      const error = await fails(storage.readRanges(uri, some))
      assertEquals(error.reason, "Unknown")
      assertMatch(error.message, /requested bytes 100 to 149, the server sent 101 to 150/)
      assertEquals((await fails(storage.readTail(uri, 10))).reason, "Unknown")
    }))

  it("sends the whole file with the status of a part", () =>
    site({ ranges: "whole as part" }, async ({ storage, uri }) => {
      for (const call of [storage.readRanges(uri, some), storage.readTail(uri, 10)]) {
        const error = await fails(call as Effect.Effect<unknown, NotFound | StorageError>)
        assertEquals(error.reason, "Truncated")
        assertMatch(error.message, /the body has 1000 bytes, expected (50|10)/)
      }
    }))

  it("sends one byte less or more than announced", async () => {
    for (const ranges of ["lie", "lie longer"] as const) {
      await site({ ranges }, async ({ storage, uri }) => {
        assertEquals((await fails(storage.readRanges(uri, some))).reason, "Truncated")
        assertEquals((await fails(storage.readTail(uri, 10))).reason, "Truncated")
      })
    }
  })

  it("announces an impossible length, for which no memory is allocated", () =>
    site({ ranges: "huge" }, async ({ storage, uri }) => {
      const error = await fails(storage.readRanges(uri, [{ offset: 0, length: 2 ** 50 }]))
      assertEquals(error.reason, "Truncated")
    }))

  it("truncates bodies", () =>
    site({
      first: always((response, { headers }) => {
        const part = headers.range === undefined
          ? { code: 200, head: { "content-length": "1000" } }
          : { code: 206, head: { "content-length": "50", "content-range": "bytes 100-149/1000" } }
        response.writeHead(part.code, part.head)
        response.write(new Uint8Array(10))
        setTimeout(() => response.destroy(), 20)
      }),
    }, async ({ storage, uri }) => {
      for (const call of [storage.read(uri), storage.readRanges(uri, some)]) {
        const error = await fails(call as Effect.Effect<unknown, NotFound | StorageError>)
        assertEquals(error.reason, "Unavailable")
        assertMatch(error.message, /the body was interrupted: ./)
      }
    }))

  it("truncates a body once, and the retry succeeds", () =>
    site({
      first: firstly((response) => {
        response.writeHead(206, { "content-length": "50", "content-range": "bytes 100-149/1000" })
        response.write(new Uint8Array(10))
        setTimeout(() => response.destroy(), 20)
      }),
    }, async ({ uri, seen }) => {
      const storage = httpFiles({ retry: { wait: 1 } })
      assertEquals(await run(storage.readRanges(uri, some)), [content.slice(100, 150)])
      assertEquals(seen.length, 2)
    }))

  it("compresses a part", () =>
    site({
      first: always(status(206, { "content-range": "bytes 100-149/1000", "content-encoding": "gzip" })),
    }, async ({ storage, uri }) => {
      assertEquals((await fails(storage.readRanges(uri, some))).reason, "Truncated")
    }))

  it("rejects a request of another range", () =>
    site({ first: always(status(416, { "content-range": "bytes */1000" })) }, async ({ storage, uri }) => {
      assertEquals((await fails(storage.readRanges(uri, some))).reason, "Unknown")
      assertEquals((await fails(storage.readTail(uri, 10))).reason, "Unknown")
      assertEquals((await fails(storage.readRanges(uri, [{ offset: 995, length: 6 }]))).reason, "Truncated")
    }))
})

describe("a server with redirects, without CORS, or that does not exist", () => {
  it("redirects, and the redirect is followed", () =>
    site({
      first: (seen, response) => {
        if (!seen.path.startsWith("/old/")) return undefined
        response.writeHead(302, { location: seen.url.replace("/old/", "/data/") }).end()
        return true
      },
    }, async ({ storage, origin }) => {
      const uri = `${origin}/old/file`
      assertEquals(await run(storage.readRanges(uri, some)), [content.slice(100, 150)])
      assertEquals(await run(storage.size(uri)), 1000)
      assertEquals(await run(storage.readTail(uri, 8)), { bytes: content.slice(992), size: 1000 })
    }))

  it("redirects in a circle", () =>
    site({
      first: always((response, { url }) => response.writeHead(302, { location: url }).end()),
    }, async ({ storage, uri }) => {
      for (const call of [storage.read(uri), storage.list(uri)]) {
        const error = await fails(call as Effect.Effect<unknown, NotFound | StorageError>)
        assertEquals(error.reason, "Unknown")
        assertStringIncludes(error.message, "redirects endlessly")
      }
    }))

  it("does not exist", async () => {
    const server = await startWebServer({ files: new Map() })
    await server.close()
    const error = await fails(makeHttpStorage(client).read(`${server.origin}/file`))
    assertEquals(error.reason, "Unavailable")
    assertStringIncludes(error.message, "no response")
    assertEquals((await fails(makeHttpStorage(client).list("http://host.invalid/array"))).reason, "Unavailable")
  })

  it("rejects requests of a page: the message names the required CORS headers", () => {
    assertEquals(corsHint("https://data.org/file", undefined), "")
    assertEquals(corsHint("https://data.org/file", "https://data.org"), "")
    assertMatch(corsHint("https://data.org/file", "https://app.org"), /Access-Control-Allow-Origin: https:\/\/app\.org/)
    assertMatch(corsHint("https://data.org/file", "https://app.org"), /Expose-Headers: Content-Range/)
  })

  it("has an invalid name", async () => {
    for (const uri of ["http://", "https:///path", "http://a b/", "http://host:99999/"]) {
      assertEquals((await fails(makeHttpStorage(client).read(uri))).reason, "Unknown")
      assertEquals((await fails(makeHttpStorage(client).list(uri))).reason, "Unknown")
    }
  })
})

describe("a server that hangs", () => {
  const hanging: Habits["first"] = always(() => {})
  const halfway: Habits["first"] = always((response) => {
    response.writeHead(206, { "content-length": "50", "content-range": "bytes 100-149/1000" })
    response.write(new Uint8Array(10))
  })
  it("causes a timeout, before and during the response", async () => {
    for (const [first, label] of [[hanging, "the response"], [halfway, "the body"]] as const) {
      await site({ first }, async ({ storage, uri, seen }) => {
        const error = await fails(storage.readRanges(uri, some))
        assertEquals(error.reason, "Timeout")
        assertStringIncludes(error.message, `${label} took longer than`)
        await until(() => seen[0].cut)
        assert(seen[0].cut, "the server sees it")
      }, { timeout: 80 })
    }
  })

  it("sees requests end when the reader is interrupted", async () => {
    for (const first of [hanging, halfway]) {
      await site({ first }, async ({ storage, uri, seen }) => {
        const ranges = [range, { offset: 100, length: 50 }, { offset: 100, length: 50 }]
        const fiber = Effect.runFork(storage.readRanges(uri, ranges))
        await until(() => seen.length === 3)
        assertEquals(seen.map((request) => request.cut), [false, false, false])
        await run(Fiber.interrupt(fiber))
        await until(() => seen.every((request) => request.cut))
        assertEquals(seen.map((request) => request.cut), [true, true, true])
      })
    }
  })

  it("aborts listings too, when all waiting fibers were interrupted", () =>
    site({ first: hanging }, async ({ storage, uri, seen }) => {
      const fibers = [storage.list(uri), storage.list(`${uri}/__schema`)].map((list) => Effect.runFork(list))
      await until(() => seen.length > 0)
      await run(Fiber.interrupt(fibers[0]))
      await new Promise((next) => setTimeout(next, 30))
      assertEquals(seen.map((request) => request.cut), [false])
      await run(Fiber.interrupt(fibers[1]))
      await until(() => seen[0].cut)
      assertEquals(seen.map((request) => request.cut), [true])
    }))
})

describe("queries and headers", () => {
  it("are sent with every request, also for appended names", () =>
    site({ query: "sig=a%2Fb&x=1" }, async ({ storage, origin, files }) => {
      files.set("data/__schema/one", content)
      const uri = `${origin}/data?sig=a%2Fb&x=1`
      assertEquals((await run(storage.list(uri))).map((e) => e.name), ["__schema", "file"])
      assertEquals((await run(storage.list(`${uri}/__schema`))).map((e) => e.name), ["one"])
      assertEquals(await run(storage.read(`${uri}/__schema/one`)), content)
      assertEquals(await run(storage.readTail(`${origin}/data/file?sig=a%2Fb&x=1`, 2)), {
        bytes: content.slice(998),
        size: 1000,
      })
      assertEquals((await fails(storage.read(`${origin}/data/file`))).reason, "Denied")
    }))

  it("are sent unchanged", () =>
    site({}, async ({ storage, uri, seen }) => {
      await run(storage.read(uri))
      assertEquals(seen[0].headers.authorization, "Bearer abc")
      assertEquals(seen[0].headers["accept-encoding"], "identity")
      assertEquals(seen[0].headers.traceparent, undefined)
    }, { headers: { authorization: "Bearer abc" } }))
})

describe("writing", () => {
  it("is rejected with a reason", async () => {
    const storage = httpFiles()
    for (
      const call of [
        storage.write("http://host/a", content),
        storage.create("https://host/a", content),
        storage.remove("https://host/a"),
        storage.createFolder("https://host/a"),
        Effect.scoped(storage.openWrite("https://host/a")),
      ]
    ) {
      const error = await fails(call as Effect.Effect<unknown, NotFound | StorageError>)
      assertEquals(error.reason, "Unsupported")
      assertStringIncludes(error.message, "read-only")
    }
  })
})

describe("listings", () => {
  const manifest = (...files: Array<readonly [string, number]>): Uint8Array => encodeManifest(files)
  const names = async (storage: Storage, uri: string): Promise<Array<string>> =>
    (await run(storage.list(uri))).map(({ name, kind }) => kind === "folder" ? `${name}/` : name)

  it("come from a manifest at the array, with one request for all at once", () =>
    site({ index: "forbidden" }, async ({ storage, origin, files, seen }) => {
      files.set(`data/array/${MANIFEST_NAME}`, manifest(["__schema/one", 5], ["__commits/two.wrt", 0], ["x", 1]))
      const uri = `${origin}/data/array`
      const lists = [uri, `${uri}/__schema`, `${uri}/__commits`, `${uri}/__fragments`].map((at) => storage.list(at))
      assertEquals(await run(Effect.all(lists, { concurrency: 4 })), [
        [{ name: "__commits", kind: "folder" }, { name: "__schema", kind: "folder" }, {
          name: "x",
          kind: "file",
          size: 1,
        }],
        [{ name: "one", kind: "file", size: 5 }],
        [{ name: "two.wrt", kind: "file", size: 0 }],
        [],
      ])
      assertEquals(seen.length, 1)
    }))

  it("are revalidated, and not sent again if unchanged", () =>
    site({ index: "forbidden", etag: true }, async ({ storage, origin, files, seen }) => {
      const path = `data/array/${MANIFEST_NAME}`
      files.set(path, manifest(["one", 5]))
      assertEquals(await names(storage, `${origin}/data/array`), ["one"])
      assertEquals(await names(storage, `${origin}/data/array`), ["one"])
      assertEquals(seen.map(({ headers }) => headers["if-none-match"] !== undefined), [false, true])
      files.set(path, manifest(["one", 5], ["two", 5]))
      assertEquals(await names(storage, `${origin}/data/array`), ["one", "two"])
      files.delete(path)
      assertMatch((await fails(storage.list(`${origin}/data/array`))).message, /there is no manifest/)
      files.set(path, manifest(["three", 5]))
      assertEquals(await names(storage, `${origin}/data/array`), ["three"], "published again")
    }))

  it("come from the manifest of a parent folder, which is searched once", () =>
    site({ index: "missing" }, async ({ storage, origin, files, seen }) => {
      files.set(MANIFEST_NAME, manifest(["group/one/__schema/s", 1], ["group/two/__schema/s", 1]))
      assertEquals(await names(storage, `${origin}/group/one`), ["__schema/"])
      const before = seen.length
      assertEquals(await names(storage, `${origin}/group/two/__schema`), ["s"])
      assertEquals(await names(storage, `${origin}/group`), ["one/", "two/"])
      assertEquals(await names(storage, origin), ["group/"])
      assertEquals(seen.length, before + 3)
    }))

  it("come from index pages, and are empty for missing folders", async () => {
    for (const index of ["nginx", "apache", "python", "serve"] as const) {
      await site({ index }, async ({ storage, origin, files, seen }) => {
        files.set("data/array/__schema/one", content)
        files.set("data/array/a b&c", content)
        assertEquals(await names(storage, `${origin}/data/array`), ["__schema/", "a b&c"])
        assertEquals(await names(storage, `${origin}/data/array/__schema`), ["one"])
        assertEquals(await names(storage, `${origin}/data/array/__fragments`), [])
        assertEquals(seen.length, 4, "one for the manifest, one for each page")
        assertEquals(await names(storage, `${origin}/data/elsewhere`), [])
        assertEquals(await names(storage, `${origin}/no/such/folder`), [])
      })
    }
  })

  it("are rejected with a reason if the server does not support them", async () => {
    for (const index of ["forbidden", "missing", "start page"] as const) {
      await site({ index }, async ({ storage, origin }) => {
        const error = await fails(storage.list(`${origin}/data/array/__schema`))
        assertEquals(error.reason, "Unsupported")
        assertMatch(error.message, /does not list folders .*\/data\/array\/__tessera_manifest\.json .*tessera publish/)
      })
    }
  })

  it("are denied in a folder of a server that lists others", () =>
    site({
      first: (seen, response) => seen.path.startsWith("/data/secret/") ? (status(403)(response), true) : undefined,
    }, async ({ storage, origin }) => {
      assertEquals((await fails(storage.list(`${origin}/data/secret`))).reason, "Denied")
    }))

  it("are denied by a server that requires a key", () =>
    site({ first: always(status(401)) }, async ({ storage, origin }) => {
      const error = await fails(storage.list(`${origin}/data/array/__schema`))
      assertEquals(error.reason, "Denied")
      assertMatch(error.message, /credentials \(the server responded with status 401\)/)
    }))

  it("fail with the reason when the server is busy", () =>
    site({ first: always(status(503)) }, async ({ storage, origin }) => {
      assertEquals((await fails(storage.list(`${origin}/data`))).reason, "Unavailable")
    }))

  it("name a manifest that is stale", () =>
    site({}, async ({ storage, origin, files }) => {
      files.set(`data/array/${MANIFEST_NAME}`, manifest(["__schema/gone", 5]))
      const uri = `${origin}/data/array/__schema/gone`
      assert(await run(Effect.flip(storage.read(uri))) instanceof NotFound, "no manifest is loaded yet")
      assertEquals(await names(storage, `${origin}/data/array/__schema`), ["gone"])
      for (
        const call of [storage.read(uri), storage.readTail(uri, 5), storage.readRanges(uri, some), storage.size(uri)]
      ) {
        const error = await fails(call as Effect.Effect<unknown, NotFound | StorageError>)
        assertEquals(error.reason, "Conflict")
        assertMatch(
          error.message,
          /the manifest http.*\/data\/array\/__tessera_manifest\.json names this file, which no longer exists/,
        )
      }
      assert(await run(Effect.flip(storage.read(`${origin}/data/array/other`))) instanceof NotFound)
    }))

  it("name a manifest that is damaged or hostile", async () => {
    const head = '{"format":"tessera-manifest","version":1,"files":'
    const hostile: ReadonlyArray<readonly [string, RegExp]> = [
      ["", /JSON/],
      ["not json", /JSON/],
      ["[]", /Expected|expected/],
      ["null", /Expected|expected/],
      ['{"format":"other","version":1,"files":[]}', /format/],
      ['{"format":"tessera-manifest","version":2,"files":[]}', /version/],
      [`${head}[["a",-1]]}`, /expected \[path, size\]/],
      [`${head}[["a",0.5]]}`, /expected \[path, size\]/],
      [`${head}[["a",1e300]]}`, /expected \[path, size\]/],
      [`${head}[["a"]]}`, /files/],
      [`${head}[["${"a/".repeat(100)}a",1]]}`, /deeper than/],
      ...[
        "../a",
        "a/../../b",
        "/a",
        "a//b",
        "a/",
        "",
        ".",
        "..",
        "a\\\\..\\\\b",
        "%2e%2e/a",
        "a/%2E./b",
        "..%2fa",
        "a\\u0000b",
      ]
        .map((path) => [`${head}[["ok",1],["${path}",1]]}`, /leaves the folder/] as const),
    ]
    for (const [body, want] of hostile) {
      await site({}, async ({ storage, origin, files }) => {
        files.set(`data/array/${MANIFEST_NAME}`, text(body))
        const error = await fails(storage.list(`${origin}/data/array`))
        assertEquals(error.reason, "Unknown")
        assertMatch(error.message, /the manifest http.*__tessera_manifest\.json is damaged: /, body)
        assertMatch(error.message, want, body)
        assert(error.message.length < 1000)
      })
    }
  })

  it("do not read endless manifests or pages", async () => {
    const endless = (type: string) => (response: ServerResponse): void => {
      response.writeHead(200, { "content-type": type })
      endlessly(response, 32)
    }
    await site({ first: always(endless("application/json")) }, async ({ storage, origin }) => {
      assertMatch((await fails(storage.list(`${origin}/data`))).message, /the manifest .* has more than/)
    })
    await site({ first: firstly(status(404), endless("text/html")) }, async ({ storage, origin }) => {
      assertMatch((await fails(storage.list(`${origin}/data`))).message, /the index page has more than/)
    })
  })
})

describe("the web, in the default storage", () => {
  let server: WebServer
  const files = new Map([["file", content]])
  before(async () => {
    server = await startWebServer({ files })
  })
  after(() => server.close())

  it("reads close ranges by one request", async () => {
    const ranges = [{ offset: 0, length: 10 }, { offset: 900, length: 100 }, { offset: 20, length: 10 }]
    assertEquals(
      await run(httpFiles().readRanges(`${server.origin}/file`, ranges)),
      ranges.map(({ offset, length }) => content.slice(offset, offset + length)),
    )
    assertEquals(server.seen.map(({ headers }) => headers.range), ["bytes=0-999"])
  })
})
