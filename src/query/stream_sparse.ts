/**
 * Sparse reads in batches, under a budget of memory.
 */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { Codecs } from "../../platform/codecs.ts"
import type { Storage } from "../../platform/storage.ts"
import type { MbrLevel } from "../../schema/fragment/rtree.ts"
import { accessOf, type OpenedArray } from "../array/open.ts"
import { type Field, fieldsOf } from "../fragment/field.ts"
import { loadFieldTiles } from "../fragment/field_tiles.ts"
import { cellsInTile } from "../fragment/fragment.ts"
import { loadMbrs } from "../fragment/mbrs.ts"
import type { ReadTilesError } from "../fragment/read_tiles.ts"
import type { TileAccess } from "../tile/generic_tile.ts"
import { batches, type Step } from "./batches.ts"
import { batchBytes, budgetTooSmall, checkBudget } from "./budget.ts"
import { cutSelection } from "./cut_selection.ts"
import { cutSparse } from "./cut_sparse.ts"
import { fieldIn } from "./gather.ts"
import { limitsOf } from "./limits.ts"
import { planTiles, type SparsePlan } from "./plan_tiles.ts"
import type { ReadError } from "./read_error.ts"
import type { StreamOptions } from "./read_options.ts"
import { readPlanned, sparseRequest, type SparseResult, workOf } from "./read_sparse.ts"
import type { Selection } from "./selection.ts"

/** A part of a read: of a selection what some tiles hold of it, or all. */
interface Part {
  readonly selection: Selection
  readonly plan: SparsePlan | undefined
}

/** Memory of a cell that is sorted, beside its fields: key words, its number, its time. */
const SORTING = 32

/** Reads the cells of a sparse array in batches. */
export const streamSparse = (
  array: OpenedArray,
  options: StreamOptions = {},
): Stream.Stream<SparseResult, ReadError, Storage | Codecs> =>
  Stream.unwrap(Effect.gen(function* () {
    const request = yield* sparseRequest(array, options, "unordered")
    const memory = yield* checkBudget(array.uri, options.memory)
    const access = yield* accessOf(array)
    const limit = batchBytes(memory)
    const { schema, uri, fragments } = array
    const all = fragments.map((_, i) => i)
    const step = (part: Part): Effect.Effect<Step<Part, SparseResult>, ReadError, Storage> =>
      Effect.gen(function* () {
        const { selection } = part
        const plan = part.plan ?? (yield* planTiles(access, array, selection, all))
        if (plan.length === 0) return { kind: "none" }
        const { dedups, inOrder } = workOf(array, plan, request.order)
        const sorts = dedups || !inOrder
        const sizes = yield* tileSizes(access, array, request.fields, plan, sorts)
        const bytes = sizes.reduce((sum, its) => sum + its.reduce((a, b) => a + b, 0), 0)
        if (bytes <= limit) {
          const batch = yield* readPlanned(access, array, { ...request, selection }, plan, Infinity)
          return batch.length === 0 ? { kind: "none" } : { kind: "read", batch }
        }
        if (!sorts) {
          const halves = halvesOf(plan, sizes, bytes)
          if (halves === undefined) return yield* Effect.fail(budgetTooSmall(uri, memory, bytes, "a tile"))
          return { kind: "cut", parts: [{ selection, plan: halves[0] }, { selection, plan: halves[1] }] }
        }
        const mbrs = new Map<number, MbrLevel>()
        for (const { fragment } of plan) mbrs.set(fragment, yield* loadMbrs(access, fragments[fragment]))
        const cut = cutSparse(schema, selection, plan, mbrs, request.order)
        if (cut === undefined) {
          const count = plan.reduce((sum, { tiles }) => sum + tiles.length, 0)
          const what = `sorting what lies together in ${count} tiles of ${plan.length} fragments`
          return yield* Effect.fail(budgetTooSmall(uri, memory, bytes, what))
        }
        const [before, behind] = cutSelection(selection, cut, (d) => limitsOf(schema, d))
        return { kind: "cut", parts: [{ selection: before, plan: undefined }, { selection: behind, plan: undefined }] }
      })
    return batches<Part, SparseResult, ReadError, Storage>({ selection: request.selection, plan: undefined }, step)
  }))

/** Bytes that each tile of a plan takes while it is read, by fragment. */
const tileSizes = (
  access: TileAccess,
  array: OpenedArray,
  fields: ReadonlyArray<Field>,
  plan: SparsePlan,
  sorts: boolean,
): Effect.Effect<ReadonlyArray<Float64Array>, ReadTilesError, Storage> =>
  Effect.forEach(plan, ({ fragment: number, tiles }) =>
    Effect.gen(function* () {
      const fragment = array.fragments[number]
      const { dimensions } = fieldsOf(array.schema)
      const wanted = sorts ? new Set([...dimensions, ...fields]) : fields
      const out = new Float64Array(tiles.length)
      for (const field of wanted) {
        const its = fieldIn(fragment, field)
        // sorted columns are there twice for a while
        const times = sorts ? 2 : 1
        const fixed = (field.var ? 8 : field.cellSize) + (field.nullable ? 1 : 0)
        const where = field.var && its !== undefined ? (yield* loadFieldTiles(access, fragment, [its]))[0] : undefined
        for (let i = 0; i < tiles.length; i++) {
          const cells = cellsInTile(fragment, tiles[i].tile)
          out[i] += times * (cells * fixed + (where === undefined ? 0 : where.varSizes![tiles[i].tile]))
        }
      }
      if (sorts) { for (let i = 0; i < tiles.length; i++) out[i] += SORTING * cellsInTile(fragment, tiles[i].tile) }
      return out
    }))

/** A plan in two, of about the same size; `undefined` for a single tile. */
const halvesOf = (
  plan: SparsePlan,
  sizes: ReadonlyArray<Float64Array>,
  total: number,
): readonly [SparsePlan, SparsePlan] | undefined => {
  const count = plan.reduce((sum, { tiles }) => sum + tiles.length, 0)
  if (count < 2) return undefined
  // tiles of the first half
  let first = 0
  let sum = 0
  for (const its of sizes) for (const size of its) if ((sum += size) <= total / 2) first++
  first = Math.min(Math.max(first, 1), count - 1)
  const take = (from: number, to: number): SparsePlan => {
    let at = 0
    return plan.flatMap(({ fragment, tiles }) => {
      const part = tiles.slice(Math.max(0, from - at), Math.max(0, to - at))
      at += tiles.length
      return part.length === 0 ? [] : [{ fragment, tiles: part }]
    })
  }
  return [take(0, first), take(first, count)]
}
