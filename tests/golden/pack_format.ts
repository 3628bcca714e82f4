/**
 * Packed folders: gzip over `length u32, index as JSON, the files' bytes`; the index is a list of `[path, size]`. With
 * one packed file per format version, the repository does not contain thousands of tiny files.
 */
import { Buffer } from "node:buffer"
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join, relative, sep } from "node:path"
import { gunzipSync, gzipSync } from "node:zlib"

const filesBelow = (folder: string): Array<string> =>
  readdirSync(folder, { withFileTypes: true })
    .sort((a, b) => a.name < b.name ? -1 : 1)
    .flatMap((entry) => {
      const path = join(folder, entry.name)
      return entry.isDirectory() ? filesBelow(path) : [path]
    })

/** Packs folders below `root`. The result depends on the files only. */
export const pack = (root: string, folders: ReadonlyArray<string>): Uint8Array => {
  const paths = folders.flatMap((folder) => filesBelow(join(root, folder)))
  const files = paths.map((path) => readFileSync(path))
  const index = Buffer.from(JSON.stringify(paths.map((path, i) => [
    relative(root, path).split(sep).join("/"),
    files[i].byteLength,
  ])))
  const length = Buffer.alloc(4)
  length.writeUInt32LE(index.byteLength)
  return gzipSync(Buffer.concat([length, index, ...files]), { level: 9 })
}

/** Writes the packed files below `root`. */
export const unpack = (packed: Uint8Array, root: string): void => {
  const bytes = gunzipSync(packed)
  const length = bytes.readUInt32LE(0)
  const index = JSON.parse(bytes.subarray(4, 4 + length).toString()) as ReadonlyArray<[string, number]>
  let at = 4 + length
  for (const [path, size] of index) {
    const target = join(root, path)
    mkdirSync(dirname(target), { recursive: true })
    writeFileSync(target, bytes.subarray(at, at + size))
    at += size
  }
}
