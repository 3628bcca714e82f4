import { BinaryIssue } from "./issue.ts"

/**
 * A read position in one buffer, carrying the format version by which it is read: what fields read from.
 *
 * ```ts
 * import { type Cursor, decode, encode, type Field, type Sink } from "@tessera/array/schema"
 * import { assertEquals } from "@std/assert"
 * import * as Schema from "effect/Schema"
 *
 * const byte: Field<number> = {
 *   schema: Schema.Number,
 *   least: 1,
 *   get: (cursor: Cursor) => cursor.bytes[cursor.take(1)],
 *   put: (sink: Sink, value) => sink.append(Uint8Array.of(value)),
 *   fit: (value) => value,
 * }
 * assertEquals(decode(byte, encode(byte, 7, 22), 22, "mem://a"), 7)
 * ```
 */
export class Cursor {
  /** All of the buffer. */
  readonly view: DataView
  /** The position. */
  offset = 0

  /** At the start of the bytes. */
  constructor(readonly bytes: Uint8Array, readonly version: number) {
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  }

  /** Bytes that are left. */
  get remaining(): number {
    return this.bytes.byteLength - this.offset
  }

  /** Steps over `n` bytes and answers where they start. */
  take(n: number): number {
    const at = this.offset
    if (!(n <= this.bytes.byteLength - at)) {
      throw new BinaryIssue(at, `need ${n} bytes, ${this.bytes.byteLength - at} left`)
    }
    this.offset = at + n
    return at
  }

  /** A view (not a copy) of the next `n` bytes. */
  bytesOf(n: number): Uint8Array {
    const at = this.take(n)
    return this.bytes.subarray(at, at + n)
  }

  /** Refuses a count whose items, at `least` bytes each, cannot be in what is left; so nothing is allocated for it. */
  checkCount(count: number, least: number): void {
    if (count * least > this.remaining) {
      throw new BinaryIssue(this.offset, `a count of ${count} cannot fit into the ${this.remaining} bytes left`)
    }
  }
}
