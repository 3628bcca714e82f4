/** A small random number generator: a seed gives the same cases in every runtime. */

export interface Random {
  /** Returns an integer from 0 to `n` (exclusive). */
  readonly below: (n: number) => number
  readonly pick: <A>(list: ReadonlyArray<A>) => A
}

/** FNV-1a, 32 bits. */
export const hash = (bytes: Uint8Array): number => {
  let h = 0x811c9dc5
  for (let i = 0; i < bytes.length; i++) h = Math.imul(h ^ bytes[i], 0x01000193)
  return h >>> 0
}

/** Creates a generator, seeded by a text. */
export const makeRandom = (seed: string): Random => {
  let state = hash(new TextEncoder().encode(seed))
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (n: number): number => Math.floor(next() * n)
  return { below, pick: (list) => list[below(list.length)] }
}
