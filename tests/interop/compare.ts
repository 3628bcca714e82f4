/**
 * Compares the real engine's record with the results of tessera: everything that the fixtures record, and in addition
 * reads in all orders and time ranges (`interop_reads`, `interop_times`).
 *
 *     deno run -A tests/interop/compare.ts DIR [--codecs native|portable] [--only REGEX]
 */
import { nonEmptyDomain } from "../../src/array/describe/non_empty_domain.ts"
import { openedOf } from "../../src/array/open/handle.ts"
import * as Cause from "effect/Cause"
import type * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as ManagedRuntime from "effect/ManagedRuntime"
import { join } from "node:path"
import process from "node:process"
import { parseArgs } from "node:util"
import { Dense, Sparse, TileArray } from "../../mod.ts"
import { type Codecs, layerDefault, layerDefaultPortable, type StorageService } from "../../platform/mod.ts"
import { describeMetadata, describeRanges, describeSchema, type Json } from "../../src/array/describe/describe.ts"
import { makeEngine } from "../golden/adapter.ts"
import { checkCase, type Outcome } from "../golden/check_case.ts"
import { type Cells, differenceOfJson, differenceOfRead } from "../golden/compare.ts"
import { type ExpectedArray, type ExpectedRead, findCases, loadCase } from "../golden/expected.ts"

/** A timestamp, or a range of timestamps, in milliseconds. */
interface Times {
  readonly timestamp_start?: string
  readonly timestamp_end?: string
}

/** A read that the format of the fixtures cannot describe. */
export type InteropRead = Omit<ExpectedRead, "layout" | "timestamp_end"> & Times & {
  readonly layout: "row-major" | "col-major" | "global-order" | "unordered"
  readonly outOfBounds?: "clip"
  /** dense arrays: also reads the coordinates of the cells */
  readonly coordinates?: true
}

/** The state of an array at another time. */
interface InteropTimes extends Times {
  readonly schema: Json
  readonly metadata: Json
  readonly non_empty_domain: Json
}

export interface InteropArray extends ExpectedArray {
  readonly interop_reads: ReadonlyArray<InteropRead>
  readonly interop_times: ReadonlyArray<InteropTimes>
}

const orders = { "row-major": "row", "col-major": "col", "global-order": "global", unordered: "unordered" } as const

const describeError = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  const tag = (error as { readonly _tag?: unknown })._tag
  return typeof tag === "string" ? `${tag}: ${error.message}` : error.stack ?? error.message
}

/** Compares all cases below a folder; yields one outcome per comparison. */
export async function* compareAll(
  folder: string,
  codecs: "native" | "portable",
  only?: RegExp,
): AsyncGenerator<Outcome> {
  const engine = makeEngine(codecs)
  const runtime = ManagedRuntime.make(codecs === "native" ? layerDefault : layerDefaultPortable)
  const run = async <A, E>(effect: Effect.Effect<A, E, StorageService | Codecs>): Promise<A> => {
    const exit = await runtime.runPromiseExit(effect)
    if (Exit.isSuccess(exit)) return exit.value
    throw Cause.squash(exit.cause)
  }
  const open = (uri: string, key: string | null, times: Times) =>
    run(TileArray.open(uri, {
      ...(key === null ? {} : { key: new TextEncoder().encode(key) }),
      ...(times.timestamp_start === undefined ? {} : { start: Number(times.timestamp_start) }),
      ...(times.timestamp_end === undefined ? {} : { end: Number(times.timestamp_end) }),
    }))

  const read = async (uri: string, key: string | null, expected: ExpectedArray, read: InteropRead) => {
    const array = await open(uri, key, read)
    const ranges: Record<string, NonNullable<NonNullable<InteropRead["ranges"]>[number]>> = Object.create(null)
    read.ranges?.forEach((list, i) => {
      if (list !== null) ranges[expected.schema.dimensions[i].name] = list
    })
    const request = {
      region: ranges,
      order: orders[read.layout],
      ...(read.outOfBounds === undefined ? {} : { outOfBounds: read.outOfBounds }),
    }
    const names = [...expected.schema.dimensions, ...array.schema.attributes].map(({ name }) => name)
    const select = read.coordinates === true ? { select: names } : {}
    let cells: Cells
    if (expected.schema.array_type === "sparse") {
      const { length, columns } = await run(Sparse.read(array, request))
      cells = { cells: length, columns }
    } else {
      const { shape, columns } = await run(Dense.read(array, { ...request, ...select }))
      cells = { cells: shape.reduce((product, n) => product * n, 1), columns }
    }
    // the engine failed, so there is no expected result, but tessera must be able to read it
    if (read.columns === undefined) return undefined
    // the comparison supports row-major, column-major and unordered results
    const layout = read.layout === "global-order" ? "row-major" : read.layout
    const { timestamp_start: _, ...rest } = read
    return differenceOfRead({ ...rest, layout }, cells, {
      dimensions: expected.schema.dimensions.map(({ name }) => name),
      allowsDuplicates: expected.schema.allows_dups,
    })
  }

  const at = async (uri: string, key: string | null, times: InteropTimes) => {
    const array = await open(uri, key, times)
    const domain = nonEmptyDomain(openedOf(array))
    return differenceOfJson(
      { schema: times.schema, metadata: times.metadata, non_empty_domain: times.non_empty_domain },
      {
        schema: describeSchema(array.schema),
        metadata: describeMetadata(await run(TileArray.metadata(array))),
        non_empty_domain: domain === undefined ? null : describeRanges(array.schema, domain),
      },
    )
  }

  const outcome = async (uri: string, thing: string, check: () => Promise<string | undefined>): Promise<Outcome> => {
    let failure: string | undefined
    try {
      failure = await check()
    } catch (error) {
      failure = describeError(error)
    }
    return failure === undefined ? { uri, thing } : { uri, thing, failure }
  }

  try {
    for (const path of findCases(folder)) {
      const recorded = loadCase(path)
      yield* checkCase(recorded, engine, only)
      for (const [name, object] of Object.entries(recorded.objects)) {
        if (object.kind !== "array" || "error" in object) continue
        const expected = object as InteropArray
        const uri = join(recorded.folder, name)
        const things = [
          ...expected.interop_reads.map((r) =>
            [`read ${r.name} ${r.layout}`, () => read(uri, recorded.key, expected, r)] as const
          ),
          ...expected.interop_times.map((t, i) => [`at time ${i}`, () => at(uri, recorded.key, t)] as const),
        ]
        for (const [thing, check] of things) {
          if (only !== undefined && !only.test(`${uri}: ${thing}`)) continue
          yield await outcome(uri, thing, check)
        }
      }
    }
  } finally {
    await runtime.dispose()
  }
}

const main = async (): Promise<void> => {
  const { values, positionals } = parseArgs({
    args: process.argv.slice(2),
    allowPositionals: true,
    options: { codecs: { type: "string", default: "native" }, only: { type: "string" } },
  })
  const codecs = values.codecs === "portable" ? "portable" : "native"
  let passed = 0, failed = 0
  const folders = new Set<string>()
  for (const folder of positionals) {
    for await (
      const { uri, thing, failure } of compareAll(folder, codecs, values.only && new RegExp(values.only) || undefined)
    ) {
      if (failure === undefined) passed++
      else {
        failed++
        folders.add(uri)
        console.log(`FAILED ${uri}: ${thing}: ${failure}`)
      }
    }
  }
  console.log(`${passed} passed, ${failed} failed, 0 skipped`)
  process.exitCode = failed === 0 ? 0 : 1
}

if (import.meta.main) await main()
