/**
 * tessera's turn in the creation of arrays: runs the steps in `ours.json` of each folder (create, write, delete)
 * through the public API.
 *
 *     deno run -A tests/interop/queries/ours.ts DIR
 */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import process from "node:process"
import { ArraySchema, type Codecs, Dense, layerDefault, Sparse, type StorageService, TileArray } from "../../../mod.ts"
import { viewAs } from "../../../schema/array/datatype.ts"

/** A cell as JSON: text and bytes in hex; 64-bit integers, NaN and infinities as text. */
type Cell = number | string | null | { readonly hex: string } | ReadonlyArray<number | string>

type Step =
  | { readonly kind: "delete"; readonly at: number; readonly where: string }
  | {
    readonly kind: "write"
    readonly at: number
    readonly box: Readonly<Record<string, readonly [number | string, number | string]>> | null
    readonly columns: Readonly<Record<string, ReadonlyArray<Cell>>>
  }

interface Ours {
  /** Whether tessera creates the array, with the schema of `array_model`, or the engine created it. */
  readonly created: "we" | "engine"
  readonly key: string | null
  readonly sparse: boolean
  readonly steps: ReadonlyArray<Step>
}

const bytesOf = (hex: string): Uint8Array => Uint8Array.from(hex.match(/../g) ?? [], (byte) => parseInt(byte, 16))

/** Returns a column as input of tessera's writers. */
const columnOf = (array: TileArray.TileArray, name: string, cells: ReadonlyArray<Cell>) => {
  const { dimensions, attributes } = array.schema
  const { type, cellValNum } = [...attributes, ...dimensions].find((field) => field.name === name)!
  const isCode = attributes.some((attribute) => attribute.name === name && attribute.enumeration !== "")
  return cells.map((cell) => {
    // 64-bit integers are texts in JSON; texts in a list of an enumerated attribute are values
    if (isCode && typeof cell === "string") return BigInt(cell)
    if (cell === null || typeof cell !== "object" || !("hex" in cell)) return cell
    const values = viewAs(type, bytesOf(cell.hex))
    return cellValNum === 1 ? values[0] : values
  })
}

const make = (folder: string): Effect.Effect<ReadonlyArray<string>, unknown, StorageService | Codecs> =>
  Effect.gen(function* () {
    const ours: Ours = JSON.parse(readFileSync(join(folder, "ours.json"), "utf8"))
    const uri = join(folder, "array")
    const key = ours.key === null ? undefined : new TextEncoder().encode(ours.key)
    if (ours.created === "we") {
      const model = yield* TileArray.open(`${uri}_model`, { key })
      const schema = ArraySchema.fromStructure(model.schema, yield* TileArray.enumerations(model))
      yield* TileArray.create(uri, schema, { key, at: 1 })
    }
    const array = yield* TileArray.open(uri, { key })
    const notes: Array<string> = []
    for (const step of ours.steps) {
      if (step.kind === "delete") {
        const deleted = yield* Effect.either(Sparse.delete(array, step.where, { at: step.at }))
        if (Either.isLeft(deleted)) notes.push(`delete refused: ${step.where}: ${deleted.left.message}`)
        continue
      }
      const columns = Object.fromEntries(
        Object.entries(step.columns).map(([name, cells]) => [name, columnOf(array, name, cells)]),
      )
      const write = ours.sparse
        ? Sparse.write(array, columns, { at: step.at })
        : Dense.write(array, step.box!, columns, { at: step.at })
      const written = yield* Effect.either(Effect.asVoid(write))
      if (Either.isRight(written)) continue
      // some filter pipelines do not support some cells, neither in the engine nor in tessera
      if (!/the filter \w+ cannot represent it/.test(written.left.message)) return yield* Effect.fail(written.left)
      notes.push(`write refused: ${written.left.message}`)
    }
    return notes
  })

const [out] = process.argv.slice(2)
let failed = 0
const notes: Array<string> = []
for (const name of readdirSync(out).sort()) {
  const folder = join(out, name)
  if (!existsSync(join(folder, "ours.json"))) continue
  const made = await Effect.runPromise(Effect.either(Effect.provide(make(folder), layerDefault)))
  if (Either.isRight(made)) notes.push(...made.right)
  else {
    failed++
    console.log(`FAILED ${folder}: cannot write: ${made.left}`)
  }
}
writeFileSync(join(out, "ours.notes"), notes.join("\n"))
process.exitCode = failed === 0 ? 0 : 1
