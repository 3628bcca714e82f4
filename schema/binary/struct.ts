import * as Arbitrary from "effect/Arbitrary"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import { FormatError } from "../errors/format_error.ts"
import { Cursor } from "./cursor.ts"
import { type Field, field } from "./field.ts"
import { BinaryIssue } from "./issue.ts"
import { Sink } from "./sink.ts"

/** A field that is a whole structure, with a Schema codec for every format version. */
export interface Codec<A> extends Field<A> {
  /** Returns the Schema codec of a format version: bytes ⇄ value. Memoised. */
  readonly at: (version: number) => Schema.Schema<A, Uint8Array>
}

// deno-lint-ignore no-explicit-any
type Fields = Record<string, Field<any>>
type Of<F extends Fields> = { readonly [K in keyof F]: F[K] extends Field<infer A> ? A : never }

/** Creates the codec of a field. */
export const codec = <A>(layout: Field<A>): Codec<A> => {
  const memo = new Map<number, Schema.Schema<A, Uint8Array>>()
  const make = (version: number): Schema.Schema<A, Uint8Array> => {
    const values = Schema.typeSchema(layout.schema)
    const fitting = values.annotations({
      arbitrary: () => (fc) => Arbitrary.makeLazy(values)(fc).map((a) => layout.fit(a, version, undefined)),
    })
    return Schema.transformOrFail(Schema.Uint8ArrayFromSelf, fitting, {
      strict: true,
      decode: (input, _options, ast) => attempt(ast, input, () => decodeExact(layout, input, version)),
      encode: (value, _options, ast) => attempt(ast, value, () => encode(layout, value, version)),
    })
  }
  return Object.assign(field({ ...layout, schema: () => layout.schema }), {
    at: (version: number) => {
      let made = memo.get(version)
      if (made === undefined) memo.set(version, made = make(version))
      return made
    },
  })
}

const attempt = <A>(ast: ConstructorParameters<typeof ParseResult.Type>[0], actual: unknown, run: () => A) => {
  try {
    return ParseResult.succeed(run())
  } catch (error) {
    if (error instanceof BinaryIssue) return ParseResult.fail(new ParseResult.Type(ast, actual, error.message))
    throw error
  }
}

/** Creates the codec of a structure whose named fields are stored in order. */
export const struct = <F extends Fields>(fields: F): Codec<Of<F>> => {
  const entries = Object.entries(fields)
  const long = entries.filter(([, member]) => member.putSteps !== undefined)
  function* getSteps(cursor: Cursor): Generator<void, Of<F>, void> {
    const out: Record<string, unknown> = {}
    for (const [key, member] of entries) {
      try {
        out[key] = member.getSteps === undefined ? member.get(cursor, out) : yield* member.getSteps(cursor, out)
      } catch (error) {
        if (error instanceof BinaryIssue) error.path.unshift(key)
        throw error
      }
    }
    return out as Of<F>
  }
  function* putSteps(sink: Sink, value: Of<F>): Generator<void, void, void> {
    for (const [key, member] of entries) {
      try {
        if (member.putSteps === undefined) member.put(sink, value[key], value)
        else yield* member.putSteps(sink, value[key], value)
      } catch (error) {
        if (error instanceof BinaryIssue) error.path.unshift(key)
        throw error
      }
    }
  }
  return codec<Of<F>>(field({
    // deno-lint-ignore no-explicit-any
    schema: () => Schema.Struct(Object.fromEntries(entries.map(([k, f]) => [k, f.schema]))) as any,
    minBytes: entries.reduce((sum, [, f]) => sum + f.minBytes, 0),
    get: (cursor) => {
      const out: Record<string, unknown> = {}
      for (const [key, member] of entries) {
        try {
          out[key] = member.get(cursor, out)
        } catch (error) {
          if (error instanceof BinaryIssue) error.path.unshift(key)
          throw error
        }
      }
      return out as Of<F>
    },
    put: (sink, value) => {
      for (const [key, member] of entries) {
        try {
          member.put(sink, value[key], value)
        } catch (error) {
          if (error instanceof BinaryIssue) error.path.unshift(key)
          throw error
        }
      }
    },
    fit: (value, version) => {
      const out: Record<string, unknown> = {}
      for (const [key, member] of entries) out[key] = member.fit(value[key], version, out)
      return out as Of<F>
    },
    getSteps: entries.some(([, member]) => member.getSteps !== undefined) ? getSteps : undefined,
    putSteps: long.length > 0 ? putSteps : undefined,
    isLong: (value) => long.some(([key, member]) => member.isLong?.(value[key]) ?? true),
  }))
}

const checkEnd = (cursor: Cursor): void => {
  if (cursor.remaining > 0) throw new BinaryIssue(cursor.offset, `${cursor.remaining} unexpected bytes at the end`)
}

const decodeExact = <A>(field: Field<A>, input: Uint8Array, version: number): A => {
  const cursor = new Cursor(input, version)
  const value = field.get(cursor, undefined)
  checkEnd(cursor)
  return value
}

/**
 * Encodes a value at a format version. Fields that the version does not store are omitted if they have the value that
 * reading returns. Throws {@link BinaryIssue}, whose message names the field, for values that the version cannot
 * represent.
 *
 * ```ts
 * import { encode, VacuumFile } from "@tessera/array/schema"
 * import { assertEquals } from "@std/assert"
 *
 * const lines = encode(VacuumFile, ["/__fragments/a", "/__fragments/b"], 22)
 * assertEquals(new TextDecoder().decode(lines), "/__fragments/a\n/__fragments/b\n")
 * ```
 */
export const encode = <A>(field: Field<A>, value: A, version: number): Uint8Array<ArrayBuffer> => {
  const sink = new Sink(version)
  field.put(sink, value, undefined)
  return sink.finish()
}

/** Encodes like {@link encode}, in steps: for structures that can be large. */
export function* encodeSteps<A>(
  field: Field<A>,
  value: A,
  version: number,
): Generator<void, Uint8Array<ArrayBuffer>, void> {
  const sink = new Sink(version)
  if (field.putSteps === undefined) field.put(sink, value, undefined)
  else yield* field.putSteps(sink, value, undefined)
  yield
  return yield* sink.finishSteps()
}

/** Decodes a whole file like {@link decode}, in steps: for structures that can be large. */
export function* decodeSteps<A>(
  field: Field<A>,
  input: Uint8Array,
  version: number,
  uri: string,
): Generator<void, A, void> {
  try {
    const cursor = new Cursor(input, version)
    const value = field.getSteps === undefined ? field.get(cursor, undefined) : yield* field.getSteps(cursor, undefined)
    checkEnd(cursor)
    return value
  } catch (error) {
    throw asFormatError(error, version, uri)
  }
}

/**
 * Decodes a whole structure of the file `uri`. Throws {@link FormatError}, whose offset is relative to the file: `base`
 * is the start of the bytes in it. With `rest`, trailing bytes are allowed. Byte columns are views of `input`.
 *
 * ```ts
 * import { decode, FormatError, TileOffsets } from "@tessera/array/schema"
 * import { assertEquals, assertThrows } from "@std/assert"
 *
 * const bytes = Uint8Array.of(2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 96, 0, 0, 0, 0, 0, 0, 0)
 * assertEquals(decode(TileOffsets, bytes, 22, "mem://a"), Float64Array.of(0, 96))
 *
 * const error = assertThrows(() => decode(TileOffsets, bytes.subarray(0, 20), 22, "mem://a"), FormatError)
 * assertEquals([error.uri, error.offset], ["mem://a", 8])
 * ```
 */
export const decode = <A>(
  field: Field<A>,
  input: Uint8Array,
  version: number,
  uri: string,
  options: { readonly base?: number; readonly rest?: boolean } = {},
): A => {
  try {
    return options.rest === true ? field.get(new Cursor(input, version), undefined) : decodeExact(field, input, version)
  } catch (error) {
    throw asFormatError(error, version, uri, options.base ?? 0)
  }
}

/** Converts a {@link BinaryIssue} to a `FormatError` of the file; returns other errors unchanged. */
export const asFormatError = (error: unknown, version: number, uri: string, base = 0): unknown =>
  error instanceof BinaryIssue
    ? new FormatError({
      uri,
      path: error.path.join("."),
      offset: base + error.offset,
      version,
      reason: error.unsupported ? "Unsupported" : "Damaged",
      detail: error.reason,
    })
    : error
