/** Progress, on a simulated screen and clock. */
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/TestClock"
import * as TestContext from "effect/TestContext"
import { describe, it } from "node:test"
import { assert, assertEquals, assertMatch } from "@std/assert"
import { layerNative, localFiles, makeMemoryStorage, makeRouter, StorageService } from "../../../platform/mod.ts"
import { runCommand } from "../../../src/cli/mod.ts"
import { countText, progressLine, type Status, withProgress } from "../../../src/cli/print/progress.ts"
import { print, say, type Terminal } from "../../../src/cli/print/terminal.ts"
import { textWidth } from "../../../src/cli/print/text_width.ts"
import { weather } from "../run_cli.ts"

const ERASE = "\r\x1b[K"

/** Returns a terminal that records all output, in order. */
const fake = (drawing?: { columns?: number; shared?: boolean }): { terminal: Terminal; events: Array<string> } => {
  const events: Array<string> = []
  const note = (kind: string) => (text: string) => Promise.resolve(void events.push(`${kind} ${text}`))
  return {
    events,
    terminal: {
      environment: () => undefined,
      columns: 80,
      write: note("out"),
      say: note("say"),
      ...(drawing === undefined ? {} : { drawing: { columns: 80, shared: false, draw: note("draw"), ...drawing } }),
    },
  }
}

/** Runs work while a test clock advances second by second, until the work ends. */
const run = (
  terminal: Terminal,
  status: (second: number) => Status,
  work: (terminal: Terminal) => Effect.Effect<unknown, unknown>,
  seconds: number,
): Promise<void> =>
  Effect.gen(function* () {
    let second = 0
    const fiber = yield* Effect.fork(Effect.either(withProgress(terminal, () => status(second), work)))
    for (; second < seconds; second++) {
      yield* TestClock.adjust(1000)
      // drawing is asynchronous
      yield* Effect.promise(() => new Promise((resolve) => setTimeout(resolve, 1)))
    }
    yield* Fiber.join(fiber)
  }).pipe(Effect.provide(TestContext.TestContext), Effect.runPromise)

const half = (second: number): Status => ({ text: `${second} of 20 cells`, part: second / 20 })

describe("progress", () => {
  it("is not printed for short operations", async () => {
    for (const drawing of [undefined, {}]) {
      const { terminal, events } = fake(drawing)
      await run(terminal, half, () => Effect.sleep(1900), 2)
      assertEquals(events, [])
    }
  })

  it("is one line every five seconds without a screen", async () => {
    const { terminal, events } = fake()
    await run(terminal, half, () => Effect.sleep(11_500), 12)
    assertEquals(events, ["say 20 %, 4 of 20 cells, 5 s, 20 s left", "say 45 %, 9 of 20 cells, 10 s, 12 s left"])
  })

  it("is a bar on a screen, which is erased at the end, after success or failure", async () => {
    for (const end of [Effect.void, Effect.fail("no")]) {
      const { terminal, events } = fake({})
      await run(terminal, half, () => Effect.zipRight(Effect.sleep(5000), end), 6)
      assertEquals(events[0], `draw ${ERASE}▕█                   ▏ 5 %, 1 of 20 cells, 2 s, 38 s left`)
      assertEquals(events.at(-1), `draw ${ERASE}`)
      assert(events.length > 10 && events.length < 20, `${events.length}`)
      assert(events.every((event) => event.startsWith(`draw ${ERASE}`)))
    }
  })

  it("fits the screen", async () => {
    const { terminal, events } = fake({ columns: 30 })
    await run(terminal, half, () => Effect.sleep(5000), 6)
    assert(events.every((event) => textWidth(event.slice(`draw ${ERASE}`.length)) < 30))
  })

  it("is erased for messages, and for data on the same screen", async () => {
    const work = (terminal: Terminal) =>
      Effect.all([
        Effect.sleep(3000),
        say(terminal, "a remark"),
        Effect.sleep(3000),
        print(terminal, ["data\n"]),
        Effect.sleep(3000),
      ])
    for (const shared of [false, true]) {
      const { terminal, events } = fake({ shared })
      await run(terminal, half, work, 10)
      const said = events.indexOf("say a remark")
      assertEquals(events[said - 1], `draw ${ERASE}`)
      assert(events[said + 1].includes("▏"), "the bar comes again")
      const data = events.indexOf("out data\n")
      assert(data > said)
      assertEquals(events[data - 1] === `draw ${ERASE}`, shared)
      // the bar is not drawn into data
      assertEquals(events.length - 1 === data, shared)
    }
  })

  it("ignores a closed screen", async () => {
    const { terminal } = fake({})
    const draw = () => Promise.reject(new Error("gone"))
    let ended = false
    const work = () => Effect.zipRight(Effect.sleep(5000), Effect.sync(() => ended = true))
    await run({ ...terminal, drawing: { columns: 80, shared: false, draw } }, half, work, 6)
    assert(ended)
  })

  it("is updated while data are written without waiting", async () => {
    const { terminal } = fake()
    let turns = 0
    const timer = setInterval(() => turns++, 10)
    function* pieces(): Generator<string> {
      const chunk = "x".repeat(1 << 16)
      for (const end = Date.now() + 1000; Date.now() < end;) yield chunk
    }
    await Effect.runPromise(print({ ...terminal, write: () => Promise.resolve() }, pieces()))
    clearInterval(timer)
    assert(turns > 1, `${turns} turns`)
  })

  it("contains the remaining time if it is known", () => {
    assertEquals(progressLine({ text: "5 cells" }, 61_000, true), "5 cells, 1 min 1 s")
    assertEquals(progressLine({ text: "a", part: 0 }, 3000, false), "0 %, a, 3 s")
    assertEquals(progressLine({ text: "a", part: 0.1 }, 3_600_000, false), "10 %, a, 1 h 0 min, 9 h 0 min left")
    assertEquals(progressLine({ text: "a", part: 1.5 }, 3000, true), "▕████████████████████▏ 100 %, a, 3 s")
    assertEquals([0, 999, 1000, 1234567].map(countText), ["0", "999", "1,000", "1,234,567"])
  })
})

describe("commands", () => {
  /** Runs a command whose lists, reads and writes take two seconds each. */
  const slowly = async (args: ReadonlyArray<string>): Promise<ReadonlyArray<string>> => {
    const { terminal, events } = fake()
    let now = 0
    let due: Array<readonly [number, () => void]> = []
    const write = async (text: string) => {
      await new Promise<void>((resolve) => due.push([now + 2000, resolve]))
      return terminal.write(text)
    }
    const slow = <A, E>(call: Effect.Effect<A, E>): Effect.Effect<A, E> => Effect.delay(call, 2000)
    const files = makeMemoryStorage(new Map([["array/a", new Uint8Array(3000)], ["array/b/c/d", new Uint8Array(2000)]]))
    const router = makeRouter({ file: localFiles, mem: files })
    const storage = {
      ...router,
      list: (uri: string) => slow(router.list(uri)),
      readRanges: (...args: Parameters<typeof router.readRanges>) => slow(router.readRanges(...args)),
    }
    await Effect.gen(function* () {
      const fiber = yield* Effect.fork(runCommand(args, { ...terminal, write }))
      while (fiber.unsafePoll() === null) {
        yield* TestClock.adjust(500)
        now += 500
        for (const [at, resolve] of due) if (at <= now) resolve()
        due = due.filter(([at]) => at > now)
        yield* Effect.promise(() => new Promise((resolve) => setTimeout(resolve, 1)))
      }
      assertEquals(yield* Fiber.join(fiber), 0)
    }).pipe(
      Effect.provide(Layer.merge(Layer.succeed(StorageService, storage), layerNative)),
      Effect.provide(TestContext.TestContext),
      Effect.runPromise,
    )
    return events
  }

  it("print the progress of a read, except with --quiet", async () => {
    const box = ["--range", "day=1:366", "--range", "station=1:100", "--select", "temperature"]
    const args = ["read", weather, ...box, "--memory", "100000", "--format", "csv"]
    const loud = await slowly(args)
    const lines = loud.filter((event) => event.startsWith("say "))
    assert(lines.length > 1)
    for (const line of lines) {
      assertMatch(line, /^say (\d+ %, [\d,]+ of 36,600|0) cells, [\d.]+ (bytes|KiB) read, \d+ s/)
    }
    assertMatch(lines.at(-1)!, /^say [1-9]\d* %/)
    const quiet = await slowly([...args, "--quiet"])
    assertEquals(quiet, loud.filter((event) => !event.startsWith("say ")))
  })

  it("print the name of the column if columns are read one by one", async () => {
    const args = ["read", weather, "--range", "day=1:366", "--range", "station=1:100", "--select", "day,temperature"]
    const events = await slowly([...args, "--memory", "200000", "--json"])
    assert(events.some((event) => /^say \d+ %, temperature \(2 of 2\): [\d,]+ of 36,600 cells/.test(event)))
  })

  it("print the files that they publish", async () => {
    const events = await slowly(["publish", "mem://array"])
    assertEquals(events, [
      "say found 1 file, 2.9 KiB, 5 s",
      "out mem://array/__tessera_manifest.json\n",
      "say names 2 files of 5000 bytes; publish again after every change",
    ])
    assertEquals(await slowly(["publish", "mem://array", "--quiet"]), ["out mem://array/__tessera_manifest.json\n"])
  })
})
