/**
 * Lists objects: `ListObjectsV2`.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import { StorageError, type StorageOp } from "../../errors.ts"
import type { HttpRequest, Send } from "../http/request.ts"
import { compareBytewise } from "../utf8_order.ts"
import type { Entry, FileEntry, FilePage, ListPage } from "../service.ts"
import { s3Failure } from "./failure.ts"
import { encodeText, objectUrl, s3Location } from "./location.ts"
import { childrenOf, parseXml, textOf, type XmlElement } from "./xml.ts"

/** Maximum size of a page in bytes: 1,000 keys of 1,024 bytes, escaped, with their other fields. */
const MAX_PAGE_SIZE = 16 << 20

/** Maximum number of pages of one listing, so that a server cannot send pages without end. */
const MAX_PAGES = 100_000

/** Maximum length of the token for the next page. */
const MAX_TOKEN_LENGTH = 8192

/** An object in a listing. */
interface ListedObject {
  readonly key: string
  readonly size: number | undefined
  readonly lastModified: number | undefined
  readonly etag: string | undefined
}

/** A page of a listing. */
export interface ObjectPage {
  readonly objects: ReadonlyArray<ListedObject>
  /** Prefixes up to the next slash, with the slash. */
  readonly prefixes: ReadonlyArray<string>
  readonly next: string | undefined
}

/** The listing functions of a storage. */
export interface S3Listing {
  readonly list: (uri: string) => Effect.Effect<ReadonlyArray<Entry>, StorageError>
  readonly listPage: (uri: string, next?: string) => Effect.Effect<ListPage, StorageError>
  readonly listAllPage: (uri: string, next?: string) => Effect.Effect<FilePage, StorageError>
  /** Returns a page of all objects below a folder, including objects that stand for empty folders. */
  readonly objectsBelow: (op: StorageOp, uri: string, next?: string) => Effect.Effect<ObjectPage, StorageError>
}

const infoOf = ({ size, lastModified, etag }: ListedObject) => ({
  ...(size === undefined ? {} : { size }),
  ...(lastModified === undefined ? {} : { lastModified }),
  ...(etag === undefined ? {} : { etag }),
})

/** Decodes a key of a response with `encoding-type=url`. Throws for invalid escapes. */
const decodeKey = (text: string): string => decodeURIComponent(text.replaceAll("+", " "))

/** Parses a page; returns `undefined` if it is not the document of a listing below `prefix`. */
export const parsePage = (bytes: Uint8Array, prefix: string): ObjectPage | undefined => {
  const root = parseXml(bytes)
  if (root?.name !== "ListBucketResult") return undefined
  const isEncoded = textOf(root, "EncodingType") === "url"
  const keyOf = (element: XmlElement, name: string): string => {
    const text = textOf(element, name)
    if (text === undefined) throw new TypeError("an entry has no key")
    const key = isEncoded ? decodeKey(text) : text
    if (!key.startsWith(prefix)) throw new TypeError("an entry is outside of the listed folder")
    return key
  }
  try {
    const objects = childrenOf(root, "Contents").map((element): ListedObject => {
      const size = textOf(element, "Size")
      const time = Date.parse(textOf(element, "LastModified") ?? "")
      const etag = textOf(element, "ETag")
      return {
        key: keyOf(element, "Key"),
        size: size !== undefined && /^\d{1,15}$/.test(size) ? Number(size) : undefined,
        // whole seconds, as in the headers of an object
        lastModified: Number.isNaN(time) ? undefined : Math.floor(time / 1000) * 1000,
        etag: etag === undefined || etag.length > 256 ? undefined : etag,
      }
    })
    const prefixes = childrenOf(root, "CommonPrefixes").map((element) => keyOf(element, "Prefix"))
    if (textOf(root, "IsTruncated") !== "true") return { objects, prefixes, next: undefined }
    const next = textOf(root, "NextContinuationToken")
    return next === undefined || next === "" || next.length > MAX_TOKEN_LENGTH ? undefined : { objects, prefixes, next }
  } catch {
    return undefined
  }
}

/** Returns the entries of a page, without those whose names are empty: objects that stand for the folder itself. */
const entriesOf = ({ objects, prefixes }: ObjectPage, prefix: string): ReadonlyArray<Entry> => {
  const entries = new Map<string, Entry>()
  for (const object of objects) {
    const name = object.key.slice(prefix.length)
    if (name !== "" && !name.includes("/")) entries.set(name, { name, kind: "file", ...infoOf(object) })
  }
  // a folder takes precedence over a file of the same name, as in other storages
  for (const each of prefixes) {
    const name = each.slice(prefix.length, -1)
    if (each.endsWith("/") && name !== "" && !name.includes("/")) entries.set(name, { name, kind: "folder" })
  }
  return [...entries.values()].sort((a, b) => compareBytewise(a.name, b.name))
}

/** Creates the listing functions. */
export const makeS3Listing = (send: Send): S3Listing => {
  const pageOf = (
    op: StorageOp,
    uri: string,
    delimiter: "/" | undefined,
    next: string | undefined,
  ): Effect.Effect<{ readonly page: ObjectPage; readonly prefix: string }, StorageError> =>
    Effect.gen(function* () {
      const { bucket, key } = yield* Effect.try({
        try: () => s3Location(op, uri),
        catch: (error) => error as StorageError,
      })
      const prefix = key === "" ? "" : `${key}/`
      const query = [
        "list-type=2",
        "encoding-type=url",
        ...(delimiter === undefined ? [] : [`delimiter=${encodeText(delimiter)}`]),
        ...(prefix === "" ? [] : [`prefix=${encodeText(prefix)}`]),
        ...(next === undefined ? [] : [`continuation-token=${encodeText(next)}`]),
      ]
      const url = `${objectUrl({ bucket, key: "" })}?${query.sort().join("&")}`
      const request: HttpRequest = { op, uri, method: "GET", url }
      const response = yield* send(request)
      if (response.status !== 200) {
        yield* response.discard
        return yield* Effect.fail(s3Failure(op, uri, response.status, undefined))
      }
      const bytes = yield* response.body(MAX_PAGE_SIZE + 1)
      const page = bytes.length > MAX_PAGE_SIZE ? undefined : parsePage(bytes, prefix)
      if (page === undefined || page.next !== undefined && page.next === next) {
        const cause = new Error("the server sent an invalid listing")
        return yield* Effect.fail(new StorageError({ op, uri, reason: "Unknown", cause }))
      }
      return { page, prefix }
    })

  const listPage = (uri: string, next?: string): Effect.Effect<ListPage, StorageError> =>
    Effect.map(pageOf("listPage", uri, "/", next), ({ page, prefix }) => ({
      entries: entriesOf(page, prefix),
      ...(page.next === undefined ? {} : { next: page.next }),
    }))

  const list = (uri: string): Effect.Effect<ReadonlyArray<Entry>, StorageError> =>
    Effect.gen(function* () {
      const objects: Array<ListedObject> = []
      const prefixes: Array<string> = []
      let next: string | undefined
      for (let pages = 0; pages < MAX_PAGES; pages++) {
        const { page, prefix } = yield* pageOf("list", uri, "/", next)
        objects.push(...page.objects)
        prefixes.push(...page.prefixes)
        next = page.next
        if (next === undefined) return entriesOf({ objects, prefixes, next }, prefix)
      }
      const cause = new Error(`the listing has more than ${MAX_PAGES} pages`)
      return yield* Effect.fail(new StorageError({ op: "list", uri, reason: "Unknown", cause }))
    })

  const listAllPage = (uri: string, next?: string): Effect.Effect<FilePage, StorageError> =>
    Effect.map(pageOf("listAllPage", uri, undefined, next), ({ page, prefix }) => ({
      files: page.objects.flatMap((object): ReadonlyArray<FileEntry> => {
        const path = object.key.slice(prefix.length)
        return path === "" || path.endsWith("/") ? [] : [{ path, ...infoOf(object) }]
      }),
      ...(page.next === undefined ? {} : { next: page.next }),
    }))

  return {
    list,
    listPage,
    listAllPage,
    objectsBelow: (op, uri, next) => Effect.map(pageOf(op, uri, undefined, next), ({ page }) => page),
  }
}
