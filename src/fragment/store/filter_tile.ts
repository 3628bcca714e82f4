/**
 * Filters tiles of a field into the bytes of its files: the inverse of `read_tiles.ts`. Plain and synchronous.
 */
import type { WebpEncoder } from "../../../platform/codecs/service.ts"
import type { ArraySchema } from "../../../schema/array/array_schema.ts"
import { filterFoldedTileSteps, isFolded } from "../../filter/pipeline/folded.ts"
import { filterTileSteps } from "../../filter/pipeline/filter_tile.ts"
import type { TileContext } from "../../filter/pipeline/pipeline.ts"
import { finish, inParts, type Steps } from "../../kernel/steps.ts"
import type { TileAccess } from "../../tile/generic_tile.ts"
import type { Field } from "../field.ts"
import type { FieldTile } from "../field_tiles.ts"
import { type FileCells, tileContext } from "../tile_context.ts"

/** The filters of the tiles of a field, by file. */
export interface FieldFilters {
  readonly fixed: TileContext
  readonly var: TileContext | undefined
  readonly validity: TileContext | undefined
  /** Whether the var tiles include the offsets. */
  readonly folded: boolean
}

/** A tile as stored in the field's files. */
export interface PersistedTile {
  readonly fixed: Uint8Array
  readonly var: Uint8Array | undefined
  readonly validity: Uint8Array | undefined
}

/** Returns a tile without chunks, in memory of its own, which can be transferred to another thread. */
const noChunks = (): Uint8Array => new Uint8Array(8)

/** Returns the filters of the tiles of a field in a fragment of a format version. */
export const fieldFilters = (
  access: TileAccess,
  version: number,
  schema: ArraySchema,
  field: Field,
  webpEncoder: WebpEncoder | undefined,
): FieldFilters => {
  const contextOf = (cells: FileCells): TileContext => ({
    ...tileContext(access, { version, engineVersion: version }, cells, "", undefined)(0),
    webpEncoder,
  })
  // up to format 4 one tile contains the coordinates of all dimensions
  const { length } = schema.dimensions
  const values: TileContext = {
    ...contextOf(field),
    dimensions: field.file.kind === "coords" ? length : undefined,
    tileCells: schema.arrayType === "sparse" ? schema.capacity : undefined,
  }
  return {
    fixed: field.var ? contextOf({ filters: schema.offsetsFilters, type: "uint64", cellSize: 8 }) : values,
    var: field.var ? values : undefined,
    validity: field.nullable ? contextOf({ filters: schema.validityFilters, type: "uint8", cellSize: 1 }) : undefined,
    folded: isFolded(field.filters, field.type, field.var, version),
  }
}

/** Returns the starts of the cells as stored in a file: u64 each, without the end of the last cell. */
function* startsOf(offsets: Uint32Array): Steps<Uint8Array> {
  const words = new Uint32Array(2 * (offsets.length - 1))
  yield* inParts(offsets.length - 1, (from, to) => {
    for (let i = from; i < to; i++) words[2 * i] = offsets[i]
  })
  return new Uint8Array(words.buffer)
}

/** Filters a tile. The fixed-size part uses `memory` if that is large enough. Throws FilterRefused and CodecError. */
export const persistTile = (...args: Parameters<typeof persistTileSteps>): PersistedTile =>
  finish(persistTileSteps(...args))

/** Filters a tile like {@link persistTile}, in steps. */
export function* persistTileSteps(
  filters: FieldFilters,
  { values, offsets, validity }: FieldTile,
  memory?: Uint8Array,
): Steps<PersistedTile> {
  const nulls = filters.validity === undefined ? undefined : yield* filterTileSteps(validity!, filters.validity)
  if (filters.var === undefined) {
    return { fixed: yield* filterTileSteps(values, filters.fixed, undefined, memory), var: undefined, validity: nulls }
  }
  if (filters.folded) {
    const folded = yield* filterFoldedTileSteps({ bytes: values, offsets: offsets! }, filters.var)
    return { fixed: noChunks(), var: folded, validity: nulls }
  }
  return {
    fixed: yield* filterTileSteps(yield* startsOf(offsets!), filters.fixed),
    var: yield* filterTileSteps(values, filters.var, offsets),
    validity: nulls,
  }
}
