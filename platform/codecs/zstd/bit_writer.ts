/**
 * Bit streams as zstd has them: written from the lowest bit up, and read from their end.
 *
 * @module
 */

/** Takes bits; `finish` gives the bytes, with the mark by which a reader finds where they end. */
export class BackwardBits {
  private held = 0
  private count = 0
  private at: number

  /** Writes into `bytes` from `start` on, which must have room. */
  constructor(private readonly bytes: Uint8Array, private readonly start = 0) {
    this.at = start
  }

  /** The lower `count` bits of `value`, 16 at most, of which the others are 0. */
  put(value: number, count: number): void {
    this.held |= value << this.count
    this.count += count
    while (this.count >= 8) {
      this.bytes[this.at++] = this.held
      this.held >>>= 8
      this.count -= 8
    }
  }

  /** As `put`, for up to 32 bits. */
  putWide(value: number, count: number): void {
    if (count <= 16) {
      this.put(value, count)
    } else {
      this.put(value & 0xffff, 16)
      this.put(value >>> 16, count - 16)
    }
  }

  /** Where the stream ends. */
  finish(): number {
    this.put(1, 1)
    return this.align()
  }

  /** Fills the last byte with zeros; where the stream ends then. */
  align(): number {
    if (this.count > 0) this.bytes[this.at++] = this.held
    this.held = 0
    this.count = 0
    return this.at
  }

  /** Bytes that are whole by now. */
  get length(): number {
    return this.at - this.start
  }
}
