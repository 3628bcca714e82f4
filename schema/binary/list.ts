/** Items one after the other. What goes wrong in one of them is told with its index. */
import * as Schema from "effect/Schema"
import type { Cursor } from "./cursor.ts"
import { type Field, field } from "./field.ts"
import { BinaryIssue } from "./issue.ts"
import type { Sink } from "./sink.ts"

/** Items behind their count. */
export const list = <A>(count: Field<number>, item: Field<A>): Field<ReadonlyArray<A>> =>
  field({
    schema: () => Schema.Array(item.schema),
    least: count.least,
    get: (c, self) => {
      const n = count.get(c, self)
      c.checkCount(n, Math.max(1, item.least))
      return items(item, n, c, self)
    },
    put: (s, a, self) => {
      count.put(s, a.length, self)
      putItems(s, item, a, self)
    },
    fit: (a, v, self) => a.map((x) => item.fit(x, v, self)),
    getSteps: function* (c, self) {
      const n = count.get(c, self)
      c.checkCount(n, Math.max(1, item.least))
      return yield* itemsSteps(item, (got) => got < n, c, self)
    },
    putSteps: function* (s, a, self) {
      count.put(s, a.length, self)
      yield* putItemsSteps(s, item, a, self)
    },
  })

/** Items whose number follows from the fields before them. */
export const listOf = <A>(
  // deno-lint-ignore no-explicit-any
  count: (self: any, version: number) => number,
  item: Field<A>,
  /** makes up items for `fit` when there are too few */
  blank: () => A,
): Field<ReadonlyArray<A>> =>
  field({
    schema: () => Schema.Array(item.schema),
    least: 0,
    get: (c, self) => {
      const n = count(self, c.version)
      c.checkCount(n, Math.max(1, item.least))
      return items(item, n, c, self)
    },
    put: (s, a, self) => {
      const n = count(self, s.version)
      if (a.length !== n) throw new BinaryIssue(s.offset, `${a.length} items where ${n} belong`)
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

/** Writes items one after the other; what goes wrong is told with the item's index. */
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

/** Items that are read or written between two yields. */
const STEP = 256

/** Reads items in steps while `more` says so, which gets their number so far. */
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
    if (out.length % STEP === 0) yield
  }
  return out
}

/** As {@link putItems}, in steps. */
export function* putItemsSteps<A>(
  s: Sink,
  item: Field<A>,
  values: ReadonlyArray<A>,
  self: unknown,
): Generator<void, void, void> {
  for (let i = 0; i < values.length; i++) {
    try {
      // most items are small, and a generator for each would take longer than they do
      if (item.putSteps === undefined || item.isLong?.(values[i]) === false) item.put(s, values[i], self)
      else yield* item.putSteps(s, values[i], self)
    } catch (error) {
      if (error instanceof BinaryIssue) error.path.unshift(i)
      throw error
    }
    if (i % STEP === STEP - 1) yield
  }
}
