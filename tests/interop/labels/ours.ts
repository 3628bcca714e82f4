/**
 * `ours.ts write FOLDER COUNT` writes the cases, and lists them in cases.json for the engine. `ours.ts see FOLDER`
 * reads the arrays that the engine wrote for the same cases, and closes with `N passed, N failed`.
 */
import * as Effect from "effect/Effect"
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import process from "node:process"
import { Cells, Dense, layerDefault, Sparse, TileArray } from "../../../mod.ts"
import { type Case, caseOf, schemaOf } from "./random_labels.ts"

const [verb, folder, count] = process.argv.slice(2)

const cellsOf = ({ dims }: Case): number =>
  Object.values(dims).reduce((cells, { domain: [low, high] }) => cells * (high - low + 1), 1)

/**
 * Writes a case: cells and labels together if `number` is even, otherwise the labels after the cells, in two parts.
 */
const write = (uri: string, one: Case, number: number) =>
  Effect.gen(function* () {
    const array = yield* TileArray.create(uri, schemaOf(one))
    const a = Array.from({ length: cellsOf(one) }, (_, i) => i)
    const all = Object.fromEntries(Object.entries(one.labels).map(([name, { values }]) => [name, values]))
    const together = number % 2 === 0 ? all : {}
    const untyped = array as unknown as TileArray.TileArray
    if (one.sparse) {
      const [low] = one.dims.x.domain
      yield* Sparse.write(untyped, { x: a.map((i) => low + i), a, ...together })
    } else yield* Dense.write(untyped, {}, { a, ...together })
    if (number % 2 === 0) return
    for (const [name, { dim, values }] of Object.entries(one.labels)) {
      const [low, high] = one.dims[dim].domain
      const middle = low + (number % (high - low))
      const parts = [[low, middle], [middle + 1, high]] as const
      for (const [from, to] of parts) {
        yield* TileArray.writeLabels(untyped, { [dim]: [from, to] }, { [name]: values.slice(from - low, to - low + 1) })
      }
    }
  })

interface Answer {
  readonly a: ReadonlyArray<number>
  readonly labels: Readonly<Record<string, ReadonlyArray<number | string>>>
}

/** Runs the queries of a case sequentially, and returns their results. */
const query = (uri: string, one: Case) =>
  Effect.gen(function* () {
    const array = yield* TileArray.open(uri)
    return yield* Effect.forEach(one.queries, (ranges) =>
      Effect.gen(function* () {
        const { columns } = one.sparse
          ? yield* Sparse.read(array, { region: ranges })
          : yield* Dense.read(array, { region: ranges })
        const labels: Record<string, ReadonlyArray<number | string>> = {}
        for (const name of Object.keys(ranges)) {
          const label = yield* TileArray.readLabel(array, name, { region: ranges })
          labels[name] = one.labels[name].type === "string_ascii"
            ? Cells.texts(label.labels).map(String)
            : Array.from(label.labels.values, Number)
        }
        return { a: Array.from(columns.a.values, Number), labels } satisfies Answer
      }))
  })

const run = <A, E>(effect: Effect.Effect<A, E, Effect.Effect.Context<ReturnType<typeof TileArray.open>>>): Promise<A> =>
  Effect.runPromise(Effect.provide(effect, layerDefault))

if (verb === "write") {
  mkdirSync(folder, { recursive: true })
  const cases: Array<Case & { readonly answers: ReadonlyArray<Answer> }> = []
  for (let n = 0; n < Number(count); n++) {
    const one = caseOf(n)
    await run(write(join(folder, `ours${n}`), one, n))
    cases.push({ ...one, answers: await run(query(join(folder, `ours${n}`), one)) })
  }
  writeFileSync(join(folder, "cases.json"), JSON.stringify(cases))
} else {
  const cases = JSON.parse(readFileSync(join(folder, "cases.json"), "utf8")) as ReadonlyArray<
    Case & { readonly answers: ReadonlyArray<Answer> }
  >
  let [passed, failed] = [0, 0]
  for (const [n, one] of cases.entries()) {
    const answers = await run(query(join(folder, `theirs${n}`), one))
    answers.forEach((answer, i) => {
      if (JSON.stringify(answer) === JSON.stringify(one.answers[i])) passed++
      else {
        failed++
        console.log(`FAILED theirs${n} ${JSON.stringify(one.queries[i])}: ${JSON.stringify(answer)}`)
      }
    })
  }
  console.log(`${passed} passed, ${failed} failed`)
}
