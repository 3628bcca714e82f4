/**
 * Parses the index pages of web servers: nginx and Apache autoindex, `npx serve`, Python's `http.server`, and similar
 * ones. In all of them, every name is a link.
 *
 * @module
 */
import { staysInFolder } from "./url.ts"
import { compareBytewise } from "../utf8_order.ts"
import type { Entry } from "../service.ts"

/** Maximum size of an index page in bytes: about 100,000 names. */
export const MAX_PAGE_SIZE: number = 16 << 20

const entities: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: "\u00a0" }

const unescapeHtml = (text: string): string =>
  text.replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]{2,4}));/gi, (whole, decimal, hex, name) => {
    if (name !== undefined) return Object.hasOwn(entities, name.toLowerCase()) ? entities[name.toLowerCase()] : whole
    const point = decimal === undefined ? parseInt(hex, 16) : Number(decimal)
    return point > 0 && point <= 0x10ffff ? String.fromCodePoint(point) : whole
  })

/** Returns the entry that a link refers to; `undefined` if the target is not directly in the folder. */
const entryOf = (href: string, base: string): Entry | undefined => {
  let url: URL
  try {
    url = new URL(href, `${base}/`)
  } catch {
    return undefined
  }
  const at = url.origin + url.pathname
  if (!at.startsWith(`${base}/`)) return undefined
  // an empty name is a link that sorts by column: "?C=N;O=D"
  const [escaped, ...rest] = at.slice(base.length + 1).split("/")
  if (escaped === "" || rest.length > 1 || (rest.length === 1 && rest[0] !== "")) return undefined
  let name: string
  try {
    name = decodeURIComponent(escaped)
  } catch {
    return undefined
  }
  return staysInFolder(name) ? { name, kind: rest.length === 1 ? "folder" : "file" } : undefined
}

// Each of these takes linear time on any page: no part of a tag matches beyond the next bracket.
const title = /<(?:title|h1|h2)\b[^<>]*>[^<]*\b(?:index of|directory listing|listing directory|files within)\b/i
const anchor = /<a\s([^<>]*)>/gi
const href = /(?:^|\s)href\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"']+))/i

/** Maximum length of a tag; longer ones do not occur on real index pages. */
const MAX_TAG_LENGTH = 1 << 14

/** Yields the targets of all links on a page. */
function* linksIn(page: string): Generator<string> {
  for (const [, attributes] of page.matchAll(anchor)) {
    const match = attributes.length > MAX_TAG_LENGTH ? null : href.exec(attributes)
    if (match !== null) {
      yield unescapeHtml(match[1] ?? match[2] ?? match[3]).trim()
    }
  }
}

/**
 * Returns the names on the index page of the folder `base` (a URL without query or trailing slash), in byte order, or
 * `undefined` if the page is not an index. Links to targets outside the folder or in its subfolders are ignored. A name
 * with a trailing slash is a folder.
 */
export const parseIndexPage = (page: string, base: string): ReadonlyArray<Entry> | undefined => {
  const match = new Map<string, Entry>()
  for (const link of linksIn(page)) {
    const entry = entryOf(link, base)
    if (entry !== undefined && match.get(entry.name)?.kind !== "folder") match.set(entry.name, entry)
  }
  if (match.size === 0 && !title.test(page)) return undefined
  return [...match.values()].sort((a, b) => compareBytewise(a.name, b.name))
}
