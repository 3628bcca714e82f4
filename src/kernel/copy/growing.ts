/**
 * Buffers that grow as values are appended.
 */

/** A growing buffer of bytes. */
export class GrowingBytes {
  #bytes = new Uint8Array(64)
  #length = 0

  /** The number of bytes. */
  get length(): number {
    return this.#length
  }

  /** Appends a copy of `bytes`. */
  append(bytes: Uint8Array): void {
    const end = this.#length + bytes.length
    if (end > this.#bytes.length) {
      const larger = new Uint8Array(Math.max(2 * this.#bytes.length, end))
      larger.set(this.#bytes.subarray(0, this.#length))
      this.#bytes = larger
    }
    this.#bytes.set(bytes, this.#length)
    this.#length = end
  }

  /** A view of all bytes, valid until more are appended. */
  get all(): Uint8Array {
    return this.#bytes.subarray(0, this.#length)
  }
}

/** A growing list of numbers. */
export class GrowingNumbers {
  #numbers = new Float64Array(8)
  #length = 0

  /** The number of values. */
  get length(): number {
    return this.#length
  }

  /** Appends a value. */
  push(value: number): void {
    if (this.#length === this.#numbers.length) {
      const larger = new Float64Array(2 * this.#length)
      larger.set(this.#numbers)
      this.#numbers = larger
    }
    this.#numbers[this.#length++] = value
  }

  /** A view of all numbers, valid until more are pushed. */
  get all(): Float64Array {
    return this.#numbers.subarray(0, this.#length)
  }
}
