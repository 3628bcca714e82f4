/** Snapshots of folders, which compare every byte, and unrelated files in the folders. */
import { createHash } from "node:crypto"
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"

/** The files of a folder by relative path, each as a digest of its bytes; folders have the value "folder". */
export type Snapshot = ReadonlyMap<string, string>

/** Reads a whole folder. Files that are removed during the read are omitted. */
export const snapshotOf = (folder: string): Snapshot => {
  const files = new Map<string, string>()
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    const name = path.slice(folder.length + 1)
    if (!entry.isFile()) files.set(name, "folder")
    else files.set(name, createHash("sha1").update(readFileSync(path)).digest("hex"))
  }
  return files
}

/** Returns the differences between two snapshots as lines of text; only the first few. */
export const differences = (before: Snapshot, after: Snapshot, isOf: (path: string) => boolean = () => true) => {
  const lines: Array<string> = []
  for (const [path, content] of before) {
    if (!isOf(path)) continue
    if (!after.has(path)) lines.push(`${path} is missing`)
    else if (after.get(path) !== content) lines.push(`${path} is changed`)
  }
  for (const [path] of after) if (isOf(path) && !before.has(path)) lines.push(`${path} is new`)
  return lines.length > 6 ? [...lines.slice(0, 6), `and ${lines.length - 6} more`] : lines
}

/** Whether a path names a temporary file of this library. */
export const isTemporary = (path: string): boolean => /(^|[/\\])\.tessera-[^/\\]*\.tmp$/.test(path)

/** Writes files below a folder; the content of each file is its path. */
export const writeStrangers = (folder: string, paths: ReadonlyArray<string>): void => {
  for (const path of paths) {
    const file = join(folder, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, `a stranger's file: ${path}`)
  }
}

/** Names of unrelated files next to a target with the name `target`. */
export const NEIGHBOUR_NAMES: ReadonlyArray<string> = [
  "notes.txt",
  ".hidden",
  "target.txt",
  "photos/cat.jpg",
  `target-other/__schema/__1_1_${"0".repeat(32)}`,
  `target-other/__fragments/__1_1_${"1".repeat(32)}_22/a0.tdb`,
]

/** Names of unrelated files inside of an array. */
export const INNER_NAMES: ReadonlyArray<string> = [
  "target/notes.txt",
  "target/mine/deep/file.bin",
  "target/__fragments/readme.md",
  "target/__schema/.keep",
  "target/__meta/not ours.txt",
]
