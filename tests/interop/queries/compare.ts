/**
 * Compares what the engine answered to random queries with what we answer.
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

/** What there is to say of an array: the first line. */
interface Asked {
  readonly schema: ExpectedSchema
  readonly key: string | null
}

/** Text that is shown as bytes; a number that is only about right, or anything. */
type Special = { readonly hex: string } | { readonly value: number | string; readonly about?: number }

/** A query and its answer: the other lines. */
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
  /** Why the engine, or its parser, does not answer: then we may, or refuse as well. */
  readonly refused?: string
}

type Services = StorageService | Codecs
const orders = { "row-major": "row", "col-major": "col", "global-order": "global", unordered: "unordered" } as const
/** Errors that refuse a query. */
const refusals = ["ConditionError", "SelectionError"]

const tagOf = (error: unknown): unknown => (error as { readonly _tag?: unknown } | undefined)?._tag

const say = (error: unknown): string =>
  typeof tagOf(error) === "string"
    ? `${tagOf(error)}: ${(error as Error).message}`
    : (error as Error)?.stack ?? `${error}`

const asked: Readonly<Record<Aggregate.AggregateKind, (field: string) => Aggregate.Aggregate>> = {
  count: () => Aggregate.count(),
  sum: Aggregate.sum,
  min: Aggregate.min,
  max: Aggregate.max,
  mean: Aggregate.mean,
  nullCount: Aggregate.nullCount,
}

/** The first aggregate that is another. */
const differenceOfAggregates = (
  field: string,
  expected: NonNullable<Query["aggregates"]>[number]["answers"],
  actual: Readonly<Record<string, unknown>>,
): string | undefined => {
  for (const [kind, wanted] of Object.entries(expected)) {
    const is = actual[kind]
    const its = typeof is === "bigint" ? String(is) : typeof is === "number" && !Number.isFinite(is) ? String(is) : is
    if (typeof wanted === "object" && wanted !== null && "hex" in wanted) {
      const text = new TextDecoder().decode(
        Uint8Array.from(wanted.hex.match(/../g) ?? [], (byte) => parseInt(byte, 16)),
      )
      if (text !== its) return `${kind} of ${field}: expected ${JSON.stringify(text)}, got ${JSON.stringify(its)}`
      continue
    }
    if (typeof wanted === "object" && wanted !== null) {
      if (wanted.value === "any" || Object.is(wanted.value, its)) continue
      if (typeof its === "number" && Math.abs(its - Number(wanted.value)) <= (wanted.about ?? 0)) continue
      return `${kind} of ${field}: expected about ${wanted.value}, got ${its}`
    }
    const difference = differenceOfJson(wanted, its)
    // 0 and −0 are equally small
    if (difference !== undefined && !(wanted === 0 && its === 0)) return `${kind} of ${field}: ${difference}`
  }
  return undefined
}

const ask = (
  uri: string,
  { schema, key }: Asked,
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
    const what = { region: ranges, where: query.where, outOfBounds: query.outOfBounds } as const
    if (query.aggregates !== undefined) {
      for (const { field, answers } of query.aggregates) {
        const wanted = Object.fromEntries(
          Object.keys(answers).map((kind) => [kind, asked[kind as Aggregate.AggregateKind](field)]),
        )
        const answer = yield* dense
          ? Dense.aggregate(array, wanted, { ...what, memory: 2 ** 24 })
          : Sparse.aggregate(array, wanted, { ...what, memory: 2 ** 24 })
        const difference = differenceOfAggregates(field, answers, answer)
        if (difference !== undefined) return difference
      }
      return undefined
    }
    const options = { ...what, select: query.select, order: orders[query.layout ?? "row-major"] }
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
    // in batches it is the same
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
const wanted = only === undefined ? undefined : new RegExp(only)
const runtime = ManagedRuntime.make(layerDefault)
let passed = 0, failed = 0
for (const name of readdirSync(folder).sort()) {
  const path = join(folder, name, "queries.jsonl")
  if (!existsSync(path)) continue
  const [array, ...queries] = readFileSync(path, "utf8").trim().split("\n").map((line) => JSON.parse(line))
  for (const [i, query] of queries.entries()) {
    const thing = `${join(folder, name)} query ${i}`
    if (query === null || wanted?.test(thing) === false) continue
    const exit = await runtime.runPromiseExit(ask(join(folder, name, "array"), array, query))
    const error = Exit.isFailure(exit) ? Cause.squash(exit.cause) : undefined
    const refuses = query.refused !== undefined && refusals.includes(tagOf(error) as string)
    const failure = Exit.isSuccess(exit) ? exit.value : refuses ? undefined : say(error)
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
