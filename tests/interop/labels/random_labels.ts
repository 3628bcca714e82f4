/** Numbered arrays with dimension labels, and label queries; the engine and tessera use the same cases. */
import { ArraySchema, Attr, Dim } from "../../../mod.ts"

/** A label, with a value for each coordinate of the domain. */
export interface Label {
  readonly dim: string
  readonly type: "int64" | "float64" | "string_ascii"
  readonly order: "increasing" | "decreasing"
  readonly values: ReadonlyArray<number | string>
}

/** An array, and queries by ranges of its labels. */
export interface Case {
  readonly sparse: boolean
  readonly dims: Readonly<Record<string, { readonly domain: readonly [number, number]; readonly tile: number }>>
  readonly labels: Readonly<Record<string, Label>>
  readonly queries: ReadonlyArray<Readonly<Record<string, readonly [number | string, number | string]>>>
}

/** Returns a generator of pseudo-random numbers; the same seed gives the same numbers. */
const randomOf = (seed: number) => {
  let state = seed * 2654435761 >>> 0
  return (below: number): number => {
    state = Math.imul(state ^ state >>> 15, 2246822519) + 374761393 >>> 0
    return ((state ^ state >>> 13) >>> 0) % below
  }
}

const text = (n: number): string => n.toString(36).padStart(4, "0")

/** Returns case number `n`. */
export const caseOf = (n: number): Case => {
  const random = randomOf(n + 1)
  for (let i = 0; i < 10; i++) random(2)
  const sparse = random(3) === 0
  const names = sparse || random(2) === 0 ? ["x"] : ["x", "y"]
  const dims = Object.fromEntries(names.map((name) => {
    const low = random(7) - 3
    const size = 3 + random(20)
    return [name, { domain: [low, low + size - 1] as const, tile: 1 + random(size) }]
  }))
  const labels: Record<string, Label> = {}
  for (const name of names) {
    for (let k = 0; k <= random(2); k++) {
      const [low, high] = dims[name].domain
      const type = (["int64", "float64", "string_ascii"] as const)[random(3)]
      const order = random(2) === 0 ? "increasing" : "decreasing"
      let at = random(20)
      const values = Array.from({ length: high - low + 1 }, () => at += 1 + random(3))
      if (order === "decreasing") values.reverse()
      labels[`${name}${k}`] = {
        dim: name,
        type,
        order,
        values: values.map((value) => type === "string_ascii" ? text(value) : type === "float64" ? value / 4 : value),
      }
    }
  }
  const queries = Array.from({ length: 6 }, () => {
    const ranges: Record<string, readonly [number | string, number | string]> = {}
    for (const dim of names) {
      const candidates = Object.entries(labels).filter(([, label]) => label.dim === dim)
      // the first dimension always has a range
      if (dim !== "x" && random(2) === 0) continue
      const [name, { values }] = candidates[random(candidates.length)]
      const ends = [values[random(values.length)], values[random(values.length)]]
      ranges[name] = ends[0] <= ends[1] ? [ends[0], ends[1]] : [ends[1], ends[0]]
    }
    return ranges
  })
  return { sparse, dims, labels, queries }
}

/** Returns the schema of a case. */
export const schemaOf = ({ sparse, dims, labels }: Case): ArraySchema.ArraySchema => {
  const options = {
    dims: Object.fromEntries(
      Object.entries(dims).map(([name, { domain, tile }]) => [name, Dim.int64([domain[0], domain[1]], { tile })]),
    ),
    attrs: { a: Attr.int64() },
    labels: Object.fromEntries(
      Object.entries(labels).map(([name, { dim, type, order }]) => [name, { dim, type, order }]),
    ),
  }
  return sparse ? ArraySchema.sparse(options) : ArraySchema.dense(options)
}
