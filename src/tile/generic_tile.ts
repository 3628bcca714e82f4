/**
 * Generic tiles: the container of schemas, fragment metadata, array metadata, groups, enumerations and conditions.
 * Format: `generic_tile.md`.
 */
import type { Codecs } from "../../platform/codecs/service.ts"
import { decode, encode } from "../../schema/binary/mod.ts"
import { FormatError } from "../../schema/errors/format_error.ts"
import type { FilterPipeline } from "../../schema/array/filter_pipeline.ts"
import { GenericTileHeader } from "../../schema/tile/generic_tile.ts"
import { isLater, refusal } from "../../schema/version/version.ts"
import { withEncryption } from "../filter/filters/encryption.ts"
import { DecryptionFailed } from "../filter/part/errors.ts"
import { filterTileSteps } from "../filter/pipeline/filter_tile.ts"
import { unfilterTileSteps } from "../filter/pipeline/pipeline.ts"
import { concatSteps } from "../kernel/copy/concat.ts"
import { finish, type Steps } from "../kernel/steps.ts"

/** The codecs and the key that are required to open the tiles of an array. */
export interface TileAccess {
  readonly codecs: Codecs
  /** The AES-256-GCM key of an encrypted array. */
  readonly key: Uint8Array | undefined
  readonly verifyChecksums: boolean
}

/** An opened generic tile. */
export interface GenericTile {
  /** The format version of the engine that wrote the tile. */
  readonly version: number
  readonly bytes: Uint8Array
  /** The offset after the tile. */
  readonly end: number
}

const HEADER_SIZE = 34

/** Maximum unfiltered size, far above real structures, so that a forged size cannot cause a larger allocation. */
const MAX_UNFILTERED_SIZE = 2 ** 31

/**
 * Opens the generic tile that starts at `at` in `file`; `base` is the offset of `file` in the file `uri`. Throws
 * FormatError, ChecksumMismatch, DecryptionFailed and CodecError.
 */
export const openGenericTile = (...args: Parameters<typeof openGenericTileSteps>): GenericTile =>
  finish(openGenericTileSteps(...args))

/** Opens a tile like {@link openGenericTile}, in steps. */
export function* openGenericTileSteps(
  access: TileAccess,
  uri: string,
  file: Uint8Array,
  at = 0,
  base = 0,
): Steps<GenericTile> {
  const input = file.subarray(at)
  const version = input.byteLength < 4 ? 0 : new DataView(input.buffer, input.byteOffset).getUint32(0, true)
  const fail = (path: string, reason: string, unsupported = false): FormatError =>
    new FormatError({
      uri,
      path,
      offset: base + at,
      version,
      reason: unsupported ? "Unsupported" : "Damaged",
      detail: reason,
    })
  if (input.byteLength < HEADER_SIZE) {
    throw fail("", `a generic tile needs ${HEADER_SIZE} bytes; ${input.byteLength} bytes remain`)
  }
  const refused = refusal(version)
  if (refused !== undefined) throw fail("version", refused, isLater(version))
  const pipelineSize = new DataView(input.buffer, input.byteOffset).getUint32(HEADER_SIZE - 4, true)
  if (pipelineSize > input.byteLength - HEADER_SIZE) {
    throw fail("pipeline", `${pipelineSize} bytes of pipeline in ${input.byteLength - HEADER_SIZE} bytes`)
  }
  const data = HEADER_SIZE + pipelineSize
  const header = decode(GenericTileHeader, input.subarray(0, data), version, uri, { base: base + at })
  if (header.persistedSize > input.byteLength - data) {
    throw fail(
      "persistedSize",
      `${header.persistedSize} bytes of tile in the remaining ${input.byteLength - data} bytes`,
    )
  }
  if (header.tileSize > MAX_UNFILTERED_SIZE) {
    throw fail("tileSize", `${header.tileSize} bytes exceed the maximum of ${MAX_UNFILTERED_SIZE}`)
  }
  if (header.encryption !== "none" && access.key === undefined) {
    throw new DecryptionFailed({ uri, reason: "MissingKey", detail: "it is encrypted", hint: { _tag: "ProvideKey" } })
  }
  if (header.encryption === "none" && access.key !== undefined) {
    throw new DecryptionFailed({
      uri,
      reason: "NotEncrypted",
      detail: "the array is not encrypted; open it without a key",
    })
  }
  const bytes = yield* unfilterTileSteps(
    input.subarray(data, data + header.persistedSize),
    {
      filters: header.filters,
      type: header.datatype,
      cellSize: header.cellSize,
      version,
      engineVersion: version,
      codecs: access.codecs,
      key: access.key,
      verifyChecksums: access.verifyChecksums,
      uri,
      offset: base + at + data,
    },
    header.tileSize,
  )
  if (bytes.byteLength !== header.tileSize) {
    throw fail("tileSize", `the tile has ${bytes.byteLength} bytes; its header claims ${header.tileSize}`)
  }
  return { version, bytes, end: at + data + header.persistedSize }
}

/** The pipeline of all generic tiles. */
const gzipped: FilterPipeline = { maxChunkSize: 65536, filters: [{ type: "gzip", level: 1 }] }

/**
 * Creates a generic tile of `bytes`, including the header, as an engine of format `version` writes it: gzip at level 1,
 * and encrypted if `access` has a key. Throws CodecError.
 */
export const closeGenericTile = (...args: Parameters<typeof closeGenericTileSteps>): Uint8Array =>
  finish(closeGenericTileSteps(...args))

/** Creates a tile like {@link closeGenericTile}, in steps. */
export function* closeGenericTileSteps(access: TileAccess, bytes: Uint8Array, version: number): Steps<Uint8Array> {
  const { codecs, key } = access
  const filters = key === undefined ? gzipped : withEncryption(gzipped)
  const context = { filters, type: "char", cellSize: 1, version, engineVersion: version, codecs, key } as const
  const tile = yield* filterTileSteps(bytes, { ...context, uri: "", offset: 0 })
  const header = encode(GenericTileHeader, {
    version,
    persistedSize: tile.byteLength,
    tileSize: bytes.byteLength,
    datatype: "char",
    cellSize: 1,
    encryption: key === undefined ? "none" : "aes_256_gcm",
    filters,
  }, version)
  return yield* concatSteps([header, tile])
}
