/**
 * Several processes that import into one target, or copy to it, at the same time. A process with exit code 0 completed
 * its write. At the end, the array is the result of one process, or unchanged, or marked as unfinished; it is never a
 * mixture, and unrelated files do not change.
 */
import { cpSync, existsSync, mkdirSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { isMark } from "../../src/array/open/unfinished.ts"
import type { Random } from "../hostile/random.ts"
import { differences, INNER_NAMES, isTemporary, NEIGHBOUR_NAMES, snapshotOf, writeStrangers } from "./files.ts"
import { type Attack, between, chance, type ChildRuntime, shortText, type Sweep } from "./input.ts"
import { type Ended, runChild } from "./processes.ts"
import { MAIN, readArray, templateOf } from "./signals.ts"

/** A process that writes to the target. */
interface Rival {
  readonly name: string
  readonly args: ReadonlyArray<string>
}

const works: Readonly<Record<string, (template: string, target: string) => ReadonlyArray<string>>> = {
  "import sparse": (template, target) => [
    ...["import", join(template, "data.csv"), target, "--sparse", "--dims", "x", "--capacity", "500"],
    ...["--memory", "200KB"],
  ],
  "import other rows": (template, target) => [
    ...["import", join(template, "more.csv"), target, "--sparse", "--dims", "x", "--memory", "200KB"],
  ],
  "import dense": (template, target) => ["import", join(template, "more.csv"), target, "--memory", "200KB"],
  "copy sparse": (template, target) => ["copy", join(template, "source"), target, "--memory", "1MB"],
  "copy dense": (template, target) => ["copy", join(template, "dense"), target, "--memory", "1MB"],
}

/** Returns the array that a process writes if no other process runs. */
const alone = (name: string, runtime: ChildRuntime, sweep: Sweep): Promise<string> =>
  sweep.memo(`alone ${name}`, async () => {
    const target = join(sweep.folder, `alone ${name}`)
    const { code, error } = await runChild(runtime, MAIN, [...works[name](await templateOf(sweep), target), "--quiet"])
    if (code !== 0) throw new Error(`${name} fails alone: ${error}`)
    return readArray(target)
  })

const rivalOf = (random: Random, template: string, target: string): Rival => {
  const work = random.pick(Object.keys(works))
  const option = random.pick(["", "--overwrite", "--overwrite", "--resume"])
  const args = [...works[work](template, target), ...(option === "" ? [] : [option]), "--quiet"]
  return { name: work, args }
}

/** Returns the problems of the files after all processes ended. */
export const judgeRivals = (
  rivals: ReadonlyArray<{ readonly ended: Pick<Ended, "code" | "isHanging" | "error">; readonly makes: string }>,
  seen: { readonly before: string; readonly now: string; readonly isMarked: boolean },
): ReadonlyArray<string> => {
  const wrong: Array<string> = []
  for (const { ended } of rivals) {
    if (ended.isHanging) wrong.push("a process did not end")
    if (ended.code !== 0 && /this is a bug|\n {4}at /.test(ended.error)) {
      wrong.push(`a defect: ${ended.error.slice(-300)}`)
    }
  }
  const done = rivals.filter(({ ended }) => ended.code === 0)
  const failed = rivals.length - done.length
  if (done.some(({ makes }) => makes === seen.now)) {
    if (seen.isMarked && failed === 0) wrong.push("all ended with 0, and the array is marked as unfinished")
  } else if (seen.isMarked && failed > 0) {
    // another process stopped the last one, which reports that
    if (seen.now !== "absent" && seen.now !== seen.before) wrong.push(`the array is marked, and opens as ${seen.now}`)
  } else if (done.length > 0) {
    wrong.push(`${done.length} ended with 0, and the array differs from each of them: ${seen.now}`)
  } else if (seen.now !== seen.before) wrong.push(`all failed, and the array is not as it was: ${seen.now}`)
  return wrong
}

/** Runs two or three processes with the same target. */
export const attackWithRivals: Attack = async (random, sweep, folder) => {
  const template = await templateOf(sweep)
  const target = join(folder, "target")
  mkdirSync(folder, { recursive: true })
  const isNew = chance(random, 0.5)
  if (!isNew) cpSync(join(template, "old"), target, { recursive: true })
  const strangers = [...NEIGHBOUR_NAMES, ...(isNew ? [] : INNER_NAMES)]
  writeStrangers(folder, strangers)
  const before = { array: await readArray(target), files: snapshotOf(folder) }
  const rivals = Array.from({ length: between(random, 2, 3) }, () => ({
    ...rivalOf(random, template, target),
    delay: between(random, 0, 900),
    runtime: random.pick(sweep.runtimes),
  }))
  const ended = await Promise.all(rivals.map(async ({ name, args, delay, runtime }) => {
    const makes = await alone(name, runtime, sweep)
    await new Promise((resolve) => setTimeout(resolve, delay))
    return { ended: await runChild(runtime, MAIN, args), makes }
  }))
  const now = await readArray(target).catch((error) => `cannot be read: ${shortText(error)}`)
  const isMarked = existsSync(target) && readdirSync(target).some(isMark)
  const wrong = [...judgeRivals(ended, { before: before.array, now, isMarked })]
  const files = snapshotOf(folder)
  wrong.push(
    ...differences(before.files, files, (path) => strangers.includes(path)).map((line) => `a stranger's file: ${line}`),
  )
  for (const path of files.keys()) if (isTemporary(path)) wrong.push(`a temporary file is left: ${path}`)
  // the array can be replaced after every outcome
  if (wrong.length === 0) {
    const { name, runtime } = rivals[0]
    const args = [...works[name](template, target), "--overwrite", "--quiet"]
    const { code, error } = await runChild(runtime, MAIN, args)
    const after = await readArray(target).catch((error) => `cannot be read: ${shortText(error)}`)
    if (code !== 0) wrong.push(`--overwrite afterwards ended with ${code}: ${error.trim().slice(-300)}`)
    else if (after !== ended[0].makes) wrong.push(`--overwrite afterwards: ${after} in place of ${ended[0].makes}`)
  }
  const shown = rivals.map(({ name, args, delay, runtime }, i) => {
    const option = args.find((arg) => arg === "--overwrite" || arg === "--resume") ?? ""
    return `${name} ${option} in ${runtime.name} after ${delay} ms (${ended[i].ended.code})`
  })
  return { label: `${isNew ? "nothing" : "an array"} there; ${shown.join("; ")}`, wrong }
}
