/**
 * The files and folders inside an array or group, by format version. There are two directory layouts, and one array may
 * contain both.
 *
 * @module
 */
import { Since } from "../version/version.ts"

/**
 * The schema file of arrays up to format 9, in the array's own folder.
 *
 * ```ts
 * import { ARRAY_SCHEMA_FILE, schemaPath } from "@tessera/array/schema"
 * import { assertEquals } from "@std/assert"
 *
 * assertEquals(schemaPath(""), ARRAY_SCHEMA_FILE)
 * ```
 */
export const ARRAY_SCHEMA_FILE = "__array_schema.tdb"
/**
 * The folder of schemas since format 10.
 *
 * ```ts
 * import { arrayFolders, SCHEMA_FOLDER } from "@tessera/array/schema"
 * import { assertEquals } from "@std/assert"
 *
 * assertEquals([arrayFolders(9).includes(SCHEMA_FOLDER), arrayFolders(10).includes(SCHEMA_FOLDER)], [false, true])
 * ```
 */
export const SCHEMA_FOLDER = "__schema"
/**
 * The folder of enumerations since format 20.
 *
 * ```ts
 * import { enumerationPath, ENUMERATIONS_FOLDER } from "@tessera/array/schema"
 * import { assertEquals } from "@std/assert"
 *
 * assertEquals(enumerationPath("__e_0"), `${ENUMERATIONS_FOLDER}/__e_0`)
 * ```
 */
export const ENUMERATIONS_FOLDER = "__schema/__enumerations"
/**
 * The folder of fragments since format 12; before, fragments are in the array's own folder.
 *
 * ```ts
 * import { fragmentPath, FRAGMENTS_FOLDER } from "@tessera/array/schema"
 * import { assertEquals } from "@std/assert"
 *
 * assertEquals([fragmentPath(12, "__f"), fragmentPath(11, "__f")], [`${FRAGMENTS_FOLDER}/__f`, "__f"])
 * ```
 */
export const FRAGMENTS_FOLDER = "__fragments"
/**
 * The folder of commits, vacuum, ignore and delete files since format 12; before, they are in the array's own folder.
 *
 * ```ts
 * import { commitPath, COMMITS_FOLDER } from "@tessera/array/schema"
 * import { assertEquals } from "@std/assert"
 *
 * assertEquals(commitPath(22, "__f", "write"), `${COMMITS_FOLDER}/__f.wrt`)
 * ```
 */
export const COMMITS_FOLDER = "__commits"
/**
 * The folder of consolidated fragment metadata since format 12; before, it is in the array's own folder.
 *
 * ```ts
 * import { consolidatedMetadataPath, FRAGMENT_METADATA_FOLDER } from "@tessera/array/schema"
 * import { assertEquals } from "@std/assert"
 *
 * assertEquals(consolidatedMetadataPath(22, "__m"), `${FRAGMENT_METADATA_FOLDER}/__m.meta`)
 * ```
 */
export const FRAGMENT_METADATA_FOLDER = "__fragment_meta"
/**
 * The folder of the metadata of arrays and groups.
 *
 * ```ts
 * import { groupFolders, METADATA_FOLDER } from "@tessera/array/schema"
 * import { assertEquals } from "@std/assert"
 *
 * assertEquals(groupFolders.includes(METADATA_FOLDER), true)
 * ```
 */
export const METADATA_FOLDER = "__meta"
/**
 * The folder of dimension labels, which are arrays.
 *
 * ```ts
 * import { labelPath, LABELS_FOLDER } from "@tessera/array/schema"
 * import { assertEquals } from "@std/assert"
 *
 * assertEquals(labelPath(0), `${LABELS_FOLDER}/l0`)
 * ```
 */
export const LABELS_FOLDER = "__labels"
/**
 * The lock file: engines up to 2.5 (format 10) open an array only if it exists; later engines ignore it.
 *
 * ```ts
 * import { LOCK_FILE } from "@tessera/array/schema"
 * import { assertEquals } from "@std/assert"
 *
 * assertEquals(LOCK_FILE, "__lock.tdb")
 * ```
 */
export const LOCK_FILE = "__lock.tdb"
/**
 * The file that marks a group.
 *
 * ```ts
 * import { GROUP_FILE } from "@tessera/array/schema"
 * import { assertEquals } from "@std/assert"
 *
 * assertEquals(GROUP_FILE, "__tiledb_group.tdb")
 * ```
 */
export const GROUP_FILE = "__tiledb_group.tdb"
/**
 * The folder of group details (members of a group) since 2.8.
 *
 * ```ts
 * import { GROUP_FOLDER } from "@tessera/array/schema"
 * import { assertEquals } from "@std/assert"
 *
 * assertEquals(GROUP_FOLDER, "__group")
 * ```
 */
export const GROUP_FOLDER = "__group"

const sinceWhen: ReadonlyArray<readonly [folder: string, version: number]> = [
  [SCHEMA_FOLDER, Since.schemaFolder],
  [ENUMERATIONS_FOLDER, Since.enumerations],
  [METADATA_FOLDER, Since.metadata],
  [FRAGMENTS_FOLDER, Since.folders],
  [COMMITS_FOLDER, Since.folders],
  [FRAGMENT_METADATA_FOLDER, Since.folders],
  [LABELS_FOLDER, Since.dimensionLabels],
]

/**
 * Returns the folders of a new array of a format version. Format: `array_file_hierarchy.md`.
 *
 * ```ts
 * import { arrayFolders } from "@tessera/array/schema"
 * import { assertEquals } from "@std/assert"
 *
 * assertEquals(arrayFolders(4), ["__meta"])
 * assertEquals(arrayFolders(12), ["__schema", "__meta", "__fragments", "__commits", "__fragment_meta"])
 * ```
 */
export const arrayFolders = (version: number): ReadonlyArray<string> =>
  sinceWhen.filter(([, since]) => version >= since).map(([folder]) => folder)

/**
 * Returns the folders of a new group. Format: `group_file_hierarchy.md`.
 *
 * ```ts
 * import { groupFolders } from "@tessera/array/schema"
 * import { assertEquals } from "@std/assert"
 *
 * assertEquals(groupFolders, ["__group", "__meta"])
 * ```
 */
export const groupFolders: ReadonlyArray<string> = [GROUP_FOLDER, METADATA_FOLDER]

const within = (version: number, folder: string, name: string): string =>
  version >= Since.folders ? `${folder}/${name}` : name

/** The kinds of commit files. */
export type CommitKind = "write" | "vacuum" | "delete" | "update" | "consolidated" | "ignore"

/**
 * Returns the folder of a fragment, relative to the array.
 *
 * ```ts
 * import { fragmentPath } from "@tessera/array/schema"
 * import { assertEquals } from "@std/assert"
 *
 * assertEquals(fragmentPath(22, "__1_1_a_22"), "__fragments/__1_1_a_22")
 * assertEquals(fragmentPath(9, "__1_1_a_9"), "__1_1_a_9")
 * ```
 */
export const fragmentPath = (version: number, name: string): string => within(version, FRAGMENTS_FOLDER, name)

/**
 * Returns the path of a commit file of a fragment or delete. The version determines the folder and, for writes, the
 * extension (`.ok`, later `.wrt`). Returns `undefined` for fragments up to format 4, which have no commit file.
 *
 * ```ts
 * import { commitPath } from "@tessera/array/schema"
 * import { assertEquals } from "@std/assert"
 *
 * assertEquals(commitPath(22, "__1_1_a_22", "write"), "__commits/__1_1_a_22.wrt")
 * assertEquals(commitPath(9, "__1_1_a_9", "write"), "__1_1_a_9.ok")
 * assertEquals(commitPath(4, "__1_1_a", "write"), undefined)
 * ```
 */
export const commitPath = (version: number, name: string, kind: CommitKind): string | undefined => {
  switch (kind) {
    case "write":
      if (version < Since.splitDimensions) return undefined
      return version >= Since.folders ? `${COMMITS_FOLDER}/${name}.wrt` : `${name}.ok`
    case "vacuum":
      return within(version, COMMITS_FOLDER, `${name}.vac`)
    case "delete":
      return `${COMMITS_FOLDER}/${name}.del`
    case "update":
      return `${COMMITS_FOLDER}/${name}.upd`
    case "consolidated":
      return `${COMMITS_FOLDER}/${name}.con`
    case "ignore":
      return `${COMMITS_FOLDER}/${name}.ign`
  }
}

/**
 * Returns the path of a file of consolidated footers, relative to the array.
 *
 * ```ts
 * import { consolidatedMetadataPath } from "@tessera/array/schema"
 * import { assertEquals } from "@std/assert"
 *
 * assertEquals(consolidatedMetadataPath(22, "__1_2_a_22"), "__fragment_meta/__1_2_a_22.meta")
 * ```
 */
export const consolidatedMetadataPath = (version: number, name: string): string =>
  within(version, FRAGMENT_METADATA_FOLDER, `${name}.meta`)

/**
 * Returns the path of a schema file. An empty name (footers before format 10) means `__array_schema.tdb`.
 *
 * ```ts
 * import { schemaPath } from "@tessera/array/schema"
 * import { assertEquals } from "@std/assert"
 *
 * assertEquals(schemaPath("__1_1_a"), "__schema/__1_1_a")
 * assertEquals(schemaPath(""), "__array_schema.tdb")
 * ```
 */
export const schemaPath = (name: string): string =>
  name === "" || name === ARRAY_SCHEMA_FILE ? ARRAY_SCHEMA_FILE : `${SCHEMA_FOLDER}/${name}`

/**
 * Returns the path of an enumeration file, relative to the array.
 *
 * ```ts
 * import { enumerationPath } from "@tessera/array/schema"
 * import { assertEquals } from "@std/assert"
 *
 * assertEquals(enumerationPath("__a_0"), "__schema/__enumerations/__a_0")
 * ```
 */
export const enumerationPath = (fileName: string): string => `${ENUMERATIONS_FOLDER}/${fileName}`

/**
 * Returns the path of the label array with a number, relative to the array.
 *
 * ```ts
 * import { labelPath } from "@tessera/array/schema"
 * import { assertEquals } from "@std/assert"
 *
 * assertEquals(labelPath(0), "__labels/l0")
 * ```
 */
export const labelPath = (index: number): string => `${LABELS_FOLDER}/l${index}`
