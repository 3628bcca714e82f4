/** The arrays of the soak, the log of their writers, and the check of a read. */
import { appendFileSync, readFileSync } from "node:fs"
import { ArraySchema, Attr, Dim } from "../../mod.ts"

/** The kinds of arrays: sparse ones without and with duplicates, sparse ones with deletes, and dense ones. */
export const CASES = ["sparse", "duplicates", "deletes", "dense"] as const
export type Case = typeof CASES[number]

/** Number of cells of a sparse write, and of rows and columns of the dense box of a writer. */
export const CELLS = 8
export const ROWS = 4
export const COLUMNS = 10

/** Number of writers. Writer 0 is tessera, writer 1 is the engine. */
export const WRITERS = 2

const sparse = (allowsDuplicates: boolean) =>
  ArraySchema.sparse({
    dims: {
      writer: Dim.int32([0, WRITERS - 1], { tile: 1 }),
      write: Dim.int32([0, 999_999], { tile: 100 }),
      cell: Dim.int32([0, CELLS - 1], { tile: CELLS }),
    },
    // the latest write is also stored in the cells of write 0, which every write replaces
    attrs: { value: Attr.int32(), text: Attr.utf8() },
    capacity: 16,
    allowsDuplicates,
  })

export const SparseSchema = sparse(false)
export const DuplicatesSchema = sparse(true)

/** The extents do not divide the boxes of the writers, so that tiles contain cells of both. */
export const DenseSchema = ArraySchema.dense({
  dims: { row: Dim.int32([0, WRITERS * ROWS - 1], { tile: 3 }), column: Dim.int32([0, COLUMNS - 1], { tile: 4 }) },
  attrs: { value: Attr.int32() },
})

/** The state of a writer: the last write that began and the last that ended, and the same of its deletes. */
export interface Progress {
  readonly begun: number
  readonly ended: number
  readonly deletesBegun: ReadonlySet<number>
  readonly deletesEnded: ReadonlySet<number>
}

/** An event of a writer: the begin or end of a write, or of a delete of an earlier write. */
export type Event = "begin" | "end" | "begin-delete" | "end-delete"

/** Returns the path of a writer's log. */
const logOf = (root: string, writer: number): string => `${root}/writer-${writer}.log`

/** Creates an empty log, or adds a line to it. Lines are short, so that readers see whole lines or none. */
export const logEvent = (root: string, writer: number, event?: Event, write = 0): void =>
  appendFileSync(logOf(root, writer), event === undefined ? "" : `${event} ${write}\n`)

/** Reads the log of a writer. */
export const readProgress = (root: string, writer: number): Progress => {
  const text = readFileSync(logOf(root, writer), "utf8")
  const events = text.slice(0, text.lastIndexOf("\n") + 1).split("\n").map((line) => line.split(" "))
  const of = (event: Event): ReadonlyArray<number> =>
    events.flatMap(([name, write]) => name === event ? [Number(write)] : [])
  return {
    begun: of("begin").length,
    ended: of("end").length,
    deletesBegun: new Set(of("begin-delete")),
    deletesEnded: new Set(of("end-delete")),
  }
}

/** The cells of a read of a sparse array. */
export interface SparseCells {
  readonly length: number
  readonly writer: ArrayLike<number>
  readonly write: ArrayLike<number>
  readonly value: ArrayLike<number>
}

/** A problem of a read, and the number of cells that a read of duplicates returned twice. */
export interface Finding {
  readonly problem?: string
  readonly repeated: number
}

/** Compares a read with the logs before and after it: no cell is lost, and no write is visible in part. */
export const compareSparse = (
  kind: Case,
  isFinal: boolean,
  { length, writer, write, value }: SparseCells,
  before: ReadonlyArray<Progress>,
  after: ReadonlyArray<Progress>,
): Finding => {
  const counts = before.map(() => new Map<number, number>())
  const latest = before.map((): Array<number> => [])
  for (let i = 0; i < length; i++) {
    if (write[i] === 0) latest[writer[i]].push(value[i])
    else {
      if (value[i] !== write[i]) return { problem: `write ${write[i]} has the value ${value[i]}`, repeated: 0 }
      counts[writer[i]].set(write[i], (counts[writer[i]].get(write[i]) ?? 0) + 1)
    }
  }
  let repeated = 0
  for (const [w, { ended, deletesEnded }] of before.entries()) {
    const { begun, deletesBegun } = after[w]
    const name = (i: number) => `write ${i} of writer ${w}`
    for (let i = 1; i <= ended; i++) {
      const count = counts[w].get(i) ?? 0
      if (count === 0 && !deletesBegun.has(i)) return { problem: `${name(i)} is lost; ${ended} ended`, repeated }
      if (count > 0 && deletesEnded.has(i)) return { problem: `${name(i)} is visible after its delete`, repeated }
    }
    for (const [i, count] of counts[w]) {
      if (i > begun) return { problem: `${name(i)} is visible before it began`, repeated }
      // the inputs of a consolidation are visible with its result for a moment, if duplicates are allowed
      if (kind === "duplicates" && !isFinal && count > CELLS && count % CELLS === 0) repeated += count - CELLS
      else if (count !== CELLS) return { problem: `${name(i)} has ${count} of ${CELLS} cells`, repeated }
    }
    if (kind === "duplicates") {
      const values = new Set(latest[w])
      for (let i = 1; i <= ended; i++) {
        if (!values.has(i)) return { problem: `the cell of ${name(i)} that has duplicates is lost`, repeated }
      }
    } else if (ended > 0) {
      const [newest, ...more] = latest[w]
      if (more.length > 0) return { problem: `writer ${w} has ${1 + more.length} cells of write 0`, repeated }
      if (!(newest >= ended && newest <= begun)) {
        return { problem: `writer ${w} ended write ${ended}, but its latest cell is ${newest}`, repeated }
      }
    }
  }
  return { repeated }
}

/** Compares a read of the dense array with the logs before and after it. */
export const compareDense = (
  values: ArrayLike<number>,
  before: ReadonlyArray<Progress>,
  after: ReadonlyArray<Progress>,
): Finding => {
  for (const [w, { ended }] of before.entries()) {
    const box = Array.from({ length: ROWS * COLUMNS }, (_, i) => values[w * ROWS * COLUMNS + i])
    if (new Set(box).size !== 1) return { problem: `the box of writer ${w} mixes ${[...new Set(box)]}`, repeated: 0 }
    if (ended > 0 && !(box[0] >= ended && box[0] <= after[w].begun)) {
      return { problem: `writer ${w} ended write ${ended}, but its box has ${box[0]}`, repeated: 0 }
    }
  }
  return { repeated: 0 }
}
