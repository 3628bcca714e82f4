/** An S3 server for tests: stores objects in memory, and fails requests as a script says. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { Buffer } from "node:buffer"
import { createHash } from "node:crypto"

/** A request that the server received. */
export interface Received {
  readonly method: string
  /** Path and query, as sent. */
  readonly url: string
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: Uint8Array
}

/**
 * Decides what happens to a request: `undefined` performs it; `"lost"` performs it and cuts the connection before the
 * response; a response replaces it. With `"handled"`, the script has written the response.
 */
export type Script = (
  request: Received,
  index: number,
  response: ServerResponse,
) => undefined | "lost" | "handled" | {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
}

interface Stored {
  readonly bytes: Uint8Array
  readonly headers: Readonly<Record<string, string>>
}

export interface ScriptedServer {
  readonly endpoint: string
  readonly received: ReadonlyArray<Received>
  readonly objects: Map<string, Stored>
  /** Multipart uploads in progress. */
  readonly uploads: Map<string, { readonly key: string; readonly parts: Map<number, Uint8Array> }>
  readonly close: () => void
}

const errorDocument = (code: string, more = ""): string =>
  `<?xml version="1.0"?><Error><Code>${code}</Code><Message>no</Message>${more}</Error>`

/** Starts the server on a free port of 127.0.0.1. */
export const startScriptedServer = async (script: Script = () => undefined): Promise<ScriptedServer> => {
  const objects = new Map<string, Stored>()
  const uploads: ScriptedServer["uploads"] = new Map()
  const received: Array<Received> = []
  const tagOf = (bytes: Uint8Array): string => `"${createHash("md5").update(bytes).digest("hex")}"`

  const respond = (request: Received, response: ServerResponse, isLost: boolean): void => {
    const end = (status: number, body: string | Uint8Array = "", headers: Record<string, string> = {}): void => {
      if (isLost) return void response.socket?.destroy()
      const bytes = typeof body === "string" ? Buffer.from(body) : body
      response.writeHead(status, { "content-length": String(bytes.length), ...headers })
      response.end(request.method === "HEAD" ? undefined : bytes)
    }
    const [path, query = ""] = request.url.split(/\?(.*)/s)
    const parameters = new URLSearchParams(query)
    const [, , ...rest] = path.split("/")
    const key = decodeURIComponent(rest.join("/"))
    const stored = objects.get(key)
    const meta = Object.fromEntries(
      Object.entries(request.headers).filter(([name]) => name.startsWith("x-amz-meta-")),
    ) as Record<string, string>
    const head = ({ bytes, headers }: Stored) => ({ etag: tagOf(bytes), ...headers })
    if (key === "" && request.method === "GET" && parameters.has("uploads")) {
      const listed = [...uploads].map(([id, { key }]) => `<Upload><Key>${key}</Key><UploadId>${id}</UploadId></Upload>`)
      return end(200, `<ListMultipartUploadsResult>${listed.join("")}</ListMultipartUploadsResult>`)
    }
    if (key === "" && request.method === "GET") {
      const prefix = parameters.get("prefix") ?? ""
      const keys = [...objects.keys()].filter((each) => each.startsWith(prefix)).sort()
      const contents = keys.map((each) =>
        `<Contents><Key>${encodeURIComponent(each)}</Key><Size>${objects.get(each)!.bytes.length}</Size></Contents>`
      )
      return end(
        200,
        `<ListBucketResult><EncodingType>url</EncodingType><IsTruncated>false</IsTruncated>${
          contents.join("")
        }</ListBucketResult>`,
      )
    }
    if (request.method === "POST" && parameters.has("delete")) {
      for (const [, each] of Buffer.from(request.body).toString().matchAll(/<Key>([^<]*)<\/Key>/g)) objects.delete(each)
      return end(200, "<DeleteResult></DeleteResult>")
    }
    if (request.method === "POST" && parameters.has("uploads")) {
      const id = `upload-${uploads.size + 1}`
      uploads.set(id, { key, parts: new Map() })
      objects.set(`meta of ${id}`, { bytes: new Uint8Array(), headers: meta })
      return end(
        200,
        `<InitiateMultipartUploadResult><UploadId>${id}</UploadId></InitiateMultipartUploadResult>`,
      )
    }
    const upload = uploads.get(parameters.get("uploadId") ?? "")
    if (parameters.has("uploadId") && upload === undefined) return end(404, errorDocument("NoSuchUpload"))
    if (upload !== undefined && request.method === "PUT") {
      upload.parts.set(Number(parameters.get("partNumber")), request.body)
      return end(200, "", { etag: tagOf(request.body) })
    }
    if (upload !== undefined && request.method === "DELETE") {
      uploads.delete(parameters.get("uploadId")!)
      return end(204)
    }
    if (upload !== undefined && request.method === "POST") {
      const id = parameters.get("uploadId")!
      const { headers } = objects.get(`meta of ${id}`)!
      const pieces = [...upload.parts].sort(([a], [b]) => a - b).map(([, bytes]) => Buffer.from(bytes))
      objects.set(key, { bytes: Buffer.concat(pieces), headers })
      uploads.delete(id)
      return end(200, "<CompleteMultipartUploadResult></CompleteMultipartUploadResult>")
    }
    switch (request.method) {
      case "PUT": {
        if (request.headers["if-none-match"] === "*" && stored !== undefined) {
          return end(412, errorDocument("PreconditionFailed"))
        }
        const source = request.headers["x-amz-copy-source"]
        if (source !== undefined) {
          const from = objects.get(decodeURIComponent(source.split("/").slice(2).join("/")))
          if (from === undefined) return end(404, errorDocument("NoSuchKey"))
          objects.set(key, from)
          return end(200, "<CopyObjectResult></CopyObjectResult>")
        }
        objects.set(key, { bytes: request.body, headers: meta })
        return end(200, "", { etag: tagOf(request.body) })
      }
      case "DELETE":
        objects.delete(key)
        return end(204)
      default: {
        if (stored === undefined) return end(404, request.method === "HEAD" ? "" : errorDocument("NoSuchKey"))
        const range = /bytes=(\d*)-(\d*)/.exec(request.headers["range"] ?? "")
        if (range === null) return end(200, stored.bytes, head(stored))
        const size = stored.bytes.length
        const start = range[1] === "" ? Math.max(0, size - Number(range[2])) : Number(range[1])
        const stop = range[1] === "" || range[2] === "" ? size : Math.min(size, Number(range[2]) + 1)
        if (start >= size) return end(416, errorDocument("InvalidRange"), { "content-range": `bytes */${size}` })
        const headers = { ...head(stored), "content-range": `bytes ${start}-${stop - 1}/${size}` }
        return end(206, stored.bytes.subarray(start, stop), headers)
      }
    }
  }

  const handle = async (message: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Array<Buffer> = []
    for await (const chunk of message) chunks.push(chunk as Buffer)
    const request: Received = {
      method: message.method!,
      url: message.url!,
      headers: message.headers as Record<string, string | undefined>,
      body: Buffer.concat(chunks),
    }
    const index = received.push(request) - 1
    const action = script(request, index, response)
    if (action === "handled") return
    if (action === undefined || action === "lost") return respond(request, response, action === "lost")
    const body = action.body ?? ""
    response.writeHead(action.status, { "content-length": String(Buffer.byteLength(body)), ...action.headers })
    response.end(request.method === "HEAD" ? undefined : body)
  }

  const server = createServer((message, response) => void handle(message, response).catch(() => response.destroy()))
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    objects,
    uploads,
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

export { errorDocument }
