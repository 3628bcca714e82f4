/**
 * The commands and their options, as one table: what is parsed, what the help says, and what shells complete.
 */

/** An option. Without `value` it is a switch. */
export interface OptionSpec {
  /** What its value is called in the help. */
  readonly value?: string
  readonly description: string
  readonly choices?: ReadonlyArray<string>
  readonly integer?: boolean
  readonly repeated?: boolean
}

/** A command. */
export interface CommandSpec {
  readonly description: string
  /** What it takes besides options. Default: one URI. */
  readonly operands?: ReadonlyArray<string>
  readonly options: Readonly<Record<string, OptionSpec>>
}

const json: OptionSpec = { description: "print JSON" }

const select: OptionSpec = {
  value: "NAMES",
  repeated: true,
  description: "attributes and dimensions, separated by commas",
}

const range: OptionSpec = {
  value: "DIM=LO:HI",
  repeated: true,
  description:
    'cells in a range, both ends inclusive; DIM=V for a point; a label for DIM; DIM=["lo","hi"] for values with a colon',
}

const where: OptionSpec = {
  value: "CONDITION",
  description: 'only cells that fulfil it: \'depth > 400 and place in ["Tonga", "Fiji"] and not flag == None\'',
}

const matching: OptionSpec = {
  description: "of dense arrays only the cells that fulfil --where and that somebody wrote, with their coordinates",
}

const clip: OptionSpec = { description: "clip ranges to the domain instead of failing" }

const order: OptionSpec = {
  value: "ORDER",
  choices: ["row", "col", "global", "unordered"],
  description: "of the cells",
}

const limit: OptionSpec = { value: "N", integer: true, description: "the first N cells" }

const codes: OptionSpec = { description: "the codes of enumerated attributes, not the values" }

const timestamps: OptionSpec = {
  description: "when each cell was written, as a last column __timestamps; of sparse arrays",
}

const memory: OptionSpec = {
  value: "SIZE",
  description: "of the cells that are read at a time: 64MiB, 1GB, … (256MiB)",
}

const target = {
  overwrite: { description: "replace an array, or an unfinished copy or import, that is at the target" },
  resume: { description: "continue the same copy or import after it was killed; finished fragments are kept" },
} as const satisfies Record<string, OptionSpec>

const quiet: OptionSpec = { description: "say nothing but errors: no progress, no remarks" }

const allow: OptionSpec = {
  value: "ORIGIN",
  repeated: true,
  description:
    "let groups from web servers lead to this origin or scheme, besides their own: https://data.example, file:",
}

const opening = {
  at: {
    value: "TIME",
    description: "as it was then: milliseconds since 1970, or an ISO date such as 2024-02-29T12:00Z",
  },
  from: { value: "TIME", description: "only what was written from then on" },
  to: { value: "TIME", description: "only what was written until then, inclusive" },
  "key-file": {
    value: "FILE",
    description: "the key of an encrypted array; or set TESSERA_KEY (32 characters or 64 hex digits)",
  },
} as const satisfies Record<string, OptionSpec>

/** All commands by name. */
export const commands = {
  ls: { description: "list the arrays and groups in a folder or group", options: { json, allow, ...opening } },
  tree: { description: "list them with all that is below them", options: { json, allow, ...opening } },
  schema: { description: "show the schema of an array", options: { json, ...opening } },
  fragments: { description: "list the fragments of an array", options: { json, ...opening } },
  domain: { description: "show where an array may have cells, and where it has", options: { json, ...opening } },
  meta: { description: "show the metadata of an array or group", options: { json, ...opening } },
  read: {
    description: "read cells",
    options: {
      select,
      range,
      where,
      matching,
      agg: {
        value: "LIST",
        repeated: true,
        description: "no cells, but what is to be said of them: count,sum(a),min(a),max(a),mean(a),null_count(a)",
      },
      by: {
        value: "NAMES",
        repeated: true,
        description: "with --agg: for each group of cells that have these in common; alone: the groups",
      },
      explain: { description: "no cells, but how they would be read: fragments, tiles, requests, bytes" },
      clip,
      order,
      limit,
      codes,
      timestamps,
      format: { value: "FORMAT", choices: ["table", "json", "ndjson", "csv"], description: "of the output" },
      json: { description: "the same as --format json" },
      memory,
      quiet,
      ...opening,
    },
  },
  delete: {
    description: "delete cells of a sparse array",
    options: {
      where: { ...where, description: 'which cells go: \'depth > 400 and place in ["Tonga", "Fiji"]\'' },
      at: {
        value: "TIME",
        description:
          "deletes what was written until then, and is seen from then on: milliseconds since 1970, or a date",
      },
      "key-file": opening["key-file"],
      json,
      quiet,
    },
  },
  import: {
    description: "make an array of a CSV file, or of -",
    operands: ["CSV", "URI"],
    options: {
      sparse: { description: "a sparse array; otherwise it is dense" },
      dims: {
        value: "COLUMNS",
        repeated: true,
        description: 'the columns that are coordinates; dense arrays without any get a dimension "row"',
      },
      tile: { value: "DIM=LENGTH", repeated: true, description: "how long the tiles of a dimension are" },
      domain: {
        value: "DIM=LO:HI",
        repeated: true,
        description: "the domain of a dimension (all that its type holds)",
      },
      types: {
        value: "COL=TYPE",
        repeated: true,
        description: "datatypes, such as a=int32,b=ascii; TYPE? may be null (what holds the first 10,000 rows)",
      },
      filter: {
        value: "FILTERS",
        repeated: true,
        description: "of all columns, such as bitshuffle,zstd:5, or of one: a=rle; none for none (zstd)",
      },
      order: { value: "ORDER", choices: ["row", "col", "hilbert"], description: "of the cells in a tile" },
      capacity: { value: "N", integer: true, description: "cells of a tile of a sparse array (10000)" },
      duplicates: {
        value: "WHAT",
        choices: ["refuse", "first", "keep"],
        description: "what becomes of rows with the same coordinates in a sparse array",
      },
      append: { description: "write into an array that is there, by the names of its fields" },
      ...target,
      columns: { value: "NAMES", repeated: true, description: "what columns are called, if not by the first row" },
      delimiter: { value: "CHAR", description: "between cells: a character, or tab (,)" },
      null: { value: "TEXT", description: "cells that are null, such as NA; empty texts are then empty (empty cells)" },
      "format-version": { value: "N", integer: true, description: "format of the array, from 3 on (22)" },
      memory: { ...memory, description: "of the rows that wait to be written together: 64MiB, 1GB, … (256MiB)" },
      at: {
        value: "TIME",
        description: "the moment that the cells belong to, in milliseconds since 1970 or as an ISO date",
      },
      "key-file": opening["key-file"],
      json,
      quiet,
    },
  },
  export: {
    description: "write cells into a file, or to -",
    operands: ["URI", "FILE"],
    options: {
      select,
      range,
      where,
      matching,
      clip,
      order,
      limit,
      codes,
      timestamps,
      format: {
        value: "FORMAT",
        choices: ["csv", "ndjson"],
        description: "of the file, if its name does not say: .ndjson, .jsonl",
      },
      delimiter: { value: "CHAR", description: "between the cells of CSV: a character, or tab (,)" },
      null: { value: "TEXT", description: 'for null in CSV (nothing; empty texts are "")' },
      memory,
      quiet,
      ...opening,
    },
  },
  copy: {
    description: "copy an array: schema, cells, metadata",
    operands: ["SOURCE", "TARGET"],
    options: {
      select: { ...select, description: "attributes to copy, separated by commas; dimensions always are" },
      range,
      "format-version": { value: "N", integer: true, description: "format of the copy, from 3 on (22)" },
      "to-key-file": { value: "FILE", description: "another key for the copy than that of the array" },
      decrypt: { description: "do not encrypt the copy of an encrypted array" },
      "no-metadata": { description: "leave the metadata out" },
      ...target,
      memory,
      json,
      quiet,
      ...opening,
    },
  },
  publish: { description: "write a manifest, for web servers that do not list folders", options: { json, quiet } },
} as const satisfies Record<string, CommandSpec>

/** The name of a command. */
export type CommandName = keyof typeof commands

/** What a command takes besides options. */
export const operandsOf = (name: CommandName): ReadonlyArray<string> => {
  const spec: CommandSpec = commands[name]
  return spec.operands ?? ["URI"]
}

/** Whether there is such a command. */
export const isCommand = (name: string): name is CommandName => Object.hasOwn(commands, name)

/** Whether there is a command of that name with that option. */
export const hasOption = (name: string, option: string): boolean =>
  isCommand(name) && Object.hasOwn(commands[name].options, option)
