/**
 * Writes random arrays through our public API, and beside each what the engine should read: `DIR/<case>/meant.json`.
 *
 *     deno run -A tests/interop/writes/make.ts DIR SEED FROM COUNT [VERSION]
 */
import * as Effect from "effect/Effect"
import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import process from "node:process"
import * as Stream from "effect/Stream"
import {
  type ArraySchema,
  type Codecs,
  Dense,
  layerDefault,
  Sparse,
  type StorageService,
  TileArray,
  WriteError,
} from "../../../mod.ts"
import { VAR } from "../../../schema/cell_val_num.ts"
import type { CellJson } from "../../../schema/scalar.ts"
import { axisOf } from "../../../src/fragment/dense_tiles.ts"
import { makeRandom, type Random } from "../../hostile/random.ts"
import { attributeCell, type Cell, columnOf, coordinateCell, meantCell } from "./random_cells.ts"
import { randomSchema } from "./random_schema.ts"

type Run<A> = Effect.Effect<A, unknown, StorageService | Codecs>
// deno-lint-ignore no-explicit-any
type AnyArray = TileArray.TileArray<any>

const KEY = "0123456789abcdeF0123456789abcdeF"
const VERSIONS = [3, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21]

/** What lies beside an array. */
interface Meant {
  readonly key: string | null
  readonly sparse: boolean
  readonly version: number
  /** Dense arrays: the domain; its cells in rows. */
  readonly ranges: ReadonlyArray<readonly [string, string]> | null
  readonly columns: Readonly<Record<string, ReadonlyArray<CellJson>>>
  /** Whether every cell was written: engines leave others out of aggregates, or not. */
  readonly covered: boolean
}

/** What was written to an array. */
type Cells = Pick<Meant, "columns" | "covered">

/** One row of a model: cells by field. */
type Row = ReadonlyMap<string, Cell>

const attributeRow = (random: Random, schema: ArraySchema.ArraySchema): Row =>
  new Map(schema.attributeNames.map((name) => [name, attributeCell(random, schema.attrs[name])]))

/** The columns of attributes of rows. */
const attributeColumns = (schema: ArraySchema.ArraySchema, rows: ReadonlyArray<Row>) =>
  Object.fromEntries(schema.attributeNames.map((name) => {
    const { type, cellValNum, nullable } = schema.attrs[name]
    return [name, columnOf(type, cellValNum, nullable, rows.map((row) => row.get(name)!))]
  }))

/** Numbers from 0 to before `n`, in any order. */
const shuffled = (random: Random, n: number): Array<number> => {
  const out = Array.from({ length: n }, (_, i) => i)
  for (let i = n - 1; i > 0; i--) {
    const k = random.below(i + 1)
    ;[out[i], out[k]] = [out[k], out[i]]
  }
  return out
}

const writeSparse = (random: Random, array: AnyArray, schema: ArraySchema.ArraySchema): Run<Cells> =>
  Effect.gen(function* () {
    const { dimensions } = array.schema
    const rows = new Map<string, Row>()
    for (let turn = 0; turn < 1 + random.below(3); turn++) {
      const chosen = shuffled(random, 40).slice(0, 1 + random.below(39)).map((i): Row => {
        const numbers = dimensions.map((_: unknown, d: number) => d === 0 ? i : random.below(40))
        const coordinates = dimensions.map((dimension, d) =>
          [dimension.name, coordinateCell(dimension, numbers[d])] as const
        )
        const row: Row = new Map([...coordinates, ...attributeRow(random, schema)])
        rows.set(schema.allowsDuplicates ? `${turn} ${numbers}` : `${numbers}`, row)
        return row
      })
      const columns = (part: ReadonlyArray<Row>) => ({
        ...Object.fromEntries(dimensions.map(({ name, type, cellValNum }) => [
          name,
          columnOf(type, cellValNum === VAR ? "var" : 1, false, part.map((row) => row.get(name)!)),
        ])),
        ...attributeColumns(schema, part),
      })
      const at = 10 + turn
      if (array.schema.version >= 12 && random.below(3) === 0) {
        const half = Math.floor(chosen.length / 2)
        const batches = [chosen.slice(0, half), chosen.slice(half)].map(columns)
        yield* Stream.run(Stream.fromIterable(batches), Sparse.sink(array, { at, memory: 1 + random.below(2000) }))
      } else yield* Sparse.write(array, columns(chosen), { at })
    }
    const all = [...rows.values()]
    const columns = Object.fromEntries([
      ...dimensions.map(({ name, type, cellValNum }) => [
        name,
        all.map((row) => meantCell(type, cellValNum === VAR ? "var" : 1, row.get(name)!)),
      ]),
      ...meantAttributes(schema, all),
    ])
    return { columns, covered: true }
  })

const meantAttributes = (schema: ArraySchema.ArraySchema, rows: ReadonlyArray<Row>) =>
  schema.attributeNames.map((name) => {
    const { type, cellValNum } = schema.attrs[name]
    return [name, rows.map((row) => meantCell(type, cellValNum, row.get(name)!))] as const
  })

/** The cells of a box, by their number in the domain, in an order. */
const cellsOfBox = (
  shape: ReadonlyArray<number>,
  box: ReadonlyArray<readonly [number, number]>,
  columns: boolean,
): ReadonlyArray<number> => {
  let cells: ReadonlyArray<number> = [0]
  const axes = box.map((range, d) => ({ range, stride: shape.slice(d + 1).reduce((n, s) => n * s, 1) }))
  for (const { range: [low, high], stride } of columns ? [...axes].reverse() : axes) {
    const steps = Array.from({ length: high - low + 1 }, (_, i) => (low + i) * stride)
    cells = cells.flatMap((cell) => steps.map((step) => cell + step))
  }
  return cells
}

const writeDense = (random: Random, array: AnyArray, schema: ArraySchema.ArraySchema): Run<Cells> =>
  Effect.gen(function* () {
    const axes = array.schema.dimensions.map(axisOf)
    const shape = axes.map(({ low, high }) => Number(high - low) + 1)
    const total = shape.reduce((n, s) => n * s, 1)
    const empty: Row = new Map(array.schema.attributes.map((a) => [
      a.name,
      a.nullable && a.fillValueValidity === 0 ? null : a.fillValue,
    ]))
    const rows = new Array<Row>(total).fill(empty)
    for (let turn = 0; turn < 1 + random.below(3); turn++) {
      const whole = turn === 0 && random.below(2) === 0
      const box = shape.map((s): readonly [number, number] => {
        const low = whole ? 0 : random.below(s)
        return [low, whole ? s - 1 : low + random.below(s - low)]
      })
      const region = Object.fromEntries(
        array.schema.dimensions.map(({ name }, d): readonly [string, readonly [bigint, bigint]] => [
          name,
          [axes[d].low + BigInt(box[d][0]), axes[d].low + BigInt(box[d][1])],
        ]),
      )
      const order = random.pick(["row", "col"] as const)
      const given = cellsOfBox(shape, box, order === "col").map((cell) => rows[cell] = attributeRow(random, schema))
      const batched = (order === "row") === (schema.tileOrder === "row-major") && random.below(3) === 0
      if (batched) {
        const half = Math.floor(given.length / 2)
        const batches = [given.slice(0, half), given.slice(half)].map((part) => attributeColumns(schema, part))
        yield* Stream.run(Stream.fromIterable(batches), Dense.sink(array, region, { at: 10 + turn, order }))
      } else yield* Dense.write(array, region, attributeColumns(schema, given), { at: 10 + turn, order })
    }
    return { columns: Object.fromEntries(meantAttributes(schema, rows)), covered: !rows.includes(empty) }
  })

/** One array; answers whether there is one: filters may refuse random cells. */
const makeOne = (folder: string, seed: string, version: number): Run<boolean> =>
  Effect.gen(function* () {
    const random = makeRandom(seed)
    const sparse = random.below(2) === 0
    const schema = randomSchema(random, { version, sparse })
    const key = random.below(8) === 0 ? KEY : null
    rmSync(folder, { recursive: true, force: true })
    mkdirSync(folder, { recursive: true })
    const options = { formatVersion: version, ...(key === null ? {} : { key: new TextEncoder().encode(key) }) }
    const created = yield* TileArray.create(join(folder, "array"), schema, options)
    const array = TileArray.undeclare(created) as AnyArray
    const cells = yield* (sparse ? writeSparse : writeDense)(random, array, schema)
    const ranges = sparse
      ? null
      : array.schema.dimensions.map(axisOf).map(({ low, high }) => [`${low}`, `${high}`] as const)
    const meant: Meant = { key, sparse, version, ranges, ...cells }
    writeFileSync(join(folder, "meant.json"), JSON.stringify(meant))
    return true
  }).pipe(Effect.catchIf(
    (error) => error instanceof WriteError && error.reason.includes("filter"),
    () =>
      Effect.sync(() => {
        rmSync(folder, { recursive: true, force: true })
        return false
      }),
  ))

const main = async ([folder, seed, from, count, only]: ReadonlyArray<string>): Promise<void> => {
  let made = 0
  let refused = 0
  for (let i = Number(from); made < Number(count); i++) {
    const name = `${seed}/${i}`
    const pick = makeRandom(`${name} version`)
    const version = only !== undefined ? Number(only) : pick.below(5) < 3 ? 22 : pick.pick(VERSIONS)
    const done = makeOne(join(folder, String(i).padStart(5, "0")), name, version)
    try {
      if (await Effect.runPromise(Effect.provide(done, layerDefault))) made++
      else refused++
    } catch (error) {
      console.log(`FAILED to write ${name} (format ${version}): ${error}`)
      process.exitCode = 1
      made++
    }
  }
  console.log(`${made} arrays made; ${refused} were refused by a filter`)
}

await main(process.argv.slice(2))
