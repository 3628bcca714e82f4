/**
 * The names of the files in a fragment's folder, by format version.
 *
 * @module
 */
import { Since } from "../version/version.ts"

/** The owner of a file's data. */
export type DataField =
  | { readonly kind: "attribute" | "dimension"; readonly index: number; readonly name: string }
  | { readonly kind: "timestamps" | "deleteTimes" | "deleteConditions" | "coords" }

/** The part of a field: values (or offsets), values of var-sized cells, validity. */
export type DataPart = "fixed" | "var" | "validity"

/**
 * The file of a fragment's metadata and footer.
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
 * The escapes of format 8. The last five differ from RFC 3986 (22, 3C, 3E, 5C, 7C), but engines create files with these
 * names.
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
 * Returns the name of the file of one part of a field's tiles, in a fragment of a format version. Format:
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
