/**
 * Manifests: what is in a folder and everything below it, as one small file, for servers that do not list folders.
 *
 * ```json
 * {"format":"tessera-manifest","version":1,"files":[["__schema/__1_1_…",245],["__commits/__1_1_….wrt",0]]}
 * ```
 *
 * @module
 */
import * as Either from "effect/Either"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import { staysInFolder } from "./http_url.ts"
import { compareBytewise } from "./name_order.ts"
import type { Entry } from "./storage.ts"

/** The name of a manifest; the real engine passes by a file of this name. */
export const MANIFEST_NAME = "__tessera_manifest.json"

/** No manifest has more bytes: some 600,000 files. */
export const LARGEST_MANIFEST: number = 64 << 20

/** A file below a manifest's folder: its path from there, and its size. */
export type ManifestFile = readonly [path: string, size: number]

interface ManifestText {
  readonly format: "tessera-manifest"
  readonly version: 1
  readonly files: ReadonlyArray<ManifestFile>
}

/** The deepest that folders of a manifest may lie. */
const DEEPEST = 64

/** What is wrong with the list of files, if anything: one loop, as there are many. */
const problemIn = (files: unknown): string | undefined => {
  if (!Array.isArray(files)) return "expected a list of [path, size]"
  for (const [i, file] of files.entries()) {
    const [path, size] = Array.isArray(file) && file.length === 2 ? file : []
    if (typeof path !== "string" || !Number.isSafeInteger(size) || size < 0) {
      return `expected [path, size], not ${String(JSON.stringify(file)).slice(0, 200)} (file ${i})`
    }
    const names = path.split("/")
    if (!names.every(staysInFolder)) return `${JSON.stringify(path.slice(0, 200))} leaves the folder`
    if (names.length > DEEPEST) return `${JSON.stringify(path.slice(0, 200))} lies deeper than ${DEEPEST} folders`
  }
  return undefined
}

const Files: Schema.Schema<ReadonlyArray<ManifestFile>> = Schema.declare(
  (files): files is ReadonlyArray<ManifestFile> => Array.isArray(files),
).pipe(Schema.filter(problemIn))

const ManifestText: Schema.Schema<ManifestText> = Schema.Struct({
  format: Schema.Literal("tessera-manifest"),
  version: Schema.Literal(1),
  files: Files,
})

const decodeText = Schema.decodeUnknownEither(ManifestText)

/** The listings of a folder and all below it, by their paths from there; `""` is the folder itself. */
export interface Manifest {
  readonly folders: ReadonlyMap<string, ReadonlyArray<Entry>>
  readonly files: ReadonlySet<string>
}

/** The bytes of the manifest of these files. */
export const encodeManifest = (files: ReadonlyArray<ManifestFile>): Uint8Array => {
  const text: ManifestText = {
    format: "tessera-manifest",
    version: 1,
    files: [...files].sort((a, b) => compareBytewise(a[0], b[0])),
  }
  return new TextEncoder().encode(JSON.stringify(text).replaceAll("],[", "],\n["))
}

/** Every folder on the way to every file. */
const foldersOf = (files: ReadonlyArray<ManifestFile>): ReadonlyMap<string, ReadonlyArray<Entry>> => {
  const folders = new Map<string, Map<string, Entry>>([["", new Map()]])
  const folder = (path: string): Map<string, Entry> => {
    const known = folders.get(path)
    if (known !== undefined) return known
    const made = new Map<string, Entry>()
    folders.set(path, made)
    const slash = path.lastIndexOf("/")
    const name = path.slice(slash + 1)
    folder(path.slice(0, Math.max(slash, 0))).set(name, { name, kind: "folder" })
    return made
  }
  for (const [path, size] of files) {
    const slash = path.lastIndexOf("/")
    const name = path.slice(slash + 1)
    const around = folder(path.slice(0, Math.max(slash, 0)))
    // a folder wins over a file of the same name, as it holds the more
    if (around.get(name)?.kind !== "folder") around.set(name, { name, kind: "file", size })
  }
  return new Map(
    Array.from(folders, ([path, names]) => [path, [...names.values()].sort((a, b) => compareBytewise(a.name, b.name))]),
  )
}

/** The manifest in these bytes. Throws an Error that says what is wrong. */
export const decodeManifest = (bytes: Uint8Array): Manifest => {
  const decoded = decodeText(JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes)))
  if (Either.isLeft(decoded)) {
    const [issue] = ParseResult.ArrayFormatter.formatErrorSync(decoded.left)
    throw new TypeError(`${issue.path.map(String).join(".")}: ${issue.message}`)
  }
  const { files } = decoded.right
  return { folders: foldersOf(files), files: new Set(files.map(([path]) => path)) }
}
