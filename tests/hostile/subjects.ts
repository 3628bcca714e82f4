/** The subjects: every array and group of the fixtures, including those that engines reject, with their files in memory. */
import { Buffer } from "node:buffer"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { gunzipSync } from "node:zlib"
import { findCases } from "../golden/expected.ts"

/** An array or a group of the fixtures. */
export interface Subject {
  /** `v22/dense_fill/array`, which is also its name in the memory storage. */
  readonly path: string
  readonly kind: "array" | "group"
  readonly key: Uint8Array | undefined
  /** Returns the files by their full names. */
  readonly files: () => ReadonlyMap<string, Uint8Array>
}

const data = join(import.meta.dirname!, "../golden/data")
const shared = join(import.meta.dirname!, "../../../shared/fixtures")

interface Expected {
  readonly encryption_key: string | null
  readonly objects: Readonly<Record<string, { readonly kind: "array" | "group" }>>
}

const subjectsOf = (folder: string, expected: Expected, filesBelow: (prefix: string) => Subject["files"]) => {
  const key = expected.encryption_key === null ? undefined : new TextEncoder().encode(expected.encryption_key)
  return Object.entries(expected.objects).map(([name, { kind }]): Subject => {
    const path = `${folder}/${name}`
    return { path, kind, key, files: filesBelow(`${path}/`) }
  })
}

/** Returns the subjects packed in the project. */
const packed = (): ReadonlyArray<Subject> =>
  readdirSync(data).filter((name) => name.endsWith(".pack.gz")).sort().flatMap((name) => {
    const bytes = new Uint8Array(gunzipSync(readFileSync(join(data, name))))
    const length = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true)
    const index = JSON.parse(Buffer.from(bytes.subarray(4, 4 + length)).toString()) as ReadonlyArray<[string, number]>
    let at = 4 + length
    const files = index.map(([path, size]) => [path, bytes.subarray(at, at += size)] as const)
    return files.filter(([path]) => path.endsWith("/expected.json")).flatMap(([path, text]) =>
      subjectsOf(
        path.slice(0, -"/expected.json".length),
        JSON.parse(Buffer.from(text).toString()),
        (prefix) => () => new Map(files.filter(([file]) => file.startsWith(prefix))),
      )
    )
  })

/** Returns all recorded subjects, if the fixtures are available. */
const recorded = (): ReadonlyArray<Subject> =>
  !existsSync(shared) ? [] : findCases(shared).flatMap((folder) => {
    const name = folder.slice(shared.length + 1)
    return subjectsOf(
      name,
      JSON.parse(readFileSync(join(folder, "expected.json"), "utf8")),
      (prefix) => () => {
        const below = readdirSync(join(shared, prefix), { recursive: true, withFileTypes: true })
        const paths = below.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name)).sort()
        return new Map(paths.map((path) => [path.slice(shared.length + 1), new Uint8Array(readFileSync(path))]))
      },
    )
  })

/** Returns the subjects sorted by path: the packed ones, or all. */
export const subjects = (which: "packed" | "all"): ReadonlyArray<Subject> => {
  const byPath = new Map(packed().map((subject) => [subject.path, subject]))
  if (which === "all") {
    for (const subject of recorded()) if (!byPath.has(subject.path)) byPath.set(subject.path, subject)
  }
  return [...byPath.values()].sort((a, b) => a.path < b.path ? -1 : 1)
}
