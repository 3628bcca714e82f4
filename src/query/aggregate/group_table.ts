/**
 * Aggregates by group: cells with equal keys are aggregated together.
 */
import { ResultTooLarge, SelectionError, type SelectionReason } from "../../array/open/errors.ts"
import type { OpenedArray } from "../../array/open/open.ts"
import type { Enumeration } from "../../../schema/array/enumeration.ts"
import { type Field, fieldsOf } from "../../fragment/field.ts"
import { CellNumbers, NO_NUMBER } from "../../kernel/match/number_cells.ts"
import { sortCells } from "../../kernel/sort/sort_cells.ts"
import type { Aggregates } from "./aggregate.ts"
import type { Column } from "../column/column.ts"
import { columnPart } from "../column/slice.ts"
import { GroupKeys, keyProblem } from "./group_keys.ts"
import { permute } from "../column/permute.ts"
import { type AggregateValue, aggregateValue, FieldTotals, type RequiredAggregates } from "./accumulator.ts"

/** Groups with their aggregates, ordered by key. */
export interface GroupTable {
  readonly length: number
  /** Keys: one column per field; enumeration values for enumerated fields. */
  readonly keys: ReadonlyArray<Column>
  /** Values of each aggregate in the order of the groups, by the aggregate's name. */
  readonly aggregates: Readonly<Record<string, ReadonlyArray<AggregateValue>>>
}

/** Returns the fields to group by. Throws {@link SelectionError}. */
export const keyFields = (
  array: OpenedArray,
  by: ReadonlyArray<string>,
  aggregates: Aggregates,
): ReadonlyArray<Field> => {
  const { byName } = fieldsOf(array.schema)
  return by.map((name, i) => {
    const fail = (reason: SelectionReason, detail: string): SelectionError =>
      new SelectionError({ uri: array.uri, field: name, reason, detail })
    const field = byName.get(name)
    if (field === undefined) {
      throw fail(
        "UnknownName",
        `there is no such attribute or dimension; the array has ${[...byName.keys()].join(", ")}`,
      )
    }
    const problem = keyProblem(field)
    if (problem !== undefined) throw fail("Unsupported", problem)
    if (by.indexOf(name) < i) throw fail("Duplicate", "it is named twice")
    if (Object.hasOwn(aggregates, name)) {
      throw fail("Duplicate", "an aggregate has the same name; choose another name")
    }
    return field
  })
}

/** Limits of the groups. */
export interface GroupLimits {
  readonly groups: number
  /** Maximum size of the keys of one field, in bytes. */
  readonly bytes: number
}

/** Accumulates groups. */
export class Groups {
  readonly #uri: string
  readonly #keys: ReadonlyArray<GroupKeys>
  readonly #requested: RequiredAggregates
  readonly #limits: GroupLimits
  readonly #noun: string
  /** Groups by their key numbers. */
  readonly #numbers = new CellNumbers()
  readonly #cells: Array<number> = []
  readonly #totals: Array<ReadonlyArray<FieldTotals>> = []

  constructor(
    uri: string,
    keys: ReadonlyArray<Field>,
    enumerations: ReadonlyMap<string, Enumeration>,
    requiredAggregates: RequiredAggregates,
    limits: GroupLimits,
    noun: string,
  ) {
    this.#uri = uri
    this.#keys = keys.map((field) =>
      new GroupKeys(field, field.enumeration === undefined ? undefined : enumerations.get(field.enumeration))
    )
    this.#requested = requiredAggregates
    this.#limits = limits
    this.#noun = noun
  }

  /** Adds the cells for which the mask is 1. Throws {@link ResultTooLarge} if there are too many groups. */
  add(columns: Readonly<Record<string, Column>>, length: number, mask: Uint8Array | undefined): void {
    const group = this.#groupsOf(columns, length, mask)
    const count = this.#numbers.count
    for (let g = this.#totals.length; g < count; g++) {
      this.#cells.push(0)
      this.#totals.push([...this.#requested].map(([field, kinds]) => new FieldTotals(field, kinds)))
    }
    // sort the cells by group; cells of a group stay in their order
    const ends = new Uint32Array(count + 1)
    for (let i = 0; i < length; i++) if (group[i] !== NO_NUMBER) ends[group[i] + 1]++
    for (let g = 0; g < count; g++) {
      this.#cells[g] += ends[g + 1]
      ends[g + 1] += ends[g]
    }
    const order = new Uint32Array(ends[count])
    for (let i = 0; i < length; i++) if (group[i] !== NO_NUMBER) order[ends[group[i]]++] = i
    const fields = [...this.#requested.keys()]
    for (let f = 0; f < fields.length; f++) {
      const column = permute(columns[fields[f].name], order)
      for (let g = 0, from = 0; g < count; from = ends[g++]) {
        if (ends[g] > from) this.#totals[g][f].add(columnPart(column, from, ends[g]), undefined)
      }
    }
  }

  /** Returns the group number of each cell. */
  #groupsOf(columns: Readonly<Record<string, Column>>, length: number, mask: Uint8Array | undefined): Uint32Array {
    const { groups, bytes } = this.#limits
    const words = new Uint32Array(this.#keys.length * length)
    this.#keys.forEach((key, k) => {
      const numbers = key.numbersOf(columns[key.field.name], mask, groups, bytes)
      if (numbers === undefined) throw this.#tooMany()
      for (let i = 0, at = k; i < length; i++, at += this.#keys.length) words[at] = numbers[i]
    })
    const out = new Uint32Array(length)
    const places = { offsets: undefined, size: 4 * this.#keys.length }
    if (!this.#numbers.add(new Uint8Array(words.buffer), places, mask, out, groups, Infinity)) throw this.#tooMany()
    return out
  }

  #tooMany(): ResultTooLarge {
    const { groups, bytes } = this.#limits
    const names = this.#keys.map(({ field }) => field.name).join(", ")
    const reason =
      `${names}: there are more than ${groups} ${this.#noun}, or keys of more than ${bytes} bytes; use a coarser ` +
      "key or fewer cells, or allow more"
    return new ResultTooLarge({ uri: this.#uri, needed: groups + 1, limit: groups, detail: reason })
  }

  /** Returns all groups, ordered by key. */
  table(aggregates: Aggregates): GroupTable {
    const width = this.#keys.length
    const count = this.#numbers.count
    const words = new Uint32Array(this.#numbers.bytes.slice().buffer)
    const numbers = this.#keys.map((_, k) => Uint32Array.from({ length: count }, (_, g) => words[g * width + k]))
    const sorted = sortCells(this.#keys.map((key, k) => key.wordsOf(numbers[k])), count)
    const order = Array.from(sorted)
    return {
      length: count,
      keys: this.#keys.map((key, k) => key.columnOf(sorted.map((g) => numbers[k][g]))),
      aggregates: Object.fromEntries(
        Object.entries(aggregates).map(([name, aggregate]) => [
          name,
          order.map((g) => aggregateValue(aggregate, this.#cells[g], this.#totals[g])),
        ]),
      ),
    }
  }
}
