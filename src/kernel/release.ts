/**
 * Memory that is given back at once: collectors wait until there is much of it, and some count what arrays take badly.
 */

/** Arrays of fewer bytes are left to the collector. */
const SMALL = 1 << 16

/** Gives back the memory of arrays that nobody reads any more; they have no elements then. Each has a buffer of its own. */
export const release = (arrays: Iterable<Uint32Array>): void => {
  for (const { buffer } of arrays) {
    // where runtimes cannot, it is collected some day
    if (buffer.byteLength >= SMALL && "transfer" in buffer) (buffer as ArrayBuffer).transfer(0)
  }
}
