/**
 * The delete conditions that a consolidated fragment lists. Its cells refer to them by their position.
 */
import { compareNames, parseName } from "../../../schema/name/timestamped_name.ts"

/** Delete commits sorted by time. */
export class DeleteOrder {
  /** Paths of the commits, `__commits/….del`, without duplicates. */
  readonly names: ReadonlyArray<string>
  readonly #positions: ReadonlyMap<number, number>

  constructor(names: Iterable<string>) {
    const parsed = [...new Set(names)].flatMap((path) => {
      const name = parseName(path)
      return name === undefined ? [] : [{ path, name }]
    }).sort((a, b) => compareNames(a.name, b.name))
    this.names = parsed.map(({ path }) => path)
    const positions = new Map<number, number>()
    parsed.forEach(({ name }, i) => {
      if (!positions.has(name.start)) positions.set(name.start, i)
    })
    this.#positions = positions
  }

  /** Returns the position of the first commit of a time; 0 if there is no such commit. */
  indexAt(time: number): number {
    return this.#positions.get(time) ?? 0
  }
}
