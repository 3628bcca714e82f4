/**
 * Columns whose length is not known before they are complete.
 */

/** Bytes, one piece behind the other. */
export class GrowingBytes {
  #bytes = new Uint8Array(64)
  #length = 0

  /** How many there are. */
  get length(): number {
    return this.#length
  }

  /** Appends a copy. */
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

  /** All of them; a view that is good until more are appended. */
  get all(): Uint8Array {
    return this.#bytes.subarray(0, this.#length)
  }
}

/** Numbers, one after the other. */
export class GrowingNumbers {
  #numbers = new Float64Array(8)
  #length = 0

  /** How many there are. */
  get length(): number {
    return this.#length
  }

  /** Appends one. */
  push(value: number): void {
    if (this.#length === this.#numbers.length) {
      const larger = new Float64Array(2 * this.#length)
      larger.set(this.#numbers)
      this.#numbers = larger
    }
    this.#numbers[this.#length++] = value
  }

  /** All of them; a view that is good until more are pushed. */
  get all(): Float64Array {
    return this.#numbers.subarray(0, this.#length)
  }
}
