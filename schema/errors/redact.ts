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

/** Where a URL starts in a text, and where what follows its scheme does. */
interface UrlStart {
  readonly scheme: string
  readonly rest: number
}

/** Schemes that count without slashes too: URL parsers accept `http:`, and people forget a slash. */
const existing = /(?:https?|(?<![a-z0-9+.-])(?:s3|gs|gcs|azure))$/i

/** The first URL from `from` on. */
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

/** Schemes of names that have no query: `?`, `#` and `@` are ordinary characters in them. */
const isPlain = (scheme: string): boolean => /^(?:file|mem)$/i.test(scheme)

/** Ends a URL in running text; a quote does not if a backslash escapes it. */
const urlEnd = /\s|[<>`\x7f-\x9f]|(?<!\\)"/

/** Where the names inside an array or group start; they never belong to a query. */
const inside =
  /\/__(?:schema|fragments|commits|fragment_meta|meta|labels|group|tessera_manifest|array_schema|tiledb_group|\d+_)/

/**
 * Splits what follows `?` or `#` into the query and the path names after it (`?sig=…/__schema/name`). A signature may contain
 * unescaped slashes, and its pieces look like names, so all up to a name from inside an array or group is the query.
 */
const splitQuery = (tail: string): { readonly query: string; readonly names: string } => {
  const at = tail.search(inside)
  return at < 0 ? { query: tail, names: "" } : { query: tail.slice(0, at), names: tail.slice(at) }
}

/** User info that is not an authority of its own, because the password contains a slash. */
const brokenUserInfo = (authority: string): boolean =>
  !authority.includes("@") && !authority.startsWith("[") && /:(?!\d*$)/.test(authority)

/** The parts of what follows `scheme://` in a single URL. */
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
  // a URL inside the path of another one has user info too
  const shown = (user === undefined ? "" : "…@") + path.replace(/:[\\/]{1,2}[^\\/@]*@/g, "://…@")
  return mark === "" ? shown : `${shown}${mark}…${names.replace(/[?#].*$/s, "?…")}`
}

/** The end of a URL that starts before `start` in running text; punctuation after it is not part of it. */
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

/** A URI without its credentials: all of `uri` is one URI, whatever characters it contains. */
export const redactUri = (uri: string): string => redact(uri, true)

/** Text in which every URL is without its credentials. */
export const redactText = (text: string): string => redact(text, false)

/** Shorter values (`true`, `2024`) are too common in other text to be replaced there. */
export const MIN_SECRET_LENGTH = 6

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** The credentials in a URI, as they may appear elsewhere: the values of its query, the user name and the password. */
export const secretsOf = (uri: string): ReadonlyArray<string> => {
  const urlStart = nextUrl(uri, 0)
  if (urlStart === undefined || isPlain(urlStart.scheme)) return []
  const { user = "", query } = partsOf(uri.slice(urlStart.rest))
  const values = query.split(/[&?#;]/).flatMap((part) => {
    const value = part.slice(part.indexOf("=") + 1)
    // a storage takes what follows a slash for names in a path
    return [value, ...value.split("/")]
  })
  const secrets = [query, ...values, user, ...user.split(":")].flatMap((value) => [value, decoded(value)])
  // the longest first: one may contain another
  return [...new Set(secrets)].filter((s) => s.length >= MIN_SECRET_LENGTH).sort((a, b) => b.length - a.length)
}
