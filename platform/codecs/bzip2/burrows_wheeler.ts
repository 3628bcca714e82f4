/**
 * Sorts the rotations of a block as bzip2 does: by the first two bytes, then by prefixes of doubling length, each time
 * comparing the remaining bytes by the previous order. Takes at most n · log² n steps for any input.
 *
 * @module
 */

/** Returns the start positions of the rotations of `block` in sorted order. Equal rotations are in any order. */
export const sortRotations = (block: Uint8Array): Int32Array => {
  const n = block.length
  // `order` contains the rotations; `rank[start]` is the last index of the group of the rotation that starts there
  const order = new Int32Array(n)
  const rank = new Int32Array(n)
  const counts = new Int32Array(65537)
  const pairs = new Uint16Array(n)
  for (let i = 0; i < n; i++) pairs[i] = (block[i] << 8) | block[i + 1 < n ? i + 1 : 0]
  for (let i = 0; i < n; i++) counts[pairs[i] + 1]++
  for (let i = 1; i <= 65536; i++) counts[i] += counts[i - 1]
  for (let i = 0; i < n; i++) rank[i] = counts[pairs[i] + 1] - 1
  for (let i = 0; i < n; i++) order[counts[pairs[i]]++] = i
  let sorted = 0
  // a negative number in `order` is the number of sorted entries that start there
  for (let at = 0; at < n;) {
    const end = rank[order[at]] + 1
    if (end === at + 1) {
      order[at] = -1
      sorted++
    }
    at = end
  }
  for (let depth = 2; sorted < n && depth < n; depth *= 2) {
    sorted = 0
    let done = 0
    let at = 0
    while (at < n) {
      const first = order[at]
      if (first < 0) {
        at -= first
        done -= first
        continue
      }
      if (done > 0) order[at - done] = -done
      sorted += done
      done = 0
      const end = rank[first] + 1
      sortGroup(order, rank, at, end, depth)
      at = end
    }
    if (done > 0) order[n - done] = -done
    sorted += done
  }
  for (let i = 0; i < n; i++) order[rank[i]] = i
  // equal rotations share a rank and leave gaps
  if (sorted < n) {
    const taken = new Int32Array(n)
    for (let i = 0; i < n; i++) order[rank[i] - taken[rank[i]]++] = i
  }
  return order
}

/** Sorts a group by the rank of the rotation `depth` bytes later, and splits it where the ranks differ. */
const sortGroup = (order: Int32Array, rank: Int32Array, start: number, end: number, depth: number): void => {
  const n = order.length
  const key = (place: number): number => {
    let at = order[place] + depth
    if (at >= n) at -= n
    return rank[at]
  }
  while (end - start > 1) {
    if (end - start <= MAX_INSERTION_SORT) {
      sortFew(order, rank, start, end, depth)
      return
    }
    // three-way partition: less than, equal to and greater than the pivot
    const quarter = (end - start) >>> 2
    const a = key(start + quarter)
    const b = key(start + 2 * quarter)
    const c = key(start + 3 * quarter)
    const pivot = a < b ? (b < c ? b : a < c ? c : a) : (a < c ? a : b < c ? c : b)
    let less = start
    let more = end
    for (let i = start; i < more;) {
      const size = key(i)
      if (size < pivot) swap(order, i++, less++)
      else if (size > pivot) swap(order, i, --more)
      else i++
    }
    sortGroup(order, rank, start, less, depth)
    for (let i = less; i < more; i++) rank[order[i]] = more - 1
    if (more - less === 1) order[less] = -1
    start = more
  }
  if (end - start === 1) {
    rank[order[start]] = start
    order[start] = -1
  }
}

const swap = (order: Int32Array, a: number, b: number): void => {
  const kept = order[a]
  order[a] = order[b]
  order[b] = kept
}

const MAX_INSERTION_SORT = 8
const keys = new Int32Array(MAX_INSERTION_SORT)

const sortFew = (order: Int32Array, rank: Int32Array, start: number, end: number, depth: number): void => {
  const n = order.length
  for (let i = start; i < end; i++) {
    const rotation = order[i]
    const at = rotation + depth
    const key = rank[at >= n ? at - n : at]
    let j = i - start
    for (; j > 0 && keys[j - 1] > key; j--) {
      keys[j] = keys[j - 1]
      order[start + j] = order[start + j - 1]
    }
    keys[j] = key
    order[start + j] = rotation
  }
  for (let from = start; from < end;) {
    let to = from + 1
    while (to < end && keys[to - start] === keys[from - start]) to++
    for (let i = from; i < to; i++) rank[order[i]] = to - 1
    if (to - from === 1) order[from] = -1
    from = to
  }
}
