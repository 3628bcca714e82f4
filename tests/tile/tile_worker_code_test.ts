/** The stored code of the worker threads equals the code that the sources produce. */
import { describe, it } from "node:test"
import { assert } from "@std/assert"
import process from "node:process"
import { bundleWorker } from "../../bundle/worker.ts"
import { tileWorkerCode } from "../../src/tile/tile_worker_code.ts"

const deno = "Deno" in globalThis ? [process.execPath] : ["npx", "-y", "deno@2.9.6"]

describe("the stored code of worker threads", () => {
  it("is up to date", () => {
    assert(tileWorkerCode() === bundleWorker(deno), "src/tile/tile_worker_code.ts is old: deno task worker")
  })

  it("imports nothing", () => {
    assert(!/(?<![.\w$])import\s*["'({*\w]/.test(tileWorkerCode()))
  })
})
