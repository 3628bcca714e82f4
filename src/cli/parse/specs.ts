/**
 * The table of commands and options. The parser and the help read it.
 */

/** An option. Without `value` it is a flag. */
export interface OptionSpec {
  /** The name of the value in the help. */
  readonly value?: string
  readonly description: string
  readonly choices?: ReadonlyArray<string>
  readonly integer?: boolean
  readonly repeated?: boolean
}

/** A command. */
export interface CommandSpec {
  readonly description: string
  /** The names of the operands. Default: one URI. */
  readonly operands?: ReadonlyArray<string>
  readonly options: Readonly<Record<string, OptionSpec>>
}

const json: OptionSpec = { description: "print JSON" }

const select: OptionSpec = {
  value: "NAMES",
  repeated: true,
  description: "select attributes and dimensions, separated by commas",
}

const range: OptionSpec = {
  value: "DIM=LO:HI",
  repeated: true,
  description:
    'select a range, both ends inclusive; DIM=V selects a point, a dimension label can replace DIM, DIM=["lo","hi"] is ' +
    "for values with a colon",
}

const where: OptionSpec = {
  value: "CONDITION",
  description: 'select cells by a condition: \'depth > 400 and place in ["Tonga", "Fiji"] and not flag == None\'',
}

const matching: OptionSpec = {
  description: "return only written cells that match --where, with their coordinates; dense arrays only",
}

const clip: OptionSpec = { description: "clip ranges to the domain instead of failing" }

const order: OptionSpec = {
  value: "ORDER",
  choices: ["row", "col", "global", "unordered"],
  description: "set the cell order",
}

const limit: OptionSpec = { value: "N", integer: true, description: "return at most N cells" }

const codes: OptionSpec = { description: "show enumeration codes instead of values" }

const timestamps: OptionSpec = {
  description: "add a column __timestamps with the write time of each cell; sparse arrays only",
}

const memory: OptionSpec = {
  value: "SIZE",
  description: "set the memory budget per batch: 64MiB, 1GB, … (256MiB)",
}

const target = {
  overwrite: { description: "replace an existing array, or an unfinished copy or import, at the target" },
  resume: { description: "continue the same copy or import after the process was killed; keeps finished fragments" },
} as const satisfies Record<string, OptionSpec>

const quiet: OptionSpec = { description: "print errors only, without progress and notes" }

const allow: OptionSpec = {
  value: "ORIGIN",
  repeated: true,
  description: "follow members of groups from web servers to this origin or scheme too: https://data.example, file:",
}

const opening = {
  at: {
    value: "TIME",
    description: "open the array as of this time: milliseconds since 1970, or an ISO date such as 2024-02-29T12:00Z",
  },
  from: { value: "TIME", description: "ignore writes before this time" },
  to: { value: "TIME", description: "ignore writes after this time" },
  "key-file": {
    value: "FILE",
    description: "read the encryption key from a file (32 characters or 64 hex digits); default: TESSERA_KEY",
  },
} as const satisfies Record<string, OptionSpec>

/** All commands by name. */
export const commands = {
  ls: { description: "list the arrays and groups in a folder or group", options: { json, allow, ...opening } },
  tree: { description: "list arrays and groups recursively", options: { json, allow, ...opening } },
  schema: { description: "show the schema of an array", options: { json, ...opening } },
  fragments: { description: "list the fragments of an array", options: { json, ...opening } },
  domain: {
    description: "show the domain, current domain, non-empty domain",
    options: { json, ...opening },
  },
  meta: { description: "show the metadata of an array or group", options: { json, ...opening } },
  read: {
    description: "read cells of an array",
    options: {
      select,
      range,
      where,
      matching,
      agg: {
        value: "LIST",
        repeated: true,
        description: "print aggregates instead of cells: count,sum(a),min(a),max(a),mean(a),null_count(a)",
      },
      by: {
        value: "NAMES",
        repeated: true,
        description: "group aggregates by these fields; without --agg, list the distinct groups",
      },
      explain: { description: "print the query plan instead of cells: fragments, tiles, requests, bytes" },
      clip,
      order,
      limit,
      codes,
      timestamps,
      format: { value: "FORMAT", choices: ["table", "json", "ndjson", "csv"], description: "set the output format" },
      json: { description: "print JSON, as --format json does" },
      memory,
      quiet,
      ...opening,
    },
  },
  delete: {
    description: "delete cells of a sparse array",
    options: {
      where: { ...where, description: 'delete the cells that match: \'depth > 400 and place in ["Tonga", "Fiji"]\'' },
      at: {
        value: "TIME",
        description:
          "set the timestamp of the delete; later writes are not affected: milliseconds since 1970, or an ISO date",
      },
      "key-file": opening["key-file"],
      json,
      quiet,
    },
  },
  import: {
    description: "create an array from a CSV file or - (stdin)",
    operands: ["CSV", "URI"],
    options: {
      sparse: { description: "create a sparse array instead of a dense one" },
      dims: {
        value: "COLUMNS",
        repeated: true,
        description: 'use these columns as dimensions; without it, a dense array has one dimension "row"',
      },
      tile: { value: "DIM=LENGTH", repeated: true, description: "set the tile extent of a dimension" },
      domain: {
        value: "DIM=LO:HI",
        repeated: true,
        description: "set the domain of a dimension (the full range of its type)",
      },
      types: {
        value: "COL=TYPE",
        repeated: true,
        description:
          "set datatypes, such as a=int32,b=ascii; TYPE? is nullable (default: inferred from the first 10,000 rows)",
      },
      filter: {
        value: "FILTERS",
        repeated: true,
        description:
          'set the filters of all columns, or of one: bitshuffle,zstd:5 or a=rle; "none" disables filtering (zstd)',
      },
      order: { value: "ORDER", choices: ["row", "col", "hilbert"], description: "set the cell order in a tile" },
      capacity: {
        value: "N",
        integer: true,
        description: "set the number of cells per tile of a sparse array (10000)",
      },
      duplicates: {
        value: "MODE",
        choices: ["refuse", "first", "keep"],
        description: "handle rows with equal coordinates in a sparse array",
      },
      append: { description: "append to an existing array, matching columns to fields by name" },
      ...target,
      columns: { value: "NAMES", repeated: true, description: "set the column names (default: the first row)" },
      delimiter: { value: "CHAR", description: "set the delimiter: a character, or tab (,)" },
      null: {
        value: "TEXT",
        description:
          "read cells with this text as null; empty cells are then empty strings (default: empty cells are null)",
      },
      "format-version": {
        value: "N",
        integer: true,
        description: "set the format version of the array, 3 or later (22)",
      },
      memory: { ...memory, description: "set the memory budget for buffered rows: 64MiB, 1GB, … (256MiB)" },
      at: {
        value: "TIME",
        description: "set the timestamp of the cells: milliseconds since 1970, or an ISO date",
      },
      "key-file": opening["key-file"],
      json,
      quiet,
    },
  },
  export: {
    description: "write cells to a file or - (stdout)",
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
        description: "set the file format; default: by the file name (.ndjson, .jsonl)",
      },
      delimiter: { value: "CHAR", description: "set the CSV delimiter: a character, or tab (,)" },
      null: {
        value: "TEXT",
        description: 'write null as this text in CSV (default: an empty cell; empty strings are "")',
      },
      memory,
      quiet,
      ...opening,
    },
  },
  copy: {
    description: "copy an array: schema, cells, metadata",
    operands: ["SOURCE", "TARGET"],
    options: {
      select: {
        ...select,
        description: "select attributes to copy, separated by commas; dimensions are always copied",
      },
      range,
      "format-version": {
        value: "N",
        integer: true,
        description: "set the format version of the copy, 3 or later (22)",
      },
      "to-key-file": {
        value: "FILE",
        description: "encrypt the copy with the key in this file (default: the key of the source)",
      },
      decrypt: { description: "write the copy without encryption" },
      "no-metadata": { description: "omit the metadata" },
      ...target,
      memory,
      json,
      quiet,
      ...opening,
    },
  },
  publish: { description: "write a manifest for use on a web server", options: { json, quiet } },
} as const satisfies Record<string, CommandSpec>

/** The name of a command. */
export type CommandName = keyof typeof commands

/** Returns the names of a command's operands. */
export const operandsOf = (name: CommandName): ReadonlyArray<string> => {
  const spec: CommandSpec = commands[name]
  return spec.operands ?? ["URI"]
}

/** Returns whether a command exists. */
export const isCommand = (name: string): name is CommandName => Object.hasOwn(commands, name)

/** Returns whether a command has an option. */
export const hasOption = (name: string, option: string): boolean =>
  isCommand(name) && Object.hasOwn(commands[name].options, option)
