/** Publishing a folder, and reading it through a web server without listings. */
import { assert, assertEquals, assertMatch } from "@std/assert"
import * as Effect from "effect/Effect"
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { after, before, describe, it } from "node:test"
import { layerDefault } from "../../platform/mod.ts"
import { runCommand } from "../../src/cli/mod.ts"
import { startWebServer, type WebServer } from "../support/web_server.ts"
import { cli, type CliRun, weather } from "./run_cli.ts"

/** Runs the command line with the default storages, including web servers. */
const online = async (args: ReadonlyArray<string>): Promise<CliRun> => {
  let [out, err] = ["", ""]
  const command = runCommand(args, {
    environment: () => undefined,
    columns: 80,
    write: (text) => Promise.resolve(void (out += text)),
    say: (line) => Promise.resolve(void (err += `${line}\n`)),
  })
  const code = await Effect.runPromise(Effect.provide(command, layerDefault))
  return { code, out, err }
}

const filesOf = (folder: string): Map<string, Uint8Array> =>
  new Map(
    readdirSync(folder, { recursive: true, withFileTypes: true }).filter((e) => e.isFile()).map((e) => {
      const path = join(e.parentPath, e.name)
      return [path.slice(folder.length + 1), new Uint8Array(readFileSync(path))]
    }),
  )

describe("publish", () => {
  let folder = ""
  let server: WebServer
  const files = new Map<string, Uint8Array>()

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), "tessera publish "))
    cpSync(weather, join(folder, "weather"), { recursive: true })
    server = await startWebServer({ files, index: "forbidden" })
  })
  after(async () => {
    rmSync(folder, { recursive: true })
    await server.close()
  })

  it("writes one file with the names of all other files", async () => {
    const { code, out, err } = await cli(["publish", join(folder, "weather")])
    assertEquals([code, out], [0, `${folder}/weather/__tessera_manifest.json\n`])
    assertMatch(err, /names \d+ files of \d+ bytes/)
    const text = JSON.parse(readFileSync(out.trimEnd(), "utf8"))
    const want = [...filesOf(folder)].filter(([path]) => !path.endsWith(".json")).map(([path, bytes]) =>
      [path.slice("weather/".length), bytes.length] as [string, number]
    )
    assertEquals(text.files, want.sort((a, b) => a[0] < b[0] ? -1 : 1))
  })

  it("prints a summary as JSON", async () => {
    const { out } = await cli(["publish", `${folder}/weather/`, "--json"])
    const { uri, files, bytes } = JSON.parse(out)
    assertEquals(uri, `${folder}/weather/__tessera_manifest.json`)
    assert(files > 10 && bytes > 1000)
  })

  it("makes an array readable from a server without listings", async () => {
    for (const [path, bytes] of filesOf(folder)) files.set(path, bytes)
    const uri = `${server.origin}/weather`
    for (const args of [["schema"], ["read"], ["meta"], ["fragments"]]) {
      const [command, ...rest] = args
      const [near, far] = [await online([command, weather, ...rest]), await online([command, uri, ...rest])]
      assertEquals(far, near)
      assertEquals(far.code, 0)
    }
    files.delete("weather/__tessera_manifest.json")
    const without = await online(["schema", uri])
    assertEquals(without.code, 6)
    assertMatch(without.err, /does not list folders \(status 403\).*tessera publish/)
  })

  it("fails for a missing folder, and does not write to the web", async () => {
    const missing = await cli(["publish", join(folder, "nothing")])
    assertEquals(missing.code, 3)
    const web = await startWebServer({ files: filesOf(folder) })
    const readOnly = await online(["publish", `${web.origin}/weather`])
    await web.close()
    assertEquals(readOnly.code, 6)
    assertMatch(readOnly.err, /read-only/)
  })
})
