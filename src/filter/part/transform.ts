/**
 * The interface of filters: a pair of plain functions on the bytes of one chunk.
 *
 * @module
 */
import type { Codecs, WebpCodec, WebpEncoder } from "../../../platform/codecs/service.ts"
import { BinaryIssue } from "../../../schema/binary/mod.ts"
import type { Datatype } from "../../../schema/array/datatype.ts"
import type { Filter, FilterType } from "../../../schema/array/filter.ts"

/** The properties of the tile of a chunk that filters may need. */
export interface FilterContext {
  readonly codecs: Codecs
  /** The datatype of this filter's input; when writing, the type flow is already applied. */
  readonly type: Datatype
  /** The size of a cell in bytes; for var-sized data, the size of a value. */
  readonly cellSize: number
  /** The format version of the fragment or generic tile that contains the tile. */
  readonly version: number
  /** The format version of the engine that writes; only for writing. */
  readonly engineVersion?: number
  /** The 32 bytes of the array's key. */
  readonly key?: Uint8Array
  readonly verifyChecksums: boolean
  readonly webp?: WebpCodec
  readonly webpEncoder?: WebpEncoder
  /** The file, and the start of the chunk in it; for errors. */
  readonly uri: string
  readonly offset: number
}

/** A chunk between two filters when reading: the metadata not yet consumed, and the data. */
export interface Chunk {
  readonly metadata: Uint8Array
  readonly data: Uint8Array
}

/**
 * A chunk between two filters when writing: metadata parts stay separate, newest first, because filters treat them
 * separately.
 */
export interface Parts {
  readonly metadata: ReadonlyArray<Uint8Array>
  readonly data: Uint8Array
  /**
   * True if there is no data part, so that `data` is empty: engines drop an empty part when a filter passes it on
   * unchanged.
   */
  readonly dropped?: boolean
}

/** Returns the parts of data: one or none. */
export const dataParts = ({ data, dropped }: Parts): ReadonlyArray<Uint8Array> => dropped === true ? [] : [data]

/** Returns the parts when a filter passes the data on unchanged. */
export const passedOn = (parts: Parts): Parts => ({ ...parts, dropped: parts.data.byteLength === 0 })

/** The filter of type `K` with its options. */
export type FilterOf<K extends FilterType> = Filter & { readonly type: K }

/** Returns uninitialized memory for `size` bytes of output, aligned for all types. At most one call is allowed. */
export type Allocate = (size: number) => Uint8Array

/**
 * Reverses a filter. The input is not modified; the result may consist of views of it, or use memory from `allocate`.
 * The output (data and metadata together) has at most `limit` bytes. Throws {@link BinaryIssue} for damaged input.
 */
export type Reverse<F> = (filter: F, chunk: Chunk, context: FilterContext, limit: number, allocate: Allocate) => Chunk

/** Applies a filter with byte-identical results to the engine. The input is not modified. Throws {@link Refusal}. */
export type Forward<F> = (filter: F, parts: Parts, context: FilterContext) => Parts

/** The two directions of a filter. */
export interface Transform<F> {
  readonly reverse: Reverse<F>
  readonly forward: Forward<F>
}

/** Returns the error for damage inside a chunk. The pipeline adds the position in the file. */
export const damaged = (reason: string): BinaryIssue => new BinaryIssue(0, reason)

/**
 * The error of values that a filter does not support. `at` is the position of the value in the filter's input, in
 * bytes, if the error concerns a value. `filterTile` determines the cell.
 */
export class Refusal extends Error {
  constructor(readonly reason: string, readonly at?: number) {
    super(reason)
  }
}

/** Rejects sizes larger than a chunk can have, before memory is allocated. */
export const checkSize = (size: number, limit: number): void => {
  if (size > limit) throw damaged(`claims ${size} bytes; the maximum is ${limit}`)
}
