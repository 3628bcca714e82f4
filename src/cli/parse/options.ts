/**
 * Options that several commands have.
 */
import type { OptionSpec } from "./specs.ts"

/** `--json`. */
export const json: OptionSpec = { description: "print JSON" }

/** `--select`. */
export const select: OptionSpec = {
  value: "NAMES",
  repeated: true,
  description: "select attributes and dimensions, separated by commas",
  completes: "fields",
}

/** `--range`. */
export const range: OptionSpec = {
  value: "DIM=LO:HI",
  repeated: true,
  description:
    'select a range, both ends inclusive; DIM=V selects a point, a dimension label can replace DIM, DIM=["lo","hi"] is ' +
    "for values with a colon",
  completes: "dimensions",
}

/** `--where`. */
export const where: OptionSpec = {
  value: "CONDITION",
  description: 'select cells by a condition: \'depth > 400 and place in ["Tonga", "Fiji"] and not flag == None\'',
  completes: "condition",
}

/** `--matching`. */
export const matching: OptionSpec = {
  description: "return only written cells that match --where, with their coordinates; dense arrays only",
}

/** `--clip`. */
export const clip: OptionSpec = { description: "clip ranges to the domain instead of failing" }

/** `--order` of reads. */
export const order: OptionSpec = {
  value: "ORDER",
  choices: ["row", "col", "global", "unordered"],
  description: "set the cell order",
}

/** `--limit`. */
export const limit: OptionSpec = { value: "N", integer: true, description: "return at most N cells" }

/** `--codes`. */
export const codes: OptionSpec = { description: "show enumeration codes instead of values" }

/** `--raw`. */
export const raw: OptionSpec = {
  description: "print dates, times and booleans as numbers in CSV and JSON",
}

/** `--timestamps`. */
export const timestamps: OptionSpec = {
  description: "add a column __timestamps with the write time of each cell; sparse arrays only",
}

/** `--memory`. */
export const memory: OptionSpec = {
  value: "SIZE",
  description: "set the memory budget per batch: 64MiB, 1GB, … (256MiB)",
}

/** Options of commands that create an array. */
export const target = {
  overwrite: { description: "replace an existing array, or an unfinished copy or import, at the target" },
  resume: { description: "continue the same copy or import after the process was killed; keeps finished fragments" },
} as const satisfies Record<string, OptionSpec>

/** `--duplicates` of copies. */
export const duplicates: OptionSpec = {
  value: "MODE",
  choices: ["keep", "first", "last"],
  hasDefault: false,
  description:
    "copy all, the first or the last of several cells with equal coordinates in one fragment (default: fail)",
}

/** `--quiet`. */
export const quiet: OptionSpec = { description: "print errors only, without progress and notes" }

/** `--allow`. */
export const allow: OptionSpec = {
  value: "ORIGIN",
  repeated: true,
  description: "follow members of groups from web servers to this origin or scheme too: https://data.example, file:",
}

/** Options of commands that open an array or group. */
export const opening = {
  at: {
    value: "TIME",
    description: "open the array as of this time: milliseconds since 1970, an ISO date such as 2024-02-29T12:00Z, or " +
      "the name of a tag",
  },
  from: { value: "TIME", description: "ignore writes before this time" },
  to: { value: "TIME", description: "ignore writes after this time" },
  "key-file": {
    value: "FILE",
    description: "read the encryption key from a file (32 characters or 64 hex digits); default: TESSERA_KEY",
  },
} as const satisfies Record<string, OptionSpec>

/** Options of commands that change an array or group. */
export const changing = {
  at: {
    value: "TIME",
    description: "set the timestamp of the change: milliseconds since 1970, or an ISO date",
  },
  "key-file": opening["key-file"],
  json,
  quiet,
} as const satisfies Record<string, OptionSpec>

/** `--format-version`. */
export const formatVersion: OptionSpec = {
  value: "N",
  integer: true,
  description: "set the format version of the array, 3 or later (22)",
}
