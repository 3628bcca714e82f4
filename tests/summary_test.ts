import { describe, it } from "node:test"
import { assertEquals } from "@std/assert"
import { countsOf } from "./support/summary.ts"

const good = { skipped: 0, died: false }
const dead = { passed: 0, failed: 1, skipped: 0, died: true }

describe("counting", () => {
  it("Deno's tests", () => {
    const colours = "\n\x1b[0m\x1b[32mok\x1b[0m | 8 passed (25 steps) | 0 failed \x1b[0m\x1b[38;5;245m(486ms)\x1b[0m\n"
    assertEquals(countsOf("deno", colours, 0), { passed: 25, failed: 0, ...good })
    assertEquals(countsOf("deno", "ok | 1 passed (1 step) | 0 failed (3ms)\n", 0), { passed: 1, failed: 0, ...good })
    assertEquals(countsOf("deno", "FAILED | 3 passed (10 steps) | 1 failed (2 steps) (1s)\n", 1), {
      passed: 10,
      failed: 2,
      ...good,
    })
    assertEquals(countsOf("deno", "ok | 3 passed | 0 failed | 1 ignored (1 step) (1s)\n", 0), {
      passed: 3,
      failed: 0,
      skipped: 1,
      died: false,
    })
  })

  it("Bun's tests", () => {
    assertEquals(
      countsOf("bun", "\n 25 pass\n 0 fail\n 71 expect() calls\nRan 25 tests across 4 files. [169ms]\n", 0),
      {
        passed: 25,
        failed: 0,
        ...good,
      },
    )
    assertEquals(countsOf("bun", " 25 pass\n 2 skip\n 3 fail\n 1 error\nRan 25 tests\n", 1), {
      passed: 25,
      failed: 4,
      skipped: 2,
      died: false,
    })
  })

  it("reads the last closing line", () => {
    assertEquals(countsOf("plain", "1 passed, 1 failed\nx 3 passed, 3 failed\n5 passed, 0 failed, 2 skipped\n", 0), {
      passed: 5,
      failed: 0,
      skipped: 2,
      died: false,
    })
  })

  it("runners that died", () => {
    for (const runner of ["deno", "bun", "plain"] as const) {
      assertEquals(countsOf(runner, "", 1), dead)
      assertEquals(countsOf(runner, "Segmentation fault", 0), dead)
    }
    assertEquals(countsOf("deno", "ok | 8 passed | 0 failed (1s)\nerror: leak", 1), {
      passed: 8,
      failed: 1,
      skipped: 0,
      died: true,
    })
    assertEquals(countsOf("deno", "ok | 0 passed | 0 failed (1s)", 0), dead)
    assertEquals(countsOf("deno", "FAILED | 8 passed | 2 failed (1s)\nerror: Test failed", 1), {
      passed: 8,
      failed: 2,
      ...good,
    })
    assertEquals(countsOf("plain", "0 passed, 0 failed, 1 skipped", 0), {
      passed: 0,
      failed: 0,
      skipped: 1,
      died: false,
    })
  })
})
