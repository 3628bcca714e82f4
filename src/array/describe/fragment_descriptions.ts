/**
 * Describes the fragments of an open array, including sizes and MBRs, which are not loaded when the array is opened.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import type { Codecs } from "../../../platform/codecs/service.ts"
import type { StorageError } from "../../../platform/errors.ts"
import { Storage } from "../../../platform/storage/service.ts"
import type { FormatError } from "../../../schema/errors/format_error.ts"
import type { MbrColumn, MbrLevel } from "../../../schema/fragment/rtree.ts"
import { ARRAY_SCHEMA_FILE } from "../../../schema/name/array_paths.ts"
import { FRAGMENT_METADATA_FILE } from "../../../schema/name/data_file.ts"
import type { Range } from "../../../schema/array/range.ts"
import { cellCount, type Fragment } from "../../fragment/fragment.ts"
import { loadMbrs } from "../../fragment/mbrs.ts"
import { missingFile, readPresent } from "../../fragment/missing_file.ts"
import type { SectionError } from "../../fragment/sections.ts"
import type { TileAccess } from "../../tile/generic_tile.ts"
import type { FragmentDescription } from "./describe.ts"
import { join } from "../open/listing.ts"
import { accessOf, type OpenedArray } from "../open/open.ts"

/** Errors of describing fragments. */
export type FragmentsError = SectionError

/** Number of MBRs read from each fragment. */
const MAX_DESCRIBED_MBRS = 8

const rangeOf = (column: MbrColumn, tile: number): Range => {
  if (column.kind === "var") {
    const [from, middle, to] = [0, 1, 2].map((i) => column.offsets[2 * tile + i])
    return { low: column.bytes.subarray(from, middle), high: column.bytes.subarray(middle, to) }
  }
  const { buffer, byteOffset, byteLength, BYTES_PER_ELEMENT: size } = column.values
  const bytes = new Uint8Array(buffer, byteOffset, byteLength)
  return {
    low: bytes.subarray(2 * tile * size, (2 * tile + 1) * size),
    high: bytes.subarray((2 * tile + 1) * size, (2 * tile + 2) * size),
  }
}

const firstRectangles = (mbrs: MbrLevel): ReadonlyArray<ReadonlyArray<Range>> =>
  Array.from(
    { length: Math.min(mbrs.count, MAX_DESCRIBED_MBRS) },
    (_, tile) => mbrs.dimensions.map((column) => rangeOf(column, tile)),
  )

/** Returns the total size of a fragment's files in bytes. */
const sizeOf = (fragment: Fragment): Effect.Effect<number, StorageError | FormatError, Storage> =>
  Effect.gen(function* () {
    const { uri, version } = fragment
    const storage = yield* Storage
    const files = (yield* storage.list(uri)).filter((entry) => entry.kind === "file")
    // the fragment may have been removed while its consolidated footer remains
    if (files.length === 0) return yield* Effect.fail(missingFile(join(uri, FRAGMENT_METADATA_FILE), version))
    const sizes = yield* Effect.forEach(
      files,
      (file) =>
        file.size === undefined
          ? readPresent(join(uri, file.name), fragment, storage, storage.size(join(uri, file.name)))
          : Effect.succeed(file.size),
      { concurrency: 8 },
    )
    return sizes.reduce((sum, size) => sum + size, 0)
  })

const describe = (
  access: TileAccess,
  fragment: Fragment,
): Effect.Effect<FragmentDescription, FragmentsError, Storage> =>
  Effect.gen(function* () {
    const size = yield* sizeOf(fragment)
    const mbrs = fragment.dense ? undefined : yield* loadMbrs(access, fragment)
    return {
      name: fragment.name.name,
      version: fragment.version,
      start: fragment.name.start,
      end: fragment.name.end,
      dense: fragment.dense,
      cellNum: cellCount(fragment),
      size,
      hasConsolidatedMetadata: fragment.hasConsolidatedFooter,
      nonEmptyDomain: fragment.nonEmptyDomain,
      schemaName: fragment.schemaName === "" ? ARRAY_SCHEMA_FILE : fragment.schemaName,
      mbrNum: mbrs?.count ?? 0,
      mbrs: mbrs === undefined ? [] : firstRectangles(mbrs),
    }
  })

/** Describes the fragments that a read of the open array includes, oldest first. */
export const describeOpenFragments = (
  array: OpenedArray,
): Effect.Effect<ReadonlyArray<FragmentDescription>, FragmentsError, Storage | Codecs> =>
  Effect.flatMap(
    accessOf(array),
    (access) => Effect.forEach(array.fragments, (fragment) => describe(access, fragment), { concurrency: 8 }),
  )
