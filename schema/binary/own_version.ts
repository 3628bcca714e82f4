import * as Schema from "effect/Schema"
import { type Field, field, primitive, u32 } from "./field.ts"
import { BinaryIssue } from "./issue.ts"

/**
 * The format version that a structure carries in itself (u32). It must be the one by which the structure is read, so read
 * it first ({@link peekVersion}) and decode at what it says.
 */
export const ownVersion: Field<number> = field({
  schema: () => u32.schema,
  least: 4,
  get: (c) => {
    const at = c.offset
    const version = u32.get(c, undefined)
    if (version !== c.version) {
      throw new BinaryIssue(at, `says format version ${version} where ${c.version} was expected`)
    }
    return version
  },
  put: (s, a) => {
    if (a !== s.version) throw new BinaryIssue(s.offset, `format version ${a} cannot be written as ${s.version}`)
    u32.put(s, a, undefined)
  },
  fit: (_, version) => version,
})

/** The first u32 of a structure, which is its version; throws {@link BinaryIssue} if there are not four bytes. */
export const peekVersion = (bytes: Uint8Array): number => {
  if (bytes.byteLength < 4) throw new BinaryIssue(0, `need 4 bytes for the version, ${bytes.byteLength} left`)
  return new DataView(bytes.buffer, bytes.byteOffset, 4).getUint32(0, true)
}

/** A u32 that numbers the layout of a structure apart from the format version; only the known ones are read. */
export const layoutVersion = <const V extends number>(known: ReadonlyArray<V>, what: string): Field<V> =>
  primitive(
    () => Schema.Literal(...(known as [V, ...Array<V>])) as unknown as Schema.Schema<V>,
    4,
    (c) => {
      const at = c.offset
      const version = u32.get(c, undefined)
      if (!known.includes(version as V)) {
        throw new BinaryIssue(
          at,
          `version ${version} of a ${what} is not known (known: ${known.join(", ")}); use a newer tessera`,
          true,
        )
      }
      return version as V
    },
    (s, a) => u32.put(s, a, undefined),
  )
