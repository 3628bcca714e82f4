/** Runs inputs: the number and the seed of an input determine all its random properties. */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { makeRandom } from "../hostile/random.ts"
import { type Attack, type ChildRuntime, makeMemo, type Outcome } from "./input.ts"
import { attackWithFaults } from "./faults.ts"
import { attackWithForgedFiles } from "./forged.ts"
import { attackWithRivals } from "./rivals.ts"
import { attackWithServers } from "./servers.ts"
import { attackWithSignals } from "./signals.ts"

/** A kind of input, and its share of all inputs in percent. */
interface Kind {
  readonly name: string
  readonly share: number
  readonly attack: Attack
  /** The maximum duration of an input, in milliseconds. */
  readonly maxMilliseconds: number
}

const kinds: ReadonlyArray<Kind> = [
  { name: "signals", share: 22, attack: attackWithSignals, maxMilliseconds: 180_000 },
  { name: "rivals", share: 5, attack: attackWithRivals, maxMilliseconds: 240_000 },
  { name: "faults", share: 33, attack: attackWithFaults, maxMilliseconds: 60_000 },
  { name: "forged", share: 20, attack: attackWithForgedFiles, maxMilliseconds: 180_000 },
  { name: "servers", share: 20, attack: attackWithServers, maxMilliseconds: 240_000 },
]

export interface SweepOptions {
  readonly seed: string
  readonly count: number
  readonly only?: number
  readonly kind?: string
  readonly runtimes: ReadonlyArray<ChildRuntime>
  readonly concurrency: number
  readonly print: (line: string) => void
}

/** The numbers of inputs that were run and of those that failed. */
export interface Swept {
  readonly inputs: number
  readonly bad: number
}

const inTime = (outcome: Promise<Outcome>, maxMilliseconds: number): Promise<Outcome> => {
  let timer: ReturnType<typeof setTimeout>
  const late = new Promise<Outcome>((resolve) => {
    const wrong = [`it did not end within ${maxMilliseconds / 1000} seconds`]
    timer = setTimeout(() => resolve({ label: "an input", wrong }), maxMilliseconds)
  })
  return Promise.race([outcome, late]).finally(() => clearTimeout(timer))
}

/** Runs inputs, and prints the problems of each. */
export const sweep = async (
  { seed, count, only, kind, runtimes, concurrency, print }: SweepOptions,
): Promise<Swept> => {
  if (kind !== undefined && !kinds.some(({ name }) => name === kind)) throw new Error(`there is no kind ${kind}`)
  const total = kinds.reduce((sum, { share }) => sum + share, 0)
  const folder = mkdtempSync(join(tmpdir(), "tessera-attack-"))
  const shared = { folder, runtimes, memo: makeMemo() }
  const numbers = only === undefined ? Array.from({ length: count }, (_, i) => i) : [only]
  const of = (number: number) => {
    const random = makeRandom(`${seed}/${number}`)
    let at = random.below(total)
    const chosen = kinds.find(({ share }) => (at -= share) < 0)!
    return { number, random, chosen }
  }
  const requested = numbers.map(of).filter(({ chosen }) => kind === undefined || chosen.name === kind)
  let [next, done, bad, lastReport] = [0, 0, 0, Date.now()]
  const start = Date.now()
  const byKind = new Map<string, number>()
  const work = async (): Promise<void> => {
    while (next < requested.length) {
      const { number, random, chosen } = requested[next++]
      const inputFolder = join(folder, `input-${number}`)
      mkdirSync(inputFolder)
      const attacked = Promise.resolve().then(() => chosen.attack(random, shared, inputFolder))
        .catch((error): Outcome => ({
          label: "an input",
          wrong: [`the attack itself failed: ${(error as Error)?.stack ?? error}`],
        }))
      const began = Date.now()
      const { label, wrong } = await inTime(attacked, chosen.maxMilliseconds)
      byKind.set(chosen.name, (byKind.get(chosen.name) ?? 0) + Date.now() - began)
      rmSync(inputFolder, { recursive: true, force: true })
      done++
      if (wrong.length > 0) {
        bad++
        print(`BAD ${number} (--seed ${seed} --only ${number}), ${chosen.name}: ${label}`)
        for (const line of wrong.slice(0, 8)) print(`    ${line}`)
      } else if (only !== undefined) print(`input ${number}, ${chosen.name}: ${label}`)
      if (Date.now() - lastReport > 5000) {
        lastReport = Date.now()
        print(`${done} of ${requested.length} inputs, ${bad} bad, ${Math.round((lastReport - start) / 1000)} s`)
      }
    }
  }
  try {
    await Promise.all(Array.from({ length: Math.max(concurrency, 1) }, work))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
  const times = [...byKind].map(([name, time]) => `${name} ${(time / 1000).toFixed(0)} s`).join(", ")
  print(`${Math.round((Date.now() - start) / 1000)} s; by kind: ${times}`)
  return { inputs: requested.length, bad }
}
