/** Random writes of cells, and the expected cells after each write. */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { type ArraySchema, type Codecs, Dense, Sparse, type StorageService, TileArray } from "../../../mod.ts"
import { VAR } from "../../../schema/array/cell_val_num.ts"
import { sizeOf } from "../../../schema/array/datatype.ts"
import type { Range } from "../../../schema/array/range.ts"
import { isText, readScalar, scalarBytes } from "../../../schema/array/scalar.ts"
import { Since } from "../../../schema/version/version.ts"
import { describeRanges } from "../../../src/array/describe/describe.ts"
import { axisOf } from "../../../src/fragment/dense_tiles.ts"
import { columnJson } from "../../../src/query/column/cell_json.ts"
import { partsOf } from "../../../src/schema_builder/enumeration_values.ts"
import type { Random } from "../../hostile/random.ts"
import type { MeantCells } from "./meant.ts"
import { areaOf, attributeCell, type Cell, columnOf, coordinateCell, meantCell, textsOf } from "./random_cells.ts"

/** An effect that requires the services of tessera's public API. */
export type Run<A> = Effect.Effect<A, unknown, StorageService | Codecs>

/** An array to write to. */
export interface Target {
  readonly random: Random
  readonly schema: ArraySchema.ArraySchema
  readonly array: TileArray.TileArray
  /** A path for a temporary array of the same schema. */
  readonly scratch: string
  /** Whether the array has thousands of cells. */
  readonly large: boolean
  /** For an engine of the array's format version. */
  readonly old: boolean
}

/** Writes cells at a timestamp; returns the expected cells after the write. */
export type Step = (at: number) => Run<MeantCells>

/** A cell of an array: its fields. */
type Row = ReadonlyMap<string, Cell>

const attributeRow = ({ random, schema: { attrs, attributeNames, enumerations }, old }: Target): Row =>
  new Map(attributeNames.map((name) => [name, attributeCell(random, attrs[name], enumerations, old)]))

const attributeColumns = (schema: ArraySchema.ArraySchema, rows: ReadonlyArray<Row>) =>
  Object.fromEntries(schema.attributeNames.map((name) => {
    const { type, cellValNum, nullable, enumeration } = schema.attrs[name]
    const cells = rows.map((row) => row.get(name)!)
    // columns of an odd number of cells contain texts in the place of codes
    const values = enumeration === "" || rows.length % 2 === 0 ? undefined : schema.enumerations[enumeration]
    return [
      name,
      values !== undefined && isText(values.type)
        ? textsOf(type, partsOf(values), cells)
        : columnOf(type, cellValNum, nullable, cells),
    ]
  }))

const meantAttributes = (schema: ArraySchema.ArraySchema, rows: ReadonlyArray<Row>) =>
  schema.attributeNames.map((name) => {
    const { type, cellValNum } = schema.attrs[name]
    return [name, rows.map((row) => meantCell(type, cellValNum, row.get(name)!))] as const
  })

/** Splits rows into two or three parts of random length. */
const cut = (random: Random, rows: ReadonlyArray<Row>): ReadonlyArray<ReadonlyArray<Row>> => {
  const ends = Array.from({ length: 1 + random.below(2) }, () => random.below(rows.length + 1)).sort((a, b) => a - b)
  return [0, ...ends].map((from, i) => rows.slice(from, ends[i] ?? rows.length))
}

/** Returns the numbers from 0 to `n - 1` in random order. */
const shuffled = (random: Random, n: number): Array<number> => {
  const out = Array.from({ length: n }, (_, i) => i)
  for (let i = n - 1; i > 0; i--) {
    const k = random.below(i + 1)
    ;[out[i], out[k]] = [out[k], out[i]]
  }
  return out
}

const compareBytes = (a: Uint8Array, b: Uint8Array): number => {
  for (let i = 0; i < Math.min(a.length, b.length); i++) if (a[i] !== b[i]) return a[i] - b[i]
  return a.length - b.length
}

/** Returns random writes of sparse cells, at random coordinates and in random order. */
export const sparseSteps = (target: Target): ReadonlyArray<Step> => {
  const { random, schema, array, scratch, large } = target
  const { dimensions, version } = array.schema
  const places = large ? 4000 : 40
  const current = new Map<string, Row>()
  let made = 0

  const columns = (rows: ReadonlyArray<Row>) => ({
    ...Object.fromEntries(dimensions.map(({ name, type, cellValNum }) => [
      name,
      columnOf(type, cellValNum === VAR ? "var" : 1, false, rows.map((row) => row.get(name)!)),
    ])),
    ...attributeColumns(schema, rows),
  })
  const meantCoordinates = (rows: ReadonlyArray<Row>) =>
    dimensions.map(({ name, type, cellValNum }) =>
      [name, rows.map((row) => meantCell(type, cellValNum === VAR ? "var" : 1, row.get(name)!))] as const
    )

  /** Returns rows with distinct coordinates, except in arrays that allow duplicates. */
  const newRows = (): Map<string, Row> => {
    const rows = new Map<string, Row>()
    const firsts = shuffled(random, places).slice(
      0,
      large ? places / 2 + random.below(places / 2) : 1 + random.below(39),
    )
    for (const first of firsts) {
      const near = schema.allowsDuplicates && random.below(3) === 0
      const numbers = dimensions.map((_, d) => d === 0 && !near ? first : random.below(near ? 3 : places))
      const coordinates = dimensions.map(({ name }, d) =>
        [name, coordinateCell(array.schema, d, numbers[d], places)] as const
      )
      rows.set(
        schema.allowsDuplicates ? `${made++}` : `${numbers}`,
        new Map([...coordinates, ...attributeRow(target)]),
      )
    }
    return rows
  }

  /** Returns rows in the global order of this array. */
  const inGlobalOrder = (rows: ReadonlyArray<Row>): Run<ReadonlyArray<Row>> =>
    Effect.gen(function* () {
      const made = yield* TileArray.create(scratch, schema, { formatVersion: version })
      yield* Sparse.write(TileArray.undeclare(made), columns(rows))
      const names = dimensions.map(({ name }) => name)
      const reopened = TileArray.undeclare(yield* TileArray.reopen(made))
      const read = yield* Sparse.read(reopened, { select: names, order: "global" })
      const lists = names.map((name) => columnJson(read.columns[name]))
      const coordinates = meantCoordinates(rows)
      const byPlace = new Map<string, Array<Row>>()
      rows.forEach((row, i) => {
        const place = JSON.stringify(coordinates.map(([, cells]) => cells[i]))
        byPlace.set(place, [...(byPlace.get(place) ?? []), row])
      })
      return lists[0].map((_, i) => byPlace.get(JSON.stringify(lists.map((cells) => cells[i])))!.pop()!)
    })

  const write = (rows: ReadonlyArray<Row>, at: number, first: boolean): Run<unknown> => {
    const batches = Stream.fromIterable(cut(random, rows).map(columns))
    const many = version >= Since.folders
    switch (random.below(6)) {
      case 0:
        return many
          ? Stream.run(batches, Sparse.sink(array, { at, memory: 1 + random.below(2000) }))
          : write(rows, at, first)
      case 1:
        return many
          ? Stream.run(batches, Sparse.sink(array, { at, maxFragmentSize: 1 + random.below(large ? 20_000 : 500) }))
          : write(rows, at, first)
      case 2:
        if (!first) return write(rows, at, first)
        return Effect.flatMap(
          inGlobalOrder(rows),
          (sorted) =>
            random.below(2) === 0 ? Sparse.write(array, columns(sorted), { at, order: "global" }) : Stream.run(
              Stream.fromIterable(cut(random, sorted).map(columns)),
              Sparse.sink(array, { at, order: "global" }),
            ),
        )
      case 3: {
        // the first of the cells with equal coordinates is written
        if (schema.allowsDuplicates) return write(rows, at, first)
        const again = rows.slice(0, 3).map((row): Row => new Map([...row, ...attributeRow(target)]))
        return Sparse.write(array, columns([...rows, ...again]), { at, duplicates: "first" })
      }
      default:
        return Sparse.write(array, columns(rows), { at })
    }
  }

  return Array.from({ length: large ? 1 : 1 + random.below(3) }, (_, turn): Step => (at) =>
    Effect.gen(function* () {
      const rows = newRows()
      yield* write([...rows.values()], at, turn === 0)
      for (const [place, row] of rows) current.set(place, row)
      const all = [...current.values()]
      const bounds = dimensions.map(({ name, type, cellValNum }): Range => {
        const cells = all.map((row) => row.get(name)!).sort((a, b) => {
          if (cellValNum === VAR) return compareBytes(a, b)
          const [x, y] = [readScalar(type, a), readScalar(type, b)]
          return x < y ? -1 : x > y ? 1 : 0
        })
        return { low: cells[0], high: cells[cells.length - 1] }
      })
      return {
        columns: Object.fromEntries([...meantCoordinates(all), ...meantAttributes(schema, all)]),
        unwritten: [],
        domain: describeRanges(array.schema, bounds),
      }
    }))
}

/** A dense dimension, counted from the start of the compared region. */
interface Axis {
  readonly length: number
  /** The position of the region's first cell in its tile. */
  readonly first: number
  readonly extent: number
}

type Box = ReadonlyArray<readonly [low: number, high: number]>

/** Returns the cells of a box in the order of the write, as numbers in the compared region. */
const cellsOfBox = (
  axes: ReadonlyArray<Axis>,
  box: Box,
  order: Dense.DenseOrder,
  { order: cellOrder, tileOrder }: ArraySchema.ArraySchema,
): ReadonlyArray<number> => {
  let cells: ReadonlyArray<ReadonlyArray<number>> = [[]]
  for (const [low, high] of box) {
    cells = cells.flatMap((cell) => Array.from({ length: high - low + 1 }, (_, i) => [...cell, low + i]))
  }
  const number = (cell: ReadonlyArray<number>): number => cell.reduce((n, at, d) => n * axes[d].length + at, 0)
  const tile = (cell: ReadonlyArray<number>): ReadonlyArray<number> =>
    cell.map((at, d) => Math.floor((at + axes[d].first) / axes[d].extent))
  const compare = (columns: boolean, a: ReadonlyArray<number>, b: ReadonlyArray<number>): number => {
    const axis = (columns ? [...a.keys()].reverse() : [...a.keys()]).find((d) => a[d] !== b[d])
    return axis === undefined ? 0 : a[axis] - b[axis]
  }
  const sorted = [...cells].sort((a, b) =>
    order !== "global"
      ? compare(order === "col", a, b)
      : compare(tileOrder === "col-major", tile(a), tile(b)) || compare(cellOrder === "col-major", a, b)
  )
  return sorted.map(number)
}

/** Returns random writes of boxes, and the region that contains them. */
export const denseSteps = (
  target: Target,
): { readonly steps: ReadonlyArray<Step>; readonly ranges: ReadonlyArray<readonly [string, string]> } => {
  const { random, schema, array, large } = target
  const { dimensions, version } = array.schema
  const lows = dimensions.map((_, d) => BigInt(areaOf(array.schema, d)![0]))
  const axes = dimensions.map((dimension, d): Axis => {
    const { low, extent } = axisOf(dimension)
    const length = Number(BigInt(areaOf(array.schema, d)![1]) - lows[d]) + 1
    return { length, extent: Number(extent), first: Number((lows[d] - low) % extent) }
  })
  const empty: Row = new Map(array.schema.attributes.map((a) => [
    a.name,
    a.nullable && a.fillValueValidity === 0 ? null : a.fillValue,
  ]))
  const rows = new Array<Row>(axes.reduce((n, { length }) => n * length, 1)).fill(empty)
  const end = (d: number, at: number): bigint => lows[d] + BigInt(at)
  const bound = (d: number, at: number): Uint8Array => {
    const { type } = dimensions[d]
    return scalarBytes(type, sizeOf(type) === 8 ? end(d, at) : Number(end(d, at)))
  }
  /** The bounds of the written boxes in each dimension. */
  let hull: ReadonlyArray<readonly [number, number]> | undefined

  const step: Step = (at) =>
    Effect.gen(function* () {
      const whole = hull === undefined && random.below(2) === 0
      const box = axes.map(({ length }): readonly [number, number] => {
        const low = whole ? 0 : random.below(length)
        return [low, whole ? length - 1 : low + random.below(length - low)]
      })
      const region = Object.fromEntries(
        dimensions.map(({ name }, d) => [name, [end(d, box[d][0]), end(d, box[d][1])] as const]),
      )
      const order = random.pick(["row", "col", "global"] as const)
      const boxRows = cellsOfBox(axes, box, order, schema).map((cell) => rows[cell] = attributeRow(target))
      const batched = order === "global" || (order === "row") === (schema.tileOrder === "row-major")
      if (batched && random.below(3) === 0) {
        const size = version >= Since.folders && random.below(2) === 0 ? { maxFragmentSize: 1 + random.below(500) } : {}
        const batches = Stream.fromIterable(cut(random, boxRows).map((part) => attributeColumns(schema, part)))
        yield* Stream.run(batches, Dense.sink(array, region, { at, order, ...size }))
      } else yield* Dense.write(array, region, attributeColumns(schema, boxRows), { at, order })
      hull = box.map(([low, high], d) => [Math.min(low, hull?.[d][0] ?? low), Math.max(high, hull?.[d][1] ?? high)])
      return {
        columns: Object.fromEntries(meantAttributes(schema, rows)),
        unwritten: rows.flatMap((row, i) => row === empty ? [i] : []),
        domain: describeRanges(
          array.schema,
          hull.map(([low, high], d) => ({ low: bound(d, low), high: bound(d, high) })),
        ),
      }
    })
  return {
    steps: Array.from({ length: large ? 1 : 1 + random.below(3) }, () => step),
    ranges: axes.map(({ length }, d) => [`${lows[d]}`, `${end(d, length - 1)}`] as const),
  }
}
