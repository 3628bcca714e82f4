/**
 * Fields: the on-disk form of values. A field consists of three plain functions and a Schema of its values.
 * {@link struct} combines fields into structures, which are Schema codecs by `.at(version)`.
 */
import * as Schema from "effect/Schema"
import type { Cursor } from "./cursor.ts"
import type { Sink } from "./sink.ts"
import { BinaryIssue } from "./issue.ts"

/** A type of value and its on-disk form. */
export interface Field<A> {
  /** The Schema of the values, also used to generate arbitrary values for the laws. */
  readonly schema: Schema.Schema<A>
  /** The minimum size of a value in bytes. A list's count is checked against it before memory is allocated. */
  readonly minBytes: number
  /** Reads a value. `self` holds the fields of the enclosing struct read so far. */
  // deno-lint-ignore no-explicit-any
  readonly get: (cursor: Cursor, self: any) => A
  /** Writes a value. `self` is the enclosing struct. */
  // deno-lint-ignore no-explicit-any
  readonly put: (sink: Sink, value: A, self: any) => void
  /**
   * Adjusts a value to the format version: fields that the version lacks get the value that reading returns. Makes
   * arbitrary values consistent for the round-trip laws.
   */
  // deno-lint-ignore no-explicit-any
  readonly fit: (value: A, version: number, self: any) => A
  /** `get` in steps, for values that can be large: yields after each bounded part of the work. */
  // deno-lint-ignore no-explicit-any
  readonly getSteps?: (cursor: Cursor, self: any) => Generator<void, A, void>
  /** Whether a value is large enough to write it in steps. Default: every value is. */
  readonly isLong?: (value: A) => boolean
  /** `put` in steps, for values that can be large: yields after each bounded part of the work. */
  // deno-lint-ignore no-explicit-any
  readonly putSteps?: (sink: Sink, value: A, self: any) => Generator<void, void, void>
}

const same = <A>(value: A): A => value

/** The parts of a field, with a function that builds the Schema. */
export interface FieldParts<A> extends Omit<Field<A>, "schema"> {
  readonly schema: () => Schema.Schema<A>
}

/** Builds the Schema on first use. It is a getter of the class, so that spreading a field does not build it. */
class LazyField<A> implements Field<A> {
  readonly minBytes: Field<A>["minBytes"]
  readonly get: Field<A>["get"]
  readonly put: Field<A>["put"]
  readonly fit: Field<A>["fit"]
  readonly getSteps: Field<A>["getSteps"]
  readonly putSteps: Field<A>["putSteps"]
  readonly isLong: Field<A>["isLong"]
  readonly #make: () => Schema.Schema<A>
  #made: Schema.Schema<A> | undefined

  constructor({ schema, minBytes, get, put, fit, getSteps, putSteps, isLong }: FieldParts<A>) {
    this.#make = schema
    this.minBytes = minBytes
    this.get = get
    this.put = put
    this.fit = fit
    this.getSteps = getSteps
    this.putSteps = putSteps
    this.isLong = isLong
  }

  get schema(): Schema.Schema<A> {
    return this.#made ??= this.#make()
  }
}

/** Creates a field whose Schema is built on first use: reading and writing do not need it, and building all is slow. */
export const field = <A>(parts: FieldParts<A>): Field<A> => new LazyField(parts)

/** Creates a field of fixed size without inner structure. */
export const primitive = <A>(
  schema: () => Schema.Schema<A>,
  minBytes: number,
  get: (cursor: Cursor) => A,
  put: (sink: Sink, value: A) => void,
): Field<A> => field({ schema, minBytes, get, put, fit: same })

const integer = (low: number, high: number) => (): Schema.Schema<number> => Schema.Int.pipe(Schema.between(low, high))

/** One unsigned byte. */
export const u8: Field<number> = primitive(
  integer(0, 0xff),
  1,
  (c) => c.view.getUint8(c.take(1)),
  (s, a) => {
    // not inline: `reserve` may replace the view
    const at = s.reserve(1)
    s.view.setUint8(at, a)
  },
)

/** Two bytes, unsigned. */
export const u16: Field<number> = primitive(integer(0, 0xffff), 2, (c) => c.view.getUint16(c.take(2), true), (s, a) => {
  const at = s.reserve(2)
  s.view.setUint16(at, a, true)
})

/** Four bytes, unsigned. */
export const u32: Field<number> = primitive(
  integer(0, 0xffffffff),
  4,
  (c) => c.view.getUint32(c.take(4), true),
  (s, a) => {
    const at = s.reserve(4)
    s.view.setUint32(at, a, true)
  },
)

/** Four bytes, signed. */
export const i32: Field<number> = primitive(
  integer(-0x80000000, 0x7fffffff),
  4,
  (c) => c.view.getInt32(c.take(4), true),
  (s, a) => {
    const at = s.reserve(4)
    s.view.setInt32(at, a, true)
  },
)

/** A size, offset or count of eight bytes, as a number. Values above 2^53 − 1 are rejected. */
export const u64: Field<number> = primitive(
  integer(0, Number.MAX_SAFE_INTEGER),
  8,
  (c) => {
    const at = c.take(8)
    const high = c.view.getUint32(at + 4, true)
    if (high > 0x1fffff) throw new BinaryIssue(at, `${c.view.getBigUint64(at, true)} is past 2^53 - 1`)
    return high * 0x100000000 + c.view.getUint32(at, true)
  },
  (s, a) => {
    const at = s.reserve(8)
    s.view.setBigUint64(at, BigInt(a), true)
  },
)

/** Eight bytes, unsigned, exact: for sentinels such as all bits set. */
export const u64Exact: Field<bigint> = primitive(
  () => Schema.BigIntFromSelf.pipe(Schema.betweenBigInt(0n, 0xffffffffffffffffn)),
  8,
  (c) => c.view.getBigUint64(c.take(8), true),
  (s, a) => {
    const at = s.reserve(8)
    s.view.setBigUint64(at, a, true)
  },
)

/** A four-byte float; values are rounded to float32. */
export const f32: Field<number> = field({
  schema: () => Schema.Number,
  minBytes: 4,
  get: (c) => c.view.getFloat32(c.take(4), true),
  put: (s, a) => {
    const at = s.reserve(4)
    s.view.setFloat32(at, a, true)
  },
  fit: (a) => Math.fround(a),
})

/** An eight-byte float. */
export const f64: Field<number> = primitive(
  () => Schema.Number,
  8,
  (c) => c.view.getFloat64(c.take(8), true),
  (s, a) => {
    const at = s.reserve(8)
    s.view.setFloat64(at, a, true)
  },
)

/** One byte, 0 or 1. */
export const bool: Field<boolean> = primitive(
  () => Schema.Boolean,
  1,
  (c) => {
    const at = c.take(1)
    const byte = c.bytes[at]
    if (byte > 1) throw new BinaryIssue(at, `${byte} is not a bool`)
    return byte === 1
  },
  (s, a) => u8.put(s, a ? 1 : 0, undefined),
)

/** Bytes with a length before them. They are read as a view, not a copy. */
export const bytes = (length: Field<number>): Field<Uint8Array> =>
  primitive(() => Schema.Uint8ArrayFromSelf, length.minBytes, (c) => c.bytesOf(length.get(c, undefined)), (s, a) => {
    length.put(s, a.byteLength, undefined)
    s.append(a)
  })

/** Minimum size in bytes for which `putSteps` is used. */
const MIN_STEPPED_SIZE = 1 << 20

const checkLength = (s: Sink, a: Uint8Array, length: number): void => {
  if (a.byteLength !== length) throw new BinaryIssue(s.offset, `${a.byteLength} bytes; expected ${length}`)
}

/** Bytes whose number depends on earlier fields. */
// deno-lint-ignore no-explicit-any
export const bytesOf = (length: (self: any, version: number) => number): Field<Uint8Array> =>
  field({
    schema: () => Schema.Uint8ArrayFromSelf,
    minBytes: 0,
    get: (c, self) => c.bytesOf(length(self, c.version)),
    put: (s, a, self) => {
      checkLength(s, a, length(self, s.version))
      s.append(a)
    },
    isLong: (a) => a.byteLength > MIN_STEPPED_SIZE,
    putSteps: (s, a, self) => {
      checkLength(s, a, length(self, s.version))
      return s.appendSteps(a)
    },
    fit: (a, version, self) => {
      const out = new Uint8Array(length(self, version))
      out.set(a.subarray(0, out.byteLength))
      return out
    },
  })

const encoder = new TextEncoder()
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

/** Text with a length before it. */
export const utf8 = (length: Field<number>): Field<string> =>
  field({
    schema: () => Schema.String,
    minBytes: length.minBytes,
    get: (c) => {
      const at = c.offset
      try {
        return decoder.decode(c.bytesOf(length.get(c, undefined)))
      } catch (error) {
        if (error instanceof BinaryIssue) throw error
        throw new BinaryIssue(at, "not valid UTF-8")
      }
    },
    put: (s, a) => {
      const encoded = encoder.encode(a)
      length.put(s, encoded.byteLength, undefined)
      s.append(encoded)
    },
    // lone surrogates cannot be encoded as UTF-8
    fit: (a) => decoder.decode(encoder.encode(a)),
  })

/** One of several names, stored as its code. `width` is the field of the code (default: one byte). */
export const literal = <const T extends Record<string, number>>(
  codes: T,
  label: string,
  width: Field<number> = u8,
): Field<keyof T & string> => {
  const names = new Map(Object.entries(codes).map(([name, code]) => [code, name as keyof T & string]))
  return primitive(
    () =>
      Schema.Literal(
        ...(Object.keys(codes) as [keyof T & string, ...Array<keyof T & string>]),
      ) as unknown as Schema.Schema<
        keyof T & string
      >,
    width.minBytes,
    (c) => {
      const at = c.offset
      const code = width.get(c, undefined)
      const name = names.get(code)
      if (name === undefined) throw new BinaryIssue(at, `${code} is not a known ${label}`)
      return name
    },
    (s, a) => width.put(s, codes[a], undefined),
  )
}

/**
 * A field that is stored since format version `version`. Before, it reads as `absent`, and only that value can be
 * written.
 */
export const since = <A>(
  version: number,
  stored: Field<A>,
  // deno-lint-ignore no-explicit-any
  absent: A | ((self: any, version: number) => A),
): Field<A> => {
  const missing = (self: unknown, v: number): A =>
    typeof absent === "function" ? (absent as (self: unknown, v: number) => A)(self, v) : absent
  return field({
    schema: () => stored.schema,
    minBytes: 0,
    get: (c, self) => c.version >= version ? stored.get(c, self) : missing(self, c.version),
    put: (s, a, self) => {
      if (s.version >= version) stored.put(s, a, self)
      else if (typeof a !== "object" && a !== missing(self, s.version)) {
        throw new BinaryIssue(s.offset, `${String(a)} needs format version ${version}, not ${s.version}`)
      }
    },
    fit: (a, v, self) => v >= version ? stored.fit(a, v, self) : missing(self, v),
  })
}
