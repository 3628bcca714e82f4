/**
 * Files that change on the server while they are read: reads fail with Conflict, and never return bytes of two
 * versions.
 */
import { assert, assertEquals, assertMatch } from "@std/assert"
import * as Effect from "effect/Effect"
import * as fc from "effect/FastCheck"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import type { ServerResponse } from "node:http"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, it } from "node:test"
import { Dense, TileArray } from "../../../../mod.ts"
import { NotFound, StorageError } from "../../../../platform/errors.ts"
import { makeFetchClient } from "../../../../platform/storage/http/client.ts"
import { httpFiles } from "../../../../platform/storage/http/default_http.ts"
import { makeFileVersions, sameVersion } from "../../../../platform/storage/http/versions.ts"
import { layerNative, StorageService, withCache, withCoalescing, withRetry } from "../../../../platform/mod.ts"
import { inSession, makeReadSession } from "../../../../platform/storage/read_session.ts"
import { makeHttpStorage } from "../../../../platform/storage/http/http.ts"
import type { Storage } from "../../../../platform/storage/service.ts"
import { type Seen, startWebServer, type WebServer } from "../../../support/web_server.ts"

const run = <A, E>(effect: Effect.Effect<A, E>): Promise<A> => Effect.runPromise(effect)
const conflicts = async <A>(effect: Effect.Effect<A, NotFound | StorageError>): Promise<void> => {
  const error = await run(Effect.flip(effect))
  assert(error instanceof StorageError, String(error))
  assertEquals(error.reason, "Conflict")
  assertMatch(error.message, /the file changed while it was read; open the array again/)
}

/** One version of a file. */
interface Version {
  readonly bytes: Uint8Array
  readonly etag?: string
  readonly modified?: string
}
const filled = (byte: number, length = 1000): Uint8Array => new Uint8Array(length).fill(byte)
const june = "Sat, 01 Jun 2024 08:00:00 GMT"
const july = "Mon, 01 Jul 2024 08:00:00 GMT"

/** A server with one file, like common servers; the test sets the version of the file. */
interface Site {
  readonly uri: string
  readonly storage: Storage
  readonly server: WebServer
  /** The version that the server sends. */
  version: Version
  /** Whether the server applies If-Match and If-Unmodified-Since. */
  obeys: boolean
  /** Whether Content-Range contains the size. */
  tells: boolean
  /** Called before each response. */
  before: (seen: Seen, response: ServerResponse, nth: number) => true | void
}

const failed = (headers: Seen["headers"], { etag, modified }: Version): boolean => {
  const match = headers["if-match"]
  if (match !== undefined) return match !== etag || match.startsWith("W/")
  const since = headers["if-unmodified-since"]
  return since !== undefined && modified !== undefined && Date.parse(modified) > Date.parse(since)
}

const site = async (version: Version, body: (site: Site) => Promise<void>): Promise<void> => {
  let nth = 0
  const server = await startWebServer({
    files: new Map(),
    first: (seen, response) => {
      if (here.before(seen, response, nth++) === true) return true
      const { bytes, etag, modified } = here.version
      const headers: Record<string, string> = {}
      if (etag !== undefined) headers.etag = etag
      if (modified !== undefined) headers["last-modified"] = modified
      if (here.obeys && failed(seen.headers, here.version)) {
        response.writeHead(412).end("changed")
        return true
      }
      const range = /^bytes=(\d*)-(\d*)$/.exec(seen.headers.range ?? "")
      if (range === null || seen.method === "HEAD") {
        response.writeHead(200, { ...headers, "content-length": String(bytes.length) })
        response.end(seen.method === "HEAD" ? undefined : bytes)
        return true
      }
      const start = range[1] === "" ? Math.max(bytes.length - Number(range[2]), 0) : Number(range[1])
      if (start >= bytes.length) {
        response.writeHead(416, { "content-range": `bytes */${bytes.length}` }).end()
        return true
      }
      const part = bytes.subarray(start, range[1] === "" ? undefined : Number(range[2]) + 1)
      const total = here.tells ? bytes.length : "*"
      const rangeHeaders = { "content-range": `bytes ${start}-${start + part.length - 1}/${total}` }
      response.writeHead(206, { ...headers, ...rangeHeaders, "content-length": String(part.length) }).end(part)
      return true
    },
  })
  const here: Site = {
    uri: `${server.origin}/file`,
    storage: makeHttpStorage(makeFetchClient()),
    server,
    version,
    obeys: true,
    tells: true,
    before: () => {},
  }
  try {
    await body(here)
  } finally {
    await server.close()
  }
}
const at = (...offsets: ReadonlyArray<number>) => offsets.map((offset) => ({ offset, length: 10 }))

const changes: ReadonlyArray<readonly [string, Version, Version]> = [
  ["a strong ETag", { bytes: filled(1), etag: '"a"' }, { bytes: filled(2), etag: '"b"' }],
  ["a weak ETag", { bytes: filled(1), etag: 'W/"a"' }, { bytes: filled(2), etag: 'W/"b"' }],
  ["an ETag without quotes", { bytes: filled(1), etag: "a" }, { bytes: filled(2), etag: "b" }],
  ["Last-Modified", { bytes: filled(1), modified: june }, { bytes: filled(2), modified: july }],
  ["Last-Modified to an earlier time", { bytes: filled(1), modified: july }, { bytes: filled(2), modified: june }],
  ["the size alone", { bytes: filled(1) }, { bytes: filled(2, 999) }],
  ["the size under one ETag", { bytes: filled(1), etag: 'W/"a"' }, { bytes: filled(2, 1001), etag: 'W/"a"' }],
  [
    "a weak ETag and Last-Modified",
    { bytes: filled(1), etag: 'W/"a"', modified: june },
    { bytes: filled(2), etag: 'W/"b"', modified: july },
  ],
]

describe("a file that changes between two reads", () => {
  for (const obeys of [true, false]) {
    for (const [label, before, after] of changes) {
      it(`is a Conflict, once: ${label} changes, and the server ${obeys ? "obeys" : "ignores"} preconditions`, () =>
        site(before, async (here) => {
          here.obeys = obeys
          const { storage, uri, server } = here
          for (const first of [storage.readRanges(uri, at(0, 500)), storage.read(uri), storage.readTail(uri, 8)]) {
            here.version = before
            await run(storage.read(uri))
            await run(first as Effect.Effect<unknown, NotFound | StorageError>)
            here.version = after
            const request = server.seen.length
            await conflicts(storage.readRanges(uri, at(100)))
            assertEquals(server.seen.length, request + 1)
            assertEquals(await run(storage.readRanges(uri, at(100, 300))), [filled(2, 10), filled(2, 10)])
          }
          here.version = before
          await conflicts(storage.size(uri))
          assertEquals(await run(storage.size(uri)), before.bytes.length)
        }))
    }
  }

  it("is a Conflict with retries and coalescing too, after one request", () =>
    site(changes[0][1], async (here) => {
      const storage = httpFiles({ retry: { wait: 1, reasons: ["Unavailable", "Timeout"] } })
      await run(storage.readRanges(here.uri, at(0)))
      here.version = changes[0][2]
      await conflicts(storage.readRanges(here.uri, at(0, 20)))
      assertEquals(here.server.seen.length, 2)
    }))

  it("is a Conflict if it became shorter than the requested range", () =>
    site({ bytes: filled(1) }, async (here) => {
      await run(here.storage.readRanges(here.uri, at(0)))
      here.version = { bytes: filled(2, 100) }
      await conflicts(here.storage.readRanges(here.uri, at(500)))
      const error = await run(Effect.flip(here.storage.readRanges(here.uri, at(500))))
      assertEquals(error instanceof StorageError && error.reason, "Truncated")
    }))

  it("is not a Conflict when another storage reads it", () =>
    site(changes[0][1], async (here) => {
      await run(here.storage.read(here.uri))
      here.version = changes[0][2]
      assertEquals(await run(makeHttpStorage(makeFetchClient()).readRanges(here.uri, at(0))), [filled(2, 10)])
      assertEquals(await run(here.storage.readRanges(`${here.uri}?version=2`, at(0))), [filled(2, 10)])
    }))

  it("is read in its new version by read and readTail", () =>
    site(changes[0][1], async (here) => {
      const { storage, uri } = here
      for (let i = 0; i < 3; i++) {
        for (const call of [storage.read(uri), Effect.map(storage.readTail(uri, 1000), ({ bytes }) => bytes)]) {
          here.version = { bytes: filled(i), etag: `"${i}"` }
          assertEquals(await run(call as Effect.Effect<Uint8Array, NotFound | StorageError>), filled(i))
          assertEquals(await run(storage.readRanges(uri, at(0))), [filled(i, 10)])
        }
      }
    }))

  it("is a Conflict if it was deleted and created again", () =>
    site(changes[0][1], async (here) => {
      await run(here.storage.read(here.uri))
      here.before = (_, response) => (response.writeHead(404).end(), true)
      assert(await run(Effect.flip(here.storage.readRanges(here.uri, at(0)))) instanceof NotFound)
      here.before = () => {}
      here.version = changes[0][2]
      assertEquals(await run(here.storage.readRanges(here.uri, at(0))), [filled(2, 10)])
    }))
})

describe("a file that changes within one call", () => {
  for (const obeys of [true, false]) {
    for (const [label, before, after] of changes) {
      it(`is a Conflict: ${label} changes after the first answer, preconditions ${obeys ? "obeyed" : "ignored"}`, () =>
        site(before, async (here) => {
          here.obeys = obeys
          const ranges = at(0, 100, 200, 300)
          for (
            const storage of [
              here.storage,
              httpFiles({ coalescing: { gap: 0 } }),
              httpFiles({ requests: 1, coalescing: { gap: 0 } }),
            ]
          ) {
            for (let changeAt = 1; changeAt < ranges.length; changeAt++) {
              const first = here.server.seen.length
              here.version = before
              await run(storage.read(here.uri))
              here.before = () => {
                here.version = here.server.seen.length - first - 1 > changeAt ? after : before
              }
              await conflicts(storage.readRanges(here.uri, ranges))
            }
            here.before = () => {}
          }
        }))
    }
  }

  it("is a Conflict also without an earlier read", () =>
    site({ bytes: filled(1), etag: '"0"' }, async (here) => {
      for (const make of [() => makeHttpStorage(makeFetchClient()), () => httpFiles({ coalescing: { gap: 0 } })]) {
        let n = 0
        here.before = () => void (here.version = { bytes: filled(n), etag: `"${n++}"` })
        await conflicts(make().readRanges(here.uri, at(0, 100, 200)))
      }
    }))

  it("is a Conflict for waiting ranges if another call detects the change first", () =>
    site({ bytes: filled(1), etag: '"a"' }, async (here) => {
      const { storage, uri } = here
      await run(storage.readRanges(uri, at(0)))
      let begin = (): void => {}
      const turn = new Promise<void>((resolve) => begin = resolve)
      // retries call the storage once per range; the second call has to wait, as with a limit on concurrent requests
      const waiting = withRetry({
        ...storage,
        readRanges: (uri, ranges) =>
          Effect.zipRight(
            ranges[0].offset === 200 ? Effect.promise(() => turn) : Effect.void,
            storage.readRanges(uri, ranges),
          ),
      })
      const reading = conflicts(waiting.readRanges(uri, at(100, 200)))
      for (let i = 0; i < 100 && here.server.seen.length < 2; i++) await new Promise((next) => setTimeout(next, 10))
      await new Promise((next) => setTimeout(next, 50))
      here.version = { bytes: filled(2), etag: '"b"' }
      await conflicts(storage.readRanges(uri, at(700)))
      begin()
      await reading
      assertEquals(here.server.seen.map(({ headers }) => headers.range?.slice(6)), [
        "0-9",
        "100-109",
        "700-709",
        "200-209",
      ])
    }))

  it("is a Conflict if the read of a tail requests the size first", async () => {
    // if the server does not support suffix ranges, the storage sends HEAD and then a range request
    for (const suffix of ["refused", "without a total"] as const) {
      await site({ bytes: filled(1), etag: '"a"' }, async (here) => {
        here.tells = suffix === "refused"
        let n = 0
        here.before = (seen, response) => {
          if (suffix === "refused" && seen.headers.range === "bytes=-8") {
            response.writeHead(416).end()
            return true
          }
          here.version = n++ === 0 ? { bytes: filled(1), etag: '"a"' } : { bytes: filled(2, 1001), etag: '"b"' }
        }
        await conflicts(here.storage.readTail(here.uri, 8))
        assertEquals((await run(here.storage.readTail(here.uri, 8))).bytes, filled(2, 8))
      })
    }
  })

  it("is an error if the body is truncated, and a Conflict when it is requested again", () =>
    site({ bytes: filled(1), etag: '"a"' }, async (here) => {
      const { uri } = here
      let cut = true
      here.before = (seen, response) => {
        if (seen.headers.range !== "bytes=100-149" || !cut) return
        cut = false
        response.writeHead(206, {
          etag: '"a"',
          "content-length": "50",
          "content-range": "bytes 100-149/1000",
        })
        response.write(filled(1, 20))
        here.version = { bytes: filled(2), etag: '"b"' }
        setTimeout(() => response.destroy(), 20)
        return true
      }
      const range = [{ offset: 100, length: 50 }]
      const error = await run(Effect.flip(here.storage.readRanges(uri, range)))
      assertEquals(error instanceof StorageError && error.reason, "Unavailable")
      cut = true
      here.version = { bytes: filled(1), etag: '"a"' }
      await conflicts(httpFiles({ retry: { wait: 1 } }).readRanges(uri, range))
    }))

  it("is a Conflict if a newer version arrives before an older body", () =>
    site({ bytes: filled(1), etag: '"a"' }, async (here) => {
      const { storage, uri } = here
      let release = (): void => {}
      here.before = (seen, response) => {
        if (seen.headers.range !== "bytes=100-109") return
        response.writeHead(206, { etag: '"a"', "content-length": "10", "content-range": "bytes 100-109/1000" })
        response.write(filled(1, 5))
        release = () => response.end(filled(1, 5))
        return true
      }
      const reading = Effect.runFork(Effect.either(storage.readRanges(uri, at(100))))
      for (let i = 0; i < 100 && here.server.seen.length === 0; i++) await new Promise((next) => setTimeout(next, 10))
      await new Promise((next) => setTimeout(next, 50))
      here.version = { bytes: filled(2), etag: '"b"' }
      await run(storage.readTail(uri, 8))
      release()
      const result = await run(Fiber.join(reading))
      assertEquals(result._tag === "Left" && result.left instanceof StorageError && result.left.reason, "Conflict")
    }))
})

describe("a file that does not change", () => {
  const same: ReadonlyArray<readonly [string, Version, Version]> = [
    ["weak and strong tags take turns", { bytes: filled(1), etag: 'W/"a"' }, { bytes: filled(1), etag: '"a"' }],
    [
      "servers of one load balancer differ in Last-Modified",
      { bytes: filled(1), etag: '"a"', modified: june },
      { bytes: filled(1), etag: '"a"', modified: july },
    ],
    ["a server sends no ETag", { bytes: filled(1), etag: '"a"', modified: june }, { bytes: filled(1), modified: june }],
    ["a server sends no validator", { bytes: filled(1), etag: 'W/"a"' }, { bytes: filled(1) }],
  ]
  for (const [label, a, b] of same) {
    it(`is read if ${label}`, () =>
      site(a, async (here) => {
        const { storage, uri } = here
        // a precondition may fail because another server created the tag
        here.obeys = false
        let n = 0
        here.before = () => void (here.version = n++ % 2 === 0 ? a : b)
        for (let i = 0; i < 4; i++) {
          assertEquals(await run(storage.readRanges(uri, at(0, 100, 200))), [0, 1, 2].map(() => filled(1, 10)))
          await run(Effect.all([storage.size(uri), storage.readTail(uri, 8), storage.read(uri)]))
        }
      }))
  }

  it("is requested with the strong ETag, or the date, or neither; whole files and tails with neither", async () => {
    for (
      const [version, match, since] of [
        [{ bytes: filled(1), etag: '"a"', modified: june }, '"a"', undefined],
        [{ bytes: filled(1), etag: 'W/"a"', modified: june }, undefined, june],
        [{ bytes: filled(1), etag: "a", modified: june }, undefined, june],
        [{ bytes: filled(1), modified: june }, undefined, june],
        [{ bytes: filled(1), etag: 'W/"a"' }, undefined, undefined],
        [{ bytes: filled(1), modified: "yesterday" }, undefined, undefined],
        [{ bytes: filled(1), etag: `"${"a".repeat(5000)}"` }, undefined, undefined],
        [{ bytes: filled(1) }, undefined, undefined],
      ] as ReadonlyArray<readonly [Version, string | undefined, string | undefined]>
    ) {
      await site(version, async ({ storage, uri, server }) => {
        const sent = () =>
          server.seen.splice(0).map(({ headers }) => [headers["if-match"], headers["if-unmodified-since"]])
        await run(storage.readRanges(uri, at(0)))
        assertEquals(sent(), [[undefined, undefined]])
        await run(storage.readRanges(uri, at(100)))
        assertEquals(sent(), [[match, since]])
        await run(storage.read(uri))
        await run(storage.readTail(uri, 8))
        assertEquals(sent(), [[undefined, undefined], [undefined, undefined]])
      })
    }
  })

  it("is requested without preconditions from a page of another origin: the browser would send a preflight request", async () => {
    const global = globalThis as { location?: unknown }
    const before = Object.getOwnPropertyDescriptor(global, "location")
    try {
      await site({ bytes: filled(1), etag: '"a"' }, async (here) => {
        const { storage, uri, server } = here
        for (const [origin, sends] of [["https://app.example", false], [server.origin, true]] as const) {
          Object.defineProperty(global, "location", { value: { origin }, configurable: true, writable: true })
          server.seen.length = 0
          await run(storage.readRanges(uri, at(0)))
          await run(storage.readRanges(uri, at(100)))
          assertEquals(server.seen[1].headers["if-match"], sends ? '"a"' : undefined)
        }
        Object.defineProperty(global, "location", {
          value: { origin: "https://app.example" },
          configurable: true,
          writable: true,
        })
        here.version = { bytes: filled(2), etag: '"b"' }
        await conflicts(storage.readRanges(uri, at(200)))
      })
    } finally {
      if (before === undefined) delete global.location
      else Object.defineProperty(global, "location", before)
    }
  })

  it("is dropped from memory after reads of many other files", () => {
    const versions = makeFileVersions(3)
    for (const url of ["a", "b", "c"]) assert(versions.check(url).accept({ etag: "1" }))
    assert(versions.check("a").accept({ etag: "1" }))
    assert(versions.check("d").accept({ etag: "1" }), "instead of b")
    assert(versions.check("b").accept({ etag: "2" }), "instead of c")
    assert(!versions.check("a").accept({ etag: "2" }))
    assert(!versions.check("d").accept({ etag: "2" }))
  })

  it("has versions that compare as RFC 9110 says", () => {
    assert(sameVersion({ etag: 'W/"1"' }, { etag: '"1"' }))
    assert(sameVersion({ etag: 'W/"1"' }, { etag: 'W/"1"' }))
    assert(!sameVersion({ etag: '"1"' }, { etag: '"2"' }))
    assert(!sameVersion({ etag: 'W/"1"' }, { etag: 'W/"2"' }))
    assert(!sameVersion({ etag: '"1"', size: 1 }, { etag: '"1"', size: 2 }))
    assert(sameVersion({ size: 1 }, { etag: '"1"', lastModified: june }))
  })
})

describe("a cache over a server", () => {
  it("does not combine bytes of two versions", () =>
    site({ bytes: filled(1), etag: '"a"' }, async (here) => {
      const { storage, uri } = here
      for (const notice of ["readRanges", "readTail", "read"] as const) {
        here.version = { bytes: filled(1), etag: '"a"' }
        await run(storage.read(uri))
        const cached = withCache(storage, { immutable: () => true })
        await run(cached.readRanges(uri, at(0, 500)))
        here.version = { bytes: filled(2), etag: '"b"' }
        assertEquals(await run(cached.readRanges(uri, at(0))), [filled(1, 10)], "kept")
        if (notice === "readRanges") await conflicts(cached.readRanges(uri, at(0, 100)))
        else await run(notice === "read" ? cached.read(uri) : cached.readTail(uri, 8) as Effect.Effect<unknown, never>)
        assertEquals(await run(cached.readRanges(uri, at(0, 100, 500))), at(0, 100, 500).map(() => filled(2, 10)))
      }
    }))
})

describe("a session", () => {
  const one = { bytes: filled(1), etag: '"a"' }
  const two = { bytes: filled(2), etag: '"b"' }
  /** The tested storages: without decorators, with caches, and with retries and coalescing. */
  const over: ReadonlyArray<readonly [string, (storage: Storage) => Storage]> = [
    ["bare", (storage) => storage],
    ["with a cache", (storage) => withCache(storage, { immutable: () => true })],
    ["with a small cache", (storage) => withCache(storage, { immutable: () => true, bytes: 1200 })],
    ["with retries and coalescing", (storage) => withRetry(withCoalescing(storage))],
  ]
  for (const [name, make] of over) {
    it(`reads one version, and a later session reads the new one: ${name}`, () =>
      site(one, async (here) => {
        const storage = make(here.storage)
        const { uri } = here
        const [old, later] = [makeReadSession(), makeReadSession()]
        assertEquals(await run(inSession(old, storage, uri, storage.readRanges(uri, at(0)))), [filled(1, 10)])
        here.version = two
        await conflicts(inSession(old, storage, uri, storage.readRanges(uri, at(500))))
        assert(old.changed)
        assertEquals(
          await run(inSession(later, storage, uri, storage.readRanges(uri, at(0, 500)))),
          at(0, 0).map(() => filled(2, 10)),
        )
        // repeated reads fail as well: the session never reads the new version
        await conflicts(inSession(old, storage, uri, storage.readRanges(uri, at(500))))
        await conflicts(inSession(old, storage, uri, storage.readRanges(uri, at(0))))
        await conflicts(inSession(old, storage, uri, storage.read(uri)))
        await conflicts(inSession(old, storage, uri, storage.readTail(uri, 8)))
        assertEquals(await run(inSession(makeReadSession(), storage, uri, storage.readRanges(uri, at(500)))), [
          filled(2, 10),
        ])
      }))
  }

  it("does not use the version that other sessions read, in comparisons or in requests", () =>
    site(one, async (here) => {
      const { storage, uri, server } = here
      await run(storage.readRanges(uri, at(0)))
      here.version = two
      assertEquals(await run(inSession(makeReadSession(), storage, uri, storage.readRanges(uri, at(0)))), [
        filled(2, 10),
      ])
      assertEquals(server.seen.at(-1)!.headers["if-match"], undefined)
    }))

  it("never reads two versions, during any concurrent reads", () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.record({
            by: fc.constantFrom(0, 1, 2, undefined),
            op: fc.constantFrom("readRanges", "readTail", "read"),
            offset: fc.integer({ min: 0, max: 990 }),
            change: fc.boolean(),
          }),
          { maxLength: 12 },
        ),
        fc.constantFrom(...over),
        fc.boolean(),
        (steps, [, make], obeys) =>
          site({ bytes: filled(0), etag: '"0"' }, async (here) => {
            here.obeys = obeys
            const storage = make(here.storage)
            const sessions = [0, 1, 2].map(() => ({
              session: makeReadSession(),
              seen: new Set<number>(),
              failed: false,
            }))
            let version = 0
            for (const { by, op, offset, change } of steps) {
              if (change) here.version = { bytes: filled(++version), etag: `"${version}"` }
              const call: Effect.Effect<ReadonlyArray<Uint8Array>, NotFound | StorageError> = op === "readRanges"
                ? storage.readRanges(here.uri, at(offset, 0))
                : op === "read"
                ? Effect.map(storage.read(here.uri), (bytes) => [bytes])
                : Effect.map(storage.readTail(here.uri, 10), ({ bytes }) => [bytes])
              const reader = by === undefined ? undefined : sessions[by]
              const result = await run(
                Effect.either(reader === undefined ? call : inSession(reader.session, storage, here.uri, call)),
              )
              if (result._tag === "Left") {
                assertEquals(result.left._tag === "StorageError" && result.left.reason, "Conflict")
                if (reader !== undefined) reader.failed = true
                continue
              }
              const versions = new Set(result.right.flatMap((bytes) => [...bytes]))
              assertEquals(versions.size, 1)
              if (reader === undefined) continue
              assert(!reader.failed, "a session that failed reads again")
              for (const byte of versions) reader.seen.add(byte)
              assertEquals(reader.seen.size, 1)
            }
            for (const { failed, session } of sessions) assertEquals(session.changed, failed)
          }),
      ),
      { numRuns: 60 },
    ))
})

describe("an array whose files change", () => {
  const weather = join(import.meta.dirname!, "../../../golden/demo/weather")
  it("fails with Conflict, and is read after it is opened again", async () => {
    const files = new Map<string, Uint8Array>()
    for (const entry of readdirSync(weather, { recursive: true, withFileTypes: true })) {
      const path = join(entry.parentPath, entry.name)
      if (entry.isFile()) files.set(`weather${path.slice(weather.length)}`, new Uint8Array(readFileSync(path)))
    }
    let etag = '"1"'
    const server = await startWebServer({
      files,
      first: (seen, response) => {
        if (/\.tdb$/.test(seen.path)) response.setHeader("etag", etag)
        return undefined
      },
    })
    try {
      const layer = Layer.merge(Layer.succeed(StorageService, httpFiles()), layerNative)
      const request = <A, E>(program: Effect.Effect<A, E, Layer.Layer.Success<typeof layer>>) =>
        Effect.runPromise(Effect.provide(program, layer))
      const array = await request(TileArray.open(`${server.origin}/weather`))
      const first = { select: ["temperature"], region: { day: 57, station: 1 } } as const
      const read = Dense.read(array, first)
      const values = (await request(read)).columns.temperature.values
      etag = '"2"'
      const error = await request(Effect.flip(read))
      assertEquals(error._tag === "StorageError" && error.reason, "Conflict")
      const again = await request(TileArray.open(`${server.origin}/weather`))
      assertEquals((await request(Dense.read(again, first))).columns.temperature.values, values)
      // metadata cached at opening does not apply to the new files, even after others have read them
      assertEquals((await request(Effect.flip(read)))._tag, "StorageError")
      const reopened = await request(TileArray.reopen(array))
      assertEquals((await request(Dense.read(reopened, first))).columns.temperature.values, values)
    } finally {
      await server.close()
    }
  })
})
