/** The number of bytes copied between two yields. */
const COPY_STEP = 1 << 22

function* copySteps(target: Uint8Array, source: Uint8Array, at: number): Generator<void, void, void> {
  for (let from = 0; from < source.byteLength; from += COPY_STEP) {
    if (from > 0) yield
    target.set(source.subarray(from, from + COPY_STEP), at + from)
  }
}

/**
 * A growing output buffer, together with the format version: the output of fields.
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
export class Sink {
  private bytes: Uint8Array<ArrayBuffer> = new Uint8Array(256)
  /** A view of the whole buffer; replaced when the buffer grows. */
  view: DataView<ArrayBuffer> = new DataView(this.bytes.buffer)
  /** The number of bytes written. */
  offset = 0

  /** Creates an empty sink. */
  constructor(readonly version: number) {}

  /** Reserves `n` bytes and returns the position of the first. */
  reserve(n: number): number {
    const at = this.offset
    if (at + n > this.bytes.byteLength) {
      const next = new Uint8Array(Math.max(this.bytes.byteLength * 2, at + n))
      next.set(this.bytes.subarray(0, at))
      this.bytes = next
      this.view = new DataView(next.buffer)
    }
    this.offset = at + n
    return at
  }

  /** Appends a copy of `bytes`. */
  append(bytes: Uint8Array): void {
    const at = this.reserve(bytes.byteLength)
    this.bytes.set(bytes, at)
  }

  /** Appends a copy of `bytes` like {@link append}, in steps. */
  *appendSteps(bytes: Uint8Array): Generator<void, void, void> {
    const at = this.reserve(bytes.byteLength)
    yield* copySteps(this.bytes, bytes, at)
  }

  /** Returns a copy like {@link finish}, in steps. */
  *finishSteps(): Generator<void, Uint8Array<ArrayBuffer>, void> {
    const out = new Uint8Array(this.offset)
    yield* copySteps(out, this.bytes.subarray(0, this.offset), 0)
    return out
  }

  /** Returns a copy of the written bytes. */
  finish(): Uint8Array<ArrayBuffer> {
    return this.bytes.slice(0, this.offset)
  }
}
