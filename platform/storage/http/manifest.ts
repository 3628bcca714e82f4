/**
 * Manifests: a small file that lists the contents of a folder and of everything below it, for servers that do not list
 * folders.
 *
 * ```json
 * {"format":"tessera-manifest","version":1,"files":[["__schema/__1_1_…",245],["__commits/__1_1_….wrt",0]]}
 * ```
 *
 * A manifest can list hundreds of thousands of files. It stays in memory as the received bytes, with the position of
 * each path; a listing is a binary search, and only the returned names become strings.
 *
 * @module
 */
import { firstFrom } from "../first_from.ts"
import { parseManifest } from "./parse_manifest.ts"
import { compareBytewise } from "../utf8_order.ts"
import type { Entry } from "../service.ts"

/** File name of manifests; TileDB ignores files with this name. */
export const MANIFEST_NAME = "__tessera_manifest.json"

/** Maximum size of a manifest in bytes: about 1,000,000 files with TileDB's usual names. */
export const MAX_MANIFEST_SIZE: number = 128 << 20

/** A file in a manifest: the path relative to the manifest's folder, and the size in bytes. */
export type ManifestFile = readonly [path: string, size: number]

/** A decoded manifest. Paths are relative to the manifest's folder; `""` is the folder itself. */
export interface Manifest {
  /** The files, by path. */
  readonly files: { readonly size: number; readonly has: (path: string) => boolean }
  /** Approximate size in memory, in bytes. */
  readonly bytes: number
  /** Returns the names directly in a folder, in byte order; empty for a missing folder. */
  readonly list: (folder: string) => ReadonlyArray<Entry>
}

/** Encodes a manifest. */
export const encodeManifest = (files: ReadonlyArray<ManifestFile>): Uint8Array => {
  // without surrogates, JavaScript's string order equals byte order, and is faster
  const quick = !files.some(([path]) => /[\ud800-\uffff]/.test(path))
  const order = quick ? (a: string, b: string) => a < b ? -1 : a > b ? 1 : 0 : compareBytewise
  const lines = [...files].sort((a, b) => order(a[0], b[0])).map((file) => JSON.stringify(file))
  return new TextEncoder().encode(`{"format":"tessera-manifest","version":1,"files":[${lines.join(",\n")}]}`)
}

const SLASH = 0x2f

/** Decodes a manifest, which retains `bytes`. Throws an Error that describes the problem. */
export const decodeManifest = (bytes: Uint8Array): Manifest => {
  const { text, starts, ends, shared, sizes, length } = parseManifest(bytes)
  const decoder = new TextDecoder()
  const encoder = new TextEncoder()

  /** Returns the index of the first path that is not before `key` in byte order. */
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
      // of two files, the one with the smaller path has the smaller name
      if ((kind === "folder" || last?.kind === "folder") && last && compareBytewise(last.name, name) >= 0) {
        sorted = false
      }
      entries.push(kind === "folder" ? { name, kind } : { name, kind, size: sizes[i] })
      // skips all other paths in this folder
      const inside = kind === "folder" ? end + 1 - starts[i] : Infinity
      do i++
      while (i < length && shared[i] >= inside)
    } while (i < length && shared[i] >= prefix.length)
    if (sorted) return entries
    // in the order of paths, the contents of folder "a" follow the files "a-b" and "a.b"
    entries.sort((a, b) => compareBytewise(a.name, b.name))
    // a folder takes precedence over a file of the same name, since it has more content
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
