/**
 * `deno task bench [--json]`: times the kernels and filters of the read path, each next to a copy of the same bytes in
 * the same run. Each result is a ratio to that copy; the milliseconds only show the size of the work.
 */
import process from "node:process"
import { nativeCodecs } from "../platform/codecs/layers/native.ts"
import type { Filter } from "../schema/array/filter.ts"
import { transformOf } from "../src/filter/pipeline/registry.ts"
import type { FilterContext } from "../src/filter/part/transform.ts"
import { hilbertBits, hilbertWords, numberBuckets } from "../src/kernel/sort/hilbert.ts"
import { keyWords } from "../src/kernel/sort/order_key.ts"
import { sortCells } from "../src/kernel/sort/sort_cells.ts"
import { copyBox } from "../src/kernel/copy/strided_copy.ts"
import { unitsOf } from "../src/kernel/copy/gather.ts"

const MEGABYTES = 16
const size = MEGABYTES << 20
const json = process.argv.includes("--json")

/** Returns the milliseconds of the fastest of seven runs. */
const fastest = (run: () => void): number => {
  let best = Infinity
  for (let i = 0; i < 7; i++) {
    const start = performance.now()
    run()
    best = Math.min(best, performance.now() - start)
  }
  return best
}

const random = (() => {
  let state = 12345
  return () => (state = (Math.imul(state, 1103515245) + 12345) >>> 0) / 2 ** 32
})()

const values = Float64Array.from({ length: size / 8 }, () => Math.round(random() * 1000) / 100)
const bytes = new Uint8Array(values.buffer)
const target = new Uint8Array(size)

const context: FilterContext = {
  codecs: nativeCodecs,
  type: "float64",
  cellSize: 8,
  version: 22,
  verifyChecksums: true,
  uri: "bench",
  offset: 0,
}

const CHUNK = 65536

/** Returns a function that reverses a filter on chunks of 64 KiB, the chunk size of tiles. */
const unfilter = (filter: Filter): () => void => {
  const transform = transformOf(filter)
  const chunks = Array.from({ length: size / CHUNK }, (_, i) => {
    const out = transform.forward!(filter, { metadata: [], data: bytes.subarray(i * CHUNK, (i + 1) * CHUNK) }, context)
    const metadata = new Uint8Array(out.metadata.reduce((n, m) => n + m.byteLength, 0))
    out.metadata.reduce((at, m) => (metadata.set(m, at), at + m.byteLength), 0)
    return { metadata, data: out.data }
  })
  const allocate = (size: number): Uint8Array => new Uint8Array(size)
  return () => {
    for (const chunk of chunks) transform.reverse(filter, chunk, context, CHUNK, allocate)
  }
}

const cells = 1_000_000
const coordinates = Float64Array.from({ length: cells }, () => random())
const words = keyWords(Uint32Array.from(coordinates, (c) => c * 1e6))
const bits = hilbertBits(2)

const cases: ReadonlyArray<readonly [name: string, bytes: number, run: () => void]> = [
  ["unfilter byteshuffle", size, unfilter({ type: "byteshuffle" })],
  ["unfilter bitshuffle", size, unfilter({ type: "bitshuffle" })],
  ["unfilter xor", size, unfilter({ type: "xor" })],
  ["unfilter lz4", size, unfilter({ type: "lz4", level: -1 })],
  ["unfilter zstd", size, unfilter({ type: "zstd", level: -1 })],
  ["unfilter gzip", size, unfilter({ type: "gzip", level: -1 })],
  ["unfilter sha256", size, unfilter({ type: "checksum_sha256" })],
  ["copy a box, same order", size, () =>
    copyBox(unitsOf(target, 8), unitsOf(bytes, 8), {
      extents: [1024, size / 8192],
      source: 0,
      sourceStrides: [size / 8192, 1],
      target: 0,
      targetStrides: [size / 8192, 1],
    })],
  ["copy a box, transposed", size, () =>
    copyBox(unitsOf(target, 8), unitsOf(bytes, 8), {
      extents: [1024, size / 8192],
      source: 0,
      sourceStrides: [size / 8192, 1],
      target: 0,
      targetStrides: [1, 1024],
    })],
  ["sort 1 M cells", 4 * cells, () => void sortCells(words, cells)],
  ["Hilbert values of 1 M cells", 8 * cells, () => {
    const buckets = numberBuckets(coordinates, 0, 1, bits)
    hilbertWords([buckets, buckets])
  }],
]

const copies = fastest(() => target.set(bytes))
if (!json) console.log(`copying ${MEGABYTES} MiB: ${copies.toFixed(2)} ms\n`)
for (const [name, amount, run] of cases) {
  const ms = fastest(run)
  const ratio = ms / (copies * amount / size)
  console.log(
    json
      ? JSON.stringify({ name, bytes: amount, ms, ratio })
      : `${name.padEnd(30)} ${ms.toFixed(1).padStart(8)} ms ${ratio.toFixed(1).padStart(8)} × copy`,
  )
}
