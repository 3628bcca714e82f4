/**
 * Checks the names of files and folders.
 */
import type { Entry } from "../../platform/storage/service.ts"
import {
  ARRAY_SCHEMA_FILE,
  COMMITS_FOLDER,
  FRAGMENT_METADATA_FOLDER,
  FRAGMENTS_FOLDER,
  LABELS_FOLDER,
  LOCK_FILE,
  METADATA_FOLDER,
  SCHEMA_FOLDER,
} from "../../schema/name/array_paths.ts"
import { parseName } from "../../schema/name/timestamped_name.ts"
import { isMark } from "../array/open/unfinished.ts"
import type { Findings } from "./findings.ts"
import type { Folders } from "./folders.ts"

const rootFolders: ReadonlySet<string> = new Set([
  SCHEMA_FOLDER,
  METADATA_FOLDER,
  FRAGMENTS_FOLDER,
  COMMITS_FOLDER,
  FRAGMENT_METADATA_FOLDER,
  LABELS_FOLDER,
])

const rootFiles: ReadonlySet<string> = new Set([ARRAY_SCHEMA_FILE, LOCK_FILE])

/** Returns whether a name consists of a timestamped name and one of the suffixes. */
const isNamed = (name: string, suffixes: ReadonlyArray<string>): boolean => {
  const parsed = parseName(name)
  return parsed !== undefined && suffixes.includes(name.slice(parsed.name.length))
}

const rootProblem = ({ name, kind }: Entry): "UnknownFile" | "UnfinishedCopy" | undefined => {
  if (kind === "folder") return rootFolders.has(name) || isNamed(name, [""]) ? undefined : "UnknownFile"
  if (isMark(name)) return "UnfinishedCopy"
  // up to format 11 commits and consolidated footers are in the array's own folder
  return rootFiles.has(name) || isNamed(name, [".ok", ".vac", ".meta"]) ? undefined : "UnknownFile"
}

/** Adds a finding for each file or folder whose name engines do not use at its place. */
export const checkFileNames = (folders: Folders, findings: Findings): void => {
  for (const entry of folders.root) {
    const problem = rootProblem(entry)
    if (problem === "UnknownFile") {
      findings.add(problem, { path: entry.name }, `${entry.name}: the ${entry.kind} does not belong to the array`)
    } else if (problem === "UnfinishedCopy") {
      findings.add(problem, { path: entry.name }, `${entry.name}: a copy or import into this array is unfinished`)
    }
  }
  const check = (
    folder: string,
    entries: ReadonlyArray<Entry>,
    kind: Entry["kind"],
    suffixes: ReadonlyArray<string>,
    others: ReadonlyArray<string> = [],
  ): void => {
    for (const entry of entries) {
      if ((entry.kind === kind && isNamed(entry.name, suffixes)) || others.includes(entry.name)) continue
      const path = `${folder}/${entry.name}`
      findings.add("FileName", { path }, `${path}: this is not the name of a ${kind} in this folder`)
    }
  }
  check(SCHEMA_FOLDER, folders.schemas, "file", [""], ["__enumerations"])
  check(COMMITS_FOLDER, folders.commits, "file", [".wrt", ".del", ".upd", ".con", ".ign", ".vac"])
  check(FRAGMENTS_FOLDER, folders.fragments, "folder", [""])
  check(FRAGMENT_METADATA_FOLDER, folders.fragmentMetadata, "file", [".meta"])
  check(METADATA_FOLDER, folders.metadata, "file", ["", ".vac"])
}
