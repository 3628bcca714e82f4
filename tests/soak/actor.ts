/**
 * A process of the soak: `actor.ts ROLE CASE ROOT SECONDS AGE`. Writes, reads or maintains the array until the time is
 * up. Prints one line of JSON: the number of rounds, the refusals of maintenance, and the problems.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import process from "node:process"
import { Dense, MaintenanceError, Sparse, TileArray } from "../../mod.ts"
import { layerNative } from "../../platform/codecs/layers/native.ts"
import { layerLocal } from "../../platform/storage/local/local.ts"
import {
  type Case,
  CELLS,
  COLUMNS,
  compareDense,
  compareSparse,
  DenseSchema,
  DuplicatesSchema,
  type Finding,
  logEvent,
  readProgress,
  ROWS,
  SparseSchema,
  WRITERS,
} from "./cases.ts"

const [role, kind, root, ...numbers] = process.argv.slice(-5) as [string, Case, string, string, string]
const [seconds, age] = numbers.map(Number)
const uri = `${root}/array`
const WRITER = 0

const writeOnce = (write: number) =>
  Effect.gen(function* () {
    logEvent(root, WRITER, "begin", write)
    if (kind === "dense") {
      const array = yield* TileArray.open(uri, DenseSchema)
      yield* Dense.write(array, { row: [WRITER * ROWS, WRITER * ROWS + ROWS - 1] }, {
        value: new Int32Array(ROWS * COLUMNS).fill(write),
      })
    } else {
      const array = yield* TileArray.open(uri, kind === "duplicates" ? DuplicatesSchema : SparseSchema)
      const size = CELLS + 1
      yield* Sparse.write(array, {
        writer: new Int32Array(size).fill(WRITER),
        write: Int32Array.from({ length: size }, (_, i) => i < CELLS ? write : 0),
        cell: Int32Array.from({ length: size }, (_, i) => i < CELLS ? i : 0),
        value: new Int32Array(size).fill(write),
        text: Array.from({ length: size }, (_, i) => `${write} ${"x".repeat(i)}`),
      })
    }
    logEvent(root, WRITER, "end", write)
    if (kind === "deletes" && write % 5 === 0) {
      const old = write - 3
      logEvent(root, WRITER, "begin-delete", old)
      yield* Sparse.delete(yield* TileArray.open(uri, SparseSchema), `writer == ${WRITER} and write == ${old}`)
      logEvent(root, WRITER, "end-delete", old)
    }
    // about as fast as the engine's writer
    yield* Effect.sleep(10)
  })

const progress = () => Array.from({ length: WRITERS }, (_, writer) => readProgress(root, writer))

const readOnce = Effect.gen(function* () {
  const before = progress()
  if (kind === "dense") {
    const region = { row: [0, WRITERS * ROWS - 1], column: [0, COLUMNS - 1] } as const
    const { columns } = yield* Dense.read(yield* TileArray.open(uri, DenseSchema), { region })
    return compareDense(columns.value, before, progress())
  }
  const array = yield* TileArray.open(uri, kind === "duplicates" ? DuplicatesSchema : SparseSchema)
  const { columns: { writer, write, value }, length } = yield* Sparse.read(array)
  return compareSparse(kind, seconds === 0, { length, writer, write, value }, before, progress())
})

const REFUSALS: ReadonlyArray<string> = ["Stale", "Missing", "LosesCells"]

/** Number of refusals: another process changed the same fragments first, and nothing was changed. */
let refusals = 0
let rounds = 0
let repeated = 0
const problems: Array<string> = []

const allowRefusal = <A, E, R>(maintenance: Effect.Effect<A, E, R>): Effect.Effect<A | void, E, R> =>
  Effect.catchIf(
    maintenance,
    (error) => error instanceof MaintenanceError && REFUSALS.includes(error.reason),
    () => Effect.sync(() => void refusals++),
  )

const MODES = ["fragments", "fragment_meta", "commits", "array_meta"] as const

const act = (round: number) => {
  switch (role) {
    case "writer":
      return writeOnce(round)
    case "reader":
      return Effect.map(readOnce, ({ problem, repeated: cells }: Finding) => {
        if (problem !== undefined) problems.push(problem)
        repeated += cells
      })
    case "consolidator":
      return Effect.forEach(MODES, (mode) =>
        TileArray.consolidate(uri, {
          mode,
          ...(mode === "fragments"
            ? { minFragments: 2, maxFragments: 2 + round % 20, steps: 1, amplification: 10 }
            : {}),
        }).pipe(allowRefusal), { discard: true })
    case "vacuum":
      return Effect.zipRight(
        Effect.forEach(MODES, (mode) => TileArray.vacuum(uri, { mode, age }), { discard: true }),
        Effect.sleep(50),
      )
    case "tidy":
      return Effect.zipRight(TileArray.tidy(uri, { age, dropHistory: true }).pipe(allowRefusal), Effect.sleep(200))
    default:
      throw new Error(`there is no role ${role}`)
  }
}

const end = Date.now() + seconds * 1000
do {
  const exit = await Effect.runPromiseExit(
    Effect.provide(act(rounds + 1) as Effect.Effect<void>, Layer.merge(layerLocal, layerNative)),
  )
  if (Exit.isFailure(exit)) problems.push(Cause.pretty(exit.cause))
  rounds++
  // output of other processes and signals arrive between rounds
  await new Promise((resolve) => setTimeout(resolve, 0))
} while (Date.now() < end && problems.length === 0)
console.log(JSON.stringify({ role, rounds, refusals, repeated, problems }))
