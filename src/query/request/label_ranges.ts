/**
 * Dimension labels in selections: converts ranges of labels to ranges of coordinates.
 *
 * The label array is searched for labels in the ranges, using its tile statistics, for any label order. A range without
 * labels selects no coordinates.
 */
import * as Effect from "effect/Effect"
import type { Codecs } from "../../../platform/codecs/service.ts"
import type { Storage } from "../../../platform/storage/service.ts"
import { VAR } from "../../../schema/array/cell_val_num.ts"
import { sizeOf } from "../../../schema/array/datatype.ts"
import type { DimensionLabel } from "../../../schema/array/dimension_label.ts"
import {
  catchScalarError,
  parseScalar,
  parseText,
  readScalar,
  scalarBytes,
  ScalarError,
} from "../../../schema/array/scalar.ts"
import type { Predicate } from "../../condition/predicate.ts"
import { SelectionError } from "../../array/open/errors.ts"
import { openLabel } from "../../array/create/label_array.ts"
import { nonEmptyDomain } from "../../array/describe/non_empty_domain.ts"
import type { OpenedArray } from "../../array/open/open.ts"
import { axisOf } from "../../fragment/dense_tiles.ts"
import { fieldsOf } from "../../fragment/field.ts"
import { compareBytes } from "../../kernel/match/match_ranges.ts"
import { inputOf, type Pair, rangesInput, type RegionInput } from "../selection/range_input.ts"
import { type DenseReadRequest, readDenseRequest } from "../dense/read.ts"
import { attemptSelection, type ReadError } from "../options/read_error.ts"
import { DEFAULT_READ_MEMORY } from "../options/read_options.ts"

/** Number of labels read together, unless a tile is larger. */
const PART_LABELS = 1n << 20n

/** Maximum number of labels read together; larger tiles are read in parts. */
const MAX_PART_LABELS = 1n << 23n

/** Replaces each label in the ranges by its dimension, with the coordinates whose labels are in the ranges. */
export const withoutLabels = (
  array: OpenedArray,
  ranges: RegionInput,
): Effect.Effect<RegionInput, ReadError, Storage | Codecs> => {
  const { schema, uri } = array
  const isNamed = (name: string): boolean =>
    typeof ranges === "object" && ranges !== null && Object.hasOwn(ranges, name)
  const isGiven = (name: string): boolean => isNamed(name) && ranges[name] !== undefined
  const labels = schema.dimensionLabels.filter(({ name }) => isNamed(name))
  if (labels.length === 0) return Effect.succeed(ranges)
  const named = labels.filter(({ name }) => isGiven(name))
  return Effect.gen(function* () {
    const out = new Map(Object.entries(ranges))
    for (const { name } of labels) out.delete(name)
    for (const label of named) {
      const { name } = schema.dimensions[label.dimension]
      const other = named.find((dimensionLabel) =>
        dimensionLabel !== label && dimensionLabel.dimension === label.dimension
      )?.name ??
        (isGiven(name) ? name : undefined)
      if (other !== undefined) {
        const detail = `it belongs to the same dimension as ${JSON.stringify(other)}; pass ranges for one of them`
        return yield* Effect.fail(new SelectionError({ uri, field: label.name, reason: "Duplicate", detail }))
      }
      out.set(name, yield* coordinatesOf(array, label, ranges[label.name]))
    }
    return Object.fromEntries(out)
  })
}

/** Opens the array that stores a label. */
export const labelArray = (
  array: OpenedArray,
  label: DimensionLabel,
): Effect.Effect<OpenedArray, ReadError, Storage | Codecs> =>
  openLabel(array, label).pipe(
    Effect.catchTag("InvalidOption", Effect.die),
    Effect.catchTag("ArrayNotFound", ({ uri, detail: hint }) =>
      Effect.fail(
        new SelectionError({
          uri,
          field: label.name,
          reason: "Missing",
          detail: `the array of the label is missing: ${hint}`,
        }),
      )),
  )

/** Returns the coordinates whose labels are in the ranges, as ranges. */
const coordinatesOf = (
  array: OpenedArray,
  label: DimensionLabel,
  input: unknown,
): Effect.Effect<ReadonlyArray<Pair>, ReadError, Storage | Codecs> =>
  Effect.gen(function* () {
    const { uri } = array
    const predicate = yield* attemptSelection(() => predicateOf(uri, label, input))
    const opened = yield* labelArray(array, label)
    const written = nonEmptyDomain(opened)
    if (written === undefined) {
      const detail = "the label has no values, since they were never written"
      return yield* Effect.fail(new SelectionError({ uri, field: label.name, reason: "Missing", detail }))
    }
    const [dimension] = opened.schema.dimensions
    const bounds = [written[0].low, written[0].high].map((bound) => BigInt(readScalar(dimension.type, bound)))
    const where = { predicate, fields: [fieldsOf(opened.schema).byName.get(label.attribute)!] }
    const { low: origin, extent } = axisOf(dimension)
    const step = extent > PART_LABELS && extent < MAX_PART_LABELS
      ? extent
      : extent >= MAX_PART_LABELS
      ? PART_LABELS
      : PART_LABELS - PART_LABELS % extent
    const coordinate = (value: bigint): number | bigint => sizeOf(dimension.type) === 8 ? value : Number(value)
    const pairs: Array<Pair> = []
    let from: bigint | undefined
    const end = (last: bigint): void => {
      if (from !== undefined) pairs.push([coordinate(from), coordinate(last)])
      from = undefined
    }
    for (let low = bounds[0]; low <= bounds[1];) {
      // end each part at a tile border
      const next = low + step - (low - origin) % step
      const high = next - 1n < bounds[1] ? next - 1n : bounds[1]
      const request: DenseReadRequest = {
        fields: [],
        selection: [{ kind: "number", dimension, ranges: [{ low: coordinate(low), high: coordinate(high) }] }],
        ranges: [[{ low, high }]],
        order: "row",
        where,
        masked: true,
      }
      const { mask: mask } = yield* readDenseRequest(opened, request, DEFAULT_READ_MEMORY)
      for (let i = 0; i < mask!.length; i++) {
        if (mask![i] === 1) from ??= low + BigInt(i)
        else if (from !== undefined) end(low + BigInt(i) - 1n)
      }
      low = next
    }
    end(bounds[1])
    return pairs
  })

/** Returns the condition that a label is in one of the ranges. Throws {@link SelectionError}. */
const predicateOf = (uri: string, { name, attribute, type, cellValNum }: DimensionLabel, input: unknown): Predicate => {
  const text = cellValNum === VAR
  const value = (bound: unknown): Uint8Array =>
    text ? parseText(type, inputOf(bound)) : scalarBytes(type, parseScalar(type, inputOf(bound)))
  const compare = (a: Uint8Array, b: Uint8Array): number => {
    if (text) return compareBytes(a, b)
    const [x, y] = [readScalar(type, a), readScalar(type, b)]
    return x < y ? -1 : x > y ? 1 : 0
  }
  const checked = (bound: unknown): Uint8Array | undefined => {
    const bytes = bound === null ? undefined : value(bound)
    if (bytes !== undefined && !text && Number.isNaN(readScalar(type, bytes))) {
      throw new ScalarError("NaN is not a bound of a range")
    }
    return bytes
  }
  const within = ([first, last]: readonly [unknown, unknown]): Predicate => {
    const [low, high] = [checked(first), checked(last)]
    if (low !== undefined && high !== undefined && compare(low, high) > 0) {
      throw new ScalarError("the range is empty: its low bound is above its high bound")
    }
    return {
      kind: "expression",
      op: "and",
      children: [
        ...(low === undefined ? [] : [{ kind: "value", op: "ge", field: attribute, value: low } as const]),
        ...(high === undefined ? [] : [{ kind: "value", op: "le", field: attribute, value: high } as const]),
      ],
    }
  }
  return catchScalarError<Predicate>(() => {
    const requested = rangesInput(input)
    if ("points" in requested) {
      const points = Array.from(requested.points, (point) => checked(inputOf(point))!)
      const starts = new Float64Array(points.length + 1)
      points.forEach((point, i) => starts[i + 1] = starts[i] + point.length)
      const bytes = new Uint8Array(starts[points.length])
      points.forEach((point, i) => bytes.set(point, starts[i]))
      return { kind: "value", op: "in", field: attribute, value: bytes, offsets: starts.subarray(0, points.length) }
    }
    return { kind: "expression", op: "or", children: requested.pairs.map(within) }
  }, (detail) => {
    throw new SelectionError({ uri, field: name, reason: "InvalidRange", detail })
  })
}
