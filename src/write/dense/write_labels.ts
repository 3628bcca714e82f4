/**
 * Writes dimension labels: each label array gets a new fragment.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Codecs } from "../../../platform/codecs/service.ts"
import type { Storage } from "../../../platform/storage/service.ts"
import { withTurns } from "../../../platform/host/event_loop_turns.ts"
import type { ArraySchema } from "../../../schema/array/array_schema.ts"
import type { DimensionLabel } from "../../../schema/array/dimension_label.ts"
import { WriteError, type WriteReason } from "../../array/open/errors.ts"
import { openLabel } from "../../array/create/label_array.ts"
import { join } from "../../array/open/listing.ts"
import type { NameTime } from "../../array/create/fragment_name.ts"
import type { OpenedArray } from "../../array/open/open.ts"
import { type Box, boxOf, cellsOfBox } from "../input/box.ts"
import { checkColumnsSteps, checkNamed } from "../input/check_columns.ts"
import { commitFragments } from "../fragment/commit.ts"
import type { FinishedFragment } from "../fragment/fragment_writer.ts"
import { targetOf } from "../fragment/fragment_target.ts"
import { denseFragment } from "./dense_fragment.ts"
import { beforeCommit, momentOf } from "../fragment/timestamps.ts"
import { attemptWrite, attemptWriteSteps, type WriteFailure } from "../result/write_result.ts"

type Columns = Readonly<Record<string, unknown>>

/** A label and its new values. */
export interface LabelColumn {
  readonly label: DimensionLabel
  readonly column: unknown
}

/** Returns the coordinates for which a label is written. */
export type RangeOfLabel = (label: DimensionLabel) => Box[number]

/** Separates the columns of labels from those of fields. Throws {@link WriteError}. */
export const splitLabels = (
  { dimensionLabels }: ArraySchema,
  columns: Columns,
): { readonly labels: ReadonlyArray<LabelColumn>; readonly fields: Columns } => {
  checkNamed(columns)
  const labels = dimensionLabels.flatMap((label) => {
    const column = Object.hasOwn(columns, label.name) ? columns[label.name] : undefined
    return column === undefined ? [] : [{ label, column }]
  })
  if (labels.length === 0) return { labels, fields: columns }
  const names = new Set(labels.map(({ label }) => label.name))
  return { labels, fields: Object.fromEntries(Object.entries(columns).filter(([name]) => !names.has(name))) }
}

/** Returns the URIs of label arrays, without labels stored outside the array: writing those fails. */
export const labelUris = ({ uri }: OpenedArray, labels: ReadonlyArray<LabelColumn>): ReadonlyArray<string> =>
  labels.flatMap(({ label }) => label.relative ? [join(uri, label.uri)] : [])

/** Writes labels into uncommitted fragments. */
export const labelFragments = (
  array: OpenedArray,
  labels: ReadonlyArray<LabelColumn>,
  rangeOf: RangeOfLabel,
  time: NameTime | undefined,
): Effect.Effect<ReadonlyArray<FinishedFragment>, WriteFailure, Storage | Codecs | Scope.Scope> =>
  Effect.forEach(labels, ({ label, column }) =>
    Effect.gen(function* () {
      const { uri } = array
      const refuse = (reason: WriteReason, detail: string, cell?: number): WriteError =>
        new WriteError({ uri, field: label.name, reason, detail, ...(cell === undefined ? {} : { cell }) })
      const opened = yield* openLabel(array, label).pipe(
        Effect.catchTags({
          ArrayNotFound: ({ detail: hint }) =>
            Effect.fail(refuse("Missing", `the array of the label is missing: ${hint}`)),
          FormatError: ({ message }) => Effect.fail(refuse("UnreadableLabel", message)),
          NotFound: ({ message }) => Effect.fail(refuse("UnreadableLabel", message)),
          ChecksumMismatch: ({ message }) => Effect.fail(refuse("UnreadableLabel", message)),
          DecryptionFailed: ({ message }) => Effect.fail(refuse("UnreadableLabel", message)),
        }),
      )
      const target = yield* targetOf(opened)
      const part = [rangeOf(label)]
      const { attributes } = yield* Effect.mapError(
        attemptWriteSteps(uri, () => checkColumnsSteps(opened.schema, { [label.attribute]: column }, cellsOfBox(part))),
        ({ reason, detail, cell }) => refuse(reason, detail, cell),
      )
      return yield* denseFragment(target, part, attributes, { time, order: "row" }, () => {})
    }))

/** Commits labels sequentially: each label has its own array. */
export const commitLabels = (fragments: ReadonlyArray<FinishedFragment>) =>
  Effect.forEach(fragments, (fragment) => commitFragments([fragment]), { discard: true })

/** Returns the ranges of a region for the dimension of each label. Throws {@link WriteError}. */
const rangesIn = (schema: ArraySchema, region: unknown): RangeOfLabel => {
  const { dimensions, currentDomain } = schema
  if (typeof region === "object" && region !== null) {
    // accept all dimension names; dimensions without labels have no effect
    const wrong = Object.keys(region).find((name) => !dimensions.some((d) => d.name === name))
    if (wrong !== undefined) {
      throw new WriteError({ field: wrong, reason: "UnknownName", detail: "there is no such dimension" })
    }
  }
  return ({ dimension }) => {
    const one = dimensions[dimension]
    const input = (region as Readonly<Record<string, unknown>> | undefined)?.[one.name]
    const current = currentDomain.empty
      ? currentDomain
      : { ...currentDomain, ranges: [currentDomain.ranges[dimension]] }
    const alone = { ...schema, dimensions: [one], currentDomain: current }
    return boxOf(alone, input === undefined ? {} : { [one.name]: input })[0]
  }
}

/** Writes labels of the coordinates of a region, without cells. */
export const writeDenseLabels = (
  array: OpenedArray,
  region: unknown,
  columns: Columns,
  time: NameTime | undefined,
): Effect.Effect<ReadonlyArray<string>, WriteFailure, Storage | Codecs> =>
  withTurns(Effect.scoped(Effect.gen(function* () {
    const { uri, schema } = array
    const { ranges, labels } = yield* attemptWrite(uri, () => {
      const { labels, fields } = splitLabels(schema, columns)
      const other = Object.keys(fields).find((name) => fields[name] !== undefined)
      if (other !== undefined) {
        const names = schema.dimensionLabels.map(({ name }) => JSON.stringify(name)).join(", ")
        const detail = names === "" ? "the array has no labels" : `the array has no such label; it has ${names}`
        throw new WriteError({ field: other, reason: "UnknownName", detail })
      }
      const rangeOf = rangesIn(schema, region)
      return { labels, ranges: new Map(labels.map(({ label }) => [label, rangeOf(label)])) }
    })
    const moment = yield* momentOf(array, time, labelUris(array, labels))
    const fragments = yield* labelFragments(array, labels, (label) => ranges.get(label)!, moment)
    yield* beforeCommit(time, moment)
    yield* commitLabels(fragments)
    return fragments.map(({ name }) => name)
  })))
