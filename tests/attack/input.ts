/** One input of the sweep, and what came of it. */
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

/** What inputs of a sweep have in common. */
export interface Sweep {
  /** A folder for this sweep alone, which is removed at its end. */
  readonly folder: string
  readonly runtimes: ReadonlyArray<ChildRuntime>
  readonly memo: Memo
}

/** Runs one input: everything random about it is drawn from `random`. */
export type Attack = (random: Random, sweep: Sweep, folder: string) => Promise<Outcome>

/** A whole number from `lowest` to `highest`, inclusive. */
export const between = (random: Random, lowest: number, highest: number): number =>
  lowest + random.below(highest - lowest + 1)

/** Whether something with this probability happens. */
export const chance = (random: Random, probability: number): boolean => random.below(1_000_000) < probability * 1e6

/** A number from 0 to before 1. */
export const fraction = (random: Random): number => random.below(2 ** 30) / 2 ** 30

/** An error in one short line. */
export const shortText = (error: unknown): string => {
  const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error)
  const line = text.replace(/\s+/g, " ")
  return line.length > 400 ? `${line.slice(0, 400)}…` : line
}

/** Values that are made once in a sweep. */
export type Memo = <A>(key: string, make: () => Promise<A>) => Promise<A>

/** A new memo. */
export const makeMemo = (): Memo => {
  const made = new Map<string, Promise<unknown>>()
  return <A>(key: string, make: () => Promise<A>): Promise<A> => {
    if (!made.has(key)) made.set(key, make())
    return made.get(key) as Promise<A>
  }
}
