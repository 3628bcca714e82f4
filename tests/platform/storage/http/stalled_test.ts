/** Servers that announce a long body and stop sending: requests fail after the timeout, for any announced length. */
import { describe, it } from "node:test"
import { assert, assertEquals } from "@std/assert"
import * as Effect from "effect/Effect"
import type { ServerResponse } from "node:http"
import { makeFetchClient } from "../../../../platform/storage/http/client.ts"
import { makeHttpStorage } from "../../../../platform/storage/http/http.ts"
import { startWebServer } from "../../../support/web_server.ts"

const MIB = 1 << 20

const within = async (
  first: (response: ServerResponse) => void,
  body: (uri: string) => Promise<void>,
): Promise<void> => {
  const server = await startWebServer({
    files: new Map(),
    first: (_, response) => {
      first(response)
      return true
    },
  })
  try {
    await body(`${server.origin}/file`)
  } finally {
    await server.close()
  }
}
const read = (uri: string) => Effect.either(makeHttpStorage(makeFetchClient(), { timeout: 300 }).read(uri))

describe("a body that stalls", () => {
  for (
    const [label, headers] of [["with a huge length", { "content-length": String(2 ** 30) }], [
      "without a length",
      {},
    ]] as const
  ) {
    it(`${label} is a Timeout`, () =>
      within((response) => {
        response.writeHead(200, headers)
        response.write("x")
      }, async (uri) => {
        const start = performance.now()
        const ended = await Effect.runPromise(Effect.timeoutOption(read(uri), "5 seconds"))
        assert(ended._tag === "Some", "the read does not end")
        assertEquals(ended.value._tag === "Left" && "reason" in ended.value.left && ended.value.left.reason, "Timeout")
        assert(performance.now() - start < 4000)
      }))
  }

  it("is read to its end if each part of it comes in time", () =>
    within((response) => {
      const bytes = new Uint8Array(20 * MIB).fill(7)
      response.writeHead(200, { "content-length": String(bytes.length) })
      response.end(bytes)
    }, async (uri) => {
      const storage = makeHttpStorage(makeFetchClient(), { timeout: "20 seconds" })
      const bytes = await Effect.runPromise(storage.read(uri))
      assertEquals([bytes.length, bytes.every((byte) => byte === 7)], [20 * MIB, true])
    }))
})
