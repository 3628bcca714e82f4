/** Lists of items. Errors contain the index of the item. */
import * as Schema from "effect/Schema"
import type { Cursor } from "./cursor.ts"
import { type Field, field } from "./field.ts"
import { BinaryIssue } from "./issue.ts"
import type { Sink } from "./sink.ts"

/** Items with their count before them. */
export const list = <A>(count: Field<number>, item: Field<A>): Field<ReadonlyArray<A>> =>
  field({
    schema: () => Schema.Array(item.schema),
    minBytes: count.minBytes,
    get: (c, self) => {
      const n = count.get(c, self)
      c.checkCount(n, Math.max(1, item.minBytes))
      return items(item, n, c, self)
    },
    put: (s, a, self) => {
      count.put(s, a.length, self)
      putItems(s, item, a, self)
    },
    fit: (a, v, self) => a.map((x) => item.fit(x, v, self)),
    getSteps: function* (c, self) {
      const n = count.get(c, self)
      c.checkCount(n, Math.max(1, item.minBytes))
      return yield* itemsSteps(item, (got) => got < n, c, self)
    },
    putSteps: function* (s, a, self) {
      count.put(s, a.length, self)
      yield* putItemsSteps(s, item, a, self)
    },
  })

/** Items whose number depends on earlier fields. */
export const listOf = <A>(
  // deno-lint-ignore no-explicit-any
  count: (self: any, version: number) => number,
  item: Field<A>,
  /** Creates additional items for `fit`. */
  blank: () => A,
): Field<ReadonlyArray<A>> =>
  field({
    schema: () => Schema.Array(item.schema),
    minBytes: 0,
    get: (c, self) => {
      const n = count(self, c.version)
      c.checkCount(n, Math.max(1, item.minBytes))
      return items(item, n, c, self)
    },
    put: (s, a, self) => {
      const n = count(self, s.version)
      if (a.length !== n) throw new BinaryIssue(s.offset, `${a.length} items; expected ${n}`)
      putItems(s, item, a, self)
    },
    fit: (a, v, self) => {
      const n = count(self, v)
      return Array.from({ length: n }, (_, i) => item.fit(i < a.length ? a[i] : blank(), v, self))
    },
  })

const items = <A>(item: Field<A>, n: number, c: Cursor, self: unknown): Array<A> => {
  const out: Array<A> = []
  for (let i = 0; i < n; i++) {
    try {
      out.push(item.get(c, self))
    } catch (error) {
      if (error instanceof BinaryIssue) error.path.unshift(i)
      throw error
    }
  }
  return out
}

/** Writes items in order; errors contain the index of the item. */
export const putItems = <A>(s: Sink, item: Field<A>, values: ReadonlyArray<A>, self: unknown): void => {
  for (let i = 0; i < values.length; i++) {
    try {
      item.put(s, values[i], self)
    } catch (error) {
      if (error instanceof BinaryIssue) error.path.unshift(i)
      throw error
    }
  }
}

/** The number of items read or written between two yields. */
const STEP_ITEMS = 256

/** Reads items in steps while `more`, called with the number of items read, returns true. */
export function* itemsSteps<A>(
  item: Field<A>,
  more: (got: number) => boolean,
  c: Cursor,
  self: unknown,
): Generator<void, Array<A>, void> {
  const out: Array<A> = []
  while (more(out.length)) {
    try {
      out.push(item.getSteps === undefined ? item.get(c, self) : yield* item.getSteps(c, self))
    } catch (error) {
      if (error instanceof BinaryIssue) error.path.unshift(out.length)
      throw error
    }
    if (out.length % STEP_ITEMS === 0) yield
  }
  return out
}

/** Writes items like {@link putItems}, in steps. */
export function* putItemsSteps<A>(
  s: Sink,
  item: Field<A>,
  values: ReadonlyArray<A>,
  self: unknown,
): Generator<void, void, void> {
  for (let i = 0; i < values.length; i++) {
    try {
      // most items are small: a generator for each would take longer than writing it
      if (item.putSteps === undefined || item.isLong?.(values[i]) === false) item.put(s, values[i], self)
      else yield* item.putSteps(s, values[i], self)
    } catch (error) {
      if (error instanceof BinaryIssue) error.path.unshift(i)
      throw error
    }
    if (i % STEP_ITEMS === STEP_ITEMS - 1) yield
  }
}
