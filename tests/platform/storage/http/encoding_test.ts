/** Servers that compress files although requests forbid it: compressed bytes are never returned as file content. */
import { describe, it } from "node:test"
import { assertEquals } from "@std/assert"
import * as Effect from "effect/Effect"
import { gzipSync } from "node:zlib"
import { makeFetchClient } from "../../../../platform/storage/http/client.ts"
import { makeHttpStorage } from "../../../../platform/storage/http/http.ts"
import { startWebServer } from "../../../support/web_server.ts"

describe("a file that the server compresses", () => {
  it("is decoded by the runtime, or rejected if the runtime does not decode it", async () => {
    const content = new Uint8Array(3000).fill(7)
    const server = await startWebServer({
      files: new Map(),
      first: (_, response) => {
        response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync(content))
        return true
      },
    })
    try {
      const storage = makeHttpStorage(makeFetchClient())
      const read = await Effect.runPromise(Effect.either(storage.read(`${server.origin}/file`)))
      if (read._tag === "Right") assertEquals(read.right, content)
      else assertEquals("reason" in read.left && read.left.reason, "Unsupported")
    } finally {
      await server.close()
    }
  })
})
