/**
 * Aggregates of fields, accumulated from columns and from tile statistics.
 */
import { invalidOption, type InvalidOptionDetails } from "../../../platform/errors.ts"
import type { ArraySchema } from "../../../schema/array/array_schema.ts"
import { cellSize } from "../../../schema/array/cell_val_num.ts"
import {
  type Datatype,
  isFloat,
  isInteger,
  isString,
  isTemporal,
  sizeOf,
  storageLimits,
  storageOf,
} from "../../../schema/array/datatype.ts"
import { isText, readScalar } from "../../../schema/array/scalar.ts"
import type { OpenedArray } from "../../array/open/open.ts"
import { SelectionError, type SelectionReason } from "../../array/open/errors.ts"
import { type Field, fieldsOf } from "../../fragment/field.ts"
import type { TileBounds } from "../../fragment/load/load_statistics.ts"
import { countKept, extremesOf, extremesOfTexts, sumCells } from "../../kernel/match/aggregate_cells.ts"
import { compareBytes } from "../../kernel/match/match_ranges.ts"
import type { Aggregate, AggregateKind, Aggregates } from "./aggregate.ts"
import type { Column } from "../column/column.ts"

/** One value of an aggregate. */
export type AggregateValue = number | bigint | string | null

/** The aggregates of one field. */
interface AggregatedField {
  readonly sum: boolean
  readonly extremes: boolean
  readonly nulls: boolean
}

/** Accumulates the aggregates of one field. */
export class FieldTotals {
  readonly field: Field
  readonly requested: AggregatedField
  /** number of non-null cells */
  #count = 0
  #nulls = 0
  #sum: number | bigint
  #low: Uint8Array | undefined
  #high: Uint8Array | undefined

  constructor(field: Field, kinds: ReadonlySet<AggregateKind>) {
    this.field = field
    this.requested = {
      sum: kinds.has("sum") || kinds.has("mean"),
      extremes: kinds.has("min") || kinds.has("max"),
      nulls: kinds.has("nullCount") || kinds.has("mean"),
    }
    this.#sum = isFloat(field.type) ? 0 : 0n
  }

  /** Adds the cells of a column for which the mask is 1. */
  add({ values, offsets, validity, length, type, cellValNum }: Column, mask: Uint8Array | undefined): void {
    const cells = countKept(mask, length)
    let valid = mask
    if (validity !== undefined) {
      valid = validity.slice()
      if (mask !== undefined) { for (let i = 0; i < length; i++) valid[i] &= mask[i] }
    }
    const count = countKept(valid, length)
    this.#count += count
    this.#nulls += cells - count
    if (this.requested.sum) this.#addSum(sumCells(values, valid))
    if (!this.requested.extremes) return
    const bytes = new Uint8Array(values.buffer, values.byteOffset, values.byteLength)
    const size = offsets === undefined ? cellSize(type, cellValNum as number) : sizeOf(type)
    const texts = offsets ?? (isText(type) ? Uint32Array.from({ length: length + 1 }, (_, i) => i * size) : undefined)
    const { minAt, maxAt } = texts === undefined ? extremesOf(values, valid) : extremesOfTexts(bytes, texts, valid)
    const at = (i: number): Uint8Array =>
      texts === undefined ? bytes.subarray(i * size, (i + 1) * size) : bytes.subarray(texts[i], texts[i + 1])
    if (minAt >= 0) this.#addBounds(at(minAt), at(maxAt))
  }

  /** Returns whether the statistics of a tile suffice for all aggregates of the field. */
  hasStatistics(existing: TileBounds, tile: number, cells: number): boolean {
    if (existing.nullsIn(tile) >= cells) return true
    return (!this.requested.sum || existing.sumOf(tile) !== undefined) &&
      (!this.requested.extremes || existing.boundsOf(tile) !== undefined)
  }

  /** Adds the cells of a whole tile by its statistics. */
  addTile(existing: TileBounds, tile: number, cells: number): void {
    const nulls = existing.nullsIn(tile)
    this.#count += cells - nulls
    this.#nulls += nulls
    if (nulls >= cells) return
    if (this.requested.sum) this.#addSum(existing.sumOf(tile)!)
    if (!this.requested.extremes) return
    const { low, high } = existing.boundsOf(tile)!
    this.#addBounds(low, high)
  }

  #addSum(sum: number | bigint): void {
    if (typeof sum === "bigint") this.#sum = (this.#sum as bigint) + sum
    else this.#sum = (this.#sum as number) + sum
  }

  #addBounds(low: Uint8Array, high: Uint8Array): void {
    if (this.#low === undefined || this.#compare(low, this.#low) < 0) this.#low = low.slice()
    if (this.#high === undefined || this.#compare(high, this.#high) > 0) this.#high = high.slice()
  }

  #compare(a: Uint8Array, b: Uint8Array): number {
    const { type } = this.field
    if (isText(type)) return compareBytes(a, b)
    const [x, y] = [readScalar(type, a), readScalar(type, b)]
    return x < y ? -1 : x > y ? 1 : 0
  }

  #value(bytes: Uint8Array | undefined): AggregateValue {
    if (bytes === undefined) return null
    const { type } = this.field
    return isText(type) ? new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes) : readScalar(type, bytes)
  }

  /** Returns the value of an aggregate. */
  valueOf(kind: AggregateKind): AggregateValue {
    switch (kind) {
      case "sum": {
        if (typeof this.#sum === "number") return this.#sum
        const [low, high] = storageLimits[storageOf(this.field.type).startsWith("uint") ? "uint64" : "int64"]
        return this.#sum < low ? low : this.#sum > high ? high : this.#sum
      }
      case "mean":
        return this.#count === 0 ? null : Number(this.#sum) / this.#count
      case "min":
        return this.#value(this.#low)
      case "max":
        return this.#value(this.#high)
      case "nullCount":
        return this.#nulls
      case "count":
        return this.#count
    }
  }
}

/** Totals of a read: the number of cells and the totals of each field. */
export interface Totals {
  cells: number
  readonly fields: ReadonlyArray<FieldTotals>
  readonly values: () => Readonly<Record<string, AggregateValue>>
}

/** Returns why an aggregate does not apply to a field; `undefined` if it does. */
const problemOf = ({ type, cellValNum, var: isVar }: Field, kind: AggregateKind): string | undefined => {
  const single = !isVar && cellValNum === 1
  const text = type === "string_ascii" || type === "string_utf8" || (type === "char" && isVar)
  if (kind === "nullCount") return undefined
  if (kind === "min" || kind === "max") {
    if (text || (single && (isInteger(type) || isFloat(type) || isTemporal(type) || type === "bool"))) return undefined
    return `${kind} does not support ${type}${single ? "" : " with several values per cell"}`
  }
  if (single && (isInteger(type) || isFloat(type) || type === "bool")) return undefined
  const several = single || isString(type) ? "" : ", and its cells have several values"
  return `${kind} does not support ${type}${several}; expected a numeric field with one value per cell`
}

/** Returns the datatype of an aggregate's value, for display. */
export const aggregateType = (schema: ArraySchema, { kind, field }: Aggregate): Datatype => {
  if (kind === "count" || kind === "nullCount") return "uint64"
  const { type } = fieldsOf(schema).byName.get(field)!
  if (kind === "min" || kind === "max") return type
  return kind === "mean" || isFloat(type) ? "float64" : storageOf(type).startsWith("uint") ? "uint64" : "int64"
}

/** Required aggregates by field. */
export type RequiredAggregates = ReadonlyMap<Field, ReadonlySet<AggregateKind>>

const allKinds: ReadonlyArray<string> = ["count", "sum", "min", "max", "mean", "nullCount"] satisfies Array<
  AggregateKind
>

/** Checks the form of `aggregates`. Throws `InvalidOption`. */
const checkForm = (uri: string, aggregates: unknown): void => {
  const fail = (detail: string, value: unknown, details?: InvalidOptionDetails): never => {
    throw invalidOption(uri, "aggregates", detail, value, details)
  }
  if (typeof aggregates !== "object" || aggregates === null || Array.isArray(aggregates)) {
    return fail('aggregates are an object with a name for each: { deepest: Aggregate.max("depth") }', aggregates)
  }
  for (const [name, item] of Object.entries(aggregates)) {
    if (typeof item !== "object" || item === null) {
      fail(`${name}: this is not an aggregate; create one with Aggregate, such as Aggregate.max("depth")`, item)
    }
    if (!allKinds.includes(item.kind)) {
      const detail = `${name}: there is no aggregate ${String(item.kind)}; there are ${allKinds.join(", ")}`
      fail(detail, item.kind, { accepted: allKinds })
    }
    if (typeof item.field !== "string") {
      fail(`${name}: the field is missing; pass a name to Aggregate.${item.kind}`, item.field)
    }
  }
}

/** Returns the kinds of aggregates by field. Throws {@link SelectionError} or `InvalidOption`. */
export const requiredAggregates = (array: OpenedArray, aggregates: Aggregates): RequiredAggregates => {
  checkForm(array.uri, aggregates)
  const { byName } = fieldsOf(array.schema)
  const kinds = new Map<Field, Set<AggregateKind>>()
  for (const [name, { kind, field: request }] of Object.entries<Aggregate>(aggregates)) {
    if (kind === "count") continue
    const field = byName.get(request)
    const fail = (reason: SelectionReason, detail: string): SelectionError =>
      new SelectionError({ uri: array.uri, field: request, reason, detail: `${name}: ${detail}` })
    if (field === undefined) {
      throw fail(
        "UnknownName",
        `there is no such attribute or dimension; the array has ${[...byName.keys()].join(", ")}`,
      )
    }
    const problem = problemOf(field, kind)
    if (problem !== undefined) throw fail("Unsupported", problem)
    kinds.set(field, (kinds.get(field) ?? new Set<AggregateKind>()).add(kind))
  }
  return kinds
}

/** Returns the value of an aggregate, from the number of cells and the totals of the fields. */
export const aggregateValue = (
  { kind, field }: Aggregate,
  cells: number,
  totals: ReadonlyArray<FieldTotals>,
): AggregateValue => kind === "count" ? cells : totals.find((total) => total.field.name === field)!.valueOf(kind)

/** Creates empty totals for aggregates. Throws {@link SelectionError} or `InvalidOption`. */
export const totalsOf = (array: OpenedArray, aggregates: Aggregates): Totals => {
  const fields = [...requiredAggregates(array, aggregates)].map(([field, kinds]) => new FieldTotals(field, kinds))
  const byName = new Map(fields.map((field) => [field.field.name, field]))
  const totals: Totals = {
    cells: 0,
    fields,
    values: () =>
      Object.fromEntries(
        Object.entries<Aggregate>(aggregates).map(([name, aggregate]) => {
          const own = byName.get(aggregate.field)
          return [name, aggregateValue(aggregate, totals.cells, own === undefined ? [] : [own])]
        }),
      ),
  }
  return totals
}
