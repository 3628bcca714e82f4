/**
 * The child process of a sweep: runs cases and reports the current one as a line of JSON, so that its parent knows which case
 * hangs or crashes. `worker.ts SEED packed|all COUNT ROUNDS SKIP [ONLY]`
 */
import { writeSync } from "node:fs"
import process from "node:process"
import { countAllocations } from "./allocations.ts"

countAllocations()
const { casesOf, makeRunner } = await import("./cases.ts")
const { subjects } = await import("./subjects.ts")

/** Writes synchronously, so that the current case is known if it hangs. */
const say = (message: object): void => {
  const bytes = new TextEncoder().encode(`${JSON.stringify(message)}\n`)
  for (let at = 0; at < bytes.length;) {
    try {
      at += writeSync(1, bytes, at)
    } catch (error) {
      if ((error as { readonly code?: string }).code !== "EAGAIN") throw error
    }
  }
}

const unhandled: Array<string> = []
process.on("unhandledRejection", (reason) => {
  unhandled.push(`an unhandled rejection: ${reason instanceof Error ? reason.stack : String(reason)}`)
})

const [seed, which, count, rounds, skip, only] = process.argv.slice(2)
const all = subjects(which as "packed" | "all")
const match = /^(.*)#\d+$/.exec(only ?? "")
const cases = match === null
  ? casesOf(all, seed, Number(count), Number(rounds))
  : all.filter(({ path }) => path === match[1]).map((subject) => ({ id: only, subject }))
const runner = await makeRunner(seed)
for (let i = Number(skip); i < cases.length; i++) {
  say({ at: i, id: cases[i].id, description: "its description, unchanged" })
  const prepared = await runner.prepare(cases[i])
  say({ at: i, id: cases[i].id, description: `${prepared.mutation.description}; ${prepared.which} codecs` })
  const report = await runner.run(cases[i], prepared)
  // unhandled rejections are reported after pending tasks
  if (i % 20 === 0 || report.faults.length > 0) await new Promise((resolve) => setTimeout(resolve, 0))
  const allFaults = [...report.faults, ...unhandled.splice(0)]
  say({ done: i, noticed: report.noticed, took: report.milliseconds, largest: report.largest, faults: allFaults })
}
await new Promise((resolve) => setTimeout(resolve, 10))
say({
  end: true,
  cases: cases.length,
  subjects: new Set(cases.map(({ subject }) => subject.path)).size,
  late: unhandled,
})
