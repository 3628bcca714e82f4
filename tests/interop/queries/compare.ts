/**
 * Compares the engine's results of random queries with the results of tessera.
 *
 *     deno run -A tests/interop/queries/compare.ts DIR [--only REGEX]
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Stream from "effect/Stream"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import process from "node:process"
import { parseArgs } from "node:util"
import { Aggregate, type Codecs, Dense, layerDefault, Sparse, type StorageService, TileArray } from "../../../mod.ts"
import { openedOf } from "../../../src/array/open/handle.ts"
import { columnJson } from "../../../src/query/column/cell_json.ts"
import { streamSparse } from "../../../src/query/request/sparse_request.ts"
import { differenceOfJson, differenceOfRead } from "../../golden/compare.ts"
import type { ExpectedColumn, ExpectedRead, ExpectedSchema } from "../../golden/expected.ts"

/** The first line of a file: the array. */
interface ArrayInfo {
  readonly schema: ExpectedSchema
  readonly key: string | null
}

/** A text as bytes; a number with a tolerance; or any value. */
type Special = { readonly hex: string } | { readonly value: number | string; readonly about?: number }

/** The other lines of a file: a query and its expected result. */
interface Query {
  readonly times: { readonly start?: string; readonly end?: string }
  readonly layout?: ExpectedRead["layout"] | "global-order"
  readonly ranges?: ExpectedRead["ranges"]
  readonly outOfBounds?: "clip"
  readonly where?: string
  readonly select?: ReadonlyArray<string>
  readonly cells?: number
  readonly columns?: Readonly<Record<string, ExpectedColumn>>
  readonly aggregates?: ReadonlyArray<{
    readonly field: string
    readonly answers: Readonly<Partial<Record<Aggregate.AggregateKind, number | string | null | Special>>>
  }>
  /**
   * The reason why the engine, or its parser, refuses the query: then tessera may return a result or refuse it as well.
   */
  readonly refused?: string
}

type Services = StorageService | Codecs
const orders = { "row-major": "row", "col-major": "col", "global-order": "global", unordered: "unordered" } as const
/** Errors that refuse a query. */
const refusals = ["ConditionError", "SelectionError"]

const tagOf = (error: unknown): unknown => (error as { readonly _tag?: unknown } | undefined)?._tag

const describeError = (error: unknown): string =>
  typeof tagOf(error) === "string"
    ? `${tagOf(error)}: ${(error as Error).message}`
    : (error as Error)?.stack ?? `${error}`

const aggregates: Readonly<Record<Aggregate.AggregateKind, (field: string) => Aggregate.Aggregate>> = {
  count: () => Aggregate.count(),
  sum: Aggregate.sum,
  min: Aggregate.min,
  max: Aggregate.max,
  mean: Aggregate.mean,
  nullCount: Aggregate.nullCount,
}

/** Returns the first difference between aggregates, or undefined. */
const differenceOfAggregates = (
  field: string,
  expected: NonNullable<Query["aggregates"]>[number]["answers"],
  actual: Readonly<Record<string, unknown>>,
): string | undefined => {
  for (const [kind, value] of Object.entries(expected)) {
    const is = actual[kind]
    const result = typeof is === "bigint"
      ? String(is)
      : typeof is === "number" && !Number.isFinite(is)
      ? String(is)
      : is
    if (typeof value === "object" && value !== null && "hex" in value) {
      const text = new TextDecoder().decode(
        Uint8Array.from(value.hex.match(/../g) ?? [], (byte) => parseInt(byte, 16)),
      )
      if (text !== result) return `${kind} of ${field}: expected ${JSON.stringify(text)}, got ${JSON.stringify(result)}`
      continue
    }
    if (typeof value === "object" && value !== null) {
      if (value.value === "any" || Object.is(value.value, result)) continue
      if (typeof result === "number" && Math.abs(result - Number(value.value)) <= (value.about ?? 0)) continue
      return `${kind} of ${field}: expected about ${value.value}, got ${result}`
    }
    const difference = differenceOfJson(value, result)
    // 0 and −0 are equally small
    if (difference !== undefined && !(value === 0 && result === 0)) return `${kind} of ${field}: ${difference}`
  }
  return undefined
}

const compareQuery = (
  uri: string,
  { schema, key }: ArrayInfo,
  query: Query,
): Effect.Effect<string | undefined, unknown, Services> =>
  Effect.gen(function* () {
    const array = yield* TileArray.open(uri, {
      ...(key === null ? {} : { key: new TextEncoder().encode(key) }),
      ...(query.times.start === undefined ? {} : { start: Number(query.times.start) }),
      ...(query.times.end === undefined ? {} : { end: Number(query.times.end) }),
    })
    const dense = schema.array_type === "dense"
    const ranges = Object.fromEntries(
      (query.ranges ?? []).flatMap((list, i) => list === null ? [] : [[schema.dimensions[i].name, list]]),
    )
    const selection = { region: ranges, where: query.where, outOfBounds: query.outOfBounds } as const
    if (query.aggregates !== undefined) {
      for (const { field, answers } of query.aggregates) {
        const requested = Object.fromEntries(
          Object.keys(answers).map((kind) => [kind, aggregates[kind as Aggregate.AggregateKind](field)]),
        )
        const answer = yield* dense
          ? Dense.aggregate(array, requested, { ...selection, memory: 2 ** 24 })
          : Sparse.aggregate(array, requested, { ...selection, memory: 2 ** 24 })
        const difference = differenceOfAggregates(field, answers, answer)
        if (difference !== undefined) return difference
      }
      return undefined
    }
    const options = { ...selection, select: query.select, order: orders[query.layout ?? "row-major"] }
    const { cells, columns } = yield* dense
      ? Effect.map(Dense.read(array, options), ({ shape, columns }) => ({
        cells: shape.reduce((product, n) => product * n, 1),
        columns,
      }))
      : Effect.map(Sparse.read(array, options), ({ length, columns }) => ({ cells: length, columns }))
    if (query.columns === undefined) return undefined
    const expected = {
      name: "",
      layout: query.layout === "global-order" ? "row-major" as const : query.layout!,
      cells: query.cells!,
      columns: query.columns,
    }
    const difference = differenceOfRead(expected, { cells, columns }, {
      dimensions: schema.dimensions.map(({ name }) => name),
      allowsDuplicates: schema.allows_dups,
    })
    if (difference !== undefined || dense || query.layout === "unordered") return difference
    // reading in batches returns the same cells
    const batches = yield* Stream.runCollect(streamSparse(openedOf(array), { ...options, batch: 64 }))
    const parts = [...batches]
    for (const [name, column] of Object.entries(columns)) {
      const whole = columnJson(column)
      const joined = parts.flatMap((batch) => columnJson(batch.columns[name]))
      const differs = schema.allows_dups ? undefined : differenceOfJson(whole, joined)
      if (differs !== undefined) return `in batches: ${name}: ${differs}`
      if (whole.length !== joined.length) return `in batches: ${name}: ${joined.length} of ${whole.length} cells`
    }
    return undefined
  })

const { values: { only }, positionals: [folder] } = parseArgs({
  args: process.argv.slice(2),
  allowPositionals: true,
  options: { only: { type: "string" } },
})
const filter = only === undefined ? undefined : new RegExp(only)
const runtime = ManagedRuntime.make(layerDefault)
let passed = 0, failed = 0
for (const name of readdirSync(folder).sort()) {
  const path = join(folder, name, "queries.jsonl")
  if (!existsSync(path)) continue
  const [array, ...queries] = readFileSync(path, "utf8").trim().split("\n").map((line) => JSON.parse(line))
  for (const [i, query] of queries.entries()) {
    const thing = `${join(folder, name)} query ${i}`
    if (query === null || filter?.test(thing) === false) continue
    const exit = await runtime.runPromiseExit(compareQuery(join(folder, name, "array"), array, query))
    const error = Exit.isFailure(exit) ? Cause.squash(exit.cause) : undefined
    const refuses = query.refused !== undefined && refusals.includes(tagOf(error) as string)
    const failure = Exit.isSuccess(exit) ? exit.value : refuses ? undefined : describeError(error)
    if (failure === undefined) passed++
    else {
      failed++
      console.log(`FAILED ${thing}: ${failure} (${query.where})`)
    }
  }
}
await runtime.dispose()
console.log(`${passed} passed, ${failed} failed, 0 skipped`)
process.exitCode = failed === 0 ? 0 : 1
