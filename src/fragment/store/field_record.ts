/**
 * The metadata of the tiles of one field, recorded while a fragment is written: columns with an entry per tile, which
 * become sections of the fragment metadata.
 */
import { storageLimits, storageOf } from "../../../schema/array/datatype.ts"
import type { TileStatistic } from "../../../schema/fragment/tile_statistics.ts"
import { readScalar, type Scalar, scalarBytes } from "../../../schema/array/scalar.ts"
import { GrowingBytes, GrowingNumbers } from "../../kernel/copy/growing.ts"
import { compareBytes } from "../../kernel/match/match_ranges.ts"
import type { Field } from "../field.ts"
import type { FieldTile } from "../field_tiles.ts"
import type { PersistedTile } from "./filter_tile.ts"
import type { FieldContents } from "./store_fragment.ts"
import { hasMinMax, isByteText, sumType, type TileStatistics } from "../tile_statistics.ts"

const noBytes = new Uint8Array(0)

/** The smallest or the largest cells of a field's tiles, and of the whole fragment. */
class Extremes {
  readonly #fixed = new GrowingBytes()
  readonly #var = new GrowingBytes()
  readonly #isVar: boolean
  readonly #beats: (a: Uint8Array, b: Uint8Array) => boolean
  /** The placeholder for the extreme of a tile without values, and of a tile that was only partially provided. */
  readonly #zero: Uint8Array
  readonly #neutral: Uint8Array
  #extreme: Uint8Array | undefined

  constructor({ type, var: isVar, cellSize }: Field, which: "min" | "max") {
    this.#isVar = isVar
    this.#zero = new Uint8Array(isVar ? 0 : cellSize)
    if (isByteText(type)) {
      const sign = which === "min" ? -1 : 1
      this.#beats = (a, b) => sign * compareBytes(a, b) > 0
      this.#neutral = this.#zero
    } else {
      const sooner = which === "min" ? (a: Scalar, b: Scalar) => a < b : (a: Scalar, b: Scalar) => a > b
      this.#beats = (a, b) => sooner(readScalar(type, a), readScalar(type, b))
      // a neutral element: it changes neither a minimum nor a maximum
      const [low, high] = storageLimits[storageOf(type)]
      this.#neutral = scalarBytes(type, which === "min" ? high : low)
      this.#extreme = this.#neutral
    }
  }

  /** Adds a tile. `cell` is undefined if all provided cells are null; `empty`: no cell of the tile has a value. */
  add(cell: Uint8Array | undefined, empty: boolean): void {
    const value = cell ?? (empty ? this.#zero : this.#neutral)
    if (this.#isVar) {
      this.#fixed.append(scalarBytes("uint64", BigInt(this.#var.length)))
      this.#var.append(value)
    } else this.#fixed.append(value)
    if (cell !== undefined && (this.#extreme === undefined || this.#beats(cell, this.#extreme))) {
      this.#extreme = cell.slice()
    }
  }

  get ofTiles(): TileStatistic {
    return { fixed: this.#fixed.all, var: this.#var.all }
  }

  get ofFragment(): Uint8Array {
    return this.#extreme ?? noBytes
  }
}

/**
 * The sums of a field's tiles, and of the whole fragment; like in the engine, a sum that reaches a limit stays there.
 */
class Sums {
  readonly #tiles = new GrowingBytes()
  readonly #kind: "int64" | "uint64" | "float64"
  #total: Scalar = 0
  #saturated = false

  constructor(kind: "int64" | "uint64" | "float64") {
    this.#kind = kind
  }

  add(sum: Uint8Array): void {
    this.#tiles.append(sum)
    if (this.#saturated) return
    const kind = this.#kind
    const [low, high] = storageLimits[kind]
    const more = readScalar(kind, sum)
    const total = kind === "float64" ? Number(this.#total) + Number(more) : BigInt(this.#total) + BigInt(more)
    this.#saturated = total < low || total > high
    this.#total = total < low ? low : total > high ? high : total
  }

  get ofTiles(): Uint8Array {
    return this.#tiles.all
  }

  get ofFragment(): Uint8Array {
    return scalarBytes(this.#kind, this.#total)
  }
}

/** The files and tiles of one field. */
export class FieldRecord {
  readonly field: Field
  readonly #offsets = new GrowingNumbers()
  readonly #varOffsets = new GrowingNumbers()
  readonly #varSizes = new GrowingNumbers()
  readonly #validityOffsets = new GrowingNumbers()
  readonly #mins: Extremes | undefined
  readonly #maxes: Extremes | undefined
  readonly #sums: Sums | undefined
  readonly #nullCounts = new GrowingNumbers()
  #nulls = 0
  #size = 0
  #varSize = 0
  #validitySize = 0

  constructor(field: Field) {
    this.field = field
    const kind = sumType(field)
    this.#mins = hasMinMax(field) ? new Extremes(field, "min") : undefined
    this.#maxes = hasMinMax(field) ? new Extremes(field, "max") : undefined
    this.#sums = kind === undefined ? undefined : new Sums(kind)
  }

  /** The number of tiles. */
  get tiles(): number {
    return this.#offsets.length
  }

  /** The size of all files in bytes. */
  get size(): number {
    return this.#size + this.#varSize + this.#validitySize
  }

  /** Appends a tile. */
  add(tile: FieldTile, persisted: PersistedTile, statistics: TileStatistics): void {
    this.addStored(persisted, statistics, tile.validity?.length ?? 0, tile.values.length)
  }

  /** Appends a filtered tile of `cells` cells, and of `varSize` bytes before filtering if it is var-sized. */
  addStored(persisted: PersistedTile, { min, max, sum, nulls }: TileStatistics, cells: number, varSize: number): void {
    const empty = nulls > 0 && nulls === cells
    this.#offsets.push(this.#size)
    this.#varOffsets.push(this.#varSize)
    this.#varSizes.push(this.field.var ? varSize : 0)
    this.#validityOffsets.push(this.#validitySize)
    this.#size += persisted.fixed.length
    this.#varSize += persisted.var?.length ?? 0
    this.#validitySize += persisted.validity?.length ?? 0
    this.#mins?.add(min, empty)
    this.#maxes?.add(max, empty)
    this.#sums?.add(sum ?? new Uint8Array(8))
    if (this.field.nullable) this.#nullCounts.push(nulls)
    this.#nulls += nulls
  }

  /** Returns the record in the form of the fragment's metadata. */
  contents(): FieldContents {
    return {
      offsets: this.#offsets.all,
      varOffsets: this.#varOffsets.all,
      varSizes: this.#varSizes.all,
      validityOffsets: this.#validityOffsets.all,
      size: this.#size,
      varSize: this.#varSize,
      validitySize: this.#validitySize,
      statistics: {
        mins: this.#mins?.ofTiles ?? { fixed: noBytes, var: noBytes },
        maxes: this.#maxes?.ofTiles ?? { fixed: noBytes, var: noBytes },
        sums: this.#sums?.ofTiles ?? noBytes,
        nullCounts: this.#nullCounts.all,
      },
      ofFragment: {
        min: this.#mins?.ofFragment ?? noBytes,
        max: this.#maxes?.ofFragment ?? noBytes,
        // for characters the engine stores sums of tiles only
        sum: this.field.type === "char" ? new Uint8Array(8) : this.#sums?.ofFragment ?? new Uint8Array(8),
        nullCount: this.#nulls,
      },
    }
  }
}
