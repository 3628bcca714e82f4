/**
 * Manifests: what is in a folder and everything below it, as one small file, for servers that do not list folders.
 *
 * ```json
 * {"format":"tessera-manifest","version":1,"files":[["__schema/__1_1_…",245],["__commits/__1_1_….wrt",0]]}
 * ```
 *
 * A manifest can name hundreds of thousands of files. It stays the bytes that it came as, with the place of each path; a
 * listing is a binary search, and only the names in it become strings.
 *
 * @module
 */
import { firstFrom } from "../first_from.ts"
import { parseManifest } from "./parse_manifest.ts"
import { compareBytewise } from "../utf8_order.ts"
import type { Entry } from "../service.ts"

/** The name of a manifest; the real engine passes by a file of this name. */
export const MANIFEST_NAME = "__tessera_manifest.json"

/** No manifest has more bytes: about 1,000,000 files with names as TileDB makes them. */
export const LARGEST_MANIFEST: number = 128 << 20

/** A file below a manifest's folder: its path from there, and its size. */
export type ManifestFile = readonly [path: string, size: number]

/** What is in a folder and below it. Paths are relative to that folder; `""` is the folder itself. */
export interface Manifest {
  /** The files, by path. */
  readonly files: { readonly size: number; readonly has: (path: string) => boolean }
  /** Approximate size in memory, in bytes. */
  readonly bytes: number
  /** Returns the names directly in a folder, in byte order; empty for a missing folder. */
  readonly list: (folder: string) => ReadonlyArray<Entry>
}

/** Encodes the manifest of files. */
export const encodeManifest = (files: ReadonlyArray<ManifestFile>): Uint8Array => {
  // JavaScript's string order equals byte order, and is fast, unless there are surrogates
  const quick = !files.some(([path]) => /[\ud800-\uffff]/.test(path))
  const order = quick ? (a: string, b: string) => a < b ? -1 : a > b ? 1 : 0 : compareBytewise
  const lines = [...files].sort((a, b) => order(a[0], b[0])).map((file) => JSON.stringify(file))
  return new TextEncoder().encode(`{"format":"tessera-manifest","version":1,"files":[${lines.join(",\n")}]}`)
}

const SLASH = 0x2f

/** Decodes a manifest, which keeps the bytes. Throws an Error that describes the problem. */
export const decodeManifest = (bytes: Uint8Array): Manifest => {
  const { text, starts, ends, shared, sizes, length } = parseManifest(bytes)
  const decoder = new TextDecoder()
  const encoder = new TextEncoder()

  /** The first path that is not before `key` in the order of bytes. */
  const search = (key: Uint8Array): number =>
    firstFrom(length, (i) => {
      const start = starts[i]
      const max = Math.min(ends[i] - start, key.length)
      let k = 0
      while (k < max && text[start + k] === key[k]) k++
      return k < max ? text[start + k] < key[k] : ends[i] - start < key.length
    })
  /** Whether path `i` begins with `key`. */
  const begins = (i: number, key: Uint8Array): boolean =>
    i < length && ends[i] - starts[i] >= key.length && key.every((byte, k) => text[starts[i] + k] === byte)

  const list = (folder: string): ReadonlyArray<Entry> => {
    const prefix = encoder.encode(folder === "" ? "" : `${folder}/`)
    const entries: Array<Entry> = []
    let sorted = true
    let i = search(prefix)
    if (!begins(i, prefix)) return entries
    do {
      const start = starts[i] + prefix.length
      let end = start
      while (end < ends[i] && text[end] !== SLASH) end++
      const kind = end < ends[i] ? "folder" : "file"
      const name = decoder.decode(text.subarray(start, end))
      const last = entries[entries.length - 1]
      // of two files the path that comes first has the name that comes first
      if ((kind === "folder" || last?.kind === "folder") && last && compareBytewise(last.name, name) >= 0) {
        sorted = false
      }
      entries.push(kind === "folder" ? { name, kind } : { name, kind, size: sizes[i] })
      // past all that is in this folder
      const inside = kind === "folder" ? end + 1 - starts[i] : Infinity
      do i++
      while (i < length && shared[i] >= inside)
    } while (i < length && shared[i] >= prefix.length)
    if (sorted) return entries
    // paths in the folder "a" come after the files "a-b" and "a.b"
    entries.sort((a, b) => compareBytewise(a.name, b.name))
    // a folder wins over a file of the same name, as it holds the more
    return entries.filter(({ name, kind }, i) =>
      kind === "folder" || !(entries[i - 1]?.name === name || entries[i + 1]?.name === name)
    )
  }

  return {
    files: {
      size: length,
      has: (path) => {
        const key = encoder.encode(path)
        const i = search(key)
        return begins(i, key) && ends[i] - starts[i] === key.length
      },
    },
    bytes: text.length + 20 * length,
    list,
  }
}
