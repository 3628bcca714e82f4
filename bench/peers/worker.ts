/**
 * tessera's side of the benchmark, in Deno or in Bun: reads cases from standard input, one JSON line each, and runs
 * them; the counterpart of `peer.py`. With `--once ROOT CASE` it runs a case twice, with marks for a trace of system
 * calls.
 */
import * as Effect from "effect/Effect"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Stream from "effect/Stream"
import { existsSync, rmSync } from "node:fs"
import { join } from "node:path"
import process from "node:process"
import { createInterface } from "node:readline"
import { Aggregate, ArraySchema, Cells, Dense, Sparse, TileArray } from "../../mod.ts"
import { type Codecs, layerDefault, makeLocalStorage, StorageService } from "../../platform/mod.ts"
import type { Case } from "./cases.ts"

const runtime = ManagedRuntime.make(layerDefault)
const run = <A>(effect: Effect.Effect<A, unknown, StorageService | Codecs>): Promise<A> => runtime.runPromise(effect)

type Columns = Readonly<Record<string, Cells.Column | ReadonlyArray<Cells.Column> | ReadonlyArray<string>>>
/** The input of a write: the schema of the array, and the columns. */
interface Source {
  readonly schema: ReturnType<typeof ArraySchema.fromStructure>
  readonly columns: Readonly<Record<string, Cells.Column>>
}
interface Answer {
  readonly columns: Columns
  readonly ordered: boolean
}

/** Storage that does not sync files: the system decides when bytes reach the disk. */
const cached = makeLocalStorage({ durability: "cached" })

const [ROWS, COLUMNS] = [8192, 4096]

const makeCases = (root: string) => {
  const kept = new Map<string, Promise<TileArray.TileArray>>()
  const open = (name: string, at?: number) => TileArray.open(join(root, name), at === undefined ? {} : { at })
  const opened = (name: string): Promise<TileArray.TileArray> => {
    if (!kept.has(name)) kept.set(name, run(open(name)))
    return kept.get(name)!
  }
  const dense = async (array: Promise<TileArray.TileArray>, ranges?: Dense.ReadOptions["region"]) =>
    (await run(Dense.read(await array, ranges === undefined ? {} : { region: ranges }))).columns.a
  const once = (name: string, ranges?: Dense.ReadOptions["region"], at?: number) =>
    run(
      Effect.flatMap(open(name, at), (array) => Dense.read(array, ranges === undefined ? {} : { region: ranges })),
    ).then(({ columns }): Answer => ({ columns: { a: columns.a }, ordered: true }))
  const sparse = (name: string, order: "row" | "unordered") =>
    run(Effect.flatMap(open(name), (array) => Sparse.read(array, { order }))).then(({ columns }) => columns)

  let copy: readonly [Float64Array, Float64Array] | undefined
  const outputs = new Map<string, Float64Array>()
  /** The input of the last write case: it is read once, and released when another case needs another input. */
  let current: { readonly key: string; readonly source: Source } | undefined
  const source = async (
    key: string,
    read: () => Promise<{ readonly array: TileArray.AnyTileArray; readonly columns: Source["columns"] }>,
  ): Promise<Source> => {
    if (current?.key !== key) {
      current = undefined
      const { array, columns } = await read()
      current = { key, source: { schema: ArraySchema.fromStructure(array.schema), columns } }
    }
    return current.source
  }
  let target: string | undefined
  const written = async <E>(
    schema: Source["schema"],
    write: (array: TileArray.AnyTileArray) => Effect.Effect<unknown, E, StorageService | Codecs>,
  ): Promise<Answer> => {
    target = join(root, `.written-${process.pid}`)
    await run(Effect.flatMap(TileArray.create(target, schema), write))
    return { columns: {}, ordered: true }
  }
  const readBack = async (): Promise<Answer> => {
    const array = await run(TileArray.open(target!))
    const sparse = array.schema.arrayType === "sparse"
    const { columns } = await run<{ readonly columns: Source["columns"] }>(
      sparse ? Sparse.read(array, { order: "row" }) : Dense.read(array),
    )
    return { columns: columns.s === undefined ? columns : strings(columns as Source["columns"]), ordered: !sparse }
  }
  const kinds: Readonly<Record<string, (...args: ReadonlyArray<never>) => Promise<Answer>>> = {
    memcpy: () => {
      copy ??= [new Float64Array(1 << 25).fill(1), new Float64Array(1 << 25).fill(2)]
      copy[1].set(copy[0])
      return Promise.resolve({ columns: {}, ordered: true })
    },
    schema: async (name: string, at?: number) => {
      const { schema } = await run(open(name, at))
      return { columns: { attributes: counted(schema.attributes.length) }, ordered: true }
    },
    tile: (name: string) => once(name, { i: [64, 127], j: [128, 191] }),
    opened_tile: async (name: string) => ({
      columns: { a: await dense(opened(name), { i: [64, 127], j: [128, 191] }) },
      ordered: true,
    }),
    whole: (name: string) => once(name, { i: [null, null], j: [null, null] }),
    given_whole: async (name: string) => {
      if (!outputs.has(name)) outputs.set(name, new Float64Array(ROWS * COLUMNS))
      const out = { a: outputs.get(name)! }
      // if the read does not support `out`, the result is in another buffer
      const options = { out } as Dense.ReadOptions
      const { columns } = await run(Dense.read(await opened(name), options))
      if (columns.a.values.buffer !== out.a.buffer) throw new Error("not offered: reading into `out`")
      return { columns: { a: columns.a }, ordered: true }
    },
    boxes: async (name: string, count: number) => {
      const array = await opened(name)
      const boxes: Array<Cells.Column> = []
      for (const [i, j] of places(count, ROWS - 100, COLUMNS - 100, 5)) {
        boxes.push((await run(Dense.read(array, { region: { i: [i, i + 99], j: [j, j + 99] } }))).columns.a)
      }
      return { columns: { a: boxes }, ordered: true }
    },
    row: async (name: string) => ({ columns: { a: await dense(opened(name), { i: 1000 }) }, ordered: true }),
    column: async (name: string) => ({ columns: { a: await dense(opened(name), { j: 1000 }) }, ordered: true }),
    sparse: async (name: string, order: string) => ({
      columns: await sparse(name, order === "U" ? "unordered" : "row"),
      ordered: order !== "U",
    }),
    ranges: async (name: string, count: number) => {
      const array = await opened(name)
      const parts: Record<string, Array<Cells.Column>> = { x: [], y: [], v: [], q: [] }
      for (const [i, j] of places(count, 97_000, 97_000, 6)) {
        const ranges = { x: [i, i + 2999], y: [j, j + 2999] } as const
        const { columns } = await run(Sparse.read(array, { region: ranges, order: "unordered" }))
        for (const key of Object.keys(parts)) parts[key].push(columns[key])
      }
      return { columns: parts, ordered: false }
    },
    ranges_at_once: async (name: string) => {
      const ranges = { x: Array.from({ length: 100 }, (_, i): [number, number] => [i * 1000, i * 1000 + 30]) }
      const { columns } = await run(Sparse.read(await opened(name), { region: ranges, order: "unordered" }))
      return { columns, ordered: false }
    },
    strings_raw: async (name: string) => ({ columns: await sparse(name, "unordered"), ordered: true }),
    strings: async (name: string) => {
      const { id, s, n } = await sparse(name, "unordered")
      return { columns: strings({ id, s, n }), ordered: true }
    },
    strings_range: async (name: string) => {
      const ranges = { id: ["sample-05000000", "sample-05010000"] } as const
      const { columns } = await run(Sparse.read(await opened(name), { region: ranges, order: "unordered" }))
      return { columns: { n: columns.n }, ordered: false }
    },
    where: async (name: string, where: string) => {
      const array = await run(open(name))
      if (array.schema.arrayType === "dense") {
        const { columns } = await run(Dense.read(array, { where }))
        return { columns: { a: columns.a }, ordered: true }
      }
      const { columns } = await run(Sparse.read(array, { where, order: "unordered" }))
      const fixed = Object.entries(columns).filter(([, { offsets }]) => offsets === undefined)
      return { columns: Object.fromEntries(fixed), ordered: false }
    },
    aggregate: async (name: string, field: string, box: ReadonlyArray<readonly [number, number]>, where: string) => {
      const array = await run(open(name))
      const aggregates = {
        sum: Aggregate.sum(field),
        min: Aggregate.min(field),
        max: Aggregate.max(field),
        count: Aggregate.count(),
        mean: Aggregate.mean(field),
      }
      const ranges = Object.fromEntries((box ?? []).map((range, d) => [array.schema.dimensions[d].name, range]))
      const options = { region: ranges, ...(where === undefined ? {} : { where }) }
      const results = await run<Readonly<Record<string, unknown>>>(
        array.schema.arrayType === "dense"
          ? Dense.aggregate(array, aggregates, options)
          : Sparse.aggregate(array, aggregates, options),
      )
      const numbers = (keys: ReadonlyArray<string>, about: (n: number) => number) => ({
        name: "",
        type: "float64" as const,
        cellValNum: 1,
        length: keys.length,
        values: Float64Array.from(keys, (key) => about(Number(results[key]))),
        offsets: undefined,
        validity: undefined,
        enumeration: undefined,
      })
      return {
        columns: {
          exact: numbers(["min", "max", "count"], (n) => n),
          // sums of floats depend on the order of the additions
          about: numbers(["sum", "mean"], (n) => Number(n.toExponential(9))),
        },
        ordered: true,
      }
    },
    first_batch: async (name: string, order: string) => {
      const options = { order: order === "U" ? "unordered" : "row" } as const
      await run(Stream.runHead(Sparse.stream(await opened(name), options)))
      return { columns: {}, ordered: true }
    },
    write_dense: async (name: string, durability: string) => {
      const { schema, columns } = await source(
        name,
        () => run(Effect.flatMap(open(name), (array) => Dense.read(array))),
      )
      return await written(schema, (array) => {
        const write = Dense.write(TileArray.undeclare(array), {}, columns)
        return durability === "cached" ? Effect.provideService(write, StorageService, cached) : write
      })
    },
    write_sparse: async (name: string, order: string) => {
      const { schema, columns } = await source(`${name} ${order}`, async () => {
        const read = await run(Effect.flatMap(open(name), (array) => Sparse.read(array, { order: "unordered" })))
        if (order === "sorted") return read
        const places = shuffled(read.length)
        const shuffle = (column: Cells.Column): Cells.Column => {
          const values = column.values.slice()
          for (let i = 0; i < places.length; i++) values[i] = column.values[places[i]] as never
          return { ...column, values }
        }
        const columns = Object.entries(read.columns).map(([key, column]) => [key, shuffle(column)] as const)
        return { array: read.array, columns: Object.fromEntries(columns) }
      })
      return await written(schema, (array) => Sparse.write(TileArray.undeclare(array), columns))
    },
    write_strings: async (name: string) => {
      const { schema, columns } = await source(
        name,
        () => run(Effect.flatMap(open(name), (array) => Sparse.read(array, { order: "unordered" }))),
      )
      return await written(schema, (array) => Sparse.write(TileArray.undeclare(array), columns))
    },
    tile_at: (name: string, at: number) => once(name, { i: [0, 249], j: [0, 249] }, at),
  }
  return {
    run: ([kind, ...args]: Case): Promise<Answer> => kinds[kind](...args as unknown as ReadonlyArray<never>),
    readBack,
    /** Deletes the array that the last case wrote. */
    clean: (): void => {
      if (target !== undefined) rmSync(target, { recursive: true, force: true })
      target = undefined
    },
    forget: (): void => kept.clear(),
  }
}

const counted = (count: number): Cells.Column => ({
  name: "",
  type: "int32",
  cellValNum: 1,
  length: 1,
  values: Int32Array.of(count),
})

/** Returns the columns of the array of strings, with texts as objects. */
const strings = ({ id, s, n }: Source["columns"]): Columns => ({
  id: Cells.texts(id) as ReadonlyArray<string>,
  s: Cells.texts(s) as ReadonlyArray<string>,
  n,
})

/** Returns the numbers below `count` in random order, picked by a linear congruential generator. */
const shuffled = (count: number): Uint32Array => {
  const out = Uint32Array.from({ length: count }, (_, i) => i)
  let state = 7
  for (let i = count - 1; i > 0; i--) {
    state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff
    const other = Math.floor(state / 2 ** 31 * (i + 1))
    const swap = out[i]
    out[i] = out[other]
    out[other] = swap
  }
  return out
}

/** Returns the same places as `places` in `peer.py`, picked by a linear congruential generator. */
const places = (count: number, rows: number, columns: number, state: number): Array<readonly [number, number]> => {
  const next = (): number => state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff
  return Array.from({ length: count }, () => [next() % rows, next() % columns] as const)
}

const bytesOf = (values: Cells.Column["values"]): Uint8Array => {
  const { buffer, byteOffset, byteLength } = values as Uint8Array
  return new Uint8Array(buffer, byteOffset, byteLength)
}

/** Returns exact sums over the 16-bit halves of all words, weighted by position if the order is known. */
const fingerprint = (parts: ReadonlyArray<Uint8Array>, ordered: boolean): ReadonlyArray<number> => {
  let [low, high, at, bytes] = [0, 0, 0, 0]
  for (const part of parts) {
    const words = new Uint32Array(part.buffer, part.byteOffset, part.byteLength >>> 2)
    for (let i = 0; i < words.length; i++, at++) {
      const weight = ordered ? at % 251 + 1 : 1
      low += (words[i] & 0xffff) * weight
      high += (words[i] >>> 16) * weight
    }
    bytes += part.byteLength
  }
  return [bytes, low, high]
}

const checked = ({ columns, ordered }: Answer): Record<string, ReadonlyArray<number>> =>
  Object.fromEntries(
    Object.entries(columns).map(([key, column]) => {
      if (!Array.isArray(column)) return [key, fingerprint([bytesOf((column as Cells.Column).values)], ordered)]
      if (typeof column[0] === "string") return [key, [column.length]]
      return [key, fingerprint((column as ReadonlyArray<Cells.Column>).map((c) => bytesOf(c.values)), ordered)]
    }),
  )

interface Request {
  readonly case: Case
  readonly runs: number
  readonly check?: boolean
}

const answer = async (cases: ReturnType<typeof makeCases>, request: Request): Promise<unknown> => {
  try {
    if (request.check === true) {
      const result = await cases.run(request.case)
      const check = checked(request.case[0].startsWith("write_") ? await cases.readBack() : result)
      cases.clean()
      return { check }
    }
    const ms: Array<number> = []
    for (let i = 0; i < request.runs; i++) {
      const start = performance.now()
      await cases.run(request.case)
      ms.push(performance.now() - start)
      cases.clean()
    }
    return { ms }
  } catch (error) {
    cases.clean()
    return { error: error instanceof Error ? error.message : String(error) }
  }
}

const main = async (args: ReadonlyArray<string>): Promise<void> => {
  if (args[0] === "--once") {
    const cases = makeCases(args[1])
    const repeated = JSON.parse(args[2]) as Case
    await cases.run(repeated)
    cases.forget()
    existsSync("/tessera-mark")
    await cases.run(repeated)
    existsSync("/tessera-mark")
    return
  }
  const cases = makeCases(args[0])
  for await (const line of createInterface({ input: process.stdin })) {
    process.stdout.write(JSON.stringify(await answer(cases, JSON.parse(line) as Request)) + "\n")
  }
}

main(process.argv.slice(2))
