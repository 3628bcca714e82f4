/** Fields that extend to the end of the bytes. */
import * as Schema from "effect/Schema"
import { type Field, field, primitive } from "./field.ts"
import { BinaryIssue } from "./issue.ts"
import { itemsSteps, putItems, putItemsSteps } from "./list.ts"

/** All remaining bytes, read as a view, not a copy. */
export const restOfBytes: Field<Uint8Array> = primitive(
  () => Schema.Uint8ArrayFromSelf,
  0,
  (c) => c.bytesOf(c.remaining),
  (s, a) => s.append(a),
)

const REPEATS = "an item of zero bytes would repeat without end"

/** Items up to the end of the bytes, without a count. An item must take at least one byte. */
export const listToEnd = <A>(item: Field<A>): Field<ReadonlyArray<A>> =>
  field({
    schema: () => Schema.Array(item.schema),
    minBytes: 0,
    get: (c, self) => {
      const out: Array<A> = []
      while (c.remaining > 0) {
        const at = c.offset
        try {
          out.push(item.get(c, self))
        } catch (error) {
          if (error instanceof BinaryIssue) error.path.unshift(out.length)
          throw error
        }
        if (c.offset === at) throw new BinaryIssue(at, REPEATS)
      }
      return out
    },
    put: (s, a, self) => putItems(s, item, a, self),
    fit: (a, v, self) => a.map((x) => item.fit(x, v, self)),
    getSteps: (c, self) => {
      let last = -1
      return itemsSteps(
        item,
        (got) => {
          if (got > 0 && c.offset === last) throw new BinaryIssue(last, REPEATS)
          last = c.offset
          return c.remaining > 0
        },
        c,
        self,
      )
    },
    putSteps: (s, a, self) => putItemsSteps(s, item, a, self),
  })
