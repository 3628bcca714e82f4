/**
 * The files of the fixtures for the tests of structures: cases, files, and generic tiles, which are compressed with
 * gzip and may be encrypted, read with node:zlib and node:crypto only.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { inflateSync } from "node:zlib"
import { createDecipheriv } from "node:crypto"
import process from "node:process"
import { decodeGenericTile, type GenericTileHeader, tileChunks } from "../../schema/mod.ts"

const beside = fileURLToPath(new URL("../../../shared/fixtures", import.meta.url))

/** The folder of the fixtures: `TESSERA_FIXTURES`, or `../shared/fixtures` next to the repository; `undefined` if missing. */
export const fixtures: string | undefined = [process.env.TESSERA_FIXTURES ?? beside].find((dir) => existsSync(dir))

/** Whether to read all cases, not a sample. */
export const full: boolean = process.env.TESSERA_FULL === "1"

/** Returns the folders of cases; a sample contains every seventh and all of `upstream`. */
export const cases = (): ReadonlyArray<string> => {
  if (fixtures === undefined) return []
  const root = fixtures
  let n = 0
  return readdirSync(root).sort().flatMap((group) =>
    group.startsWith("v") || group === "upstream"
      ? readdirSync(join(root, group)).sort().filter(() => full || group === "upstream" || n++ % 7 === 0).map((name) =>
        join(root, group, name)
      )
      : []
  )
}

/** Returns all folders at and below `dir`. */
export const folders = function* (dir: string): Generator<string> {
  yield dir
  for (const entry of readdirSync(dir, { withFileTypes: true })) {
    if (entry.isDirectory()) yield* folders(join(dir, entry.name))
  }
}

/** Returns the names of the files in a folder; empty if the folder is missing. */
export const filesIn = (dir: string): ReadonlyArray<string> =>
  existsSync(dir) ? readdirSync(dir, { withFileTypes: true }).filter((e) => e.isFile()).map((e) => e.name).sort() : []

/** Returns the names of the folders in a folder; empty if the folder is missing. */
export const foldersIn = (dir: string): ReadonlyArray<string> =>
  existsSync(dir)
    ? readdirSync(dir, { withFileTypes: true }).filter((e) => e.isDirectory()).map((e) => e.name).sort()
    : []

/** Returns the bytes of a file. */
export const load = (path: string): Uint8Array => {
  const buffer = readFileSync(path)
  return new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.byteLength)
}

const concat = (parts: ReadonlyArray<Uint8Array>): Uint8Array => {
  const out = new Uint8Array(parts.reduce((sum, part) => sum + part.byteLength, 0))
  let at = 0
  for (const part of parts) {
    out.set(part, at)
    at += part.byteLength
  }
  return out
}

/** Decompresses a chunk with gzip as the only filter: `n_meta, n_data`, the sizes of each part, then the streams. */
const gunzip = (metadata: Uint8Array, filtered: Uint8Array): Uint8Array => {
  const view = new DataView(metadata.buffer, metadata.byteOffset, metadata.byteLength)
  const parts = view.getUint32(0, true) + view.getUint32(4, true)
  const out: Array<Uint8Array> = []
  let at = 0
  for (let i = 0; i < parts; i++) {
    const size = view.getUint32(12 + 8 * i, true)
    out.push(new Uint8Array(inflateSync(filtered.subarray(at, at + size))))
    at += size
  }
  return concat(out)
}

/** Returns the key of a case, from its `expected.json`. */
export const keyOf = (dir: string): string | null =>
  JSON.parse(readFileSync(join(dir, "expected.json"), "utf8")).encryption_key ?? null

/** Decrypts a chunk of AES-256-GCM over gzip: the metadata of gzip are the first parts. */
const decrypt = (metadata: Uint8Array, filtered: Uint8Array, key: string): [Uint8Array, Uint8Array] => {
  const view = new DataView(metadata.buffer, metadata.byteOffset, metadata.byteLength)
  const metadataParts = view.getUint32(0, true)
  const parts = metadataParts + view.getUint32(4, true)
  const out: Array<Uint8Array> = []
  let at = 0
  for (let i = 0; i < parts; i++) {
    const part = 8 + 36 * i
    const size = view.getUint32(part + 4, true)
    const decipher = createDecipheriv("aes-256-gcm", key, metadata.subarray(part + 8, part + 20))
    decipher.setAuthTag(metadata.subarray(part + 20, part + 36))
    out.push(concat([decipher.update(filtered.subarray(at, at + size)), decipher.final()]))
    at += size
  }
  return [concat(out.slice(0, metadataParts)), concat(out.slice(metadataParts))]
}

/** A generic tile at the start of bytes, and its contents. */
export interface Opened {
  readonly header: GenericTileHeader
  readonly headerSize: number
  readonly size: number
  readonly data: Uint8Array
  readonly content: Uint8Array
}

/** Reads the generic tile at the start of bytes. */
export const open = (bytes: Uint8Array, uri: string, base: number, key: string | null): Opened => {
  const { header, headerSize, size, data } = decodeGenericTile(bytes, uri, base)
  const table = tileChunks(data, uri, { base: base + headerSize })
  const filters = header.filters.filters.map((filter) => filter.type).join()
  if (filters !== (header.encryption === "none" ? "gzip" : "gzip,aes_256_gcm")) {
    throw new Error(`${uri}: a generic tile through ${filters}`)
  }
  const parts: Array<Uint8Array> = []
  for (let i = 0; i < table.count; i++) {
    const at = table.offsets[i]
    const end = at + table.metadata[i]
    const metadata = data.subarray(at, end)
    const filtered = data.subarray(end, end + table.filtered[i])
    parts.push(header.encryption === "none" ? gunzip(metadata, filtered) : gunzip(...decrypt(metadata, filtered, key!)))
  }
  const content = concat(parts)
  if (content.byteLength !== header.tileSize) {
    throw new Error(`${uri}: ${content.byteLength} of ${header.tileSize} bytes`)
  }
  return { header, headerSize, size, data, content }
}
