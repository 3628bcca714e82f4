/**
 * Removes credentials from URLs before text is printed: user info, query and fragment.
 *
 * `https://user:pass@host/array?sig=SECRET/__schema` becomes `https://…@host/array?…/__schema`. Programs keep the
 * original URI; only printed text is redacted. `file:` and `mem:` URIs are names without credentials and stay
 * unchanged.
 *
 * @module
 */

/** Maximum length of a scheme. */
const MAX_SCHEME_LENGTH = 32

/** The start of a URL in a text, and the position after its scheme. */
interface UrlStart {
  readonly scheme: string
  readonly rest: number
}

/** Schemes that are recognised without slashes too: URL parsers accept `http:`, and users forget slashes. */
const existing = /(?:https?|(?<![a-z0-9+.-])(?:s3|gs|gcs|azure))$/i

/** Returns the first URL after `from`. */
const nextUrl = (text: string, from: number): UrlStart | undefined => {
  for (let colon = text.indexOf(":", from); colon >= 0; colon = text.indexOf(":", colon + 1)) {
    const before = text.slice(Math.max(from, colon - MAX_SCHEME_LENGTH), colon)
    const scheme = /[a-z0-9+.-]*$/i.exec(before)![0]
    if (existing.test(scheme)) {
      let rest = colon + 1
      while (text[rest] === "/" || text[rest] === "\\") rest++
      if (rest < text.length && !/\s/.test(text[rest])) return { scheme, rest }
    } else if (scheme !== "" && text.startsWith("//", colon + 1)) return { scheme, rest: colon + 3 }
  }
  return undefined
}

/** Returns whether a scheme has no query: `?`, `#` and `@` are ordinary characters in such names. */
const isPlain = (scheme: string): boolean => /^(?:file|mem)$/i.test(scheme)

/** End of a URL in running text. A quote escaped by a backslash does not end it. */
const urlEnd = /\s|[<>`\x7f-\x9f]|(?<!\\)"/

/** Start of the names inside an array or group, which never belong to a query. */
const inside =
  /\/__(?:schema|fragments|commits|fragment_meta|meta|labels|group|tessera_manifest|array_schema|tiledb_group|\d+_)/

/**
 * Divides the text after `?` or `#` into the query and the path names after it (`?sig=…/__schema/name`). A signature
 * may contain unescaped slashes, and its pieces look like names, so the query extends to the first name from inside an
 * array or group.
 */
const splitQuery = (tail: string): { readonly query: string; readonly names: string } => {
  const at = tail.search(inside)
  return at < 0 ? { query: tail, names: "" } : { query: tail.slice(0, at), names: tail.slice(at) }
}

/** Returns whether user info extends beyond the authority, because the password contains a slash. */
const brokenUserInfo = (authority: string): boolean =>
  !authority.includes("@") && !authority.startsWith("[") && /:(?!\d*$)/.test(authority)

/** Returns the parts of a URL after `scheme://`. */
const partsOf = (rest: string): {
  readonly user: string | undefined
  readonly path: string
  readonly mark: string
  readonly query: string
  readonly names: string
} => {
  const authorityEnd = rest.search(/[\\/?#]/)
  const authority = authorityEnd < 0 ? rest : rest.slice(0, authorityEnd)
  const broken = brokenUserInfo(authority)
  const at = broken ? rest.lastIndexOf("@") : authority.lastIndexOf("@")
  const user = broken && at < 0 ? rest : at < 0 ? undefined : rest.slice(0, at)
  const host = user === undefined ? rest : rest.slice(user.length + 1)
  const mark = host.search(/[?#]/)
  if (mark < 0) return { user, path: host, mark: "", query: "", names: "" }
  return { user, path: host.slice(0, mark), mark: host[mark], ...splitQuery(host.slice(mark + 1)) }
}

const redactParts = (rest: string): string => {
  const { user, path, mark, names } = partsOf(rest)
  // a URL inside the path of another URL may contain user info too
  const shown = (user === undefined ? "" : "…@") + path.replace(/:[\\/]{1,2}[^\\/@]*@/g, "://…@")
  return mark === "" ? shown : `${shown}${mark}…${names.replace(/[?#].*$/s, "?…")}`
}

/**
 * Returns the end of a URL that starts before `start` in running text. Punctuation at the end does not belong to the
 * URL.
 */
const endOf = (text: string, start: number): number => {
  const length = text.slice(start).search(urlEnd)
  let end = length < 0 ? text.length : start + length
  while (end > start && ")]},.;:'!".includes(text[end - 1])) end--
  return end
}

const redact = (text: string, whole: boolean): string => {
  let out = ""
  let done = 0
  let from = 0
  for (let urlStart = nextUrl(text, from); urlStart !== undefined; urlStart = nextUrl(text, from)) {
    const { scheme, rest } = urlStart
    from = rest
    // the name of a file may contain a URL
    if (isPlain(scheme)) continue
    const end = whole ? text.length : endOf(text, rest)
    out += text.slice(done, rest) + redactParts(text.slice(rest, end))
    done = end
    from = end
  }
  return done === 0 ? text : out + text.slice(done)
}

/** Removes the credentials from a URI. The whole text is one URI, whatever characters it contains. */
export const redactUri = (uri: string): string => redact(uri, true)

/** Removes the credentials from all URLs in a text. */
export const redactText = (text: string): string => redact(text, false)

/** Minimum length of a secret that is replaced in other text: shorter values (`true`, `2024`) are too common. */
export const MIN_SECRET_LENGTH = 6

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/**
 * Returns the credentials in a URI, as they may appear elsewhere: the values of its query, the user name and the
 * password.
 */
export const secretsOf = (uri: string): ReadonlyArray<string> => {
  const urlStart = nextUrl(uri, 0)
  if (urlStart === undefined || isPlain(urlStart.scheme)) return []
  const { user = "", query } = partsOf(uri.slice(urlStart.rest))
  const values = query.split(/[&?#;]/).flatMap((part) => {
    const value = part.slice(part.indexOf("=") + 1)
    // a storage may treat the text after a slash as names in a path
    return [value, ...value.split("/")]
  })
  const secrets = [query, ...values, user, ...user.split(":")].flatMap((value) => [value, decoded(value)])
  // sort by descending length, since one secret may contain another
  return [...new Set(secrets)].filter((s) => s.length >= MIN_SECRET_LENGTH).sort((a, b) => b.length - a.length)
}
