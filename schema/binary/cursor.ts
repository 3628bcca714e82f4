import { BinaryIssue } from "./issue.ts"

/**
 * A read position in a buffer, together with the format version: the input of fields.
 *
 * ```ts
 * import { type Cursor, decode, encode, type Field, type Sink } from "@tessera/array/schema"
 * import { assertEquals } from "@std/assert"
 * import * as Schema from "effect/Schema"
 *
 * const byte: Field<number> = {
 *   schema: Schema.Number,
 *   minBytes: 1,
 *   get: (cursor: Cursor) => cursor.bytes[cursor.take(1)],
 *   put: (sink: Sink, value) => sink.append(Uint8Array.of(value)),
 *   fit: (value) => value,
 * }
 * assertEquals(decode(byte, encode(byte, 7, 22), 22, "mem://a"), 7)
 * ```
 */
export class Cursor {
  /** A view of the whole buffer. */
  readonly view: DataView
  /** The current position in bytes. */
  offset = 0

  /** Creates a cursor at the start of the bytes. */
  constructor(readonly bytes: Uint8Array, readonly version: number) {
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  }

  /** The number of unread bytes. */
  get remaining(): number {
    return this.bytes.byteLength - this.offset
  }

  /** Advances by `n` bytes and returns the previous position. */
  take(n: number): number {
    const at = this.offset
    if (!(n <= this.bytes.byteLength - at)) {
      throw new BinaryIssue(at, `need ${n} bytes, ${this.bytes.byteLength - at} left`)
    }
    this.offset = at + n
    return at
  }

  /** Returns a view (not a copy) of the next `n` bytes. */
  bytesOf(n: number): Uint8Array {
    const at = this.take(n)
    return this.bytes.subarray(at, at + n)
  }

  /**
   * Rejects a count of items, at `minBytes` bytes each, that exceeds the unread bytes, before memory is allocated for
   * it.
   */
  checkCount(count: number, minBytes: number): void {
    if (count * minBytes > this.remaining) {
      throw new BinaryIssue(this.offset, `a count of ${count} cannot fit into the ${this.remaining} bytes left`)
    }
  }
}
