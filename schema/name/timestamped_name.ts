/**
 * The names of fragments, commits, schemas, metadata and group files, which contain timestamps and so have an order.
 *
 * @module
 */

/**
 * The three forms: `__uuid_t` (formats 1–2), `__t1_t2_uuid` (3–4 and files that are not fragments), `__t1_t2_uuid_v`.
 */
export type NameForm = "uuid_t" | "t_t_uuid" | "t_t_uuid_v"

/** The parts of a timestamped name. */
export interface TimestampedName {
  /** The whole name, without folder and extension. */
  readonly name: string
  /** The form of the name. */
  readonly form: NameForm
  /** The first timestamp in milliseconds since 1970; equal to `end` in the oldest form. */
  readonly start: number
  /** The last timestamp in milliseconds since 1970. */
  readonly end: number
  /** The format version at the end of the name; 0 if the name contains no version. */
  readonly version: number
  /** 32 hexadecimal digits. */
  readonly uuid: string
}

const ranged = /^__(\d{1,20})_(\d{1,20})_([0-9a-f]{32})(?:_(\d{1,10}))?$/
const oldest = /^__([0-9a-f]{32})_(?:\d{1,20}_)?(\d{1,20})$/

/**
 * Returns the last component of a path or URI; trailing slashes are ignored.
 *
 * ```ts
 * import { lastComponent } from "@tessera/array/schema"
 * import { assertEquals } from "@std/assert"
 *
 * assertEquals(lastComponent("s3://b/array/__fragments/__1_1_a_22/"), "__1_1_a_22")
 * ```
 */
export const lastComponent = (path: string): string => {
  const end = path.endsWith("/") ? path.length - 1 : path.length
  return path.slice(path.lastIndexOf("/", end - 1) + 1, end)
}

/**
 * Parses a name, path or URI with any extension; returns `undefined` if it is not a timestamped name. Format:
 * `timestamped_name.md`.
 *
 * ```ts
 * import { parseName } from "@tessera/array/schema"
 * import { assertEquals } from "@std/assert"
 *
 * const name = parseName("__commits/__1000_2000_0123456789abcdef0123456789abcdef_22.wrt")
 * assertEquals([name?.start, name?.end, name?.version], [1000, 2000, 22])
 * assertEquals(parseName("notes.txt"), undefined)
 * ```
 */
export const parseName = (path: string): TimestampedName | undefined => {
  const component = lastComponent(path)
  const dot = component.lastIndexOf(".")
  const name = dot < 0 ? component : component.slice(0, dot)
  const r = ranged.exec(name)
  if (r !== null) {
    const start = Number(r[1])
    const end = Number(r[2])
    if (start > end) return undefined
    const version = r[4] === undefined ? 0 : Number(r[4])
    return { name, form: r[4] === undefined ? "t_t_uuid" : "t_t_uuid_v", start, end, version, uuid: r[3] }
  }
  const o = oldest.exec(name)
  if (o === null) return undefined
  const time = Number(o[2])
  return { name, form: "uuid_t", start: time, end: time, version: 0, uuid: o[1] }
}

/**
 * Formats a name. Omit `version` for files whose names have no version (schemas, metadata, formats 3–4).
 *
 * ```ts
 * import { formatName } from "@tessera/array/schema"
 * import { assertEquals } from "@std/assert"
 *
 * const uuid = "0123456789abcdef0123456789abcdef"
 * assertEquals(formatName(1000, 2000, uuid, 22), `__1000_2000_${uuid}_22`)
 * assertEquals(formatName(1000, 1000, uuid), `__1000_1000_${uuid}`)
 * ```
 */
export const formatName = (start: number, end: number, uuid: string, version?: number): string =>
  `__${start}_${end}_${uuid}${version === undefined ? "" : `_${version}`}`

/**
 * Compares names by start, then end, then bytes: later names override earlier ones.
 *
 * ```ts
 * import { compareNames, parseName } from "@tessera/array/schema"
 * import { assertEquals } from "@std/assert"
 *
 * const [a, b] = ["a", "b"].map((digit) => parseName(`__5_5_${digit.repeat(32)}_22`)!)
 * assertEquals([b, a].sort(compareNames), [a, b]) // equal timestamps, so the bytes decide
 * ```
 */
export const compareNames = (a: TimestampedName, b: TimestampedName): number =>
  a.start - b.start || a.end - b.end || (a.name < b.name ? -1 : a.name > b.name ? 1 : 0)
