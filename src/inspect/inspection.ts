/**
 * Inspections: the state of an array as one value, and as a page.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import type { Codecs } from "../../platform/codecs/service.ts"
import { traced } from "../../platform/observability/spans.ts"
import type { Storage } from "../../platform/storage/service.ts"
import { redactUri } from "../../schema/errors/redact.ts"
import { describeSchema } from "../array/describe/describe.ts"
import { describeOpenFragments, type FragmentsError } from "../array/describe/fragment_descriptions.ts"
import { nonEmptyDomain } from "../array/describe/non_empty_domain.ts"
import { type AnyTileArray, openedOf } from "../array/open/handle.ts"
import { type AdviceError, adviceFor } from "./advice.ts"
import { boundText, rangeTexts } from "./bound_text.ts"
import { makePositions } from "./positions.ts"
import { fieldSizes } from "./field_sizes.ts"
import type { Inspection } from "./inspection_value.ts"
import { inspectionHtml } from "./page/page.ts"

export type { Advice } from "./advice.ts"
export type { FieldSizes, TileSizeCount } from "./field_sizes.ts"
export type { InspectedDimension, InspectedFragment, Inspection } from "./inspection_value.ts"

/** Errors of an inspection. */
export type InspectError = FragmentsError | AdviceError

/** The end of the time range of an array that was opened without one. */
const OPEN_END = Number.MAX_SAFE_INTEGER

/**
 * Returns the state of an open array: its fragments and their boxes, sizes and compression ratios of each field,
 * histograms of tile sizes, and advice on maintenance. Reads the metadata of each fragment, but no cells. Fails with
 * `StorageError`, with `FormatError`, `CodecError`, `ChecksumMismatch` or `DecryptionFailed` for unreadable files, and
 * as `TileArray.consolidationPlan` does.
 *
 * ```ts
 * import { layerDefault, TileArray } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 *
 * const program = Effect.flatMap(TileArray.open("tests/golden/demo/weather"), TileArray.inspect)
 * const { fields, fragments } = await Effect.runPromise(Effect.provide(program, layerDefault))
 * assertEquals([fields.map(({ name }) => name), fragments.length], [["temperature", "note"], 2])
 * ```
 */
export const inspect = (array: AnyTileArray): Effect.Effect<Inspection, InspectError, Storage | Codecs> =>
  Effect.gen(function* () {
    const opened = openedOf(array)
    const { schema } = opened
    const described = yield* describeOpenFragments(opened)
    const fields = yield* fieldSizes(opened)
    const advice = yield* adviceFor(opened, described)
    const domain = nonEmptyDomain(opened)
    const positions = domain === undefined ? undefined : makePositions(opened, domain)
    const inspection: Inspection = {
      version: 1,
      uri: redactUri(opened.uri),
      time: { start: opened.time.start, end: opened.time.end < OPEN_END ? opened.time.end : null },
      arrayType: schema.arrayType,
      schema: describeSchema(schema),
      schemaName: opened.schemaName,
      dimensions: schema.dimensions.map((dimension, d) => ({
        name: dimension.name,
        type: dimension.type,
        domain: dimension.domain.byteLength === 0
          ? null
          : [boundText(dimension, dimension.domain, 0), boundText(dimension, dimension.domain, 1)],
        nonEmptyDomain: domain === undefined ? null : rangeTexts(dimension, domain[d]),
      })),
      fragments: described.map((fragment, i) => ({
        name: fragment.name,
        start: Number(fragment.start),
        end: Number(fragment.end),
        version: fragment.version,
        dense: fragment.dense,
        cells: Number(fragment.cellNum),
        tiles: opened.fragments[i].tileCount,
        bytes: Number(fragment.size),
        hasConsolidatedMetadata: fragment.hasConsolidatedMetadata,
        nonEmptyDomain: fragment.nonEmptyDomain?.map((range, d) => rangeTexts(schema.dimensions[d], range)) ?? null,
        box: fragment.nonEmptyDomain === undefined ? null : positions!(fragment.nonEmptyDomain),
      })),
      deletes: opened.deletes.map(({ time }) => time),
      fields,
      advice,
    }
    return inspection
  }).pipe(traced("TileArray.inspect", array))

/**
 * Returns an inspection as one HTML page without scripts and without references to other files: schema, timeline, the
 * fragments' boxes in the domain, sizes of the fields, tile sizes, and advice. It follows the reader's light or dark
 * setting.
 *
 * ```ts
 * import { layerDefault, TileArray } from "@tessera/array"
 * import { assert } from "@std/assert"
 * import * as Effect from "effect/Effect"
 *
 * const program = Effect.flatMap(TileArray.open("tests/golden/demo/weather"), TileArray.inspect)
 * const inspection = await Effect.runPromise(Effect.provide(program, layerDefault))
 * assert(TileArray.inspectionPage(inspection).startsWith("<!doctype html>"))
 * ```
 */
export const inspectionPage = (inspection: Inspection): string => inspectionHtml(inspection)
