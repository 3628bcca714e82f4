/** Runs all read operations on an array or group, and records their outcomes. */
import { nonEmptyDomain } from "../../src/array/describe/non_empty_domain.ts"
import { describeOpenFragments } from "../../src/array/describe/fragment_descriptions.ts"
import { openedOf } from "../../src/array/open/handle.ts"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Stream from "effect/Stream"
import { Cells, Dense, Group, Metadata, Sparse, TileArray } from "../../mod.ts"
import { Codecs } from "../../platform/codecs/service.ts"
import { Storage } from "../../platform/storage/service.ts"
import { makeMemoryStorage } from "../../platform/storage/memory.ts"
import {
  describeEnumerations,
  describeFragments,
  describeMetadata,
  describeRanges,
  describeSchema,
} from "../../src/array/describe/describe.ts"
import type { Column } from "../../src/query/column/column.ts"
import type { StreamOptions } from "../../src/query/options/read_options.ts"
import type { RegionInput } from "../../src/query/selection/selection.ts"
import type { Subject } from "./subjects.ts"

/** The columns of a read, or of consecutive batches. */
export interface CellsRead {
  readonly dense: boolean
  /** The number of cells and the columns of each batch. */
  readonly batches: ReadonlyArray<{ readonly cells: number; readonly columns: Readonly<Record<string, Column>> }>
}

/** The outcome of an operation: a result, a typed error, or a defect. */
export type Outcome =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "cells"; readonly cells: CellsRead }
  | { readonly kind: "error"; readonly error: { readonly _tag?: unknown; readonly message?: unknown } }
  | { readonly kind: "defect"; readonly stack: string }

/** Outcomes by operation: `open`, `schema`, `read row`… */
export type Seen = ReadonlyMap<string, Outcome>

/** The parameters shared by all visits of a subject. */
export interface Plan {
  /** The ranges of partial reads; `undefined` if the domain is unknown. */
  readonly ranges: RegionInput | undefined
  /** The budget of the streams. */
  readonly memory: number
}

/** The maximum size of results in bytes, as for a reader of untrusted arrays. */
export const MAX_BYTES = 2 ** 26
/** The memory budget of streams in bytes; indivisible reads report their required memory. */
export const MEMORY = 2 ** 16

const stackOf = (error: unknown): string => error instanceof Error ? error.stack ?? error.message : String(error)

const text = (value: unknown): Outcome => ({
  kind: "text",
  text: JSON.stringify(value, (_, v) => typeof v === "bigint" ? String(v) : v),
})

const cells = (dense: boolean, batches: CellsRead["batches"]): Outcome => ({ kind: "cells", cells: { dense, batches } })

/** Visits a subject. */
export const visit = async (
  { path, kind, key }: Pick<Subject, "path" | "kind" | "key">,
  files: ReadonlyMap<string, Uint8Array>,
  codecs: Codecs,
  plan: Plan,
): Promise<Seen> => {
  const seen = new Map<string, Outcome>()
  const services = Context.add(Context.make(Storage, makeMemoryStorage(new Map(files))), Codecs, codecs)
  const uri = `mem://${path}`
  const options = key === undefined ? {} : { key }
  const step = async <A, E>(
    name: string,
    effect: Effect.Effect<A, E, Storage | Codecs>,
    outcome: (value: A) => Outcome,
  ): Promise<A | undefined> => {
    const exit = await Effect.runPromiseExit(Effect.provide(effect, services))
    if (Exit.isSuccess(exit)) {
      try {
        seen.set(name, outcome(exit.value))
        return exit.value
      } catch (error) {
        seen.set(name, { kind: "defect", stack: stackOf(error) })
        return undefined
      }
    }
    const error = Cause.squash(exit.cause)
    if (Cause.isFailure(exit.cause) && !Cause.isDie(exit.cause)) {
      seen.set(name, { kind: "error", error: error as { readonly _tag?: unknown } })
    } else seen.set(name, { kind: "defect", stack: stackOf(error) })
    return undefined
  }

  if (kind === "group") {
    const group = await step("open", Group.open(uri, options), ({ members }) => text(members))
    await step("list", Group.tree(uri, options), text)
    if (group === undefined) return seen
    await step("metadata", Group.metadata(group), (items) => (Metadata.values(items), text(describeMetadata(items))))
    return seen
  }

  const array = await step("open", TileArray.open(uri, options), () => text("open"))
  if (array === undefined) return seen
  const { schema } = array
  const now = <A>(name: string, say: () => A) => step(name, Effect.succeed(undefined), () => text(say()))
  await now("schema", () => describeSchema(schema))
  await now("domain", () => {
    const domain = nonEmptyDomain(openedOf(array))
    return domain === undefined ? null : describeRanges(schema, domain)
  })
  await step("fragments", describeOpenFragments(openedOf(array)), (value) => text(describeFragments(schema, value)))
  await step("metadata", TileArray.metadata(array), (items) => (Metadata.values(items), text(describeMetadata(items))))
  await step("enumerations", TileArray.enumerations(array), (value) => text(describeEnumerations(value)))

  const dense = schema.arrayType === "dense"
  const read = async (name: string, options: StreamOptions): Promise<void> => {
    const all = { memory: MAX_BYTES, ...options }
    const one = dense
      ? Effect.map(Dense.read(array as never, all as never), ({ shape, fields }) => ({
        cells: shape.reduce((product, n) => product * n, 1),
        columns: fields,
      }))
      : Effect.map(
        Sparse.read(array as never, all as never),
        ({ length, fields }) => ({ cells: length, columns: fields }),
      )
    const batch = await step(name, one, (cellsRead) => cells(dense, [cellsRead]))
    const coded = Object.values(batch?.columns ?? {}).some((column) => column.enumeration !== undefined)
    if (batch === undefined || !coded) return
    await step(
      `${name}, resolved`,
      Cells.resolveAll(array, batch.columns, MAX_BYTES),
      (columns) => cells(dense, [{ cells: batch.cells, columns }]),
    )
  }
  const stream = (name: string, options: StreamOptions): Promise<unknown> => {
    const all = { memory: plan.memory, ...options } as never
    const batches: Stream.Stream<CellsRead["batches"][number], unknown, Storage | Codecs> = dense
      ? Stream.map(Dense.stream(array as never, all), ({ shape, fields }) => ({
        cells: shape.reduce((product, n) => product * n, 1),
        columns: fields,
      }))
      : Stream.map(Sparse.stream(array as never, all), ({ length, fields }) => ({ cells: length, columns: fields }))
    // a damaged array may claim to be large: stop at the maximum size of a read
    let bytes = 0
    const some = Stream.takeUntil(batches, ({ columns }) => {
      for (const { values } of Object.values(columns)) bytes += values.byteLength
      return bytes > MAX_BYTES
    })
    return step(name, Stream.runCollect(some), (all) => cells(dense, [...all]))
  }
  const { ranges } = plan
  await read("read row", {})
  await read("read col", { order: "col" })
  await read("read global", { order: "global" })
  await read("read unordered", { order: "unordered" })
  if (dense) await read("read coordinates", { select: schema.dimensions.map((d) => d.name) })
  if (ranges !== undefined) await read("read part", { region: ranges })
  await stream("stream row", { order: "row" })
  await stream("stream unordered", { order: "unordered" })
  if (ranges !== undefined) await stream("stream part", { region: ranges, order: "row" })
  return seen
}

/** Returns a part of an array: in each dimension, the lower half of the original non-empty domain. */
export const partOf = (seen: Seen): RegionInput | undefined => {
  const [schema, domain] = [seen.get("schema"), seen.get("domain")]
  if (schema?.kind !== "text" || domain?.kind !== "text" || domain.text === "null") return undefined
  const bounds = JSON.parse(domain.text) as ReadonlyArray<readonly [unknown, unknown]>
  const { dimensions } = JSON.parse(schema.text) as { dimensions: ReadonlyArray<{ name: string; type: string }> }
  const out: Record<string, readonly [string | number | bigint, string | number | bigint]> = {}
  dimensions.forEach(({ name, type }, d) => {
    const [low, high] = bounds[d]
    if (typeof low === "number" && typeof high === "number") {
      const middle = low + (high - low) / 2
      out[name] = [low, /^float/.test(type) ? Math.fround(middle) : Math.floor(middle)]
    } else if (typeof low === "string" && typeof high === "string") {
      if (!/^-?\d+$/.test(low) || /^(char|string)/.test(type)) out[name] = [low, high]
      else out[name] = [BigInt(low), (BigInt(low) + BigInt(high)) / 2n]
    }
  })
  return out as RegionInput
}
