/** Defects on the command line: one line that names `TESSERA_DEBUG`, which prints the stack. */
import { describe, it } from "node:test"
import { assert, assertEquals, assertMatch } from "@std/assert"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { layerNative, makeMemoryStorage, StorageService } from "../../platform/mod.ts"
import { runCommand } from "../../src/cli/mod.ts"

const brokenStorage = {
  ...makeMemoryStorage(),
  list: () =>
    Effect.sync(() => {
      throw new TypeError("no such field")
    }),
}
const layer = Layer.merge(Layer.succeed(StorageService, brokenStorage), layerNative)

const runWith = async (environment: Readonly<Record<string, string>>) => {
  const lines: Array<string> = []
  const terminal = {
    environment: (name: string) => environment[name],
    columns: 80,
    write: () => Promise.resolve(),
    say: (line: string) => Promise.resolve(void lines.push(line)),
  }
  const code = await Effect.runPromise(Effect.provide(runCommand(["schema", "mem://a"], terminal), layer))
  return { code, lines }
}

describe("a defect of a command", () => {
  it("prints one line that explains how to print the stack", async () => {
    const { code, lines } = await runWith({})
    assertEquals([code, lines.length], [1, 1])
    assertMatch(lines[0], /bug in tessera.*no such field; set TESSERA_DEBUG=1 to print the stack$/)
  })

  it("prints the stack with TESSERA_DEBUG=1", async () => {
    const { code, lines } = await runWith({ TESSERA_DEBUG: "1" })
    assertEquals(code, 1)
    assert(lines.length > 1)
    assert(lines.slice(1).some((line) => line.includes("debug_test.ts")), lines.join("\n"))
  })
})
