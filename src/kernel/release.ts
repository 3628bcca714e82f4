/**
 * Early release of memory: garbage collectors wait until there is a lot of it, and some underestimate array buffers.
 */

/** Arrays of fewer bytes are not released early. */
const SMALL = 1 << 16

/**
 * Releases the memory of arrays that are no longer used; they become empty. Each array must have a buffer of its own.
 */
export const release = (arrays: Iterable<Uint32Array>): void => {
  for (const { buffer } of arrays) {
    // runtimes without `transfer` collect the memory later
    if (buffer.byteLength >= SMALL && "transfer" in buffer) (buffer as ArrayBuffer).transfer(0)
  }
}
