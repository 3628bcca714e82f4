/**
 * Names of fragments, commits, schemas, metadata and group files: they say when, and which comes first.
 *
 * @module
 */

/** The three forms: `__uuid_t` (formats 1–2), `__t1_t2_uuid` (3–4 and files that are not fragments), `__t1_t2_uuid_v`. */
export type NameForm = "uuid_t" | "t_t_uuid" | "t_t_uuid_v"

/** A name taken apart. */
export interface TimestampedName {
  /** the whole name, without folder and extension */
  readonly name: string
  /** Which of the forms the name has. */
  readonly form: NameForm
  /** first and last time of what it holds, in milliseconds since 1970; the same in the oldest form */
  readonly start: number
  /** The last moment, in milliseconds since 1970. */
  readonly end: number
  /** the version at the end of the name; 0 if there is none */
  readonly version: number
  /** 32 hex digits */
  readonly uuid: string
}

const ranged = /^__(\d{1,20})_(\d{1,20})_([0-9a-f]{32})(?:_(\d{1,10}))?$/
const oldest = /^__([0-9a-f]{32})_(?:\d{1,20}_)?(\d{1,20})$/

/**
 * The last component of a path or URI; a slash at the end does not count.
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
 * Takes a name, path or URI apart, whatever its extension; `undefined` if it is no timestamped name. Format:
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
 * Makes a name; `version` is left out for the files that carry none (schemas, metadata, formats 3–4).
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
 * Orders names by start, then end, then the bytes of the name: later ones win over earlier ones.
 *
 * ```ts
 * import { compareNames, parseName } from "@tessera/array/schema"
 * import { assertEquals } from "@std/assert"
 *
 * const [a, b] = ["a", "b"].map((digit) => parseName(`__5_5_${digit.repeat(32)}_22`)!)
 * assertEquals([b, a].sort(compareNames), [a, b]) // of the same moment, so b wins
 * ```
 */
export const compareNames = (a: TimestampedName, b: TimestampedName): number =>
  a.start - b.start || a.end - b.end || (a.name < b.name ? -1 : a.name > b.name ? 1 : 0)
