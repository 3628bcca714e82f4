/**
 * What is where inside an array or group, by format version: two hierarchies, which one array may mix.
 *
 * @module
 */
import { Since } from "../version.ts"

/** The schema of arrays until format 9, in the array's own folder. */
export const ARRAY_SCHEMA_FILE = "__array_schema.tdb"
/** Schemas since format 10. */
export const SCHEMA_FOLDER = "__schema"
/** Enumerations since format 20. */
export const ENUMERATIONS_FOLDER = "__schema/__enumerations"
/** Fragments since format 12; before, they lie in the array's own folder. */
export const FRAGMENTS_FOLDER = "__fragments"
/** Commits, vacuum, ignore and delete files since format 12; before, in the array's own folder. */
export const COMMITS_FOLDER = "__commits"
/** Consolidated fragment metadata since format 12; before, in the array's own folder. */
export const FRAGMENT_METADATA_FOLDER = "__fragment_meta"
/** Metadata of arrays and groups. */
export const METADATA_FOLDER = "__meta"
/** Dimension labels, an array each. */
export const LABELS_FOLDER = "__labels"
/** Without it engines up to 2.5 (format 10) do not open an array; later ones do not look. */
export const LOCK_FILE = "__lock.tdb"
/** Marks a group. */
export const GROUP_FILE = "__tiledb_group.tdb"
/** The members of a group since 2.8. */
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

/** The folders of a new array of a format version. */
export const arrayFolders = (version: number): ReadonlyArray<string> =>
  sinceWhen.filter(([, since]) => version >= since).map(([folder]) => folder)

/** The folders of a new group. */
export const groupFolders: ReadonlyArray<string> = [GROUP_FOLDER, METADATA_FOLDER]

const within = (version: number, folder: string, name: string): string =>
  version >= Since.folders ? `${folder}/${name}` : name

/** What a file beside a fragment is for. */
export type CommitKind = "write" | "vacuum" | "delete" | "update" | "consolidated" | "ignore"

/** The folder of a fragment. */
export const fragmentPath = (version: number, name: string): string => within(version, FRAGMENTS_FOLDER, name)

/**
 * A commit file of a fragment or delete; the version decides folder and, for writes, the extension (`.ok`, later `.wrt`).
 * Fragments until format 4 have none: `undefined`.
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

/** A file of consolidated footers. */
export const consolidatedMetadataPath = (version: number, name: string): string =>
  within(version, FRAGMENT_METADATA_FOLDER, `${name}.meta`)

/** The file of a schema. A footer without a schema name (before format 10) means `__array_schema.tdb`. */
export const schemaPath = (name: string): string =>
  name === "" || name === ARRAY_SCHEMA_FILE ? ARRAY_SCHEMA_FILE : `${SCHEMA_FOLDER}/${name}`

/** The file of an enumeration. */
export const enumerationPath = (fileName: string): string => `${ENUMERATIONS_FOLDER}/${fileName}`

/** The array of a dimension label that belongs to the array. */
export const labelPath = (index: number): string => `${LABELS_FOLDER}/l${index}`
