/**
 * Prints the metadata of an array or group; NumPy arrays with their shapes.
 *
 *     deno run -A examples/numpy_metadata.ts ARRAY_OR_GROUP
 */
import * as Effect from "effect/Effect"
import process from "node:process"
import { Group, layerDefault, Metadata, TileArray } from "../mod.ts"

/** Formats values in row-major order as nested lists. */
const nested = (values: ReadonlyArray<string>, shape: ReadonlyArray<number>): string => {
  if (shape.length === 0) return values[0]
  const [length, ...rest] = shape
  const size = rest.reduce((a, b) => a * b, 1)
  return `[${Array.from({ length }, (_, i) => nested(values.slice(i * size, (i + 1) * size), rest)).join(", ")}]`
}

const program = (uri: string) =>
  Effect.gen(function* () {
    const items = (yield* Group.objectType(uri)) === "group"
      ? yield* Effect.flatMap(Group.open(uri), Group.metadata)
      : yield* Effect.flatMap(TileArray.open(uri), TileArray.metadata)
    for (const [key, value] of Metadata.values(items)) {
      if (typeof value === "string") console.log(`${key}: ${JSON.stringify(value)}`)
      else if (typeof value !== "object") console.log(`${key}: ${value}`)
      else if ("shape" in value) {
        const shown = nested(Array.from(value.values, String), value.shape)
        console.log(`${key}: NumPy ${value.type} (${value.shape.join(", ")}): ${shown}`)
      } else console.log(`${key}: ${value.constructor.name} [${value.join(", ")}]`)
    }
  })

await Effect.runPromise(Effect.provide(program(process.argv[2]), layerDefault))
