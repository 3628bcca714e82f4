import * as Schema from "effect/Schema"
import { type Field, field, primitive, u32 } from "./field.ts"
import { BinaryIssue } from "./issue.ts"

/**
 * The format version stored in a structure (u32). It must be equal to the version used for reading: read it first
 * ({@link peekVersion}), then decode with it.
 */
export const ownVersion: Field<number> = field({
  schema: () => u32.schema,
  minBytes: 4,
  get: (c) => {
    const at = c.offset
    const version = u32.get(c, undefined)
    if (version !== c.version) {
      throw new BinaryIssue(at, `has format version ${version}; expected ${c.version}`)
    }
    return version
  },
  put: (s, a) => {
    if (a !== s.version) throw new BinaryIssue(s.offset, `format version ${a} cannot be written as ${s.version}`)
    u32.put(s, a, undefined)
  },
  fit: (_, version) => version,
})

/** Returns the first u32 of a structure, its version. Throws {@link BinaryIssue} if there are fewer than four bytes. */
export const peekVersion = (bytes: Uint8Array): number => {
  if (bytes.byteLength < 4) throw new BinaryIssue(0, `need 4 bytes for the version, ${bytes.byteLength} left`)
  return new DataView(bytes.buffer, bytes.byteOffset, 4).getUint32(0, true)
}

/** A u32 version of a structure's layout, separate from the format version. Only the supported versions are read. */
export const layoutVersion = <const V extends number>(supported: ReadonlyArray<V>, label: string): Field<V> =>
  primitive(
    () => Schema.Literal(...(supported as [V, ...Array<V>])) as unknown as Schema.Schema<V>,
    4,
    (c) => {
      const at = c.offset
      const version = u32.get(c, undefined)
      if (!supported.includes(version as V)) {
        throw new BinaryIssue(
          at,
          `unknown version ${version} of a ${label} (supported: ${supported.join(", ")}); use a newer tessera`,
          true,
        )
      }
      return version as V
    },
    (s, a) => u32.put(s, a, undefined),
  )
