/** The cases of the benchmark: the operation that both sides run, how often it runs, and the target ratio. */

/** A case: a kind and its arguments, as `peer.py` and `worker.ts` read it. */
export type Case = readonly [kind: string, ...args: ReadonlyArray<Argument>]

type Argument = string | number | null | ReadonlyArray<ReadonlyArray<number>>

/** A row of the table. */
export interface Row {
  /** W1 to W17, as in performance.md; `W0` is the reference. */
  readonly workload: string
  readonly name: string
  readonly run: Case
  /** The peer's case, if it differs from `run`. */
  readonly peer?: Case
  /** Number of runs per round. */
  readonly runs: number
  /** Runs Deno with huge pages, which NumPy's memory also uses, if the system supports them on request; see README. */
  readonly hugePages?: boolean
  /**
   * Maximum ratio of tessera's time to the peer's in Deno: `goal` is the limit of the issue, `aim` that of
   * performance.md.
   */
  readonly goal?: number
  readonly aim?: number
}

const W4: ReadonlyArray<readonly [filters: string, aim: number]> = [
  ["zstd", 1.5],
  ["gzip", 0.85],
  ["lz4", 0.8],
  ["shuffle_zstd", 1.2],
  ["bitshuffle_lz4", 0.9],
  ["double_delta_zstd", 1],
]

const W5: ReadonlyArray<readonly [filters: string, goal: number, aim: number]> = [
  ["none", 1, 0.65],
  ["zstd", 2, 1.15],
  ["gzip", 2, 0.6],
  ["lz4", 2, 1.3],
  ["shuffle_zstd", 2, 1.3],
  ["bitshuffle_lz4", 2, 1.3],
  ["double_delta_zstd", 2, 1.3],
]

/** All cases that are timed inside running processes. */
export const rows: ReadonlyArray<Row> = [
  { workload: "W0", name: "memcpy 256 MiB, a reference", run: ["memcpy"], runs: 3 },
  { workload: "W1", name: "open, dense", run: ["schema", "small_zstd"], runs: 60, goal: 0.7, aim: 0.5 },
  { workload: "W1", name: "open, sparse", run: ["schema", "sparse_zstd"], runs: 60, goal: 0.7, aim: 0.5 },
  { workload: "W2", name: "open + tile of 32 KiB, none", run: ["tile", "small_none"], runs: 60, goal: 0.7, aim: 0.3 },
  { workload: "W2", name: "open + tile of 32 KiB, zstd", run: ["tile", "small_zstd"], runs: 60, goal: 0.7, aim: 0.3 },
  {
    workload: "W2",
    name: "tile of 32 KiB, opened",
    run: ["opened_tile", "small_zstd"],
    runs: 60,
    goal: 0.7,
    aim: 0.25,
  },
  { workload: "W3", name: "scan, none, fresh memory", run: ["whole", "dense_none"], runs: 2, goal: 1.2, aim: 0.9 },
  {
    workload: "W3",
    name: "scan, none, fresh huge pages",
    run: ["whole", "dense_none"],
    runs: 2,
    hugePages: true,
    goal: 1.2,
    aim: 0.9,
  },
  {
    workload: "W3",
    name: "scan, none, given memory",
    run: ["given_whole", "dense_none"],
    peer: ["opened_whole", "dense_none"],
    runs: 2,
    goal: 1.2,
    aim: 0.4,
  },
  ...W4.map(([filters, aim]): Row => ({
    workload: "W4",
    name: `scan, ${filters.replaceAll("_", " ")}`,
    run: ["whole", `dense_${filters}`],
    runs: 2,
    goal: 1.8,
    aim,
  })),
  ...W5.map(([filters, goal, aim]): Row => ({
    workload: "W5",
    name: `write, ${filters.replaceAll("_", " ")}`,
    run: ["write_dense", `dense_${filters}`],
    runs: 1,
    goal,
    aim,
  })),
  {
    workload: "W5",
    name: "write, none, without syncs",
    run: ["write_dense", "dense_none", "cached"],
    peer: ["write_dense", "dense_none"],
    runs: 1,
  },
  { workload: "W6", name: "1000 boxes, none", run: ["boxes", "dense_none", 1000], runs: 1, goal: 0.4, aim: 0.12 },
  {
    workload: "W6",
    name: "200 boxes, shuffle zstd",
    run: ["boxes", "dense_shuffle_zstd", 200],
    runs: 1,
    goal: 0.4,
    aim: 0.55,
  },
  { workload: "W6", name: "a row", run: ["row", "dense_none"], runs: 10, goal: 0.3, aim: 0.05 },
  { workload: "W6", name: "a column", run: ["column", "dense_none"], runs: 5, aim: 0.35 },
  {
    workload: "W7",
    name: "write 5 M cells, unordered",
    run: ["write_sparse", "sparse_zstd", "shuffled"],
    runs: 1,
    goal: 0.5,
    aim: 0.15,
  },
  {
    workload: "W7",
    name: "write 5 M cells, presorted",
    run: ["write_sparse", "sparse_zstd", "sorted"],
    runs: 1,
    goal: 1,
    aim: 0.45,
  },
  { workload: "W8", name: "all cells, none, unordered", run: ["sparse", "sparse_none", "U"], runs: 2, goal: 2, aim: 2 },
  {
    workload: "W8",
    name: "all cells, zstd, unordered",
    run: ["sparse", "sparse_zstd", "U"],
    runs: 2,
    goal: 2,
    aim: 1.6,
  },
  {
    workload: "W8",
    name: "all cells, zstd, row-major",
    run: ["sparse", "sparse_zstd", "C"],
    runs: 1,
    goal: 0.6,
    aim: 0.3,
  },
  { workload: "W8", name: "100 ranges, none", run: ["ranges", "sparse_none", 100], runs: 1, goal: 0.8, aim: 0.5 },
  { workload: "W8", name: "100 ranges, zstd", run: ["ranges", "sparse_zstd", 100], runs: 1, goal: 0.8, aim: 0.5 },
  { workload: "W8", name: "100 ranges at once", run: ["ranges_at_once", "sparse_zstd"], runs: 2 },
  { workload: "W8", name: "first batch, unordered", run: ["first_batch", "sparse_zstd", "U"], runs: 2, goal: 0.33 },
  { workload: "W8", name: "first batch, row-major", run: ["first_batch", "sparse_zstd", "C"], runs: 1, goal: 0.33 },
  ...[["sparse_none", "sparse, none", 0.6], ["sparse_zstd", "sparse, zstd", 0.65]].map(([array, name, aim]): Row => ({
    workload: "W9",
    name: `1 % of ${name}`,
    run: ["where", array, "q < 1000"],
    runs: 2,
    goal: 0.9,
    aim: aim as number,
  })),
  {
    workload: "W9",
    name: "1 % of dense, none",
    run: ["where", "dense_none", "a > 31.8"],
    runs: 2,
    goal: 0.9,
    aim: 0.4,
  },
  {
    workload: "W10",
    name: "all of dense, none",
    run: ["aggregate", "dense_none", "a"],
    runs: 20,
    goal: 0.6,
    aim: 0.35,
  },
  {
    workload: "W10",
    name: "all of dense, shuffle zstd",
    run: ["aggregate", "dense_shuffle_zstd", "a"],
    runs: 20,
    goal: 0.6,
    aim: 0.35,
  },
  {
    workload: "W10",
    name: "a box of dense, none",
    run: ["aggregate", "dense_none", "a", [[3, 7999], [3, 3999]]],
    runs: 3,
    goal: 0.6,
    aim: 0.35,
  },
  {
    workload: "W10",
    name: "all of sparse, none",
    run: ["aggregate", "sparse_none", "v"],
    runs: 5,
    goal: 0.6,
    aim: 0.1,
  },
  {
    workload: "W10",
    name: "all of sparse, zstd",
    run: ["aggregate", "sparse_zstd", "v"],
    runs: 5,
    goal: 0.6,
    aim: 0.1,
  },
  {
    workload: "W10",
    name: "1 % of sparse, none",
    run: ["aggregate", "sparse_none", "v", null, "q < 1000"],
    runs: 2,
    goal: 0.6,
    aim: 0.35,
  },
  { workload: "W11", name: "strings, bytes and offsets", run: ["strings_raw", "strings"], runs: 2, aim: 0.7 },
  { workload: "W11", name: "strings as objects", run: ["strings", "strings"], runs: 1, aim: 2 },
  {
    workload: "W11",
    name: "strings, a range, opened",
    run: ["strings_range", "strings"],
    runs: 10,
    goal: 0.9,
    aim: 0.35,
  },
  {
    workload: "W11",
    name: "strings, equality",
    run: ["where", "strings", "s == 'alpha77'"],
    runs: 2,
    goal: 0.9,
    aim: 0.7,
  },
  { workload: "W11", name: "write strings", run: ["write_strings", "strings"], runs: 1, goal: 1.2, aim: 0.8 },
  {
    workload: "W12",
    name: "open 100 fragments, dense",
    run: ["schema", "fragments_dense"],
    runs: 10,
    goal: 1,
    aim: 0.8,
  },
  {
    workload: "W12",
    name: "open 100 fragments, sparse",
    run: ["schema", "fragments_sparse"],
    runs: 10,
    goal: 1,
    aim: 0.8,
  },
  {
    workload: "W12",
    name: "read 100 fragments, dense",
    run: ["whole", "fragments_dense"],
    runs: 3,
    goal: 1.6,
    aim: 1.5,
  },
  {
    workload: "W12",
    name: "read 100 fragments, sparse",
    run: ["sparse", "fragments_sparse", "U"],
    runs: 1,
    goal: 0.3,
    aim: 0.1,
  },
  {
    workload: "W13",
    name: "open at 50, a tile",
    run: ["tile_at", "fragments_dense", 1049],
    runs: 10,
    goal: 1,
    aim: 0.6,
  },
  {
    workload: "W13",
    name: "open at 50, sparse",
    run: ["schema", "fragments_sparse", 1049],
    runs: 10,
    goal: 1,
    aim: 0.6,
  },
  {
    workload: "W13",
    name: "open at 1, a tile",
    run: ["tile_at", "fragments_dense", 1000],
    runs: 10,
    goal: 1,
    aim: 0.2,
  },
  ...[
    ["open 1000 fragments", "fragments_small"],
    ["open 1000, combined footers", "fragments_small_footers"],
    ["open 1000, combined", "fragments_small_combined"],
  ].map(([name, array]): Row => ({ workload: "W17", name, run: ["schema", array], runs: 5, goal: 1 })),
]

/** An exact count: file system calls, or the bytes that they read. */
export interface Count {
  readonly name: string
  readonly array: string
  readonly run: Case
  readonly unit: "calls" | "bytes"
  /** Maximum count, from the issue. */
  readonly maxCount?: number
  /** Maximum ratio to the peer's count, from performance.md. */
  readonly aim: number
}

/** The counts of W14. */
export const counts: ReadonlyArray<Count> = [
  {
    name: "calls, open + one tile",
    array: "small_zstd",
    run: ["tile", "small_zstd"],
    unit: "calls",
    maxCount: 24,
    aim: 0.25,
  },
  {
    name: "calls, open 100 fragments",
    array: "fragments_dense",
    run: ["schema", "fragments_dense"],
    unit: "calls",
    maxCount: 330,
    aim: 0.3,
  },
  { name: "bytes, a box", array: "dense_none", run: ["boxes", "dense_none", 1], unit: "bytes", aim: 0.25 },
  { name: "bytes, a column", array: "dense_none", run: ["column", "dense_none"], unit: "bytes", aim: 0.25 },
]
