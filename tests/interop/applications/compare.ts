/**
 * Compares the results of the applications' own APIs (`answers.json`) with the results of tessera's public API, and the
 * engine's record of the arrays and groups (`expected.json`) as the sample does.
 *
 *     deno run -A tests/interop/applications/compare.ts DIR
 */
import * as Effect from "effect/Effect"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import process from "node:process"
import { Cells, type Codecs, Dense, Group, layerDefault, Metadata, Sparse, TileArray } from "../../../mod.ts"
import type { Storage } from "../../../platform/storage/service.ts"
import { type CellJson, toHex } from "../../../schema/array/scalar.ts"
import { differenceOfJson } from "../../golden/compare.ts"
import { compareAll } from "../compare.ts"

type Services = Storage | Codecs

interface AnswerBase {
  /** A description of the compared object. */
  readonly label: string
  /** Relative to the folder of the application. */
  readonly uri: string
}

interface CellsAnswer extends AnswerBase {
  readonly ranges: Readonly<Record<string, ReadonlyArray<readonly [string | number, string | number]>>>
}

interface TableAnswer extends CellsAnswer {
  readonly kind: "table"
  /** `any`: the order of the rows, or of rows with equal coordinates, is undefined. */
  readonly order: "row" | "any"
  readonly at: number | null
  readonly columns: Readonly<Record<string, ReadonlyArray<CellJson>>>
}

interface GridAnswer extends CellsAnswer {
  readonly kind: "grid"
  readonly name: string
  readonly shape: ReadonlyArray<number>
  /** The dimensions in the order of the result's axes; null for the order of the schema. */
  readonly axes: ReadonlyArray<string> | null
  readonly cells: ReadonlyArray<CellJson>
}

interface MetadataAnswer extends AnswerBase {
  readonly kind: "metadata"
  readonly items: Readonly<Record<string, unknown>>
}

interface MembersAnswer extends AnswerBase {
  readonly kind: "members"
  readonly names: ReadonlyArray<string>
}

type Answer = TableAnswer | GridAnswer | MetadataAnswer | MembersAnswer
type Checked = Effect.Effect<string | undefined, unknown, Services>

const show = (value: unknown): string => JSON.stringify(value, (_, v) => Object.is(v, -0) ? "-0" : v)

const compareTable = (uri: string, expected: TableAnswer): Checked =>
  Effect.gen(function* () {
    const array = yield* TileArray.open(uri, expected.at === null ? {} : { at: expected.at })
    const names = Object.keys(expected.columns)
    const request = { select: names, region: expected.ranges, outOfBounds: "clip" as const, order: "row" as const }
    const { columns } = array.schema.arrayType === "dense"
      ? yield* Dense.read(array, request)
      : yield* Sparse.read(array, request)
    const resolved = yield* Cells.resolveAll(array, columns)
    const actual = Object.fromEntries(names.map((name) => [name, Cells.columnJson(resolved[name])]))
    if (expected.order === "row") return differenceOfJson(expected.columns, actual)
    const rows = (table: TableAnswer["columns"]): Array<string> =>
      Array.from({ length: table[names[0]].length }, (_, i) => show(names.map((name) => table[name][i]))).sort()
    return differenceOfJson(rows(expected.columns), rows(actual), "rows")
  })

/** Returns the row-major positions of the cells, in the order of the axes `axes`. */
const transposed = (shape: ReadonlyArray<number>, axes: ReadonlyArray<number>): ReadonlyArray<number> => {
  const strides = shape.map((_, d) => shape.slice(d + 1).reduce((a, b) => a * b, 1))
  let places = [0]
  for (const axis of axes) {
    places = places.flatMap((at) => Array.from({ length: shape[axis] }, (_, i) => at + i * strides[axis]))
  }
  return places
}

const compareGrid = (uri: string, expected: GridAnswer): Checked =>
  Effect.gen(function* () {
    const array = yield* TileArray.open(uri)
    // the applications clip ranges to the domain
    const request = { select: [expected.name], region: expected.ranges, outOfBounds: "clip" as const }
    const { shape, columns } = yield* Dense.read(array, request)
    const dimensions = array.schema.dimensions.map(({ name }) => name)
    const axes = (expected.axes ?? dimensions).map((name) => dimensions.indexOf(name))
    const cells = Cells.columnJson(columns[expected.name])
    return differenceOfJson(
      { shape: expected.shape, cells: expected.cells },
      { shape: axes.map((axis) => shape[axis]), cells: transposed(shape, axes).map((at) => cells[at]) },
    )
  })

/** Returns a metadata value in the JSON form of the applications' results. */
const metadataJson = (value: Metadata.MetadataValue, expected: unknown): unknown => {
  const list = (values: ArrayLike<number | bigint>): ReadonlyArray<CellJson> =>
    Array.from(
      values,
      (v): CellJson => typeof v === "bigint" || (typeof v === "number" && !Number.isFinite(v)) ? `${v}` : v,
    )
  if (typeof value === "string") return value
  if (typeof value !== "object") return list([value as number])[0]
  if ("shape" in value) {
    const text = value.type === "string_ascii" || value.type === "char"
    const cells = text ? new TextDecoder().decode(value.values as Uint8Array) : list(value.values)
    return { shape: value.shape, cells }
  }
  if (value instanceof Uint8Array && !Array.isArray(expected)) return { bytes: toHex(value) }
  return list(value)
}

const compareMetadata = (uri: string, expected: MetadataAnswer): Checked =>
  Effect.gen(function* () {
    const items = (yield* Group.objectType(uri)) === "group"
      ? yield* Effect.flatMap(Group.open(uri), Group.metadata)
      : yield* Effect.flatMap(TileArray.open(uri), TileArray.metadata)
    const actual = [...Metadata.values(items)].map(([key, value]) => [key, metadataJson(value, expected.items[key])])
    return differenceOfJson(expected.items, Object.fromEntries(actual))
  })

const compareMembers = (uri: string, expected: MembersAnswer): Checked =>
  Effect.map(
    Group.open(uri),
    (group) => differenceOfJson(expected.names, Group.members(group).map(({ name }) => name ?? "").sort()),
  )

const check = (uri: string, expected: Answer): Checked => {
  switch (expected.kind) {
    case "table":
      return compareTable(uri, expected)
    case "grid":
      return compareGrid(uri, expected)
    case "metadata":
      return compareMetadata(uri, expected)
    case "members":
      return compareMembers(uri, expected)
  }
}

const main = async (folder: string): Promise<void> => {
  let passed = 0, failed = 0
  const count = (uri: string, thing: string, failure: string | undefined): void => {
    if (failure === undefined) passed++
    else {
      failed++
      console.log(`FAILED ${uri}: ${thing}: ${failure}`)
    }
  }
  for (const name of readdirSync(folder).sort()) {
    const path = join(folder, name, "answers.json")
    if (!existsSync(path)) continue
    const answers = JSON.parse(readFileSync(path, "utf8")) as ReadonlyArray<Answer>
    if (answers.length === 0) count(path, "answers", "no answers recorded")
    for (const answer of answers) {
      const uri = join(folder, name, answer.uri)
      const checked = Effect.catchAllCause(check(uri, answer), (cause) => Effect.succeed(`${cause}`.split("\n")[0]))
      count(uri, `${answer.kind} (${answer.label})`, await Effect.runPromise(Effect.provide(checked, layerDefault)))
    }
  }
  for await (const { uri, thing, failure } of compareAll(folder, "native")) count(uri, thing, failure)
  console.log(`${passed} passed, ${failed} failed, 0 skipped`)
  process.exitCode = failed === 0 ? 0 : 1
}

if (import.meta.main) await main(process.argv[2])
