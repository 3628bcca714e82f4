/**
 * Folded strings: RLE and dictionary, as the first filter of var-sized text, include the cell offsets in their data,
 * and the offsets tile is empty.
 *
 * @module
 */
import { Cursor, u32, u8 } from "../../../schema/binary/mod.ts"
import type { Datatype } from "../../../schema/array/datatype.ts"
import { FormatError } from "../../../schema/errors/format_error.ts"
import type { FilterPipeline } from "../../../schema/array/filter_pipeline.ts"
import { Since } from "../../../schema/version/version.ts"
import { FilterRefused } from "../part/errors.ts"
import { collectDictionary, expandDictionary } from "../filters/dictionary.ts"
import { finish, type Steps } from "../../kernel/steps.ts"
import { applySteps, persistedSteps, stepsOf } from "./filter_tile.ts"
import { collapseRuns, expandRuns } from "../filters/folded_rle.ts"
import { inChunk, type TileContext, tileTable, unwind } from "./pipeline.ts"
import type { Strings } from "../part/strings.ts"
import { checkSize, damaged, type Parts } from "../part/transform.ts"
import { concat } from "../../kernel/copy/concat.ts"
import { u32Bytes } from "../part/words.ts"

/**
 * Whether the var tiles of a field include the offsets. Engines use the `version` of the schema that the array was
 * opened with; therefore an offsets tile that is not empty takes precedence.
 */
export const isFolded = (pipeline: FilterPipeline, type: Datatype, isVar: boolean, version: number): boolean => {
  const first = pipeline.filters[0]?.type
  if (!isVar || (first !== "rle" && first !== "dictionary")) return false
  if (type === "string_utf8") return version >= Since.foldedUtf8
  return type === "string_ascii" && version >= (first === "rle" ? Since.foldedRle : Since.foldedDictionary)
}

/** Returns the strings and offsets of a persisted tile: at most `limit` bytes in at most `cells` cells. */
export const unfilterFoldedTile = (bytes: Uint8Array, context: TileContext, limit: number, cells: number): Strings => {
  const table = tileTable(bytes, context, limit)
  if (table.count === 0) return { bytes: new Uint8Array(0), offsets: new Uint32Array(1) }
  if (table.count > 1) {
    throw new FormatError({
      uri: context.uri,
      path: "chunks",
      offset: context.offset,
      version: context.version,
      detail: `folded strings must be one chunk, not ${table.count}`,
    })
  }
  const original = table.original[0]
  const filter = context.filters.filters[0]
  return inChunk(table, 0, context, () => {
    // a run length or an id, and a string length, per cell: each at most 8 bytes
    const chunk = unwind(bytes, table, 0, context, original + 16 * cells + 64, 1)
    const cursor = new Cursor(chunk.metadata, context.version)
    const metadataParts = u32.get(cursor, undefined)
    const dataParts = u32.get(cursor, undefined)
    if (metadataParts !== 0 || dataParts !== 1) {
      throw damaged(`${filter.type}: folded strings in ${metadataParts} parts of metadata and ${dataParts} of data`)
    }
    const size = u32.get(cursor, undefined)
    const stored = u32.get(cursor, undefined)
    const count = u32.get(cursor, undefined) / 8
    if (size !== original) throw damaged(`${filter.type}: strings of ${size} bytes instead of ${original}`)
    if (stored !== chunk.data.byteLength) {
      throw damaged(`${filter.type}: ${chunk.data.byteLength} stored bytes instead of ${stored}`)
    }
    if (!Number.isInteger(count)) throw damaged(`${filter.type}: offsets of ${8 * count} bytes`)
    checkSize(8 * count, 8 * cells)
    // the width of run lengths or ids, then of string lengths
    const width = intWidth(u8.get(cursor, undefined))
    const lengthWidth = intWidth(u8.get(cursor, undefined))
    const strings = filter.type === "dictionary"
      ? expandDictionary(cursor.bytesOf(u32.get(cursor, undefined)), chunk.data, width, lengthWidth, size, count)
      : expandRuns(chunk.data, width, lengthWidth, size, count)
    if (cursor.remaining > 0) {
      throw damaged(`${filter.type}: ${cursor.remaining} unexpected bytes of metadata at the end`)
    }
    return strings
  })
}

const intWidth = (width: number): number => {
  if (width !== 1 && width !== 2 && width !== 4 && width !== 8) throw damaged(`integers of ${width} bytes`)
  return width
}

/**
 * Returns the persisted tile of strings and their offsets, for a pipeline that {@link isFolded}; the offsets tile
 * consists of eight zero bytes. The result is always one chunk. Throws {@link FilterRefused} and `CodecError` like
 * `filterTile`.
 */
export const filterFoldedTile = (strings: Strings, context: TileContext): Uint8Array =>
  finish(filterFoldedTileSteps(strings, context))

/** Returns the tile like {@link filterFoldedTile}, in steps; each filter after the first takes a single step. */
export function* filterFoldedTileSteps(strings: Strings, context: TileContext): Steps<Uint8Array> {
  const again = context.filters.filters.slice(1).find(({ type }) => type === "rle" || type === "dictionary")
  if (again !== undefined) {
    const reason = "strings are required, which only the first filter of a pipeline receives"
    throw new FilterRefused({ filter: again.type, detail: reason, cell: undefined })
  }
  const original = strings.offsets[strings.offsets.length - 1]
  const dictionary = context.filters.filters[0].type === "dictionary"
  const parts = yield* (dictionary ? dictionaryParts(strings) : runParts(strings))
  return yield* persistedSteps([{ original, parts: applySteps(stepsOf(context), 1, parts, (at) => at) }])
}

function* runParts(strings: Strings): Steps<Parts> {
  const { lengthWidth, runs, runWidth } = yield* collapseRuns(strings)
  return { metadata: [concat([frame(strings, runs), Uint8Array.of(runWidth, lengthWidth)])], data: runs }
}

function* dictionaryParts(strings: Strings): Steps<Parts> {
  const { dictionary, idWidth, ids, lengthWidth } = yield* collectDictionary(strings)
  const widths = Uint8Array.of(idWidth, lengthWidth)
  yield
  return {
    metadata: [concat([frame(strings, ids), widths, u32Bytes(dictionary.byteLength), dictionary])],
    data: ids,
  }
}

/** Returns the frame of no metadata parts and one data part: the sizes of strings, stored bytes and offsets. */
const frame = ({ offsets }: Strings, stored: Uint8Array): Uint8Array =>
  u32Bytes(0, 1, offsets[offsets.length - 1], stored.byteLength, 8 * (offsets.length - 1))
