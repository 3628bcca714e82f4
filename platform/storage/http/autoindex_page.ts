/**
 * The pages with which web servers list their folders: nginx and Apache autoindex, `npx serve`, Python's `http.server`,
 * and their like. They have in common that every name is a link.
 *
 * @module
 */
import { staysInFolder } from "./url.ts"
import { compareBytewise } from "../utf8_order.ts"
import type { Entry } from "../service.ts"

/** No page has more bytes: some 100,000 names. */
export const LARGEST_PAGE: number = 16 << 20

const entities: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: "\u00a0" }

const unescapeHtml = (text: string): string =>
  text.replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]{2,4}));/gi, (whole, decimal, hex, name) => {
    if (name !== undefined) return Object.hasOwn(entities, name.toLowerCase()) ? entities[name.toLowerCase()] : whole
    const point = decimal === undefined ? parseInt(hex, 16) : Number(decimal)
    return point > 0 && point <= 0x10ffff ? String.fromCodePoint(point) : whole
  })

/** What a link names directly in the folder; undefined if it leads anywhere else. */
const entryOf = (href: string, base: string): Entry | undefined => {
  let url: URL
  try {
    url = new URL(href, `${base}/`)
  } catch {
    return undefined
  }
  const at = url.origin + url.pathname
  if (!at.startsWith(`${base}/`)) return undefined
  // sorting by column: "?C=N;O=D"
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

// Whatever the page holds, each of these passes over it once: no part of a tag reaches past the next bracket.
const title = /<(?:title|h1|h2)\b[^<>]*>[^<]*\b(?:index of|directory listing|listing directory|files within)\b/i
const anchor = /<a\s([^<>]*)>/gi
const href = /(?:^|\s)href\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"']+))/i

/** No tag of an honest server is longer. */
const LONGEST_TAG = 1 << 14

/** Where the links of a page lead. */
function* linksIn(page: string): Generator<string> {
  for (const [, attributes] of page.matchAll(anchor)) {
    const regExpExecArray = attributes.length > LONGEST_TAG ? null : href.exec(attributes)
    if (regExpExecArray !== null) {
      yield unescapeHtml(regExpExecArray[1] ?? regExpExecArray[2] ?? regExpExecArray[3]).trim()
    }
  }
}

/**
 * Returns the names on the index page of the folder `base` (a URL without query or trailing slash), in byte order;
 * `undefined` if the page is not an index. Links out of the folder, or deeper into it than one name, are ignored. A
 * name with a trailing slash is a folder.
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
