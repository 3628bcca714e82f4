/**
 * Releases memory early. Garbage collectors wait until a lot of memory is unused, and some underestimate array buffers.
 */

/** Minimum size of an array that is released early, in bytes. */
const MIN_RELEASED_SIZE = 1 << 16

/**
 * Releases the memory of arrays that are no longer used; they become empty. Each array must have a buffer of its own.
 */
export const release = (arrays: Iterable<ArrayBufferView>): void => {
  for (const { buffer } of arrays) {
    // runtimes without `transfer` collect the memory later
    if (buffer.byteLength >= MIN_RELEASED_SIZE && "transfer" in buffer) (buffer as ArrayBuffer).transfer(0)
  }
}
