/** The packed fixtures as files in memory. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { gunzipSync } from "node:zlib"

/** A case of the packed fixtures. */
export interface PackedCase {
  /** `v22/dense_fill` */
  readonly folder: string
  readonly key: string | undefined
  // deno-lint-ignore no-explicit-any
  readonly objects: Readonly<Record<string, any>>
  /** The files by their full names. */
  readonly files: ReadonlyMap<string, Uint8Array>
}

/** Returns the cases of one pack, such as `v22`. */
export const packedCases = (pack: string): ReadonlyArray<PackedCase> => {
  const bytes = new Uint8Array(
    gunzipSync(readFileSync(join(import.meta.dirname!, "../golden/data", `${pack}.pack.gz`))),
  )
  const text = new TextDecoder()
  const length = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true)
  const index = JSON.parse(text.decode(bytes.subarray(4, 4 + length))) as ReadonlyArray<[string, number]>
  let at = 4 + length
  const files = index.map(([path, size]) => [path, bytes.subarray(at, at += size)] as const)
  return files.filter(([path]) => path.endsWith("/expected.json")).map(([path, expected]) => {
    const folder = path.slice(0, -"/expected.json".length)
    const { encryption_key, objects } = JSON.parse(text.decode(expected))
    return {
      folder,
      key: encryption_key ?? undefined,
      objects,
      files: new Map(files.filter(([name]) => name.startsWith(`${folder}/`))),
    }
  })
}

/** Returns one case. */
export const packedCase = (folder: string): PackedCase => {
  const packed = packedCases(folder.split("/")[0]).find((c) => c.folder === folder)
  if (packed === undefined) throw new Error(`${folder} is not in the pack`)
  return packed
}
