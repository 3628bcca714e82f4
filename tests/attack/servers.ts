/**
 * Web servers with arbitrary responses: redirects to another origin, files that change, truncated and endless bodies,
 * wrong ranges. The other origin never receives the program's secrets, no read mixes two versions of a file, and every
 * read ends soon.
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Stream from "effect/Stream"
import type { ServerResponse } from "node:http"
import { gzipSync } from "node:zlib"
import { ArraySchema, Attr, Dense, Dim, Group, TileArray } from "../../mod.ts"
import { httpFiles, makeMemoryStorage, type StorageService, withCache } from "../../platform/mod.ts"
import { Storage } from "../../platform/storage/service.ts"
import { shownForms } from "../errors/shown.ts"
import { details, member, uuid } from "../group/group_files.ts"
import type { Random } from "../hostile/random.ts"
import type { Program } from "../laws/crash_laws.ts"
import { type Seen, startWebServer, type WebServer } from "../support/web_server.ts"
import { type Attack, between, chance, shortText, type Sweep } from "./input.ts"
import { judgeExit, runIn } from "./outcomes.ts"

export const HEADER = "CANARYheader"
export const QUERY = "CANARYquery"

const SIDE = 40
const Grid = ArraySchema.dense({
  dims: { x: Dim.int32([0, SIDE - 1], { tile: 10 }), y: Dim.int32([0, SIDE - 1], { tile: 10 }) },
  attrs: { a: Attr.int32(), b: Attr.int32() },
})

type Files = ReadonlyMap<string, Uint8Array>

/**
 * Two versions of the same files: all cells, and all bytes of `data/file`, are 1 in the first version and 2 in the
 * second.
 */
const versionsOf = (sweep: Sweep): Promise<readonly [Files, Files]> =>
  sweep.memo("versions", async () => {
    const empty = new Map<string, Uint8Array>()
    const run = (files: Map<string, Uint8Array>, program: Program<unknown>) =>
      runIn(makeMemoryStorage(files), program, 60_000)
    await run(
      empty,
      Effect.zipRight(TileArray.create("mem://data/array", Grid, { at: 5 } as never), Group.create("mem://data/group")),
    )
    const made = await Promise.all([1, 2].map(async (value) => {
      const files = new Map(empty)
      const values = () => new Int32Array(SIDE * SIDE).fill(value)
      const { exit } = await run(
        files,
        Effect.flatMap(TileArray.open("mem://data/array", Grid), (array) =>
          Dense.write(array, {}, { a: values(), b: values() }, { at: 10 })),
      )
      if (exit === undefined || Exit.isFailure(exit)) {
        throw new Error(`cannot make the files: ${exit}`)
      }
      files.set("data/file", new Uint8Array(3000).fill(value))
      return files
    }))
    const fragmentOf = (files: Files): string =>
      [...files.keys()].join("\n").match(/__10_10_[0-9a-f]{32}/)![0]
    const [first, second] = made
    const renamed = new Map(
      [...second].map(([path, bytes]) => [path.replace(fragmentOf(second), fragmentOf(first)), bytes]),
    )
    return [first, renamed] as const
  })

/** The page that servers return instead of a file. */
const PAGE = "<html><title>My site</title>"

/** Handles a request; returns `true` if it responded. */
type Trick = (seen: Seen, response: ServerResponse, file: Uint8Array | undefined) => true | undefined

const tricks = (random: Random, here: () => string, there: () => string): Readonly<Record<string, Trick>> => {
  const status = random.pick([301, 302, 303, 307, 308])
  const to = (location: (seen: Seen) => string): Trick => (seen, response) => {
    response.writeHead(status, { location: location(seen) }).end("moved")
    return true
  }
  const answer = (code: number, headers: Record<string, string> = {}, body = "no"): Trick => (_, response) => {
    response.writeHead(code, headers).end(body)
    return true
  }
  const hop = between(random, 2, 30)
  return {
    "redirect to the other origin": to(({ path }) => `${there()}${path}`),
    "redirect without a scheme": to(({ path }) => `${there().slice("http:".length)}${path}`),
    "redirect to itself": to(({ url }) => url),
    "redirect to a file": to(() => "file:///etc/passwd"),
    "redirect with user info": to(({ path }) => `http://me:pw@${there().slice("http://".length)}${path}`),
    "redirect to nonsense": to(() =>
      random.pick(["http://", "::", "", "http://[", "javascript:alert(1)", "data:,x", "//"])
    ),
    "redirect chain": to(({ url, path }) => {
      const at = Number(/[?&]hop=(\d+)/.exec(url)?.[1] ?? 0)
      return at >= hop ? `${there()}${path}` : `${here()}${path}?hop=${at + 1}`
    }),
    "redirect loop over both": to(({ path }) => `${there()}/loop${path}`),
    "status 500": answer(500),
    "status 503 with a long wait": answer(503, { "retry-after": "100000" }),
    "status 401": answer(401, { "www-authenticate": "Basic" }),
    "status 404": answer(404),
    "status 416": answer(416, { "content-range": "bytes */3" }),
    "status 206 without a range": answer(206, {}, "part"),
    "a page in place of a file": answer(200, { "content-type": "text/html" }, PAGE),
    "a body that is cut": (_, response, file) => {
      const bytes = file ?? new Uint8Array(500)
      response.writeHead(200, { "content-length": String(bytes.length + 10) })
      response.write(bytes.subarray(0, bytes.length >> 1), () => response.destroy())
      return true
    },
    "a body without end": (_, response) => {
      response.writeHead(200, { "content-type": "application/octet-stream" })
      const more = setInterval(() => response.write("x".repeat(1000)), 10)
      response.on("close", () => clearInterval(more))
      return true
    },
    "no answer": () => true,
    "a gone connection": (_, response) => {
      response.destroy()
      return true
    },
    "a huge length": (_, response) => {
      response.writeHead(200, { "content-length": String(2 ** 52) })
      response.write("x")
      return true
    },
    "another range": ({ headers }, response, file) => {
      if (headers.range === undefined || file === undefined) return undefined
      response.writeHead(206, { "content-range": `bytes 5-14/${file.length}`, "content-length": "10" })
      response.end(file.subarray(5, 15))
      return true
    },
    "a longer range": ({ headers }, response, file) => {
      if (headers.range === undefined || file === undefined) return undefined
      response.writeHead(206, { "content-range": `bytes 0-${file.length + 99}/${file.length + 100}` })
      response.end(new Uint8Array(file.length + 100).fill(9))
      return true
    },
    "an invalid encoding": (_, response) => {
      response.writeHead(200, { "content-encoding": "gzip" }).end("this is not gzip")
      return true
    },
    "an encoding": ({ method }, response, file) => {
      if (file === undefined || method === "HEAD") return undefined
      response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync(file))
      return true
    },
  }
}

/** Serves files like common servers, with a validator that shows programs that a file changed. */
const serve = (
  files: Files,
  version: number,
  validator: "etag" | "weak" | "modified",
  seen: Seen,
  response: ServerResponse,
): true => {
  const head = seen.method === "HEAD"
  const end = (status: number, headers: Record<string, string>, body: Uint8Array | string = ""): true => {
    response.writeHead(status, headers).end(head ? undefined : body)
    return true
  }
  const path = seen.path.slice(1)
  if (path.endsWith("/")) {
    const names = new Set(
      [...files.keys()].filter((name) => name.startsWith(path)).map((name) => {
        const rest = name.slice(path.length)
        return rest.includes("/") ? rest.slice(0, rest.indexOf("/") + 1) : rest
      }),
    )
    const links = [...names].map((name) => `<a href="${name}">${name}</a>  04-Mar-2024 08:00   245\r\n`).join("")
    const page = `<html><head><title>Index of /${path}</title></head><body><h1>Index of /</h1><hr><pre>` +
      `<a href="../">../</a>\r\n${links}</pre><hr></body></html>`
    return end(200, { "content-type": "text/html; charset=utf-8" }, page)
  }
  const file = files.get(path)
  if (file === undefined) return end(404, {}, "no")
  const tag: Record<string, string> = validator === "modified"
    ? { "last-modified": new Date(Date.UTC(2024, version, 1)).toUTCString() }
    : { etag: `${validator === "weak" ? "W/" : ""}"v${version}"` }
  const range = /^bytes=(\d*)-(\d*)$/.exec(seen.headers.range ?? "")
  if (range === null) return end(200, { ...tag, "content-length": String(file.length) }, file)
  const start = range[1] === "" ? Math.max(file.length - Number(range[2]), 0) : Number(range[1])
  const stop = range[1] === "" || range[2] === "" ? file.length : Math.min(Number(range[2]) + 1, file.length)
  if (start >= file.length) return end(416, { "content-range": `bytes */${file.length}` })
  const rangeHeaders = {
    "content-range": `bytes ${start}-${stop - 1}/${file.length}`,
    "content-length": String(stop - start),
  }
  return end(206, { ...tag, ...rangeHeaders }, file.subarray(start, stop))
}

/** Returns the secrets that another origin received, or that the output of a program contains. */
export const judgeSecrets = (
  there: Pick<WebServer, "seen">,
  texts: ReadonlyArray<string>,
): ReadonlyArray<string> => {
  const wrong: Array<string> = []
  for (const { url, headers } of there.seen) {
    const received = `${url} ${JSON.stringify(headers)}`
    for (const secret of [HEADER, QUERY]) {
      if (received.includes(secret)) wrong.push(`the other origin sees ${secret}: ${received.slice(0, 300)}`)
    }
  }
  for (const shown of texts) {
    for (const secret of [HEADER, QUERY]) {
      const at = shown.indexOf(secret)
      if (at >= 0) wrong.push(`${secret} is shown: ${shown.slice(Math.max(at - 150, 0), at + 50)}`)
    }
  }
  return [...new Set(wrong)]
}

/**
 * Whether values belong to one version. The response may also be another whole file: the server's page, or its body of
 * "x".
 */
export const isOneVersion = (values: ArrayLike<number>): boolean => {
  const first = values[0]
  if (values.length > 0 && values.length <= PAGE.length && PAGE.includes(String.fromCharCode(...Array.from(values)))) {
    return true
  }
  if (values.length > 0 && first !== 1 && first !== 2 && first !== 120) return false
  for (let i = 1; i < values.length; i++) if (values[i] !== first) return false
  return true
}

/** The lists of values that a program read; each list must belong to one version. */
type Answer = ReadonlyArray<ArrayLike<number>>

const programsOf = (base: string): Readonly<Record<string, Program<Answer>>> => {
  const at = (path: string) => `${base}/${path}?sig=${QUERY}`
  const discard = Effect.map((): Answer => [])
  const storage = Effect.orDie(Storage)
  return {
    read: Effect.flatMap(storage, (storage) => Effect.map(storage.read(at("data/file")), (bytes) => [bytes])),
    ranges: Effect.flatMap(storage, (storage) =>
      Effect.map(
        storage.readRanges(at("data/file"), [{ offset: 10, length: 50 }, { offset: 1000, length: 20 }, {
          offset: 2900,
          length: 100,
        }]),
        (parts) => [parts.flatMap((part) => [...part])],
      )),
    tail: Effect.flatMap(
      storage,
      (storage) => Effect.map(storage.readTail(at("data/file"), 100), ({ bytes }) => [bytes]),
    ),
    list: Effect.flatMap(storage, (storage) => discard(storage.list(at("data/array")))),
    size: Effect.flatMap(storage, (storage) => discard(storage.size(at("data/file")))),
    cells: Effect.flatMap(
      TileArray.open(at("data/array")),
      (array) =>
        Effect.map(
          Dense.read(array),
          ({ columns }) => Object.values(columns).map(({ values }) => values as Int32Array),
        ),
    ),
    "cells of two boxes": Effect.flatMap(TileArray.open(at("data/array")), (array) =>
      Effect.map(
        Effect.all([
          Dense.read(array, { region: { x: [0, 14], y: [0, 14] } as never }),
          Dense.read(array, { region: { x: [15, 39], y: [3, 39] } as never }),
        ]),
        (reads) => reads.flatMap(({ columns }) => Object.values(columns).map(({ values }) => values as Int32Array)),
      )),
    metadata: discard(Effect.flatMap(TileArray.open(at("data/array")), TileArray.metadata)),
    group: discard(Group.open(at("data/group"))),
    tree: discard(Group.tree(at("data/group"))),
    walk: discard(Stream.runDrain(Stream.take(Group.walk(at("data/group")), 100))),
  }
}

/** Reads from a server that responds to random requests with faults. */
export const attackWithServers: Attack = async (random, sweep) => {
  const [first, second] = await versionsOf(sweep)
  const origins: { here: string; there: string } = { here: "", there: "" }
  const all = tricks(random, () => origins.here, () => origins.there)
  const chosen = Array.from({ length: between(random, 0, 2) }, () => random.pick(Object.keys(all)))
  const often = random.pick([0.05, 0.3, 1])
  const changes = chance(random, 0.6) ? random.pick([0.02, 0.1, 0.5]) : 0
  const validator = random.pick(["etag", "weak", "modified"] as const)
  let version = 0
  const files = [first, second].map((files) => new Map(files))
  const server = (isHere: boolean) =>
    startWebServer({
      files: new Map(),
      first: (seen, response) => {
        if (changes > 0 && chance(random, changes)) version = 1 - version
        const path = seen.path.replace(/^\/loop/, "")
        const file = files[version]
        if (!isHere && seen.path.startsWith("/loop")) {
          response.writeHead(302, { location: `${origins.here}${path}` }).end()
          return true
        }
        if (isHere && chosen.length > 0 && chance(random, often)) {
          if (all[random.pick(chosen)](seen, response, file.get(path.slice(1))) === true) return true
        }
        return serve(file, version, validator, seen, response)
      },
    })
  const [here, there] = [await server(true), await server(false)]
  Object.assign(origins, { here: here.origin, there: there.origin })
  try {
    const members = [
      member(`${there.origin}/data/array`, { relative: false, type: "array", name: "one" }),
      member(`${there.origin}/data/group`, { relative: false, name: "two" }),
      member("file:///etc", { relative: false, name: "three" }),
      member("../array", { type: "array", name: "four" }),
      member(`${here.origin}/data/array`, { relative: false, type: "array", name: "five" }),
    ].filter(() => chance(random, 0.7))
    for (const item of files) item.set(`data/group/__group/__1_1_${uuid(1)}_2`, details(2, members))
    const storage = httpFiles({
      headers: { authorization: `Bearer ${HEADER}` },
      ...(chance(random, 0.5) ? { origin: here.origin } : {}),
      // on a busy machine, a server without faults may also be slow
      timeout: chosen.length === 0 ? 10_000 : 250,
      retry: { times: between(random, 0, 2), wait: 5, longestWait: 50 },
    })
    const used = chance(random, 0.3) ? withCache(storage) : storage
    const wrong: Array<string> = []
    const texts: Array<string> = []
    const programs = Object.entries(programsOf(here.origin)).filter(() => chance(random, 0.4))
    for (const [name, program] of programs) {
      const run = await runIn(used as StorageService, program, 15_000)
      wrong.push(...judgeExit(name, run))
      texts.push(...run.logged)
      if (run.exit === undefined) continue
      if (Exit.isFailure(run.exit)) texts.push(...shownForms(run.exit.cause), String(run.exit))
      else if (!run.exit.value.every(isOneVersion)) {
        const seen = run.exit.value.map((values) => [...new Set(Array.from(values))].slice(0, 5).join("/"))
        wrong.push(`${name} is not of one version: ${seen.join(" and ")}`)
      } else if (chosen.length === 0 && changes === 0 && name === "cells" && run.exit.value.length !== 2) {
        wrong.push("an honest server is not read")
      }
      if (Exit.isFailure(run.exit) && chosen.length === 0 && changes === 0) {
        wrong.push(`an honest server is not read: ${name}: ${shortText(String(run.exit.cause))}`)
      }
    }
    wrong.push(...judgeSecrets(there, texts))
    const how = [...chosen, ...(changes > 0 ? [`changes (${validator}, ${changes})`] : [])].join(", ")
    return {
      label: `${how === "" ? "a correct server" : how}, ${often}: ${programs.map(([name]) => name).join(", ")}`,
      wrong,
    }
  } finally {
    await here.close()
    await there.close()
  }
}
