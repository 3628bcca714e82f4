/**
 * Code lengths of Huffman codes.
 *
 * @module
 */

/**
 * Returns the code length of each symbol by its frequency, at most `max` bits; 0 for unused symbols. `max` bits must
 * suffice for all used symbols. A single symbol gets one bit.
 */
export const huffmanLengths = (uses: Uint32Array, max: number): Uint8Array => {
  const lengths = new Uint8Array(uses.length)
  const symbols = Array.from(uses, (_, i) => i).filter((i) => uses[i] > 0)
  if (symbols.length === 1) lengths[symbols[0]] = 1
  if (symbols.length < 2) return lengths
  const weights = uses.slice()
  for (;;) {
    symbols.sort((a, b) => weights[a] - weights[b] || a - b)
    if (fill(symbols, weights, lengths) <= max) return lengths
    // flatten the frequencies until the longest code fits
    for (const symbol of symbols) weights[symbol] = (weights[symbol] + 1) >>> 1
  }
}

/** Sets the code lengths of symbols ordered by weight; returns the maximum. */
const fill = (symbols: ReadonlyArray<number>, weights: Uint32Array, lengths: Uint8Array): number => {
  const n = symbols.length
  // nodes: the leaves, then the inner nodes, which are created in the order of their weights
  const weight = new Float64Array(2 * n - 1)
  const parent = new Uint32Array(2 * n - 1)
  for (let i = 0; i < n; i++) weight[i] = weights[symbols[i]]
  let leaf = 0
  let joined = n
  for (let node = n; node < 2 * n - 1; node++) {
    for (let k = 0; k < 2; k++) {
      const child = leaf < n && (joined >= node || weight[leaf] <= weight[joined]) ? leaf++ : joined++
      weight[node] += weight[child]
      parent[child] = node
    }
  }
  const depth = new Uint8Array(2 * n - 1)
  for (let node = 2 * n - 3; node >= 0; node--) depth[node] = Math.min(255, depth[parent[node]] + 1)
  let longest = 0
  for (let i = 0; i < n; i++) longest = Math.max(longest, lengths[symbols[i]] = depth[i])
  return longest
}
