/**
 * zstd bit streams: written from the least significant bit on, and read from the end.
 *
 * @module
 */

/** Writes bits. `finish` adds the end mark, which decoders search for. */
export class BackwardBits {
  private buffer = 0
  private count = 0
  private at: number

  /** Writes to `bytes` from `start` on; `bytes` must be large enough. */
  constructor(private readonly bytes: Uint8Array, private readonly start = 0) {
    this.at = start
  }

  /** Writes the low `count` bits of `value`, at most 16; the other bits must be 0. */
  put(value: number, count: number): void {
    this.buffer |= value << this.count
    this.count += count
    while (this.count >= 8) {
      this.bytes[this.at++] = this.buffer
      this.buffer >>>= 8
      this.count -= 8
    }
  }

  /** Writes up to 32 bits. */
  putWide(value: number, count: number): void {
    if (count <= 16) {
      this.put(value, count)
    } else {
      this.put(value & 0xffff, 16)
      this.put(value >>> 16, count - 16)
    }
  }

  /** Writes the end mark; returns the end of the stream. */
  finish(): number {
    this.put(1, 1)
    return this.align()
  }

  /** Pads the last byte with zeros; returns the end of the stream. */
  align(): number {
    if (this.count > 0) this.bytes[this.at++] = this.buffer
    this.buffer = 0
    this.count = 0
    return this.at
  }

  /** Number of complete bytes. */
  get length(): number {
    return this.at - this.start
  }
}
