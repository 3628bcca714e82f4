/**
 * Checks the tile offsets and sizes of each field: their number, that they ascend, and that they are inside the files.
 */
import * as Effect from "effect/Effect"
import type { Storage } from "../../platform/storage/service.ts"
import type { Field } from "../fragment/field.ts"
import { loadFieldTiles, type TileFile } from "../fragment/field_tiles.ts"
import { cellsInTile, type Fragment } from "../fragment/fragment.ts"
import { storedFields } from "../fragment/stored_fields.ts"
import type { TileAccess } from "../tile/generic_tile.ts"
import type { FindingCheck, Subject } from "./finding.ts"
import type { Findings, ReaderError } from "./findings.ts"

/** Returns the check of an error about the sections of a fragment's metadata. */
const sectionCheck = (error: ReaderError): FindingCheck => {
  if (error._tag !== "FormatError") return "FragmentMetadata"
  if (/tileOffsets/i.test(error.path)) return "TileOffsets"
  return /^varTileSizes/.test(error.path) ? "VarTileSizes" : "FragmentMetadata"
}

/** The size of the number of chunks, with which each tile starts. */
const MIN_TILE_SIZE = 8

/** Returns the problem of the tile offsets of a file. */
const offsetsProblem = ({ offsets, size }: TileFile): string | undefined => {
  if (offsets.length > 0 && offsets[0] !== 0) return `the first tile starts at ${offsets[0]}`
  for (let i = 0; i < offsets.length; i++) {
    const length = (i + 1 < offsets.length ? offsets[i + 1] : size) - offsets[i]
    if (length < MIN_TILE_SIZE) return `tile ${i} has ${length} bytes, less than the number of chunks`
  }
  return undefined
}

/** Returns the fields of a fragment whose tile offsets are valid. */
export const checkOffsets = (
  access: TileAccess,
  fragment: Fragment,
  subject: Subject,
  findings: Findings,
): Effect.Effect<ReadonlyArray<Field>, never, Storage> =>
  Effect.gen(function* () {
    const valid: Array<Field> = []
    for (const field of storedFields(fragment)) {
      const at = { ...subject, field: field.name }
      const loaded = yield* findings.attempt(loadFieldTiles(access, fragment, [field]), at, sectionCheck)
      if (loaded === undefined) continue
      const [{ fixed, var: values, varSizes, validity }] = loaded
      const problem = offsetsProblem(fixed) ?? (values && offsetsProblem(values)) ??
        (validity && offsetsProblem(validity))
      if (problem !== undefined) {
        findings.add("TileOffsets", at, `${subject.path}: tile offsets of ${field.name}: ${problem}`)
        continue
      }
      const size = field.var ? field.cellSize : 1
      const tile = varSizes?.findIndex((bytes, i) =>
        bytes % size !== 0 || (bytes > 0 && cellsInTile(fragment, i) === 0)
      )
      if (tile !== undefined && tile >= 0) {
        const message = `${subject.path}: ${varSizes![tile]} bytes of values in tile ${tile} of ${field.name}`
        findings.add("VarTileSizes", { ...at, tile }, message)
        continue
      }
      valid.push(field)
    }
    return valid
  })
