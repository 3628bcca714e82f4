/** The arrays of the packed fixtures, in memory: tests can count requests and damage files without touching the disk. */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { gunzipSync } from "node:zlib"

/** An array of the packed cases. */
export interface PackedArray {
  /** The path `v22/dense_fill/array`, which is also the name in the memory storage. */
  readonly path: string
  readonly key: Uint8Array | undefined
  /** The files by their full names. */
  readonly files: ReadonlyMap<string, Uint8Array>
}

const data = join(import.meta.dirname!, "../golden/data")

interface ExpectedCase {
  readonly encryption_key: string | null
  readonly objects: Readonly<Record<string, { readonly kind: string; readonly error?: string }>>
}

const unpacked = (name: string): ReadonlyMap<string, Uint8Array> => {
  const bytes = new Uint8Array(gunzipSync(readFileSync(join(data, name))))
  const length = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true)
  const index = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + length))) as ReadonlyArray<[string, number]>
  let at = 4 + length
  return new Map(index.map(([path, size]) => [path, bytes.subarray(at, at += size)]))
}

/** Returns the arrays of one pack (`v22`) that engines can open. */
export const packedArrays = (pack: string): ReadonlyArray<PackedArray> => arraysOf(unpacked(`${pack}.pack.gz`))

/** Returns the arrays of cases that engines can open. */
export const arraysOf = (files: ReadonlyMap<string, Uint8Array>): ReadonlyArray<PackedArray> => {
  const out: Array<PackedArray> = []
  for (const [path, bytes] of files) {
    if (!path.endsWith("/expected.json")) continue
    const folder = path.slice(0, -"/expected.json".length)
    const expected = JSON.parse(new TextDecoder().decode(bytes)) as ExpectedCase
    const key = expected.encryption_key === null ? undefined : new TextEncoder().encode(expected.encryption_key)
    for (const [name, { kind, error }] of Object.entries(expected.objects)) {
      if (kind !== "array" || error !== undefined) continue
      const prefix = `${folder}/${name}/`
      out.push({ path: `${folder}/${name}`, key, files: new Map([...files].filter(([f]) => f.startsWith(prefix))) })
    }
  }
  return out
}

/** All packs, oldest format first. */
export const packs: ReadonlyArray<string> = readdirSync(data)
  .filter((name) => /^v\d+\.pack\.gz$/.test(name))
  .map((name) => name.replace(".pack.gz", ""))
  .sort((a, b) => Number(a.slice(1)) - Number(b.slice(1)))
