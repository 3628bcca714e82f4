/**
 * A web server in this process that imitates the behaviour of common servers, including incorrect behaviour.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"

/** How the server responds. */
export interface Habits {
  /** The served files, by decoded paths without a leading slash. */
  readonly files: Map<string, Uint8Array>
  /** How folders are listed. Default: `"nginx"`. */
  index?: "nginx" | "apache" | "python" | "serve" | "forbidden" | "missing" | "start page"
  /** How ranges are served. Default: `"yes"`. */
  ranges?:
    | "yes"
    | "no"
    | "no suffix"
    | "hidden"
    | "other bytes"
    | "whole as part"
    | "no length"
    | "lie"
    | "lie longer"
    | "huge"
  /** Whether HEAD is supported, and returns sizes. Default: true. */
  head?: boolean
  /** Whether responses with whole files contain their length. Default: true. */
  length?: boolean
  etag?: boolean
  /** Handles requests before everything else; `undefined` continues with the normal response. */
  first?: (request: Seen, response: ServerResponse) => true | undefined
  /** A query that every request must contain. */
  query?: string
}

/** A received request. */
export interface Seen {
  readonly method: string
  readonly path: string
  readonly url: string
  readonly headers: IncomingMessage["headers"]
  /** Whether the connection was closed before the response was complete. */
  cut: boolean
}

/** A running server. */
export interface WebServer {
  /** `http://127.0.0.1:…`, without a trailing slash. */
  readonly origin: string
  readonly seen: Array<Seen>
  readonly close: () => Promise<void>
}

const escapeHtml = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;")

/** Returns the names directly in a folder; those of folders have a trailing slash. */
const namesIn = (files: ReadonlyMap<string, Uint8Array>, folder: string): Array<string> => {
  const names = new Set<string>()
  const prefix = folder === "" ? "" : `${folder}/`
  for (const path of files.keys()) {
    if (!path.startsWith(prefix) || path === prefix) continue
    const rest = path.slice(prefix.length)
    names.add(rest.includes("/") ? rest.slice(0, rest.indexOf("/") + 1) : rest)
  }
  return [...names]
}

const escapeName = (name: string): string =>
  name.endsWith("/") ? `${encodeURIComponent(name.slice(0, -1))}/` : encodeURIComponent(name)

const pages = {
  nginx: (folder: string, names: ReadonlyArray<string>) =>
    `<html>\r\n<head><title>Index of /${escapeHtml(folder)}/</title></head>\r\n<body>\r\n<h1>Index of /</h1><hr><pre>` +
    `<a href="../">../</a>\r\n` +
    names.map((n) => `<a href="${escapeName(n)}">${escapeHtml(n.slice(0, 50))}</a>  04-Mar-2024 08:00   245\r\n`).join(
      "",
    ) +
    "</pre><hr></body>\r\n</html>\r\n",
  apache: (folder: string, names: ReadonlyArray<string>) =>
    `<html><head><title>Index of /${escapeHtml(folder)}</title></head><body><h1>Index of /</h1><table>` +
    `<tr><th><a href="?C=N;O=D">Name</a></th><th><a href="?C=M;O=A">Last modified</a></th></tr>` +
    `<tr><td><a href="/${
      folder.split("/").slice(0, -1).map(encodeURIComponent).join("/")
    }">Parent Directory</a></td></tr>` +
    names.map((n) =>
      `<tr><td valign="top"><a  href='${
        escapeHtml(encodeURI(n).replace(/[?#']/g, encodeURIComponent).replaceAll("'", "%27"))
      }'>x</a></td></tr>`
    )
      .join("") +
    "</table></body></html>",
  python: (folder: string, names: ReadonlyArray<string>) =>
    `<!DOCTYPE HTML>\n<title>Directory listing for /${escapeHtml(folder)}/</title><ul>\n` +
    names.map((n) => `<li><a href="${escapeName(n)}">${escapeHtml(n)}</a></li>\n`).join("") + "</ul>",
  serve: (folder: string, names: ReadonlyArray<string>) =>
    `<!DOCTYPE html><title>Files within ${
      escapeHtml(folder)
    }/</title><main><ul><li><a href="/x" class="folder">..</a>` +
    names.map((n) =>
      `<li><a href="/${
        [...folder.split("/").filter((p) => p !== "").map(encodeURIComponent), escapeName(n)].join("/")
      }"` +
      ` title="${escapeHtml(n)}" class="file">${escapeHtml(n)}</a></li>`
    ).join("") + "</ul></main>",
}

const answer = (habits: Habits, seen: Seen, response: ServerResponse): void => {
  const head = seen.method === "HEAD"
  const send = (status: number, headers: Record<string, string>, body: Uint8Array | string = ""): void => {
    response.writeHead(status, headers)
    response.end(head ? undefined : body)
  }
  if (habits.first?.(seen, response) === true) return
  if (habits.query !== undefined && !seen.url.endsWith(`?${habits.query}`)) return send(403, {})
  if (seen.method !== "GET" && (habits.head === false || !head)) return send(405, {})
  const html = { "content-type": "text/html; charset=utf-8" }
  if (seen.path.endsWith("/")) {
    const folder = seen.path.replace(/^\/|\/$/g, "")
    const names = namesIn(habits.files, folder)
    const index = habits.index ?? "nginx"
    if (index === "start page") {
      return send(200, html, `<html><title>My site</title><a href="https://example.org/">x</a>`)
    }
    if (index === "missing" || (names.length === 0 && folder !== "")) return send(404, html, "<title>Not found</title>")
    if (index === "forbidden") return send(403, html, "<title>Forbidden</title>")
    return send(200, html, pages[index](folder, names))
  }
  const file = habits.files.get(seen.path.slice(1))
  if (file === undefined) {
    return habits.index === "start page"
      ? send(200, html, "<!doctype html><title>My site</title>")
      : send(404, html, "no")
  }
  const etag = `"${file.length}"`
  const tag: Record<string, string> = habits.etag ? { etag } : {}
  if (habits.etag && seen.headers["if-none-match"] === etag) return send(304, tag)
  const range = /^bytes=(\d*)-(\d*)$/.exec(seen.headers.range ?? "")
  const ranges = habits.ranges ?? "yes"
  if (range === null || ranges === "no") {
    const length: Record<string, string> = habits.length === false ? {} : { "content-length": String(file.length) }
    return send(200, { ...tag, ...length }, file)
  }
  if (range[1] === "" && ranges === "no suffix") return send(416, {})
  const start = range[1] === "" ? Math.max(file.length - Number(range[2]), 0) : Number(range[1])
  const end = range[1] === "" || range[2] === "" ? file.length : Math.min(Number(range[2]) + 1, file.length)
  if (start >= file.length || (range[1] === "" && Number(range[2]) === 0)) {
    return send(416, { "content-range": `bytes */${file.length}` })
  }
  const part = file.subarray(start, end)
  const of: Record<string, string> = { "content-range": `bytes ${start}-${end - 1}/${file.length}` }
  const length = { "content-length": String(part.length) }
  switch (ranges) {
    case "hidden":
      return send(206, length, part)
    case "other bytes":
      return send(206, { "content-range": `bytes ${start + 1}-${end}/${file.length}`, ...length }, part)
    case "whole as part":
      return send(206, { ...of, "content-length": String(file.length) }, file)
    case "no length":
      return send(206, of, part)
    case "lie":
      return send(206, of, part.subarray(0, part.length - 1))
    case "lie longer":
      return send(
        206,
        of,
        file.length > part.length ? file.subarray(0, part.length + 1) : new Uint8Array(part.length + 1),
      )
    case "huge":
      return send(206, { "content-range": `bytes ${start}-${Number(range[2])}/${2 ** 53 - 1}` }, part)
    default:
      return send(206, { ...of, ...length }, part)
  }
}

/** Starts a server; `habits` may be changed while it runs. */
export const startWebServer = (habits: Habits): Promise<WebServer> => {
  const requests: Array<Seen> = []
  const open = new Set<ServerResponse>()
  const server = createServer((request, response) => {
    const url = request.url ?? "/"
    const path = decodeURIComponent(url.replace(/[?#].*$/s, ""))
    const seen: Seen = { method: request.method ?? "", path, url, headers: request.headers, cut: false }
    requests.push(seen)
    open.add(response)
    response.on("close", () => {
      open.delete(response)
      seen.cut = !response.writableFinished
    })
    answer(habits, seen, response)
  })
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => {
      resolve({
        origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
        seen: requests,
        close: () =>
          new Promise((done) => {
            for (const response of open) response.destroy()
            server.close(() => done())
            server.closeAllConnections?.()
          }),
      })
    })
  })
}
