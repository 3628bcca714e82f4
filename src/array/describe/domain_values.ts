/**
 * Ranges of dimensions as values, by dimension name.
 */
import type { ArraySchema as Structure } from "../../../schema/array/array_schema.ts"
import { VAR } from "../../../schema/array/cell_val_num.ts"
import type { Range } from "../../../schema/array/range.ts"
import { readScalar } from "../../../schema/array/scalar.ts"
import type { DimensionType, ValueOf } from "../../schema_builder/datatype_values.ts"
import type { ArraySchema } from "../../schema_builder/schema_value.ts"
import type { FragmentDescription } from "./describe.ts"

/**
 * A coordinate: a bigint for 64-bit integers, dates and times; a string for text dimensions, or bytes if the text is
 * not UTF-8.
 */
export type CoordinateValue = number | bigint | string | Uint8Array

/** The type of the coordinates of a dimension in ranges. */
export type BoundOf<T extends DimensionType> = T extends "string_ascii" ? string | Uint8Array : ValueOf<T>

/** The lowest and the highest coordinate of each dimension, both inclusive, by dimension name. */
export type DomainRanges<S extends ArraySchema | undefined = undefined> = S extends ArraySchema ? {
    readonly [Name in keyof S["dims"]]: readonly [
      low: BoundOf<S["dims"][Name]["type"]>,
      high: BoundOf<S["dims"][Name]["type"]>,
    ]
  }
  : Readonly<Record<string, readonly [low: CoordinateValue, high: CoordinateValue]>>

/** A fragment of an open array. */
export interface FragmentInfo<S extends ArraySchema | undefined = undefined>
  extends Omit<FragmentDescription, "nonEmptyDomain" | "mbrs"> {
  /** The ranges of its cells; `undefined` if the footer does not contain them. */
  readonly nonEmptyDomain: DomainRanges<S> | undefined
  /** The MBRs of its tiles; only the first eight are included. */
  readonly mbrs: ReadonlyArray<DomainRanges<S>>
}

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

const textOf = (bytes: Uint8Array): string | Uint8Array => {
  try {
    return decoder.decode(bytes)
  } catch {
    return bytes.slice()
  }
}

/** Returns raw ranges, one per dimension, as values by dimension name. */
export const domainRanges = <S extends ArraySchema | undefined>(
  { dimensions }: Structure,
  ranges: ReadonlyArray<Range>,
): DomainRanges<S> =>
  Object.fromEntries(dimensions.map(({ name, type, cellValNum }, d) => {
    const bound = (bytes: Uint8Array): CoordinateValue => cellValNum === VAR ? textOf(bytes) : readScalar(type, bytes)
    return [name, [bound(ranges[d].low), bound(ranges[d].high)]]
  })) as unknown as DomainRanges<S>

/** Returns a description with values by dimension name. */
export const fragmentInfo = <S extends ArraySchema | undefined>(
  schema: Structure,
  { nonEmptyDomain, mbrs, ...rest }: FragmentDescription,
): FragmentInfo<S> => ({
  ...rest,
  nonEmptyDomain: nonEmptyDomain === undefined ? undefined : domainRanges<S>(schema, nonEmptyDomain),
  mbrs: mbrs.map((mbr) => domainRanges<S>(schema, mbr)),
})
