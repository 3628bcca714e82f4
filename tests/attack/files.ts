/** Snapshots of folders, byte by byte, and unrelated files in them. */
import { createHash } from "node:crypto"
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"

/** The files of a folder by their paths in it: a digest of the bytes; folders are "folder". */
export type Snapshot = ReadonlyMap<string, string>

/** Reads a whole folder. Files that vanish meanwhile are omitted. */
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

/** What differs between two snapshots, as lines for people; at most a few of them. */
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

/** Temporary files of this library. */
export const isTemporary = (path: string): boolean => /(^|[/\\])\.tessera-[^/\\]*\.tmp$/.test(path)

/** Writes files below a folder, whose content is their own path. */
export const writeStrangers = (folder: string, paths: ReadonlyArray<string>): void => {
  for (const path of paths) {
    const file = join(folder, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, `a stranger's file: ${path}`)
  }
}

/** Names of strangers' files around a target of the name `target`. */
export const BESIDE: ReadonlyArray<string> = [
  "notes.txt",
  ".hidden",
  "target.txt",
  "photos/cat.jpg",
  `target-other/__schema/__1_1_${"0".repeat(32)}`,
  `target-other/__fragments/__1_1_${"1".repeat(32)}_22/a0.tdb`,
]

/** Names of strangers' files inside of an array. */
export const INSIDE: ReadonlyArray<string> = [
  "target/notes.txt",
  "target/mine/deep/file.bin",
  "target/__fragments/readme.md",
  "target/__schema/.keep",
  "target/__meta/not ours.txt",
]
