/**
 * Prints the levels of a tiledb-bioimg pyramid, and its smallest level as characters.
 *
 *     deno run -A examples/read_bioimg.ts PYRAMID
 */
import * as Effect from "effect/Effect"
import process from "node:process"
import { Dense, Group, layerDefault, Metadata, TileArray } from "../mod.ts"

/** A level in the metadata of the group. */
interface Level {
  readonly level: number
  readonly name: string
  readonly axes: string
  readonly shape: ReadonlyArray<number>
}

const shades = " .:-=+*#%@"

const program = (uri: string) =>
  Effect.gen(function* () {
    const group = yield* Group.open(uri)
    const metadata = Metadata.values(yield* Group.metadata(group))
    const levels = JSON.parse(String(metadata.get("levels"))) as ReadonlyArray<Level>
    for (const { level, axes, shape } of levels) console.log(`level ${level}: ${axes} ${shape.join(" × ")}`)

    const { name, axes } = levels[levels.length - 1]
    const member = Group.members(group).find((member) => member.name === name)!
    const array = yield* TileArray.open(member.uri)
    // the first channel; WebP levels have no dimension for channels, which alternate along X
    const region = axes.includes("C") ? { C: 0 } : {}
    const { shape, columns } = yield* Dense.read(array, { region })
    const [height, width] = shape.slice(-2)
    const pixels = columns.intensity.values
    const step = axes.includes("C") ? 1 : 3
    const maxPixel = Array.from(pixels, Number).reduce((a, b) => Math.max(a, b), 1)
    for (let y = 0; y < height; y += 2) {
      let line = ""
      for (let x = 0; x < width; x += step) line += shades[Math.floor(9 * Number(pixels[y * width + x]) / maxPixel)]
      console.log(`|${line}|`)
    }
  })

await Effect.runPromise(Effect.provide(program(process.argv[2]), layerDefault))
