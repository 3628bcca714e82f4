/**
 * The commands and their options, as one table: what is parsed, and what the help says.
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
  description: 'cells in a range, both ends inclusive; DIM=V for a point; DIM=["lo","hi"] for values with a colon',
}

const memory: OptionSpec = {
  value: "SIZE",
  description: "of the cells that are read at a time: 64MiB, 1GB, … (256MiB)",
}

const quiet: OptionSpec = { description: "say nothing but errors: no progress, no remarks" }

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
  ls: { description: "list the arrays and groups in a folder or group", options: { json, ...opening } },
  tree: { description: "list them with all that is below them", options: { json, ...opening } },
  schema: { description: "show the schema of an array", options: { json, ...opening } },
  fragments: { description: "list the fragments of an array", options: { json, ...opening } },
  meta: { description: "show the metadata of an array or group", options: { json, ...opening } },
  read: {
    description: "read cells",
    options: {
      select,
      range,
      where: {
        value: "CONDITION",
        description: 'only cells that fulfil it: \'depth > 400 and place in ["Tonga", "Fiji"] and not flag == None\'',
      },
      crop: { description: "take of ranges what lies inside the domain" },
      order: { value: "ORDER", choices: ["row", "col", "global", "unordered"], description: "of the cells" },
      limit: { value: "N", integer: true, description: "show the first N cells" },
      codes: { description: "show the codes of enumerated attributes, not the values" },
      format: { value: "FORMAT", choices: ["table", "json", "ndjson", "csv"], description: "of the output" },
      json: { description: "the same as --format json" },
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
