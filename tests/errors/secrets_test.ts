/**
 * Secrets in all places in which programs pass them – the query of a signed URL, user info, headers, keys – and every
 * kind of failure: no secret appears in errors, logs, spans, printed handles or in the output of the command line.
 */
import { withDefaults } from "../../platform/storage/defaults.ts"
import { describe, it } from "node:test"
import { assert, assertEquals } from "@std/assert"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as Tracer from "effect/Tracer"
import * as Redacted from "effect/Redacted"
import type { EncryptionKey } from "../../platform/mod.ts"
import { openArray } from "../../src/array/open/open.ts"
import { inspect } from "node:util"
import { createServer } from "node:net"
import type { AddressInfo } from "node:net"
import { ArraySchema, Attr, Csv, Dense, Dim, Group, Sparse, TileArray } from "../../mod.ts"
import {
  type Codecs,
  httpFiles,
  layerNative,
  localFiles,
  makeMemoryStorage,
  makeRouter,
  parseKey,
  publish,
  StorageService,
} from "../../platform/mod.ts"
import { runCommand } from "../../src/cli/mod.ts"
import { commands } from "../../src/cli/command_table.ts"
import { packedCase } from "../cli/packed_files.ts"
import { type Habits, startWebServer, type WebServer } from "../support/web_server.ts"
import { shownForms } from "./shown.ts"

type Storage = StorageService

const QUERY = "CANARYquery4711"
const USER = "CANARYuser4711"
const HEADER = "CANARYheader4711"
const KEY = "0123456789abcdeFCANARYkey4711abc"
const WRONG_KEY = "CANARYwrongkey4711CANARYwrong471"

const canaries = [QUERY, USER, HEADER, KEY, WRONG_KEY, "CANARY"]
/** The forms of printed keys: lists of numbers and hexadecimal digits. */
const keyForms = [KEY, WRONG_KEY].flatMap((key) => {
  const bytes = [...new TextEncoder().encode(key)]
  return [
    bytes.slice(0, 6).join(", "),
    bytes.slice(0, 6).join(","),
    bytes.map((b) => b.toString(16)).join("").slice(0, 16),
  ]
})

const assertHidden = (texts: ReadonlyArray<string>, where: string): void => {
  for (const text of texts) {
    for (const secret of [...canaries, ...keyForms]) {
      const at = text.indexOf(secret)
      assert(at < 0, `${where} shows ${secret}: ${text.slice(Math.max(0, at - 300), at + 100)}`)
    }
  }
}

/** Records all log messages and spans as text. */
const recorder = () => {
  const lines: Array<string> = []
  const logger = Logger.make(({ message, cause, annotations, spans }) => {
    lines.push(inspect([message, annotations, spans], { depth: 10 }), Cause.pretty(cause, { renderErrorCause: true }))
  })
  const note = (...values: ReadonlyArray<unknown>) => void lines.push(inspect(values, { depth: 10 }))
  const spans: Array<string> = []
  const tracer = Tracer.make({
    span: (name, parent, context, links, startTime, kind) => {
      note(name)
      spans.push(name)
      const span: Tracer.Span = {
        _tag: "Span",
        name,
        spanId: String(lines.length),
        traceId: "trace",
        parent,
        context,
        links,
        kind,
        sampled: true,
        status: { _tag: "Started", startTime },
        attributes: new Map(),
        attribute: (key, value) => note(key, value),
        event: (event, _, attributes) => note(event, attributes),
        addLinks: () => {},
        end: (_, exit) => note(Exit.isFailure(exit) ? Cause.pretty(exit.cause, { renderErrorCause: true }) : ""),
      }
      return span
    },
    context: (run) => run(),
  })
  const layer = Layer.mergeAll(
    Logger.replace(Logger.defaultLogger, logger),
    Logger.minimumLogLevel(LogLevel.All),
    Layer.setTracer(tracer),
  )
  return { lines, spans, layer }
}

const folders = ["v22/deletes", "v22/enumerations", "v22/encrypted_dense", "v22/dimension_labels", "v22/group"] as const

const served = (): Map<string, Uint8Array> =>
  new Map(folders.flatMap((folder) => [...packedCase(folder).files]).map(([path, bytes]) => [path, bytes.slice()]))

const decodeKey = (text: string): EncryptionKey => Effect.runSync(parseKey(text))

type Program = Effect.Effect<unknown, unknown, Storage | Codecs>

const Other = ArraySchema.sparse({ dims: { absent: Dim.int32([0, 9]) }, attrs: { here: Attr.float64() } })
const Row = Schema.Struct({ absent: Schema.Number })

/** Returns operations on an array, a group and their neighbours below one URI. */
const programs = (base: string, query: string): Readonly<Record<string, Program>> => {
  const at = (path: string) => `${base}/${path}${query}`
  const sparse = TileArray.open(at("v22/deletes/array"))
  const dense = TileArray.open(at("v22/enumerations/array"))
  const onSparse = <A, E>(use: (array: TileArray.TileArray) => Effect.Effect<A, E, Storage | Codecs>) =>
    Effect.flatMap(sparse, use)
  return {
    open: sparse,
    "open with another schema": TileArray.open(at("v22/deletes/array"), Other),
    "open with bad options": TileArray.open(at("v22/deletes/array"), { at: NaN }),
    "open with a key of a wrong length": TileArray.open(at("v22/deletes/array"), {
      key: new TextEncoder().encode("CANARY"),
    }),
    "open with an invalid key": TileArray.open(at("v22/deletes/array"), { key: WRONG_KEY as never }),
    "open encrypted": TileArray.open(at("v22/encrypted_dense/array"), { key: decodeKey(WRONG_KEY) }),
    "open encrypted without key": TileArray.open(at("v22/encrypted_dense/array")),
    "open with a key that nothing needs": TileArray.open(at("v22/deletes/array"), { key: decodeKey(KEY) }),
    "parse a key": parseKey("CANARY"),
    "parse a key of letters": parseKey(WRONG_KEY + WRONG_KEY),
    "open a missing array": TileArray.open(at("v22/none")),
    "open a group as an array": TileArray.open(at("v22/group/group")),
    read: onSparse((array) => Sparse.read(array)),
    "read unknown fields": onSparse((array) => Sparse.read(array, { select: ["nothing"] })),
    "read with a bad condition": onSparse((array) => Sparse.read(array, { where: "nothing > " })),
    "read with an unknown field": onSparse((array) => Sparse.read(array, { where: "nothing > 1" })),
    "read outside": onSparse((array) => Sparse.read(array, { region: { absent: [1, 2] } })),
    "read too much": onSparse((array) => Sparse.read(array, { memory: 1 })),
    "read rows": onSparse((array) => Effect.flatMap(Sparse.read(array), (cells) => Sparse.decodeRows(cells, Row))),
    "read a dense array": Effect.flatMap(dense, (array) => Dense.read(array)),
    "stream a dense array": Stream.runDrain(Stream.flatMap(dense, (array) => Dense.stream(array, { memory: 1 << 20 }))),
    enumerations: Effect.flatMap(dense, (array) => TileArray.enumerations(array)),
    aggregate: onSparse((array) => Sparse.aggregate(array, { absent: { kind: "sum", field: "absent" } as never })),
    explain: onSparse((array) => Sparse.explain(array)),
    fragments: onSparse((array) => TileArray.fragments(array)),
    metadata: onSparse((array) => TileArray.metadata(array)),
    label: Effect.flatMap(
      TileArray.open(at("v22/dimension_labels/array")),
      (array) => TileArray.readLabel(array, "nothing"),
    ),
    reopen: onSparse((array) => TileArray.reopen(array, { at: -1 })),
    write: onSparse((array) => Sparse.write(array, { absent: [1] } as never)),
    delete: onSparse((array) => Sparse.delete(array, "nothing > 1")),
    "put metadata": onSparse((array) => TileArray.putMetadata(array, { a: 1 })),
    evolve: TileArray.evolve(at("v22/deletes/array"), { drop: ["nothing"] } as never),
    upgrade: TileArray.upgrade(at("v22/deletes/array")),
    create: TileArray.create(at("new"), Other),
    "create an existing array": TileArray.create(at("v22/deletes/array"), Other),
    copy: onSparse((array) => TileArray.copy(array, at("copy"))),
    "import CSV": Csv.create("mem://csv", at("v22/none.csv"), { arrayType: "sparse", dims: ["x"] }),
    "import bad CSV": Csv.create("mem://csv", at("v22/deletes/expected.json"), { arrayType: "sparse", dims: ["x"] }),
    "import into": Csv.create(at("csv"), Stream.make("x,n\n1,2\n"), { arrayType: "sparse", dims: ["x"] }),
    group: Group.open(at("v22/group/group")),
    "an array as a group": Group.open(at("v22/deletes/array")),
    "no group": Group.open(at("v22/none")),
    ls: Group.ls(at("v22/group/group")),
    "ls a folder": Group.ls(at("v22")),
    tree: Group.tree(at("v22/group/group")),
    "group metadata": Effect.flatMap(Group.open(at("v22/group/group")), (group) => Group.metadata(group)),
    "add a member": Group.add(at("v22/group/group"), [{ uri: at("v22/deletes/array"), type: "array", name: "a" }]),
    "create a group": Group.create(at("group")),
    "object type": Group.objectType(at("v22/group/group")),
    publish: Effect.flatMap(StorageService, (storage) => publish(storage, at("v22/deletes/array"))),
    consolidate: TileArray.consolidate(at("v22/deletes/array")),
    vacuum: TileArray.vacuum(at("v22/deletes/array"), { age: 0 }),
    "another scheme": TileArray.open(`s3://bucket/array${query}`),
    "a URL with one slash": TileArray.open(`https:/host/array${query}`),
  }
}

const storageOf = (headers: Record<string, string> = { authorization: `Bearer ${HEADER}` }): Storage => {
  const web = httpFiles({ headers, timeout: "400 millis", retry: { times: 0 } })
  return makeRouter({ file: localFiles, http: web, https: web, mem: makeMemoryStorage() })
}

const layerOf = (storage: Storage) => Layer.merge(Layer.succeed(StorageService, storage), layerNative)

/** Returns the forms in which a result is printed; its properties may contain the URI, because programs use it. */
const printed = (value: unknown): ReadonlyArray<string> => shownForms(value, false)

const runAll = async (base: string, query: string, only?: RegExp, headers?: Record<string, string>) => {
  const codes: Record<string, string> = {}
  for (const [name, program] of Object.entries(programs(base, query))) {
    if (only?.test(name) === false) continue
    const { lines, layer } = recorder()
    const observed = Effect.withSpan(Effect.tapErrorCause(program, (cause) => Effect.logError("failed", cause)), name)
    const exit = await Effect.runPromiseExit(Effect.provide(observed, Layer.merge(layerOf(storageOf(headers)), layer)))
    if (Exit.isFailure(exit)) {
      const error = Cause.squash(exit.cause)
      codes[name] = (error as { _tag?: string })._tag ?? `defect ${error}`
      assert(Option.isSome(Cause.failureOption(exit.cause)), `${name}: ${inspect(exit.cause)}`)
      assertHidden(shownForms(error), `the error of ${name}`)
    } else {
      codes[name] = "success"
      assertHidden(printed(exit.value), `the result of ${name}`)
    }
    assertHidden([inspect(exit, { depth: 12 })], `the exit of ${name}`)
    assertHidden(lines, `the logs and spans of ${name}`)
  }
  return codes
}

/** Runs `use` with a server. */
const withServer = async <A>(habits: Habits, use: (server: WebServer) => Promise<A>): Promise<A> => {
  const server = await startWebServer(habits)
  try {
    return await use(server)
  } finally {
    await server.close()
  }
}

const signed = `?sig=${QUERY}&b=${QUERY}%2F%3D`

const manifestOf = (files: Map<string, Uint8Array>): Map<string, Uint8Array> => {
  Effect.runSync(publish(makeMemoryStorage(files), "mem://v22"))
  return files
}

/** The servers by their fault. */
const servers: Readonly<Record<string, () => Habits>> = {
  none: () => ({ files: served() }),
  "status 404": () => ({ files: new Map() }),
  "status 403": () => ({ files: served(), query: "another=query" }),
  "status 500": () => ({ files: served(), first: (_, response) => (response.writeHead(500).end("no"), true) }),
  "status 500 for tiles": () => ({
    files: served(),
    first: ({ path }, response) => path.endsWith(".tdb") ? (response.writeHead(503).end("no"), true) : undefined,
  }),
  "status 418": () => ({ files: served(), first: (_, response) => (response.writeHead(418).end("no"), true) }),
  "no answer for tiles": () => ({
    files: served(),
    first: ({ path }) => /a0?\.tdb$/.test(path) ? true : undefined,
  }),
  "a body that breaks off": () => ({
    files: served(),
    first: ({ path }, response) => {
      if (!path.endsWith(".tdb") && !/__schema\/__/.test(path)) return undefined
      response.writeHead(200, { "content-length": "1000" })
      response.write("abc")
      setTimeout(() => response.destroy(), 5)
      return true
    },
  }),
  "a body that cannot be decoded": () => ({
    files: served(),
    first: ({ path }, response) =>
      /__schema\/__/.test(path)
        ? (response.writeHead(200, { "content-encoding": "gzip" }).end("not gzip"), true)
        : undefined,
  }),
  "connections that close": () => ({ files: served(), first: (_, response) => (response.destroy(), true) }),
  "redirects without end": () => ({
    files: served(),
    first: ({ url }, response) => (response.writeHead(302, { location: `${url}&next=${QUERY}` }).end(), true),
  }),
  "a redirect to nowhere": () => ({
    files: served(),
    first: (
      _,
      response,
    ) => (response.writeHead(302, { location: `http://user:${USER}@127.0.0.1:1/?sig=${QUERY}` }).end(), true),
  }),
  "a redirect to an invalid URL": () => ({
    files: served(),
    first: (_, response) => (response.writeHead(302, { location: `http://[${QUERY}?sig=${QUERY}` }).end(), true),
  }),
  "other ranges": () => ({ files: served(), ranges: "other bytes" }),
  "whole files as parts": () => ({ files: served(), ranges: "whole as part" }),
  "short ranges": () => ({ files: served(), ranges: "lie" }),
  "long ranges": () => ({ files: served(), ranges: "lie longer" }),
  "huge ranges": () => ({ files: served(), ranges: "huge" }),
  "no index pages": () => ({ files: served(), index: "forbidden" }),
  "start pages": () => ({ files: served(), index: "start page" }),
  "a manifest that is not JSON": () => {
    const files = served()
    for (const folder of ["v22", ...folders, ...folders.map((folder) => `${folder}/array`)]) {
      files.set(`${folder}/__tessera_manifest.json`, new TextEncoder().encode(`{"a": "https://host/?sig=${QUERY}"`))
    }
    return { files, index: "forbidden" }
  },
  "a manifest of another format": () => ({
    files: served().set("v22/__tessera_manifest.json", new TextEncoder().encode(`{"files": "https://h/?s=${QUERY}"}`)),
    index: "forbidden",
  }),
  "a manifest of deleted files": () => {
    const files = manifestOf(served())
    for (const path of [...files.keys()]) if (path.endsWith(".tdb") || /__schema\/__\d/.test(path)) files.delete(path)
    return { files, index: "forbidden" }
  },
}

describe("a signed URL", () => {
  for (const [name, habits] of Object.entries(servers)) {
    it(`is hidden when the server has ${name}`, async () => {
      await withServer(habits(), async ({ origin }) => {
        const codes = await runAll(origin, signed, name.includes("no answer") ? /^(?!put|add|copy)[a-m]/ : undefined)
        const failed = Object.values(codes).filter((code) => code !== "success").length
        assert(failed >= 10, JSON.stringify(codes))
        if (name === "none") {
          const tags = new Set(Object.values(codes))
          for (const tag of ["success", "ArrayNotFound", "DecryptionFailed", "StorageError", "SelectionError"]) {
            assert(tags.has(tag), `${tag}: ${JSON.stringify(codes)}`)
          }
        }
      })
    })
  }

  it("is hidden when files are damaged", async () => {
    const whole = served()
    const names = [...whole.keys()].filter((path) => !/json$|encrypted/.test(path))
    await withServer({ files: whole }, async ({ origin }) => {
      for (const [n, path] of names.entries()) {
        const bytes = whole.get(path)!
        if (bytes.length === 0) continue
        const damaged = bytes.slice()
        for (let at = n % 7; at < damaged.length; at += 7 + n % 5) damaged[at] ^= 1 << (n + at) % 8
        whole.set(path, damaged)
        const only = path.includes("/group")
          ? /^(group|tree)$/
          : path.includes("enumerations")
          ? /^(read a dense array|enumerations)$/
          : path.includes("labels")
          ? /^label$/
          : /^(read|metadata|explain)$/
        await runAll(origin, signed, only)
        whole.set(path, bytes)
      }
    })
  })

  it("is hidden when there is no server", async () => {
    const probe = createServer()
    const port = await new Promise<number>((resolve) =>
      probe.listen(0, "127.0.0.1", () => resolve((probe.address() as AddressInfo).port))
    )
    await new Promise((resolve) => probe.close(resolve))
    const only = /^(open|group|ls|publish|create|import CSV)$/
    await runAll(`http://127.0.0.1:${port}`, signed, only)
    await runAll(`https://127.0.0.1:${port}`, signed, only)
    await runAll("http://no-such-host.invalid", signed, only)
    await runAll("http://127.0.0.1:99999", signed, only)
    await runAll("http://[::bad", signed, only)
    await withServer({ files: served() }, ({ origin }) => runAll(origin.replace("http:", "https:"), signed, only))
  })

  it("hides user info, fragments, and unescaped queries", async () => {
    await withServer({ files: served() }, async ({ origin }) => {
      const only = /^(open|read too much|group|ls|publish|open what is not there|create|write)$/
      await runAll(origin.replace("//", `//user:${USER}@`), "", only)
      await runAll(origin.replace("//", `//${USER}@`), signed, only)
      await runAll(origin, `#${QUERY}`, only)
      await runAll(origin, `?sig=${QUERY}/${QUERY}==`, only)
      await runAll(origin, `?sig=${QUERY} ${QUERY}`, only)
      await runAll(origin, `?sig=${QUERY}#${QUERY}`, only)
    })
  })

  it("hides headers that the runtime refuses", async () => {
    await withServer({ files: served() }, async ({ origin }) => {
      await runAll(origin, signed, /^open$/, { authorization: `Bearer ${HEADER}\n${HEADER}` })
      await runAll(origin, signed, /^open$/, { [`x ${"name"}`]: HEADER })
      await runAll(origin, signed, /^open$/, { authorization: `Bearer ${HEADER}\u{1f600}` })
    })
  })
})

describe("handles of programs", () => {
  it("works with the whole URI, and is printed without credentials", async () => {
    await withServer({ files: served(), query: signed.slice(1) }, async ({ origin }) => {
      const layer = layerOf(storageOf())
      const run = <A, E>(program: Effect.Effect<A, E, Storage | Codecs>) =>
        Effect.runPromise(Effect.provide(program, layer))
      const uri = `${origin}/v22/deletes/array${signed}`
      const array = await run(TileArray.open(uri))
      assertEquals(array.uri, uri)
      assertHidden(printed(array), "an array")
      assertEquals(`${array}`, `TileArray(${origin}/v22/deletes/array?…)`)
      assertEquals(JSON.parse(JSON.stringify(array.time)), array.time)
      assertEquals(Object.keys(array).sort(), ["declared", "schema", "schemaName", "time", "uri"])

      const group = await run(Group.open(`${origin}/v22/group/group${signed}`))
      assertEquals(group.uri, `${origin}/v22/group/group${signed}`)
      const [member] = group.members
      assert(member.uri.includes(QUERY), member.uri)
      assertHidden([...printed(group), ...printed(group.members), ...printed(member)], "a group")
      assertHidden(printed(await run(Group.ls(group.uri))), "a list")
      assertHidden(printed(await run(Group.tree(group.uri))), "a tree")
      assertEquals((JSON.parse(JSON.stringify(member)) as { name: string }).name, member.name)
    })
  })

  it("does not print keys", async () => {
    const files = packedCase("v22/encrypted_dense")
    const memory = makeMemoryStorage(new Map(files.files))
    const layer = layerOf(makeRouter({ mem: memory }))
    const key = decodeKey(files.key!)
    const array = await Effect.runPromise(
      Effect.provide(TileArray.open("mem://v22/encrypted_dense/array", { key }), layer),
    )
    const shown = [...Redacted.value(key).subarray(0, 6)].join(", ")
    const group = await Effect.runPromise(Effect.provide(
      Effect.zipRight(Group.create("mem://group"), Group.open("mem://group", { key })),
      layer,
    ))
    assert(group.key === key)
    assert(!Object.keys(group).includes("key"))
    const plain = await Effect.runPromise(
      Effect.provide(openArray("mem://v22/encrypted_dense/array", { key: Redacted.value(key) }), layer),
    )
    assertEquals(Redacted.value(plain.key!), Redacted.value(key))
    const refused = await Effect.runPromise(
      Effect.provide(Effect.flip(TileArray.open("mem://v22/encrypted_dense/array", { key, at: -1 })), layer),
    )
    const values = [array, group, plain.key, { key }, refused]
    for (const text of values.flatMap((value) => printed(value))) {
      assert(!text.includes(shown) && !text.includes(shown.replaceAll(" ", "")) && !text.includes('"0":48'), text)
    }
  })
})

/** Returns a command line for every command. */
const commandLines = (base: string, query: string): ReadonlyArray<ReadonlyArray<string>> => {
  const at = (path: string) => `${base}/${path}${query}`
  const array = at("v22/deletes/array")
  return [
    ["ls", at("v22/group/group")],
    ["ls", at("v22")],
    ["ls", array],
    ["ls", at("none")],
    ["tree", at("v22/group/group")],
    ["tree", at("v22")],
    ["tree", array],
    ["schema", array],
    ["schema", at("v22/dimension_labels/array")],
    ["schema", at("v22/group/group")],
    ["schema", at("v22/encrypted_dense/array")],
    ["fragments", array],
    ["domain", array],
    ["meta", array],
    ["meta", at("v22/group/group")],
    ["read", array],
    ["read", array, "--explain"],
    ["read", array, "--where", "nothing == 1"],
    ["read", array, "--where", `d == "${array}" and`],
    ["read", array, "--select", array],
    ["read", array, "--range", `${array}=1:2`],
    ["read", array, "--agg", `sum(${array})`],
    ["read", array, "--agg", "count"],
    ["read", array, "--memory", "1"],
    ["read", array, "--memory", array],
    ["read", array, "--at", array],
    ["read", array, "--format", array],
    ["read", array, array],
    ["read", array, `--${array}`],
    ["read", array, "--key-file", at("key")],
    ["delete", array, "--where", "nothing > 1"],
    ["delete", array, "--where", "a > 0"],
    ["import", at("none.csv"), "mem://a"],
    ["import", at("v22/deletes/expected.json"), "mem://a", "--sparse", "--dims", "x"],
    ["import", "-", at("new")],
    ["import", "-", "mem://a", "--types", `${array}=int32`],
    ["export", array, at("cells.csv")],
    ["export", array, "-"],
    ["copy", array, at("copy")],
    ["copy", array, "mem://copy"],
    ["copy", array, "mem://copy", "--to-key-file", at("key")],
    ["publish", array],
    ["meta list", array],
    ["meta get", array, "title"],
    ["meta put", array, "title", "a text"],
    ["meta put", "mem://a", "title", "a", "--key-file", at("key")],
    ["meta remove", array, "title"],
    ["create", at("new"), "--schema", at("v22/deletes/expected.json")],
    ["evolve", array, "--add", "b=int32"],
    ["upgrade", array],
    ["diff", array, "--from", "1"],
    ["diff", array, "--from", "1", "--cells"],
    ["diff", array, "--from", array],
    ["tag", array],
    ["tag", array, "release", "--at", "5"],
    ["tag", array, "release", "--remove"],
    ["read", array, "--at", "release"],
    ["log", array],
    ["log", at("v22/group/group")],
    ["log", array, "--from", array],
    ["inspect", array],
    ["verify", array],
    ["verify", array, "--quick"],
    ["repair", array],
    ["repair", array, "--apply", "--age", "0s"],
    ["tidy", array, "--age", "0s"],
    ["tidy", array, "--dry-run"],
    ["fragments list", array],
    ["fragments delete", array, "--to", "5"],
    ["fragments delete", array, "--fragments", array],
    ["rm", array, "--dry-run"],
    ["rm", at("group"), "--force"],
    ["mv", array, "mem://moved"],
    ["mv", at("group"), array],
    ["plan", array],
    ["plan", array, "--fragments", "__1_2_none"],
    ["consolidate", array, "--mode", "fragments"],
    ["consolidate", array, "--mode", "commits"],
    ["consolidate", array, "--mode", "fragment_meta"],
    ["consolidate", array, "--mode", "array_meta"],
    ["vacuum", array, "--mode", "fragments", "--age", "0s"],
    ["vacuum", array, "--mode", "commits", "--dry-run"],
    ["group create", at("group")],
    ["group add", at("group"), array],
    ["group remove", at("group"), array],
    ["group copy", array, "mem://copy"],
    ["group copy", at("group"), "mem://copy"],
    ["group tree", array],
    [array],
  ]
}

/** Returns a storage that accepts writes to signed URIs. */
const signedStorage = (memory: Storage = makeMemoryStorage()): Storage => {
  const inner = (uri: string) => `mem://${uri.replace(/^https:\/\//, "").replace(/\?[^/]*/, "")}`
  const https: Storage = withDefaults({
    list: (uri) => memory.list(inner(uri)),
    size: (uri) => memory.size(inner(uri)),
    read: (uri) => memory.read(inner(uri)),
    readRanges: (uri, ranges) => memory.readRanges(inner(uri), ranges),
    readTail: (uri, length) => memory.readTail(inner(uri), length),
    write: (uri, bytes) => memory.write(inner(uri), bytes),
    openWrite: (uri) => memory.openWrite(inner(uri)),
    create: (uri, bytes) => memory.create(inner(uri), bytes),
    createFolder: (uri) => memory.createFolder(inner(uri)),
    remove: (uri) => memory.remove(inner(uri)),
    removeFolder: (uri) => memory.removeFolder(inner(uri)),
  })
  return makeRouter({ https, mem: memory })
}

describe("the command line", () => {
  const run = async (args: ReadonlyArray<string>, storage: Storage, key?: string) => {
    const { lines, layer } = recorder()
    const [out, err]: [Array<string>, Array<string>] = [[], []]
    const command = runCommand(args, {
      environment: (name) => name === "TESSERA_KEY" ? key : undefined,
      columns: 400,
      write: (text) => Promise.resolve(void out.push(text)),
      say: (line) => Promise.resolve(void err.push(line)),
      read: async function* () {
        yield await Promise.resolve(new TextEncoder().encode("x,n\n1,2\n"))
      },
      drawing: { columns: 400, shared: false, draw: (text) => Promise.resolve(void err.push(text)) },
    })
    const code = await Effect.runPromise(Effect.provide(command, Layer.merge(layerOf(storage), layer)))
    const where = args.join(" ")
    assertHidden(out, `the output of ${where}`)
    assertHidden(err, `the output of ${where}`)
    assertHidden(lines, `the logs and spans of ${where}`)
    for (const line of err) assert(line.length < 2200 && !line.includes("this is a bug"), line)
    return { code, out: out.join(""), err: err.join("\n") }
  }

  for (
    const name of ["none", "status 404", "status 403", "status 500 for tiles", "a manifest of deleted files"]
  ) {
    it(`hides signed URLs when the server has ${name}`, async () => {
      await withServer(servers[name](), async ({ origin }) => {
        const used = new Set<string>()
        for (const args of commandLines(origin, signed)) {
          used.add(args[0])
          const words = [...args[0].split(" "), ...args.slice(1)]
          const { code } = await run(words, storageOf())
          if (args.length > 1 && "json" in (commands as Record<string, { options: object }>)[args[0]].options) {
            assertEquals((await run([...words, "--json"], storageOf())).code === 0, code === 0)
          }
        }
        for (const command of Object.keys(commands)) assert(used.has(command), command)
      })
    })
  }

  it("hides signatures with unescaped slashes", async () => {
    for (const query of [`?x=1/${QUERY}/y`, `?sig=${QUERY}/${QUERY}`]) {
      await withServer(servers["status 404"](), async ({ origin }) => {
        for (const [name, ...args] of commandLines(origin, query)) await run([...name.split(" "), ...args], storageOf())
      })
    }
  })

  it("hides signed URLs in the warning about a clock that is behind", async () => {
    const [storage, uri] = [signedStorage(), `https://host/points${signed}`]
    const { lines, layer } = recorder()
    const array = ArraySchema.sparse({ dims: { x: Dim.int32([0, 9]) }, attrs: { n: Attr.int32() } })
    const program = Effect.gen(function* () {
      const made = yield* TileArray.create(uri, array)
      yield* Sparse.write(made, { x: [1], n: [1] }, { at: Date.now() + 60_000 })
      yield* Sparse.write(yield* TileArray.reopen(made), { x: [2], n: [1] })
      yield* TileArray.putMetadata(uri, { one: 1 }, { at: Date.now() + 60_000 })
      yield* TileArray.putMetadata(uri, { two: 2 })
    })
    await Effect.runPromise(Effect.provide(program, Layer.merge(layerOf(storage), layer)))
    assertHidden(lines, "the logs and spans")
    assert(lines.some((line) => line.includes("the clock says")), lines.join("\n"))
  })

  it("hides user info and keys", async () => {
    await withServer({ files: served() }, async ({ origin }) => {
      const withUser = origin.replace("//", `//user:${USER}@`)
      for (const args of commandLines(withUser, "")) await run(args, storageOf())
      for (const key of ["CANARY", WRONG_KEY, KEY, `${WRONG_KEY}${WRONG_KEY}`]) {
        for (const path of ["v22/encrypted_dense/array", "v22/deletes/array"]) {
          for (const command of ["schema", "read", "meta"]) await run([command, `${origin}/${path}`], storageOf(), key)
        }
      }
    })
  })

  it("prints the URIs that it reads and writes without credentials", async () => {
    const memory = makeMemoryStorage()
    const storage = signedStorage(memory)
    const uri = `https://host/points${signed}`
    const shown = "https://host/points?…"
    for (const [json, target] of [[[], "copy"], [["--json"], "other"]] as const) {
      const args = (...words: ReadonlyArray<string>) => [...words, ...json]
      const imported = await run(args("import", "-", uri, "--sparse", "--dims", "x"), storage)
      assertEquals([imported.code, imported.out.includes(shown)], [0, true], imported.err)
      const copied = await run(args("copy", uri, `https://host/${target}${signed}`), storage)
      assertEquals([copied.code, copied.out.includes(`https://host/${target}?…`)], [0, true], copied.err)
      const deleted = await run(args("delete", uri, "--where", "n > 100"), storage)
      assertEquals(deleted.code, 0, deleted.err)
      const published = await run(args("publish", uri), storage)
      assertEquals([published.code, published.out.includes(shown)], [0, true], published.err)
      const listed = await run(args("ls", `https://host${signed}`), storage)
      assertEquals([listed.code, /points.*https:\/\/host\?…|https:\/\/host\?….*points/s.test(listed.out)], [0, true])
      await run(args("tree", `https://host${signed}`), storage)
      await run(args("read", uri, "--explain"), storage)
      Effect.runSync(memory.remove("mem://host/points"))
    }
    await run(["import", "-", uri, "--sparse", "--dims", "x"], storage)
    const exported = await run(["export", uri, `https://host/cells.csv${signed}`], storage)
    assertEquals([exported.code, exported.out], [0, "https://host/cells.csv?…\n"], exported.err)
  })
})
