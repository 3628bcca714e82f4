/**
 * Reads of arrays return the same cells as a model that lists all writes, deletes and evolutions, at every timestamp.
 */
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as fc from "effect/FastCheck"
import * as Stream from "effect/Stream"
import { describe, it } from "node:test"
import { assert, assertEquals } from "@std/assert"
import { Aggregate, ArraySchema, Attr, Cells, Dense, Dim, layerDefault, Sparse, TileArray } from "../../mod.ts"
import {
  type Box,
  type Cell,
  cellsAt,
  conditionOf,
  DOMAIN_SIZE,
  type Event,
  fills,
  histories,
  holds,
  INITIAL_ATTRIBUTES,
  momentAt,
  queries,
  type Query,
  timeOf,
  type Value,
} from "./cells_model.ts"

type Services = Effect.Effect.Context<ReturnType<typeof Sparse.read>>
type Run<A> = Effect.Effect<A, unknown, Services>

const kinds: Readonly<Record<string, () => Attr.Attribute>> = {
  a: () => Attr.int32(),
  n: () => Attr.nullable(Attr.float64()),
  s: () => Attr.utf8(),
  color: () => Attr.enumerated(Attr.nullable(Attr.int8()), "colors"),
  late: () => Attr.int16(),
  later: () => Attr.nullable(Attr.utf8()),
}

type Kind = "dense" | "sparse" | "duplicates"

const schemaOf = (kind: Kind): ArraySchema.ArraySchema => {
  const dims = { x: Dim.int32([0, DOMAIN_SIZE.x - 1], { tile: 3 }), y: Dim.int32([0, DOMAIN_SIZE.y - 1], { tile: 2 }) }
  const attrs = Object.fromEntries(INITIAL_ATTRIBUTES.map((name) => [name, kinds[name]()]))
  const enumerations = { colors: { values: ["red", "green"], ordered: true } }
  return kind === "dense"
    ? ArraySchema.dense({ dims, attrs, enumerations })
    : ArraySchema.sparse({ dims, attrs, enumerations, capacity: 3, allowsDuplicates: kind === "duplicates" })
}

/** Creates an array, and runs its events. */
const make = (uri: string, kind: Kind, events: ReadonlyArray<Event>): Run<void> =>
  Effect.gen(function* () {
    yield* TileArray.create(uri, schemaOf(kind), { at: 1 })
    for (const [i, event] of events.entries()) {
      const at = timeOf(i)
      const array = yield* TileArray.open(uri, { at })
      const { attributes, colors } = momentAt(events, at)
      if (event.kind === "write") {
        const column = (name: string) =>
          event.cells.map((cell) =>
            name !== "color" || cell.color === null ? cell[name] : colors.indexOf(`${cell.color}`)
          )
        const names = kind === "dense" ? attributes : ["x", "y", ...attributes]
        const columns = Object.fromEntries(names.map((name) => [name, column(name)]))
        yield* kind === "dense" ? Dense.write(array, event.box, columns, { at }) : Sparse.write(array, columns, { at })
      } else if (event.kind === "delete") yield* Sparse.delete(array, conditionOf(event.wish), { at })
      else if (event.kind === "add") {
        yield* TileArray.evolve(array, { addAttributes: { [event.attribute]: kinds[event.attribute]() } }, { at })
      } else if (event.kind === "drop") {
        yield* TileArray.evolve(array, { dropAttributes: [event.attribute] }, { at })
      } else yield* TileArray.evolve(array, { extendEnumerations: { colors: [event.value] } }, { at })
    }
  })

const json = (value: Value, name: string, colors: ReadonlyArray<string>): unknown =>
  value === null ? null : name === "color" ? colors.indexOf(value as string) : value === "\0" ? { hex: "00" } : value

/** Sorts rows by their coordinates, and then by their other columns. */
const sorted = (rows: ReadonlyArray<ReadonlyArray<unknown>>): ReadonlyArray<string> =>
  rows.map((row) => JSON.stringify(row)).sort()

const inBox = (box: Box | undefined, { x, y }: Cell): boolean =>
  box === undefined ||
  (box.x[0] <= (x as number) && (x as number) <= box.x[1] && box.y[0] <= (y as number) && (y as number) <= box.y[1])

/** Returns the rows of a read as lists of values in the order of `names`. */
const rowsOf = (
  columns: Readonly<Record<string, Cells.Column>>,
  names: ReadonlyArray<string>,
): ReadonlyArray<ReadonlyArray<unknown>> => {
  const lists = names.map((name) => Cells.columnJson(columns[name]))
  return lists[0].map((_, i) => lists.map((list) => list[i]))
}

const compareRows = (a: ReadonlyArray<unknown>, b: ReadonlyArray<unknown>, order: ReadonlyArray<number>): number => {
  for (const d of order) if (a[d] !== b[d]) return (a[d] as number) - (b[d] as number)
  return 0
}

/** Returns the aggregates of the existing attributes. */
const aggregatesOf = (attributes: ReadonlyArray<string>): Readonly<Record<string, Aggregate.Aggregate>> => ({
  count: Aggregate.count(),
  sum: Aggregate.sum("a"),
  low: Aggregate.min("a"),
  high: Aggregate.max("a"),
  ...(attributes.includes("n") ? { nulls: Aggregate.nullCount("n"), mean: Aggregate.mean("n") } : {}),
  ...(attributes.includes("s") ? { first: Aggregate.min("s") } : {}),
})

const naive = (cells: ReadonlyArray<Cell>, attributes: ReadonlyArray<string>): Readonly<Record<string, unknown>> => {
  const a = cells.map((cell) => cell.a as number)
  const n = cells.flatMap((cell) => cell.n === null ? [] : [cell.n as number])
  const s = cells.map((cell) => cell.s as string).sort((x, y) => x < y ? -1 : 1)
  return {
    count: cells.length,
    sum: BigInt(a.reduce((total, value) => total + value, 0)),
    low: a.length === 0 ? null : Math.min(...a),
    high: a.length === 0 ? null : Math.max(...a),
    ...(attributes.includes("n")
      ? {
        nulls: cells.length - n.length,
        mean: n.length === 0 ? null : n.reduce((total, value) => total + value, 0) / n.length,
      }
      : {}),
    ...(attributes.includes("s") ? { first: s[0] ?? null } : {}),
  }
}

/** Runs a query on an array and on the model, and compares the results. */
const ask = (uri: string, kind: Kind, events: ReadonlyArray<Event>, query: Query): Run<void> =>
  Effect.gen(function* () {
    const { start, end, box, wish, order } = query
    const array = yield* TileArray.open(uri, { start, end })
    const { attributes, colors } = momentAt(events, end)
    assertEquals(array.schema.attributes.map(({ name }) => name), [...attributes])
    const names = ["x", "y", ...attributes]
    const readOptions = {
      ...(box === undefined ? {} : { region: box }),
      ...(wish === undefined ? {} : { where: conditionOf(wish) }),
    }
    const options = { ...readOptions, select: names, order }
    const cells = cellsAt(events, { start, end }, kind === "duplicates")
    const requested = cells.filter((cell) => inBox(box, cell) && (wish === undefined || holds(wish, cell, colors)))
    const rowOf = (cell: Cell) => names.map((name) => json(cell[name], name, colors))
    const along = order === "col" ? [1, 0] : [0, 1]
    const counted = naive(requested, attributes)
    if (kind !== "dense") {
      const rows = rowsOf((yield* Sparse.read(array, options)).columns, names)
      const parts = Chunk.toReadonlyArray(yield* Stream.runCollect(Sparse.stream(array, options)))
      assertEquals(sorted(parts.flatMap(({ columns }) => rowsOf(columns, names))), sorted(rows))
      assertEquals(sorted(rows), sorted(requested.map(rowOf)))
      if (order === "row" || order === "col") {
        for (let i = 1; i < rows.length; i++) assert(compareRows(rows[i - 1], rows[i], along) <= 0)
      }
      assertEquals(
        { ...(yield* Sparse.aggregate(array, aggregatesOf(attributes), readOptions)) },
        counted,
      )
      return
    }
    const { columns } = yield* Dense.read(array, options)
    const rows = rowsOf(columns, names)
    const cellByPlace = new Map(requested.map((cell) => [`${cell.x} ${cell.y}`, cell]))
    const expected = rows.map(([x, y]) =>
      rowOf(cellByPlace.get(`${x} ${y}`) ?? { ...fills, x: x as number, y: y as number })
    )
    assertEquals(rows, expected)
    // without a region, the bounds of the written cells
    const written = boundsOf(events, query)
    const whole = box ?? written
    assertEquals(rows.length, whole === undefined ? 0 : areaOf(whole))
    if (order !== "global") {
      for (let i = 1; i < rows.length; i++) assert(compareRows(rows[i - 1], rows[i], along) < 0)
    }
    const answer = yield* Dense.aggregate(array, aggregatesOf(attributes), readOptions)
    // without a condition, unwritten cells are counted
    assertEquals({ ...answer }, wish === undefined ? { ...counted, count: rows.length } : counted)
  })

const areaOf = ({ x, y }: Box): number => (x[1] - x[0] + 1) * (y[1] - y[0] + 1)

/** Returns the box around all cells that were written in a range of timestamps. */
const boundsOf = (events: ReadonlyArray<Event>, { start, end }: Query): Box | undefined => {
  const boxes = events.flatMap((event, i) =>
    event.kind === "write" && timeOf(i) >= start && timeOf(i) <= end ? [event.box] : []
  )
  if (boxes.length === 0) return undefined
  const around = (d: "x" | "y") =>
    [Math.min(...boxes.map((box) => box[d][0])), Math.max(...boxes.map((box) => box[d][1]))] as const
  return { x: around("x"), y: around("y") }
}

describe("arrays compared with a list of their cells", () => {
  for (const kind of ["dense", "sparse", "duplicates"] as const) {
    it(`${kind}: contain at every time the result of all earlier writes, deletes and evolutions`, () => {
      let number = 0
      const request = histories(kind === "dense" ? "dense" : "sparse", kind === "duplicates").chain((events) =>
        fc.tuple(fc.constant(events), fc.array(queries(events), { minLength: 4, maxLength: 4 }))
      )
      return fc.assert(
        fc.asyncProperty(request, ([events, queries]) => {
          const uri = `mem://${kind}/${number++}`
          const all = Effect.zipRight(
            make(uri, kind, events),
            Effect.forEach(queries, (query) => ask(uri, kind, events, query), { discard: true }),
          )
          return Effect.runPromise(Effect.provide(all, layerDefault))
        }),
        { seed: 1, numRuns: 40 },
      )
    })
  }
})
