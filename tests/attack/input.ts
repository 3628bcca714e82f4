/** One input of the sweep, and its outcome. */
import type { Random } from "../hostile/random.ts"

/** The actions on an input, and the problems, one line each. */
export interface Outcome {
  readonly label: string
  readonly wrong: ReadonlyArray<string>
}

/** A runtime for child processes: its name, and the command that runs a script. */
export interface ChildRuntime {
  readonly name: "deno" | "bun"
  readonly command: ReadonlyArray<string>
}

/** The values that all inputs of a sweep share. */
export interface Sweep {
  /** The folder of this sweep; it is removed at the end of the sweep. */
  readonly folder: string
  readonly runtimes: ReadonlyArray<ChildRuntime>
  readonly memo: Memo
}

/** Runs one input; `random` determines all its random properties. */
export type Attack = (random: Random, sweep: Sweep, folder: string) => Promise<Outcome>

/** Returns an integer from `lowest` to `highest`, inclusive. */
export const between = (random: Random, lowest: number, highest: number): number =>
  lowest + random.below(highest - lowest + 1)

/** Returns true with this probability. */
export const chance = (random: Random, probability: number): boolean => random.below(1_000_000) < probability * 1e6

/** Returns a number from 0 to 1 (exclusive). */
export const fraction = (random: Random): number => random.below(2 ** 30) / 2 ** 30

/** Returns an error as one short line. */
export const shortText = (error: unknown): string => {
  const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error)
  const line = text.replace(/\s+/g, " ")
  return line.length > 400 ? `${line.slice(0, 400)}…` : line
}

/** Returns a value that is made once per sweep and key. */
export type Memo = <A>(key: string, make: () => Promise<A>) => Promise<A>

/** Returns an empty memo. */
export const makeMemo = (): Memo => {
  const made = new Map<string, Promise<unknown>>()
  return <A>(key: string, make: () => Promise<A>): Promise<A> => {
    if (!made.has(key)) made.set(key, make())
    return made.get(key) as Promise<A>
  }
}
