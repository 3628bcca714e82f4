/** The storage suite on a web server: writes go to the served files, reads go through the server. */
import * as Effect from "effect/Effect"
import { after } from "node:test"
import { AlreadyExists, NotFound, StorageError } from "../../../../platform/errors.ts"
import { makeFetchClient } from "../../../../platform/storage/http/client.ts"
import { httpFiles } from "../../../../platform/storage/http/default_http.ts"
import { localFiles } from "../../../../platform/storage/local/local.ts"
import { makeHttpStorage } from "../../../../platform/storage/http/http.ts"
import { mapStorage } from "../../../../platform/storage/map_storage.ts"
import { makeMemoryStorage } from "../../../../platform/storage/memory.ts"
import { makeRouter } from "../../../../platform/storage/router.ts"
import { withDefaults } from "../../../../platform/storage/defaults.ts"
import type { Storage } from "../../../../platform/storage/service.ts"
import { withLimit } from "../../../../platform/storage/middleware/limit.ts"
import { encodeManifest, MANIFEST_NAME } from "../../../../platform/storage/http/manifest.ts"
import { publish } from "../../../../platform/storage/http/publish_manifest.ts"
import { type Backend, storageSuite } from "../../../support/storage_suite.ts"
import { type Habits, startWebServer } from "../../../support/web_server.ts"

/**
 * Returns a storage that reads through the server, and writes to its files. The names of the suite are unescaped; in
 * URLs they are escaped.
 */
const overServer = (http: Storage, files: Map<string, Uint8Array>, origin: string): Storage => {
  const memory = makeMemoryStorage(files)
  const url = (uri: string): string => origin + uri.slice("raw:/".length).split("/").map(encodeURIComponent).join("/")
  const name = (uri: string): string => `mem://${uri.slice("raw://".length)}`
  const raw = <A, E>(uri: string, call: Effect.Effect<A, E>): Effect.Effect<A, E> =>
    Effect.mapError(
      call,
      (error) =>
        (error instanceof NotFound
          ? new NotFound({ ...error, uri })
          : error instanceof StorageError
          ? new StorageError({ ...error, uri })
          : error) as E,
    )
  return withDefaults({
    list: (uri) => raw(uri, http.list(url(uri))),
    head: (uri) => raw(uri, http.head(url(uri))),
    size: (uri) => raw(uri, http.size(url(uri))),
    read: (uri) => raw(uri, http.read(url(uri))),
    readRanges: (uri, ranges, into) => raw(uri, http.readRanges(url(uri), ranges, into)),
    readTail: (uri, length) => raw(uri, http.readTail(url(uri), length)),
    write: (uri, bytes) => memory.write(name(uri), bytes),
    openWrite: (uri) => memory.openWrite(name(uri)),
    createFolder: (uri) => memory.createFolder(name(uri)),
    removeFolder: (uri) => memory.removeFolder(name(uri)),
    create: (uri, bytes) =>
      Effect.mapError(
        memory.create(name(uri), bytes),
        (error) => error instanceof AlreadyExists ? new AlreadyExists({ uri }) : error,
      ),
    remove: (uri) => memory.remove(name(uri)),
    removeAll: (uris) => memory.removeAll(uris.map(name)),
  })
}

const client = makeFetchClient()
const plain = (): Storage => makeHttpStorage(client)
const suites: ReadonlyArray<readonly [string, Omit<Habits, "files">, () => Storage]> = [
  ["web server, nginx", {}, plain],
  ["web server, Apache, without HEAD", { index: "apache", head: false }, plain],
  ["web server without suffix ranges, like python", { index: "python", ranges: "no suffix" }, plain],
  ["web server that hides Content-Range, like serve", { index: "serve", ranges: "hidden" }, plain],
  ["web server without lengths", { ranges: "no length" }, plain],
  ["web server, limited", {}, () => withLimit(plain(), 2)],
  ["web server, as by default", {}, () => {
    const web = httpFiles()
    return makeRouter({ file: localFiles, http: web })
  }],
]

for (const [name, habits, storage] of suites) {
  const files = new Map<string, Uint8Array>()
  const server = await startWebServer({ files, ...habits })
  after(server.close)
  storageSuite(name, (): Backend => {
    files.clear()
    return { storage: overServer(storage(), files, server.origin), root: "raw://root" }
  })
}

const MANIFEST = `root/${MANIFEST_NAME}`

/** Publishes the folder again before each listing, as after every change. */
const published = (files: Map<string, Uint8Array>, storage: Storage): Storage => {
  const publishing = publish(makeMemoryStorage(files), "mem://root").pipe(
    Effect.catchTag("NotFound", () => Effect.sync(() => files.set(MANIFEST, encodeManifest([])))),
    Effect.orDie,
  )
  return mapStorage(storage, { list: (call) => Effect.zipRight(publishing, call) })
}

const files = new Map<string, Uint8Array>()
const server = await startWebServer({ files, index: "missing" })
after(server.close)
storageSuite("web server with a manifest", (): Backend => {
  files.clear()
  return { storage: published(files, overServer(plain(), files, server.origin)), root: "raw://root" }
})
