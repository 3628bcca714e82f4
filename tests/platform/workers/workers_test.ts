import { assert, assertEquals } from "@std/assert"
import * as Effect from "effect/Effect"
import { spawnSync } from "node:child_process"
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import process from "node:process"
import { describe, it } from "node:test"
import { makeWorkers, type WorkerPool, yieldToEventLoop } from "../../../platform/workers/worker_pool.ts"

const echo = new URL("./echo_worker.ts", import.meta.url)

const withPool = <A>(
  module: URL,
  threads: number,
  use: (pool: WorkerPool) => Effect.Effect<A, unknown>,
  rest?: number,
): Promise<A> =>
  Effect.runPromise(
    Effect.scoped(Effect.flatMap(makeWorkers(threads, rest), (workers) => use(workers!.pool({ url: module })))),
  )

/** Offers a job until a worker accepts it. */
const offered = (pool: WorkerPool, job: { readonly bytes: ArrayBuffer; readonly fail?: true }) =>
  Effect.gen(function* () {
    for (;;) {
      const answer = pool.offer(() => [job, [job.bytes]])
      if (answer !== undefined) return answer
      yield* yieldToEventLoop
    }
  })

/** Runs a program that does not stop its threads; in Deno, also returns the permissions that it requested. */
const runWithoutEnd = (permission: string) => {
  const folder = mkdtempSync(join(tmpdir(), "tessera-threads-"))
  const audit = join(folder, "audit.jsonl")
  try {
    const program = join(import.meta.dirname!, "run_without_end.ts")
    const args = "Deno" in globalThis ? ["run", permission, "--no-check", program] : [program]
    const env = { ...process.env, DENO_AUDIT_PERMISSIONS: audit }
    // a program that does not end is killed at the timeout, and its status is null
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: "utf8", timeout: 20_000, env })
    const lines = existsSync(audit) ? readFileSync(audit, "utf8").trim().split("\n").filter((line) => line !== "") : []
    return { result: [status, stdout, stderr], prompts: lines.map((line) => JSON.parse(line).permission) }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

describe("worker threads", () => {
  it("return their messages in order, and reject jobs above the queue limit", () =>
    withPool(echo, 1, (pool) =>
      Effect.gen(function* () {
        const first = yield* offered(pool, { bytes: Uint8Array.of(1).buffer })
        const second = pool.offer(() => [{ bytes: Uint8Array.of(2).buffer }, []])
        const third = pool.offer(() => [{ bytes: new ArrayBuffer(8) }, []])
        assert(second !== undefined && third !== undefined)
        const kept = Uint8Array.of(3)
        assertEquals(pool.offer(() => [{ bytes: kept.buffer }, [kept.buffer]]), undefined)
        assertEquals(kept.length, 1)
        const answers = yield* Effect.orDieWith(Effect.all([first, second]), () => new Error("lost"))
        assertEquals(answers.map((a) => [...new Uint8Array((a as { bytes: ArrayBuffer }).bytes)]), [[1], [2]])
        const again = yield* offered(pool, { bytes: kept.buffer })
        assertEquals(kept.length, 0)
        yield* Effect.orDieWith(again, () => new Error("lost"))
      })))

  it("report a failure, and reject later jobs", () =>
    withPool(echo, 1, (pool) =>
      Effect.gen(function* () {
        const failing = yield* offered(pool, { fail: true, bytes: new ArrayBuffer(8) })
        assertEquals(yield* Effect.flip(failing), { _tag: "WorkerLost" })
        assertEquals(pool.offer(() => [{ bytes: new ArrayBuffer(8) }, []]), undefined)
      })))

  it("are optional: work continues if their module cannot be loaded", () =>
    withPool(new URL("../no_such_worker.ts", import.meta.url), 2, (pool) =>
      Effect.gen(function* () {
        for (let i = 0; i < 50; i++) {
          assertEquals(pool.offer(() => [{ bytes: new ArrayBuffer(8) }, []]), undefined)
          yield* Effect.sleep(2)
        }
      })))

  it("run modules that are not files, such as modules imported from a server", {
    skip: "Bun" in globalThis ? "Bun imports none from servers" : false,
  }, () => {
    const module = `const { parentPort: port } = process.getBuiltinModule("node:worker_threads")
      port.on("message", (job) => port.postMessage(job))
      port.postMessage("ready")`
    return withPool(
      new URL(`data:text/javascript,${encodeURIComponent(module)}`),
      1,
      (pool) =>
        Effect.gen(function* () {
          const answer = yield* yield* offered(pool, { bytes: new ArrayBuffer(8) })
          assertEquals((answer as { readonly bytes: ArrayBuffer }).bytes.byteLength, 8)
        }),
    )
  })

  it("stop when idle, and start again", () =>
    withPool(echo, 1, (pool) =>
      Effect.gen(function* () {
        const use = Effect.gen(function* () {
          yield* yield* offered(pool, { bytes: new ArrayBuffer(8) })
        })
        yield* use
        yield* Effect.sleep(300)
        // all workers have stopped, so none is ready
        assertEquals(pool.offer(() => [{ bytes: new ArrayBuffer(8) }, []]), undefined)
        yield* use
      }), 50))

  it("do not keep a program running, except during jobs whose results it awaits", () => {
    assertEquals(runWithoutEnd("-A").result, [0, "8 bytes came back\n", ""])
  })

  it(
    "need permission to read their modules, and start only if no prompt is required",
    { skip: !("Deno" in globalThis) },
    () => {
      const allowed = runWithoutEnd("--allow-read")
      assertEquals(allowed.result, [0, "8 bytes came back\n", ""])
      assert(allowed.prompts.includes("read") && !allowed.prompts.includes("env"))
      // any permission except read: a child process of Deno without permissions inherits those of its parent
      assertEquals(runWithoutEnd("--allow-sys"), { result: [0, "no thread took it\n", ""], prompts: [] })
    },
  )

  it("are not started on a single core", async () => {
    assertEquals(await Effect.runPromise(Effect.scoped(makeWorkers(0))), undefined)
  })

  it("drop a job without a waiting fiber", () =>
    withPool(echo, 1, (pool) =>
      Effect.gen(function* () {
        const job = yield* offered(pool, { bytes: new ArrayBuffer(8) })
        yield* Effect.ignore(Effect.timeout(job, 0))
        const next = yield* offered(pool, { bytes: new ArrayBuffer(8) })
        yield* Effect.ignore(next)
      })))
})
