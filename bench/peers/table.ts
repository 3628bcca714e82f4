/** The results, as lines of JSON and as a table. */

/** The result of one case in one runtime. */
export interface Result {
  readonly workload: string
  readonly case: string
  readonly runtime: "deno" | "bun"
  /** Milliseconds of the fastest run; W14 and W17: number of calls or bytes. */
  readonly ours_ms: number
  readonly peer_ms: number
  readonly ratio: number
  /** The median of all runs. */
  readonly ours_median: number
  readonly peer_median: number
  /** Maximum ratios in Deno: `goal` from the issue, `aim` from performance.md. */
  readonly goal?: number
  readonly aim?: number
  /** The unit of a count, or `CPU` for CPU time in milliseconds; wall times have no unit. */
  readonly unit?: "calls" | "bytes" | "CPU"
}

const shown = (value: number, unit: Result["unit"]): string =>
  unit === "calls" || unit === "bytes"
    ? String(value)
    : value >= 100
    ? value.toFixed(0)
    : value >= 10
    ? value.toFixed(1)
    : value.toFixed(2)

/** Whether the goal is met; `undefined` if there is no goal, or no goal for this runtime. */
export const met = (result: Result): boolean | undefined =>
  result.goal === undefined || result.runtime === "bun" ? undefined : result.ratio <= result.goal

const mean = (values: ReadonlyArray<number>): number =>
  Math.exp(values.reduce((sum, value) => sum + Math.log(value), 0) / values.length)

/** Returns the table: one line per case, with both runtimes next to each other. */
export const table = (results: ReadonlyArray<Result>): string => {
  const rows = [["", "case", "peer", "Deno", "ratio", "Bun", "ratio", "goal", "aim", ""]]
  const keys = [...new Set(results.map((r) => `${r.workload}\n${r.case}`))]
  for (const key of keys) {
    const [workload, name] = key.split("\n")
    const values = results.filter((r) => r.workload === workload && r.case === name)
    const [deno, bun] = (["deno", "bun"] as const).map((runtime) => values.find((r) => r.runtime === runtime))
    const one = values[0]
    rows.push([
      workload,
      name,
      shown(one.peer_ms, one.unit),
      deno === undefined ? "–" : shown(deno.ours_ms, one.unit),
      deno === undefined ? "–" : deno.ratio.toFixed(2),
      bun === undefined ? "–" : shown(bun.ours_ms, one.unit),
      bun === undefined ? "–" : bun.ratio.toFixed(2),
      one.goal?.toFixed(2) ?? "",
      one.aim?.toFixed(2) ?? "",
      deno === undefined || met(deno) === undefined ? "" : met(deno) ? "met" : "MISSED",
    ])
  }
  const widths = rows[0].map((_, i) => Math.max(...rows.map((row) => row[i].length)))
  const line = (row: ReadonlyArray<string>): string =>
    `| ${row.map((cell, i) => i > 1 && i < 9 ? cell.padStart(widths[i]) : cell.padEnd(widths[i])).join(" | ")} |`
  const rule = `| ${
    widths.map((w, i) => i > 1 && i < 9 ? "-".repeat(w - 1) + ":" : "-".repeat(Math.max(w, 3))).join(" | ")
  } |`
  const timed = results.filter((r) => r.unit === undefined && r.workload !== "W0")
  const overall = (["deno", "bun"] as const).flatMap((runtime) => {
    const ratios = timed.filter((r) => r.runtime === runtime).map((r) => r.ratio)
    return ratios.length === 0 ? [] : [
      `${runtime}: geometric mean ${mean(ratios).toFixed(2)} of ${ratios.length}, worst ${
        Math.max(...ratios).toFixed(2)
      }`,
    ]
  })
  return [line(rows[0]), rule, ...rows.slice(1).map(line), "", ...overall].join("\n")
}
