/**
 * Names of the files in a fragment's folder, by format version.
 *
 * @module
 */
import { Since } from "../version/version.ts"

/** What a file belongs to. */
export type DataField =
  | { readonly kind: "attribute" | "dimension"; readonly index: number; readonly name: string }
  | { readonly kind: "timestamps" | "deleteTimes" | "deleteConditions" | "coords" }

/** Values (or offsets), values of var-length cells, validity. */
export type DataPart = "fixed" | "var" | "validity"

/**
 * Footer and metadata of a fragment.
 *
 * ```ts
 * import { FRAGMENT_METADATA_FILE } from "@tessera/array/schema"
 * import { assertEquals } from "@std/assert"
 *
 * assertEquals(FRAGMENT_METADATA_FILE, "__fragment_metadata.tdb")
 * ```
 */
export const FRAGMENT_METADATA_FILE = "__fragment_metadata.tdb"

/**
 * What format 8 puts for characters. The last five are wrong (RFC 3986 has 22, 3C, 3E, 5C, 7C), but the files are there
 * by these names.
 */
const encoded: Record<string, string> = {
  "!": "%21",
  "#": "%23",
  $: "%24",
  "%": "%25",
  "&": "%26",
  "'": "%27",
  "(": "%28",
  ")": "%29",
  "*": "%2A",
  "+": "%2B",
  ",": "%2C",
  "/": "%2F",
  ":": "%3A",
  ";": "%3B",
  "=": "%3D",
  "?": "%3F",
  "@": "%40",
  "[": "%5B",
  "]": "%5D",
  '"': "%22",
  "<": "%20",
  ">": "%2D",
  "\\": "%30",
  "|": "%3C",
}

const encode = (name: string): string => Array.from(name, (letter) => encoded[letter] ?? letter).join("")

const stem = (version: number, field: DataField): string => {
  switch (field.kind) {
    case "timestamps":
      return "t"
    case "deleteTimes":
      return "dt"
    case "deleteConditions":
      return "dci"
    case "coords":
      return "__coords"
  }
  const dimension = field.kind === "dimension"
  if (version >= Since.numberedFileNames) return `${dimension ? "d" : "a"}${field.index}`
  const name = dimension && field.name === "" ? `__dim_${field.index}` : field.name
  return version >= Since.encodedFileNames ? encode(name) : name
}

const suffixes: Record<DataPart, string> = { fixed: "", var: "_var", validity: "_validity" }

/**
 * The name of the file that holds one part of a field's tiles in a fragment of the format version. Format:
 * `array_file_hierarchy.md`.
 *
 * ```ts
 * import { type DataField, dataFile } from "@tessera/array/schema"
 * import { assertEquals } from "@std/assert"
 *
 * const place: DataField = { kind: "attribute", index: 1, name: "place:name" }
 * assertEquals(dataFile(22, place, "var"), "a1_var.tdb")
 * assertEquals(dataFile(8, place, "validity"), "place%3Aname_validity.tdb")
 * assertEquals(dataFile(22, { kind: "timestamps" }, "fixed"), "t.tdb")
 * ```
 */
export const dataFile = (version: number, field: DataField, part: DataPart): string =>
  `${stem(version, field)}${suffixes[part]}.tdb`
