/** The commands of the history: `log`, `diff`, `tag`, and names of times in other commands. */
import { assert, assertEquals, assertMatch } from "@std/assert"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { cpSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, it } from "node:test"
import { layerDefault } from "../../mod.ts"
import { runCommand } from "../../src/cli/mod.ts"
import { cli, MONDAY, weather } from "../cli/run_cli.ts"

describe("tessera log", () => {
  it("prints a table, oldest first, of an array by the real engine", async () => {
    const { code, out } = await cli(["log", weather], { columns: 400 })
    assertEquals(code, 0)
    const [head, ...rows] = out.trim().split("\n")
    assertMatch(head, /^time +kind +cells +bytes +format +schema +id +details/)
    const kinds = rows.map((row) => /(created|written|metadata)/.exec(row)?.[1])
    assertEquals(kinds.filter((kind) => kind === "written").length, 2)
    assertEquals(kinds.filter((kind) => kind === "created").length, 1)
    assert(rows.some((row) => row.includes("+unit")))
  })

  it("prints JSON, and selects times", async () => {
    const { out } = await cli(["log", weather, "--json"])
    const all = JSON.parse(out)
    const written = all.filter(({ kind }: { kind: string }) => kind === "written")
    const later = await cli(["log", weather, "--json", "--from", String(written[1].end)])
    assertEquals(JSON.parse(later.out), all.filter(({ end }: { end: number }) => end >= written[1].end))
    const none = await cli(["log", weather, "--from", "2100-01-01"])
    assertEquals([none.code, none.out, none.err], [0, "", "no changes at this time\n"])
  })

  it("fails with the exit codes of the other commands", async () => {
    assertEquals((await cli(["log", "mem://none"])).code, 3)
    assertEquals((await cli(["log", weather, "--from", "soon"])).code, 2)
  })
})

describe("tessera log --follow", () => {
  it("prints the existing changes, then new ones, until it is interrupted", () =>
    withCopy(async (uri) => {
      const lines: Array<string> = []
      const terminal = {
        environment: () => undefined,
        columns: 80,
        write: (text: string) => Promise.resolve(void lines.push(...text.trim().split("\n"))),
        say: () => Promise.resolve(),
      }
      const until = async (count: number): Promise<void> => {
        for (let i = 0; lines.length < count && i < 1000; i++) await new Promise((resolve) => setTimeout(resolve, 10))
      }
      const fiber = Effect.runFork(
        Effect.provide(runCommand(["log", uri, "--follow", "--json"], terminal), layerDefault),
      )
      await until(4)
      await cli(["meta", "put", uri, "title", "Weather", "--at", "2024-03-07"])
      await until(5)
      await Effect.runPromise(Fiber.interrupt(fiber))
      const changes = lines.map((line) => JSON.parse(line))
      assertEquals(
        changes.slice(0, 4),
        JSON.parse((await cli(["log", uri, "--json"])).out).filter(
          ({ path }: { path: string }) => path !== changes[4].path,
        ),
      )
      assertEquals([changes.length, changes[4].kind, changes[4].added], [5, "metadata", ["title"]])
    }))

  it("rejects --to", async () => {
    assertEquals((await cli(["log", weather, "--follow", "--to", "5"])).code, 2)
  })
})

/** Runs a test with a copy of the demo's array, which the real engine wrote. */
const withCopy = async (test: (uri: string) => Promise<void>): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), "tessera-history-"))
  const uri = join(folder, "weather")
  cpSync(weather, uri, { recursive: true })
  try {
    await test(uri)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

describe("tessera tag", () => {
  it("writes, lists and removes tags", () =>
    withCopy(async (uri) => {
      assertEquals((await cli(["tag", uri])).err, "no tags\n")
      const { out, code } = await cli(["tag", uri, "monday", "--at", String(MONDAY)])
      assertEquals([code, out], [0, "monday 2024-03-04T08:00:00Z\n"])
      assertEquals(JSON.parse((await cli(["tag", uri, "same", "--at", "monday", "--json"])).out).time, MONDAY)
      const listed = JSON.parse((await cli(["tag", uri, "--json"])).out)
      assertEquals(listed.map(({ name, time }: { name: string; time: number }) => [name, time]), [
        ["monday", MONDAY],
        ["same", MONDAY],
      ])
      assertMatch((await cli(["tag", uri])).out, /^name +time +created/)
      assertEquals((await cli(["tag", uri, "monday", "--at", "5"])).code, 2)
      assertEquals((await cli(["tag", uri, "monday", "--at", "5", "--replace", "--quiet"])).out, "")
      assertEquals((await cli(["tag", uri, "same", "--remove"])).err, "removed same\n")
      assertEquals((await cli(["tag", uri, "same", "--remove"])).code, 2)
    }))

  it("rejects options that do not belong together", async () => {
    for (
      const args of [["--at", "5"], ["--remove"], ["--replace"], ["a", "--remove", "--at", "5"], ["a", "b"], ["5"]]
    ) assertEquals((await cli(["tag", weather, ...args])).code, 2, args.join(" "))
  })

  it("shows the optional name in its help", async () => {
    assertMatch((await cli(["tag", "--help"])).out, /tessera tag URI \[NAME\] \[OPTION…\]/)
  })
})

describe("names of times", () => {
  it("are accepted wherever a time is", () =>
    withCopy(async (uri) => {
      await cli(["tag", uri, "monday", "--at", String(MONDAY)])
      const lines: ReadonlyArray<ReadonlyArray<string>> = [
        ["read", uri, "--at", "TIME", "--format", "csv"],
        ["read", uri, "--to", "TIME", "--format", "csv"],
        ["read", uri, "--from", "TIME", "--format", "csv"],
        ["fragments", uri, "--at", "TIME", "--json"],
        ["schema", uri, "--at", "TIME"],
        ["domain", uri, "--at", "TIME"],
        ["meta", uri, "--at", "TIME", "--json"],
        ["log", uri, "--to", "TIME", "--json"],
        ["plan", uri, "--to", "TIME", "--json"],
        ["fragments delete", uri, "--to", "TIME", "--dry-run", "--json"],
      ]
      for (const line of lines) {
        const run = (time: string) => cli(line.map((word) => word === "TIME" ? time : word))
        const named = await run("monday")
        assertEquals(named, await run(String(MONDAY)), line.join(" "))
        assertEquals(named, await run("tag:monday"), line.join(" "))
        assertEquals(named.code, 0, named.err)
      }
      const put = await cli(["meta", "put", uri, "note", "x", "--at", "monday"])
      assertEquals(put.code, 0, put.err)
      assert((await cli(["meta", uri, "--at", "monday"])).out.includes("note"))
    }))

  it("fail with similar names if they are unknown", () =>
    withCopy(async (uri) => {
      await cli(["tag", uri, "monday", "--at", String(MONDAY)])
      const { code, err } = await cli(["read", uri, "--at", "munday"])
      assertEquals(code, 2)
      assertMatch(
        err,
        /--at: "munday" is not a time, and there is no tag of this name; it has monday; did you mean monday\?/,
      )
      assertEquals((await cli(["read", uri, "--at", "29.2.2024"])).code, 2)
      assertEquals(
        (await cli(["create", join(uri, "new"), "--schema", "-", "--at", "monday"], { input: "{}" })).code,
        2,
      )
    }))
})

describe("tessera diff", () => {
  const from = String(MONDAY)

  it("prints fragments and metadata of an array by the real engine", async () => {
    const { code, out } = await cli(["diff", weather, "--from", from, "--to", "2024-03-06"])
    assertEquals(code, 0)
    assertMatch(out, /^\+ fragment __\S+, 2024-03-05T\S+, 70 cells$/m)
    assertMatch(out, /^\+ metadata unit: .*"°C"/m)
    const { out: text } = await cli(["diff", weather, "--from", from, "--to", "2024-03-06", "--json"])
    const { fragments, metadata } = JSON.parse(text)
    assertEquals([fragments.added.length, fragments.removed.length], [1, 0])
    assertEquals(metadata.map(({ key }: { key: string }) => key), ["source", "unit"])
  })

  it("prints cells with old and new values, as text and as JSON lines", async () => {
    const { code, out, err } = await cli(["diff", weather, "--from", from, "--cells"])
    assertEquals(code, 0)
    const lines = out.trim().split("\n")
    assertMatch(lines[0], /^~ day=\S+ station=\d+: (temperature=\S+ → \S+ ?)?(note=.* → "corrected")?$/)
    assertEquals(err, `cells added: 0, removed: 0, changed: ${lines.length}\n`)
    const json = (await cli(["diff", weather, "--from", from, "--cells", "--json"])).out.trim().split("\n")
      .map((line) => JSON.parse(line))
    assertEquals(json.length, lines.length)
    assert(
      json.every(({ kind, before, after }) =>
        kind === "changed" && Object.keys(before).join() === Object.keys(after).join()
      ),
    )
  })

  it("reports that there are no differences, with exit code 0", async () => {
    for (const args of [[], ["--cells"]]) {
      const { code, out, err } = await cli(["diff", weather, "--from", "2025-01-01", "--to", "2025-01-02", ...args])
      assertEquals([code, out, err], [0, "", "no differences\n"])
    }
  })

  it("fails with the exit codes of the other commands", async () => {
    assertEquals((await cli(["diff", weather])).code, 2)
    assertEquals((await cli(["diff", weather, "--from", "5", "--to", "4"])).code, 2)
    assertEquals((await cli(["diff", weather, "--from", "5", "--memory", "1MiB"])).code, 2)
    assertEquals((await cli(["diff", "mem://none", "--from", "5"])).code, 3)
  })
})
