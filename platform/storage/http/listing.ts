/**
 * Lists folders on a web server: from a manifest in the array or above it, or from the server's index pages.
 *
 * Each listing is up to date at the time of the call; concurrent listings share the request for the manifest. Only
 * manifests, which every listing revalidates, the folders without a manifest, and the folders that the server lists are
 * remembered.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import { StorageError } from "../../errors.ts"
import { isMissing, statusFailure } from "./errors.ts"
import type { HttpRequest, HttpResponse, Send } from "./request.ts"
import { folderUrl, type HttpPlace, httpPlace, namesBelow, objectOf, parentOf, urlIn } from "./url.ts"
import { MAX_PAGE_SIZE, parseIndexPage } from "./autoindex_page.ts"
import { decodeManifest, type Manifest, MANIFEST_NAME, MAX_MANIFEST_SIZE } from "./manifest.ts"
import { makeSingleFlight } from "../middleware/single_flight.ts"
import type { Entry } from "../service.ts"

/** The listing functions of a storage. */
export interface HttpListing {
  readonly list: (uri: string) => Effect.Effect<ReadonlyArray<Entry>, StorageError>
  /** Returns the URL of the manifest that lists this file; `undefined` if no manifest was used. */
  readonly listedBy: (uri: string) => string | undefined
}

/** Outcome of a request for an index page. */
type Page =
  | { readonly kind: "listed"; readonly entries: ReadonlyArray<Entry> }
  | { readonly kind: "missing" | "denied" | "unlisted"; readonly status: number }

interface CachedManifest {
  readonly manifest: Manifest
  readonly etag: string | undefined
}

/** Returns a URL without the query and trailing slashes. */
const baseOf = (url: string): string => url.replace(/[?#].*$/s, "").replace(/\/+$/, "")

const failure = (uri: string, reason: StorageError["reason"], message: string, cause?: unknown): StorageError =>
  new StorageError({ op: "list", uri, reason, cause: new Error(message, { cause }) })

/** Whether a status is one that servers use for missing or hidden files. */
const isAbsent = (status: number): boolean => isMissing(status) || [400, 401, 403, 405, 407].includes(status)

/** Maximum total size of cached manifests in bytes; the least recently used ones are dropped. */
const MAX_REMEMBERED = 2 * MAX_MANIFEST_SIZE

/** Creates the listing functions. */
export const makeListing = (send: Send): HttpListing => {
  const manifests = new Map<string, CachedManifest>()
  let remembered = 0
  const forget = (base: string): void => {
    remembered -= manifests.get(base)?.manifest.bytes ?? 0
    manifests.delete(base)
  }
  const remember = (base: string, loaded: CachedManifest): void => {
    forget(base)
    manifests.set(base, loaded)
    remembered += loaded.manifest.bytes
    for (const other of manifests.keys()) {
      if (remembered <= MAX_REMEMBERED || other === base) return
      forget(other)
    }
  }
  const foldersWithoutManifest = new Set<string>()
  const listed = new Set<string>()
  const manifestFlights = makeSingleFlight<Manifest | undefined, StorageError>()
  const pageFlights = makeSingleFlight<Page, StorageError>()

  const refused = (request: HttpRequest, response: HttpResponse): Effect.Effect<never, StorageError> =>
    Effect.flatMap(response.discard, () => {
      const error = statusFailure(request.op, request.uri, response.status, response.header("retry-after"))
      return Effect.fail(error instanceof StorageError ? error : failure(request.uri, "Unknown", error.message))
    })

  /** Returns the manifest of a folder; undefined if it has no manifest. */
  const manifestAt = (uri: string, at: HttpPlace): Effect.Effect<Manifest | undefined, StorageError> =>
    manifestFlights(
      at.base + at.query,
      Effect.gen(function* () {
        const existing = manifests.get(at.base)
        const url = urlIn(at, MANIFEST_NAME)
        // omits the query, which can be a signature
        const shown = urlIn({ base: at.base, query: "" }, MANIFEST_NAME)
        const headers = existing?.etag === undefined ? undefined : { "if-none-match": existing.etag }
        const request: HttpRequest = { op: "list", uri, method: "GET", url, headers }
        const response = yield* send(request)
        if (response.status === 304 && existing !== undefined) {
          remember(at.base, existing)
          return yield* Effect.as(response.discard, existing.manifest)
        }
        if (isAbsent(response.status)) {
          yield* response.discard
          forget(at.base)
          foldersWithoutManifest.add(at.base)
          return undefined
        }
        if (response.status !== 200) return yield* refused(request, response)
        const bytes = yield* response.body(MAX_MANIFEST_SIZE + 1)
        if (bytes.length > MAX_MANIFEST_SIZE) {
          return yield* Effect.fail(
            failure(uri, "Unknown", `the manifest ${shown} has more than ${MAX_MANIFEST_SIZE} bytes`),
          )
        }
        // some servers respond to every request with their start page
        if (response.header("content-type")?.includes("html") || bytes[0] === 0x3c) {
          foldersWithoutManifest.add(at.base)
          return undefined
        }
        const manifest = yield* Effect.try({
          try: () => decodeManifest(bytes),
          catch: (cause) => {
            const detail = cause instanceof Error ? cause.message : String(cause)
            return failure(uri, "Unknown", `the manifest ${shown} is damaged: ${detail}; publish it again`, cause)
          },
        })
        remember(at.base, { manifest, etag: response.header("etag") })
        foldersWithoutManifest.delete(at.base)
        return manifest
      }),
    )

  const pageAt = (uri: string, at: HttpPlace): Effect.Effect<Page, StorageError> =>
    pageFlights(
      at.base + at.query,
      Effect.gen(function* (): Effect.fn.Return<Page, StorageError> {
        const request: HttpRequest = { op: "list", uri, method: "GET", url: folderUrl(at) }
        const response = yield* send(request)
        const { status } = response
        if (status === 200) {
          if (!/html/i.test(response.header("content-type") ?? "html")) {
            return yield* Effect.as(response.discard, { kind: "unlisted" as const, status })
          }
          const bytes = yield* response.body(MAX_PAGE_SIZE + 1)
          if (bytes.length > MAX_PAGE_SIZE) {
            const message = `the index page has more than ${MAX_PAGE_SIZE} bytes; publish a manifest instead`
            return yield* Effect.fail(failure(uri, "Unsupported", message))
          }
          const page = new TextDecoder().decode(bytes)
          // links of a redirected page are relative to its URL, or refer to entries of the requested folder
          const entriesAtUrl = parseIndexPage(page, baseOf(response.url))
          const entries = entriesAtUrl?.length ? entriesAtUrl : parseIndexPage(page, at.base) ?? entriesAtUrl
          if (entries === undefined) return { kind: "unlisted", status }
          listed.add(at.base)
          return { kind: "listed", entries: entries.filter(({ name }) => name !== MANIFEST_NAME) }
        }
        if (isMissing(status)) return yield* Effect.as(response.discard, { kind: "missing" as const, status })
        if (isAbsent(status)) return yield* Effect.as(response.discard, { kind: "denied" as const, status })
        return yield* refused(request, response)
      }),
    )

  const fromManifest = (manifest: Manifest, folder: string, base: string): ReadonlyArray<Entry> =>
    manifest.list((namesBelow(folder, base) ?? ["", ""]).join("/"))

  /** Returns the nearest folder at or above `base` that satisfies `has`. */
  const nearest = (base: string, has: (folder: string) => boolean): string | undefined => {
    for (let at: string | undefined = base; at !== undefined; at = parentOf(at)) if (has(at)) return at
    return undefined
  }

  /**
   * Lists a folder of an array that has no manifest and no index page: from a manifest in a parent folder, or, if the
   * server lists parent folders, as an empty folder.
   */
  const listFromAbove = (
    uri: string,
    place: HttpPlace,
    page: Exclude<Page, { readonly kind: "listed" }>,
  ): Effect.Effect<ReadonlyArray<Entry>, StorageError> =>
    Effect.gen(function* () {
      const object = objectOf(place.base)
      for (let base = parentOf(place.base); base !== undefined; base = parentOf(base)) {
        const at = { base, query: place.query }
        const lists = listed.has(base) || (yield* pageAt(uri, at)).kind === "listed"
        if (lists && page.kind === "missing") return []
        // folders inside an array have no manifest, and the array itself was already checked
        if (base.length < object.length && !foldersWithoutManifest.has(base)) {
          const manifest = yield* manifestAt(uri, at)
          if (manifest !== undefined) return fromManifest(manifest, base, place.base)
        }
        if (lists && page.kind === "denied") {
          return yield* Effect.fail(failure(uri, "Denied", `the server responded with status ${page.status}`))
        }
        if (lists) break
      }
      // a manifest may be published at any time
      foldersWithoutManifest.clear()
      // 401 and 407 require credentials; other statuses mean that the server does not list the folder
      if (page.status === 401 || page.status === 407) {
        return yield* Effect.fail(failure(uri, "Denied", `the server responded with status ${page.status}`))
      }
      const message = `this server does not list folders (status ${page.status}), and there is no manifest at ` +
        `${object}/${MANIFEST_NAME} or above; create one with: tessera publish`
      return yield* Effect.fail(failure(uri, "Unsupported", message))
    })

  const list = (uri: string): Effect.Effect<ReadonlyArray<Entry>, StorageError> =>
    Effect.gen(function* () {
      const place = yield* Effect.try({
        try: () => httpPlace("list", uri),
        catch: (error) => error as StorageError,
      })
      const { base, query } = place
      const home = nearest(base, (at) => manifests.has(at)) ?? objectOf(base)
      if (manifests.has(home) || !foldersWithoutManifest.has(home)) {
        const manifest = yield* manifestAt(uri, { base: home, query })
        if (manifest !== undefined) return fromManifest(manifest, home, base)
      }
      const page = yield* pageAt(uri, place)
      return page.kind === "listed" ? page.entries : yield* listFromAbove(uri, place, page)
    })

  const listedBy = (uri: string): string | undefined => {
    const { base } = httpPlace("read", uri)
    const home = nearest(base, (at) => manifests.has(at))
    if (home === undefined) return undefined
    const path = namesBelow(home, base)?.join("/")
    return path !== undefined && manifests.get(home)!.manifest.files.has(path)
      ? urlIn({ base: home, query: "" }, MANIFEST_NAME)
      : undefined
  }

  return { list, listedBy }
}
