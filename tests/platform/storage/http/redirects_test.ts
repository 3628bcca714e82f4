/** Headers are only sent to the origins that the program allows; redirects are followed one by one. */
import { assert, assertEquals, assertMatch, assertStringIncludes, assertThrows } from "@std/assert"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import * as Effect from "effect/Effect"
import * as Tracer from "effect/Tracer"
import { describe, it } from "node:test"
import { InvalidOption, type NotFound, StorageError } from "../../../../platform/errors.ts"
import { makeFetchClient } from "../../../../platform/storage/http/client.ts"
import { httpFiles, layerHttp } from "../../../../platform/storage/http/default_http.ts"
import type { HttpOptions } from "../../../../platform/storage/http/request.ts"
import { encodeManifest, MANIFEST_NAME } from "../../../../platform/storage/http/manifest.ts"
import { makeHttpStorage } from "../../../../platform/storage/http/http.ts"
import type { Storage } from "../../../../platform/storage/service.ts"
import { type Habits, startWebServer, type WebServer } from "../../../support/web_server.ts"

const run = <A, E>(effect: Effect.Effect<A, E>): Promise<A> => Effect.runPromise(effect)
const fails = async <A>(effect: Effect.Effect<A, NotFound | StorageError>): Promise<StorageError> => {
  const error = await run(Effect.flip(effect))
  assert(error instanceof StorageError, String(error))
  return error
}
/** Returns everything that a log of an error can contain. */
const shown = (error: StorageError | InvalidOption): string => {
  const texts: Array<string> = []
  for (let at: unknown = error; at instanceof Error; at = at.cause) {
    texts.push(String(at), at.stack ?? "", JSON.stringify(at), ...Object.keys(at))
  }
  return texts.join("\n")
}

const content = Uint8Array.from({ length: 1000 }, (_, i) => i * 31 + (i >>> 8))
const secret = { authorization: "Bearer secret", "X-Api-Key": "secret too" }
const some = [{ offset: 100, length: 50 }, { offset: 600, length: 10 }]

/** Starts two servers on two ports, which are two origins, each with the same file. */
const twoSites = async (
  habits: (here: string, there: string) => { readonly here?: Omit<Habits, "files">; readonly there?: Partial<Habits> },
  body: (here: WebServer, there: WebServer, files: Map<string, Uint8Array>) => Promise<void>,
): Promise<void> => {
  const files = new Map([["data/file", content]])
  const habitsHere: Habits = { files }
  const habitsThere: Habits = { files }
  const here = await startWebServer(habitsHere)
  const there = await startWebServer(habitsThere)
  const requested = habits(here.origin, there.origin)
  Object.assign(habitsHere, requested.here)
  Object.assign(habitsThere, requested.there)
  try {
    await body(here, there, files)
  } finally {
    await here.close()
    await there.close()
  }
}
/** Redirects paths below `/old/` to the same path below `target`. */
const moved = (target: string, status = 302): Habits["first"] => (seen, response) => {
  if (!seen.path.startsWith("/old/")) return undefined
  response.writeHead(status, { location: seen.url.replace("/old", target) }).end("moved")
  return true
}
const storageOf = (options: HttpOptions = {}): Storage => makeHttpStorage(makeFetchClient(), options)
const everyRead = (storage: Storage, uri: string) =>
  Effect.all([
    storage.read(uri),
    storage.readRanges(uri, some),
    storage.readTail(uri, 8),
    storage.size(uri),
    Effect.ignore(storage.list(uri)),
  ], { concurrency: 1 })
const headersAt = (server: WebServer) =>
  server.seen.map(({ headers }) => [headers.authorization, headers["x-api-key"]].join())

describe("headers of the program", () => {
  it("are sent to the origin of the first URI only", () =>
    twoSites(() => ({}), async (here, there) => {
      const storage = storageOf({ headers: secret })
      await run(everyRead(storage, `${here.origin}/data/file`))
      await run(everyRead(storage, `${there.origin}/data/file`))
      await run(storage.read(`${here.origin}/data/file`))
      assert(here.seen.length >= 6 && there.seen.length >= 5)
      assertEquals(new Set(headersAt(here)), new Set(["Bearer secret,secret too"]))
      assertEquals(new Set(headersAt(there)), new Set([","]))
      assertEquals(there.seen[0].headers["accept-encoding"], "identity")
      assert(there.seen.some(({ headers }) => headers.range === "bytes=100-149"))
    }))

  it("belong to one storage: another storage has its own first URI", () =>
    twoSites(() => ({}), async (here, there) => {
      await run(storageOf({ headers: secret }).read(`${here.origin}/data/file`))
      await run(storageOf({ headers: secret }).read(`${there.origin}/data/file`))
      assertEquals([headersAt(here), headersAt(there)], [["Bearer secret,secret too"], ["Bearer secret,secret too"]])
    }))

  it("are sent to the origins in the option `origin`, for any first read", () =>
    twoSites(() => ({}), async (here, there) => {
      for (const origin of [there.origin, new URL(`${there.origin}/some/path?x`), [`${there.origin}/`]]) {
        here.seen.length = there.seen.length = 0
        const storage = httpFiles({ headers: secret, origin })
        await run(storage.read(`${here.origin}/data/file`))
        await run(storage.read(`${there.origin}/data/file`))
        assertEquals([headersAt(here), headersAt(there)], [[","], ["Bearer secret,secret too"]])
      }
      here.seen.length = there.seen.length = 0
      const both = httpFiles({ headers: secret, origin: [here.origin, there.origin] })
      for (const { origin } of [here, there]) await run(both.read(`${origin}/data/file`))
      assertEquals([headersAt(here), headersAt(there)], [["Bearer secret,secret too"], ["Bearer secret,secret too"]])
      here.seen.length = 0
      await run(httpFiles({ headers: secret, origin: [] }).read(`${here.origin}/data/file`))
      assertEquals(headersAt(here), [","])
    }))

  it("are refused if `origin` is not an http or https URL, which is not quoted", () =>
    twoSites(() => ({}), async (here) => {
      for (const origin of ["data.example/?sig=abc", "ftp://data.example/?sig=abc", "", [here.origin, "sig=abc"]]) {
        for (const make of [storageOf, httpFiles, layerHttp]) {
          const error = assertThrows(() => void make({ headers: secret, origin }), InvalidOption)
          assertEquals(error.option, "origin")
          assertMatch(error.message, /origin: expected http:\/\/ or https:\/\/ URLs/)
          assert(!shown(error).includes("sig"))
        }
      }
      await run(storageOf().read(`${here.origin}/data/file`))
      assertEquals(here.seen.length, 1)
    }))

  it("are not sent after a redirect to another origin, but after one within the origin", () =>
    twoSites((here, there) => ({
      here: { first: moved(`${there}/data`) },
      there: { first: moved(`${here}/data`) },
    }), async (here, there) => {
      for (const options of [{ headers: secret }, { headers: secret, origin: here.origin }]) {
        here.seen.length = there.seen.length = 0
        await run(everyRead(storageOf(options), `${here.origin}/old/file`))
        assertEquals(new Set(headersAt(here)), new Set(["Bearer secret,secret too"]))
        assertEquals(new Set(headersAt(there)), new Set([","]))
        assertEquals(
          there.seen.flatMap(({ headers }) => headers.range ?? []).sort(),
          ["bytes=-8", "bytes=100-149", "bytes=600-609"],
        )
      }
      here.seen.length = there.seen.length = 0
      // redirects back to an origin that receives the headers
      await run(storageOf({ headers: secret, origin: here.origin }).read(`${there.origin}/old/file`))
      assertEquals([headersAt(there), headersAt(here)], [[","], ["Bearer secret,secret too"]])
    }))

  it("for https: are not sent to http: or to another port", async () => {
    const requested: Array<readonly [string, string | undefined]> = []
    const client = HttpClient.make((request, url) => {
      requested.push([url.href, request.headers.authorization])
      return Effect.succeed(HttpClientResponse.fromWeb(request, new Response(new Uint8Array(3))))
    })
    const storage = makeHttpStorage(client, { headers: secret, origin: "https://data.example" })
    for (const origin of ["https://data.example:443", "http://data.example", "https://data.example:8443"]) {
      await run(storage.read(`${origin}/file`))
    }
    assertEquals(requested.map(([, authorization]) => authorization), ["Bearer secret", undefined, undefined])
  })
})

describe("redirects", () => {
  it("are followed for 301, 302, 303, 307 and 308, with range and precondition", async () => {
    for (const status of [301, 302, 303, 307, 308]) {
      await twoSites((_, there) => ({
        here: { first: moved(`${there}/data`, status) },
        there: { etag: true },
      }), async (here, there) => {
        const storage = storageOf()
        const uri = `${here.origin}/old/file`
        assertEquals(await run(storage.readTail(uri, 8)), { bytes: content.slice(992), size: 1000 })
        assertEquals(await run(storage.readRanges(uri, some)), [content.slice(100, 150), content.slice(600, 610)])
        assertEquals(await run(storage.size(uri)), 1000)
        assertEquals(there.seen.at(-1)!.method, "HEAD")
        assertEquals(here.seen.length, there.seen.length)
      })
    }
  })

  it("are relative to the URL that redirects", () =>
    twoSites(() => ({
      here: {
        first: (seen, response) => {
          const location = { "/a/b/one": "../two?x=1#part", "/a/two": "/data/file" }[seen.path]
          if (location === undefined) return undefined
          response.writeHead(302, { location }).end()
          return true
        },
      },
    }), async (here) => {
      assertEquals(await run(storageOf().read(`${here.origin}/a/b/one?sig=1`)), content)
      assertEquals(here.seen.map(({ url }) => url), ["/a/b/one?sig=1", "/a/two?x=1", "/data/file"])
    }))

  it("read Location as UTF-8", () =>
    twoSites(() => ({
      here: {
        first: (seen, response) => {
          if (seen.path !== "/old") return undefined
          response.writeHead(302, { location: Buffer.from("/data/é", "utf8").toString("latin1") }).end()
          return true
        },
      },
    }), async (here, _, files) => {
      files.set("data/é", content)
      assertEquals(await run(storageOf().read(`${here.origin}/old`)), content)
    }))

  const chain = (length: number): Habits["first"] => (seen, response) => {
    const at = Number(/^\/hop(\d+)$/.exec(seen.path)?.[1] ?? NaN)
    if (Number.isNaN(at)) return undefined
    response.writeHead(302, { location: at + 1 < length ? `/hop${at + 1}` : "/data/file" }).end()
    return true
  }
  it("are followed at most ten times", async () => {
    await twoSites(() => ({ here: { first: chain(10) } }), async (here) => {
      assertEquals(await run(storageOf().read(`${here.origin}/hop0`)), content)
      assertEquals(here.seen.length, 11)
    })
    await twoSites(() => ({ here: { first: chain(11) } }), async (here) => {
      for (const call of [storageOf().read(`${here.origin}/hop0`), httpFiles().read(`${here.origin}/hop0`)]) {
        here.seen.length = 0
        const error = await fails(call)
        assertEquals(error.reason, "Unknown")
        assertMatch(error.message, /redirects endlessly: more than 10 times/)
        assertEquals(here.seen.length, 11, "not retried")
      }
    })
  })

  it("in a cycle fail immediately", () =>
    twoSites((here, there) => ({
      here: { first: moved(`${there}/old`) },
      there: { first: moved(`${here}/old`) },
    }), async (here, there) => {
      const error = await fails(storageOf().read(`${here.origin}/old/file`))
      assertMatch(error.message, /redirects endlessly: back to an earlier URL/)
      assertEquals([here.seen.length, there.seen.length], [1, 1])
    }))

  it("without a valid Location fail, and other 3xx are not followed", async () => {
    for (
      const [status, location, message] of [
        [302, undefined, /redirects \(status 302\) without a Location/],
        [301, "", /without a Location/],
        [307, "http://a b:99999/?sig=abc", /to an invalid Location/],
        [300, "/data/file", /the server responded with status 300/],
        [305, "/data/file", /the server responded with status 305/],
        [304, "/data/file", /the server responded with status 304/],
      ] as const
    ) {
      await twoSites(() => ({
        here: {
          first: (seen, response) => {
            if (seen.path !== "/old") return undefined
            response.writeHead(status, location === undefined ? {} : { location }).end()
            return true
          },
        },
      }), async (here) => {
        const error = await fails(storageOf().read(`${here.origin}/old`))
        assertEquals([status, error.reason], [status, "Unknown"])
        assertMatch(error.message, message)
        assert(!shown(error).includes("sig=abc"))
      })
    }
  })

  it("to other schemes and to URLs with a user name are refused", async () => {
    for (
      const [location, message] of [
        ["ftp://host/file?sig=abc", /redirects to a ftp: URL/],
        ["file:///etc/passwd", /redirects to a file: URL/],
        ["data:text/plain,sig=abc", /redirects to a data: URL/],
        ["javascript:alert(1)", /redirects to a javascript: URL/],
        ["http://user:password@127.0.0.1:1/file?sig=abc", /a URL with a user name or password \(127\.0\.0\.1:1\)/],
        ["//user@host/file", /a URL with a user name or password \(host\)/],
      ] as const
    ) {
      await twoSites(() => ({
        here: {
          first: (_, response) => {
            response.writeHead(302, { location }).end()
            return true
          },
        },
      }), async (here) => {
        for (const call of [storageOf().read(`${here.origin}/old`), storageOf().list(`${here.origin}/old`)]) {
          const error = await fails(call as Effect.Effect<unknown, StorageError>)
          assertEquals(error.reason, "Denied")
          assertMatch(error.message, message)
          assert(!/sig=abc|:password/.test(shown(error)))
        }
      })
    }
  })

  it("from https: to http: are refused, and followed from http: to https:", async () => {
    const requested: Array<string> = []
    const client = HttpClient.make((request, url) => {
      requested.push(url.href)
      const location = {
        "https://data.example/down": "http://data.example/file?sig=abc",
        "http://data.example/up": "https://data.example/file",
      }[url.href]
      const response = location === undefined
        ? new Response(new Uint8Array(3))
        : new Response(null, { status: 302, headers: { location } })
      return Effect.succeed(HttpClientResponse.fromWeb(request, response))
    })
    const storage = makeHttpStorage(client)
    const error = await fails(storage.read("https://data.example/down"))
    assertEquals(error.reason, "Denied")
    assertMatch(error.message, /redirects from https: to http: \(data\.example\), which is not followed/)
    assert(!shown(error).includes("sig=abc"))
    assertEquals(await run(storage.read("http://data.example/up")), new Uint8Array(3))
    assertEquals(requested, ["https://data.example/down", "http://data.example/up", "https://data.example/file"])
  })

  it("of folders are followed to index pages and manifests", async () => {
    const slash: Habits["first"] = (seen, response) => {
      if (!/^\/(old|data)\/array\/$/.test(seen.path)) return undefined
      if (seen.path.startsWith("/data")) return undefined
      response.writeHead(301, { location: `/data/array/?${seen.url.split("?")[1] ?? ""}` }).end()
      return true
    }
    for (const index of ["nginx", "apache", "python", "serve"] as const) {
      await twoSites(() => ({ here: { index, first: slash } }), async (here, _, files) => {
        files.set("data/array/__schema/one", content)
        files.set("data/array/file", content)
        for (const uri of [`${here.origin}/old/array`, `${here.origin}/old/array?sig=1`]) {
          assertEquals(await run(storageOf().list(uri)), [
            { name: "__schema", kind: "folder" },
            { name: "file", kind: "file" },
          ], index)
        }
      })
    }
    await twoSites((_, there) => ({ here: { first: moved(`${there}/data`) }, there: { index: "forbidden" } }), async (
      here,
      _,
      files,
    ) => {
      files.set(`data/array/${MANIFEST_NAME}`, encodeManifest([["__schema/one", 5]]))
      const uri = `${here.origin}/old/array/__schema`
      assertEquals(await run(storageOf({ headers: secret }).list(uri)), [{ name: "one", kind: "file", size: 5 }])
    })
  })

  it("with endless bodies are aborted", () =>
    twoSites(() => ({
      here: {
        first: (seen, response) => {
          if (seen.path !== "/old") return undefined
          response.writeHead(302, { location: "/data/file" })
          response.write(new Uint8Array(100))
          return true
        },
      },
    }), async (here) => {
      const start = Date.now()
      assertEquals(await run(storageOf().read(`${here.origin}/old`)), content)
      assert(Date.now() - start < 5000)
      for (let i = 0; i < 200 && !here.seen[0].cut; i++) await new Promise((next) => setTimeout(next, 10))
      assert(here.seen[0].cut, "the connection is closed")
    }))
})

/** Returns a `fetch` that behaves as in a browser: the targets of redirects that are not followed are hidden. */
const browserFetch = (modes: Array<string>): typeof globalThis.fetch => async (url, init) => {
  modes.push(init?.redirect ?? "follow")
  const answer = await fetch(url, init)
  if (init?.redirect !== "manual" || answer.status < 300 || answer.status >= 400) return answer
  await answer.body?.cancel()
  const hidden = new Response(null)
  Object.defineProperty(hidden, "status", { value: 0 })
  Object.defineProperty(hidden, "type", { value: "opaqueredirect" })
  return hidden
}
const browserClient = (modes: Array<string>): HttpClient.HttpClient =>
  Effect.runSync(HttpClient.HttpClient.pipe(Effect.provide(FetchHttpClient.layer))).pipe(
    HttpClient.transform(Effect.provideService(FetchHttpClient.Fetch, browserFetch(modes))),
  )

describe("redirects in a browser, which hides their targets", () => {
  it("are followed by the browser if the program has no headers", () =>
    twoSites((_, there) => ({ here: { first: moved(`${there}/data`) } }), async (here) => {
      const modes: Array<string> = []
      const storage = makeHttpStorage(browserClient(modes))
      assertEquals(await run(storage.read(`${here.origin}/data/file`)), content)
      for (let i = 0; i < 2; i++) assertEquals(await run(storage.read(`${here.origin}/old/file`)), content)
      assertEquals(modes, ["manual", "manual", "follow", "follow"])
    }))

  it("are rejected if headers would be sent with them", () =>
    twoSites((_, there) => ({ here: { first: moved(`${there}/data`) } }), async (here, there) => {
      const storage = makeHttpStorage(browserClient([]), { headers: secret })
      for (let i = 0; i < 2; i++) {
        const error = await fails(storage.read(`${here.origin}/old/file`))
        assertEquals(error.reason, "Denied")
        assertMatch(error.message, /the server redirects, and the browser hides/)
      }
      assertEquals(await run(storage.read(`${here.origin}/data/file`)), content)
      assertEquals(await run(storage.read(`${there.origin}/data/file`)), content)
      assertEquals(headersAt(there), [","])
    }))
})

describe("queries", () => {
  it("and headers do not appear in spans", () =>
    twoSites((_, there) => ({
      here: {
        first: (seen, response) => {
          if (!seen.path.startsWith("/old/")) return undefined
          response.writeHead(302, { location: `${there}/data/file?token=xyz` }).end()
          return true
        },
      },
    }), async (here) => {
      const spans: Array<unknown> = []
      const tracer = Tracer.make({
        span: (name, parent, context, links, startTime, kind) => {
          const attributes = new Map<string, unknown>()
          spans.push(name, attributes)
          return {
            _tag: "Span",
            spanId: "1",
            traceId: "1",
            name,
            parent,
            context,
            links,
            kind,
            sampled: true,
            status: { _tag: "Started", startTime },
            attributes,
            attribute: (key, value) => void attributes.set(key, value),
            event: () => {},
            end: () => {},
            addLinks: () => {},
          }
        },
        context: (f) => f(),
      })
      const clients = [
        makeHttpStorage(makeFetchClient(), { headers: secret }),
        makeHttpStorage(Effect.runSync(Effect.provide(HttpClient.HttpClient, FetchHttpClient.layer)), {
          headers: secret,
        }),
        httpFiles({ headers: secret }),
      ]
      for (const storage of clients) {
        const read = everyRead(storage, `${here.origin}/old/file?sig=abc`).pipe(Effect.withSpan("reading"))
        await run(Effect.withTracer(read, tracer))
      }
      assert(spans.includes("reading"))
      const text = JSON.stringify(spans, (_, value) => value instanceof Map ? [...value] : value)
      assert(!/abc|xyz|secret|127\.0\.0\.1/.test(text), text.slice(0, 300))
      assertEquals(here.seen.filter(({ headers }) => headers.traceparent !== undefined), [])
    }))

  it("of the target of a redirect do not appear in messages", async () => {
    const closed = await startWebServer({ files: new Map() })
    await closed.close()
    await twoSites((_, there) => ({
      here: {
        first: (seen, response) => {
          const location = {
            "/closed": `${closed.origin}/redirect/file?token=xyz&q=(a)`,
            "/busy": `${there}/busy?token=xyz`,
            "/cut": `${there}/cut?token=xyz`,
            "/array/": `${there}/busy/?token=xyz`,
          }[seen.path]
          response.writeHead(location === undefined ? 404 : 302, location === undefined ? {} : { location }).end()
          return true
        },
      },
      there: {
        first: (seen, response) => {
          if (seen.path === "/cut") {
            response.writeHead(200, { "content-length": "1000" })
            response.write(new Uint8Array(10))
            setTimeout(() => response.destroy(), 20)
          } else response.writeHead(503).end()
          return true
        },
      },
    }), async (here) => {
      for (
        const [path, reason] of [["closed", "Unavailable"], ["busy", "Unavailable"], ["cut", "Unavailable"]] as const
      ) {
        const error = await fails(storageOf({ headers: secret }).read(`${here.origin}/${path}`))
        assertEquals(error.reason, reason)
        assert(!/token|xyz|secret/.test(shown(error)), shown(error))
      }
      const error = await fails(storageOf().list(`${here.origin}/array`))
      assertEquals(error.reason, "Unavailable")
      assertStringIncludes(error.message, "503")
      assert(!/token|xyz/.test(shown(error)))
    })
  })

  it("of signed URLs do not appear in messages about a manifest", () =>
    twoSites(() => ({}), async (here, _, files) => {
      files.set(`data/array/${MANIFEST_NAME}`, new TextEncoder().encode("{"))
      const error = await fails(storageOf().list(`${here.origin}/data/array?sig=abc`))
      assert(error.cause instanceof Error)
      assertMatch(error.cause.message, /the manifest http.*__tessera_manifest\.json is damaged/)
      assert(!error.cause.message.includes("sig=abc"))
    }))
})
