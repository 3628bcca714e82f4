/**
 * What a filter is to the engine: a pair of plain functions on the bytes of one chunk.
 *
 * @module
 */
import type { Codecs, WebpCodec, WebpEncoder } from "../../../platform/codecs/service.ts"
import { BinaryIssue } from "../../../schema/binary/mod.ts"
import type { Datatype } from "../../../schema/array/datatype.ts"
import type { Filter, FilterType } from "../../../schema/array/filter.ts"

/** What a filter may need to know of the tile that its chunk belongs to. */
export interface FilterContext {
  readonly codecs: Codecs
  /** The type of this filter's input, forward: the type flow is already applied. */
  readonly type: Datatype
  /** Bytes of one cell; of one value for var-sized data. */
  readonly cellSize: number
  /** Format version of the fragment, or of the generic tile, that holds the tile. */
  readonly version: number
  /** Format version of the engine that writes; forward only. */
  readonly engineVersion?: number
  /** The 32 bytes of the array's key. */
  readonly key?: Uint8Array
  readonly verifyChecksums: boolean
  readonly webp?: WebpCodec
  readonly webpEncoder?: WebpEncoder
  /** The file, and where in it the chunk starts; for errors. */
  readonly uri: string
  readonly offset: number
}

/** A chunk between two filters on the way back: the metadata that is not consumed yet, and the data. */
export interface Chunk {
  readonly metadata: Uint8Array
  readonly data: Uint8Array
}

/** A chunk between two filters on the way out: metadata stays in parts, newest first, because later filters treat each alone. */
export interface Parts {
  readonly metadata: ReadonlyArray<Uint8Array>
  readonly data: Uint8Array
  /** There is no part of data, and so `data` is empty: engines drop it where a filter passes it on. */
  readonly dropped?: boolean
}

/** The parts of data: one, or none. */
export const dataParts = ({ data, dropped }: Parts): ReadonlyArray<Uint8Array> => dropped === true ? [] : [data]

/** Parts whose data a filter passes on as they are. */
export const passedOn = (parts: Parts): Parts => ({ ...parts, dropped: parts.data.byteLength === 0 })

/** The filter of type `K` with its options. */
export type FilterOf<K extends FilterType> = Filter & { readonly type: K }

/** Memory for `size` bytes of data that come out, with anything in it, aligned for all types; asked for once at most. */
export type Room = (size: number) => Uint8Array

/**
 * Undoes a filter. The input is never changed; the result may be views of it, or lie in `room`. What comes out (data and
 * metadata together) is at most `limit` bytes. Damage is thrown as {@link BinaryIssue}.
 */
export type Reverse<F> = (filter: F, chunk: Chunk, context: FilterContext, limit: number, room: Room) => Chunk

/** Applies a filter, byte for byte as the engine does. The input is never changed. Throws {@link Refusal}. */
export type Forward<F> = (filter: F, parts: Parts, context: FilterContext) => Parts

/** A filter's two directions. */
export interface Transform<F> {
  readonly reverse: Reverse<F>
  readonly forward: Forward<F>
}

/** Damage inside a chunk. Where it is in the file is added by the pipeline. */
export const damaged = (reason: string): BinaryIssue => new BinaryIssue(0, reason)

/**
 * What a filter throws of values that it cannot hold: `at` is the byte of its input where they lie, if it is the values
 * and not something else. Which cell that is is found by `filterTile`.
 */
export class Refusal extends Error {
  constructor(readonly reason: string, readonly at?: number) {
    super(reason)
  }
}

/** Refuses more bytes than a chunk can hold here, before they are allocated. */
export const checkSize = (size: number, limit: number): void => {
  if (size > limit) throw damaged(`claims ${size} bytes where at most ${limit} can be`)
}
