/** The expected output of the scripts in `examples/` for the arrays of the applications. */

/** A run of a script. */
export interface Example {
  readonly script: string
  /** Relative to the folder of all applications. */
  readonly uri: string
  /** Lines that the script prints in this order, possibly with other lines between them. */
  readonly prints: ReadonlyArray<string>
}

/** All runs of the example scripts. */
export const examples: ReadonlyArray<Example> = [
  {
    script: "read_soma.ts",
    uri: "soma/experiment",
    prints: [
      "obs: 40 rows of soma_joinid, obs_id, cell_type, batch, stage, unsure, n, score, ok, note",
      "  cell_type: B cell 10, Größe 17, T cell 13",
      "  stage: early 23, late 17",
      "  unsure: null 6, x0 12, x1 11, x2 11",
      "measurement RNA",
      "var: 25 rows of soma_joinid, var_id, highly, name",
      "  X/counts: 100 values, sum 48.190",
      "  X/data: 200 values, sum 95.771",
      "  uns.title = größe",
    ],
  },
  {
    script: "read_soma.ts",
    uri: "soma/grown",
    prints: [
      "obs: 21 rows of soma_joinid, obs_id, cell_type, batch, stage, unsure, n, score, ok, note",
      "measurement RNA",
    ],
  },
  {
    script: "read_bioimg.ts",
    uri: "bioimg/pyramid.tdb",
    prints: [
      "level 0: CYX 3 × 90 × 70",
      "level 1: CYX 3 × 45 × 35",
      "level 2: CYX 3 × 23 × 18",
      "|  ..::--==++**##%@|",
    ],
  },
  {
    script: "read_bioimg.ts",
    uri: "bioimg/webp.tdb",
    prints: [
      "level 0: YX 70 × 270",
      "|                      |",
      "|======================|",
      "|%%%%%%%%%%%%%%%%%%%%%%|",
    ],
  },
  {
    script: "read_dataframe.ts",
    uri: "dataframes/multi_index",
    prints: ["30 rows, index: word, when", '"k02"\t"502680000000000"\t"-2441415218027137147"\t145\t"NaN"'],
  },
  {
    script: "read_dataframe.ts",
    uri: "dataframes/categorical",
    prints: ["30 rows, numbered", "color: string_utf8\tsize: string_utf8\tnumber: int64", '"größe"\t"S"\t"4"'],
  },
  {
    script: "numpy_metadata.ts",
    uri: "numpy_arrays/group",
    prints: [
      "cube: NumPy int64 (2, 3, 4): [[[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]], [[12, 13, 14, 15], [16, 17, 18, 19],",
      "grid: NumPy float64 (2, 3): [[0, 1, 2], [3, 4, 5]]",
      "zero_dimensions: NumPy int64 (): 5",
      "bytes: Uint8Array [1, 2, 255]",
      'text: "héllo 漢"',
    ],
  },
  {
    script: "enumerations.ts",
    uri: "enumerations/sparse",
    prints: [
      ' colors: "red", "größe", "blue"',
      ' colors: "red", "größe", "blue", "green", ""',
      ' moods: "calm", "glad"',
      'color: 8 × "red"',
      "size: 8 × 36",
      'mood: 4 × "calm", 4 × "glad"',
    ],
  },
]

/** Returns the first line missing from the output, or undefined. */
export const missingLine = ({ prints }: Example, output: string): string | undefined => {
  let at = 0
  for (const line of prints) {
    at = output.indexOf(line, at)
    if (at < 0) return line
    at += line.length
  }
  return undefined
}
