/** The sweep reports cases that hang, crash or fail, and continues with the next case. */
import { describe, it } from "node:test"
import { assert, assertEquals } from "@std/assert"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import process from "node:process"
import { sweep } from "./sweep.ts"

const deno = "Deno" in globalThis
const runtime = { name: deno ? "Deno" : "Bun", command: deno ? [process.execPath, "run", "-A"] : [process.execPath] }

/** Runs a sweep of four cases with a script as its child that runs `trouble` in case number 1. */
const withTrouble = async (trouble: string) => {
  const folder = mkdtempSync(join(tmpdir(), "tessera-"))
  const lines: Array<string> = []
  try {
    const worker = join(folder, "worker.mjs")
    writeFileSync(
      worker,
      `import { writeSync } from "node:fs"
       import process from "node:process"
       const say = (message) => writeSync(1, JSON.stringify(message) + "\\n")
       const faults = []
       for (let i = Number(process.argv[6]); i < 4; i++) {
         say({ at: i, id: "v1/one/array#" + i, description: "cut" })
         if (i === 1) { ${trouble} }
         say({ done: i, noticed: true, took: 1, largest: 1, faults: faults.splice(0) })
       }
       say({ end: true, cases: 4, subjects: 1, late: [] })`,
    )
    const print = (line: string) => lines.push(line)
    const result = await sweep({
      runtime,
      seed: "7",
      fixtures: "packed",
      count: 4,
      rounds: 1,
      print,
      worker,
      hangs: 3000,
    })
    return { ...result, lines }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

describe("the watchdog", () => {
  it("reports no faults in a valid sweep", async () => {
    const { cases, failed, lines } = await withTrouble("")
    assertEquals([cases, failed, lines], [4, 0, []])
  })

  it("terminates and reports a case that hangs, and continues", async () => {
    const { cases, failed, lines } = await withTrouble("for (;;) {}")
    assertEquals([cases, failed], [3, 1])
    assert(
      /v1\/one\/array#1: cut\n {4}hangs: .*\n {4}again: .*--seed 7 --only 'v1\/one\/array#1'/.test(lines[0]),
      lines[0],
    )
  })

  it("reports a case that crashes the process", async () => {
    const { cases, failed, lines } = await withTrouble(`console.error("out of memory"); process.exit(9)`)
    assertEquals([cases, failed], [3, 1])
    assert(/array#1: cut\n {4}the process died \(9\): out of memory/.test(lines[0]), lines[0])
  })

  it("reports faults", async () => {
    const { cases, failed, lines } = await withTrouble(`faults.push("read row: a defect: Error")`)
    assertEquals([cases, failed], [4, 1])
    assert(/array#1: cut\n {4}read row: a defect: Error/.test(lines[0]), lines[0])
  })
})
