/**
 * The filter contexts of the tiles of a field.
 */
import * as Effect from "effect/Effect"
import type { WebpCodec, WebpEncoder } from "../../platform/codecs/service.ts"
import type { CodecError } from "../../platform/errors.ts"
import type { Datatype } from "../../schema/array/datatype.ts"
import type { FilterPipeline } from "../../schema/array/filter_pipeline.ts"
import { withEncryption } from "../filter/filters/encryption.ts"
import type { TileContext } from "../filter/pipeline/pipeline.ts"
import type { TileAccess } from "../tile/generic_tile.ts"
import type { Fragment } from "./fragment.ts"

/** The properties of the cells in one file of a field. */
export interface FileCells {
  readonly filters: FilterPipeline
  readonly type: Datatype
  readonly cellSize: number
}

/** Returns the filter context of the tiles of a fragment's file, by the start of the tile in the file. */
export const tileContext = (
  access: TileAccess,
  fragment: Pick<Fragment, "version" | "engineVersion">,
  { filters, type, cellSize }: FileCells,
  uri: string,
  webp: WebpCodec | undefined,
): (offset: number) => TileContext => {
  const shared = {
    filters: access.key === undefined ? filters : withEncryption(filters),
    type,
    cellSize,
    version: fragment.version,
    engineVersion: fragment.engineVersion ?? fragment.version,
    codecs: access.codecs,
    key: access.key,
    verifyChecksums: access.verifyChecksums,
    webp,
    uri,
  }
  return (offset) => ({ ...shared, offset })
}

/** Returns the WebP encoder, loaded only for a pipeline that needs it. */
export const webpEncoderOf = (
  access: TileAccess,
  filters: FilterPipeline,
): Effect.Effect<WebpEncoder | undefined, CodecError> =>
  filters.filters.some((f) => f.type === "webp") ? access.codecs.webpEncoder : Effect.succeed(undefined)

/** Returns the WebP codec, loaded only for a pipeline that needs it. */
export const webpOf = (
  access: TileAccess,
  filters: FilterPipeline,
): Effect.Effect<WebpCodec | undefined, CodecError> =>
  filters.filters.some((f) => f.type === "webp") ? access.codecs.webp : Effect.succeed(undefined)
