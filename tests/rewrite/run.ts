/**
 * `deno task rewrite [FIXTURES]`: reads every array of the fixtures of formats 3 to 22 (schema, metadata, and the cells
 * of each fragment), writes it again, and compares the files byte by byte. Prints the faults and the number of
 * occurrences of each known deviation, and ends with `N passed, N failed`. A known deviation that does not occur is a
 * fault too.
 */
import { readdirSync, readFileSync } from "node:fs"
import { join, relative, sep } from "node:path"
import process from "node:process"
import { arraysOf } from "../support/packed_arrays.ts"
import { fixtures } from "../filter/fixture_tiles.ts"
import { nothingCompared } from "./compare.ts"
import { deviations } from "./deviations.ts"
import { rewriteAll } from "./rewrite_all.ts"

const root = process.argv[2] ?? fixtures

/** Returns the files of a case by their paths relative to the root. */
const filesOf = (folder: string): ReadonlyMap<string, Uint8Array> =>
  new Map(
    readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile()).map((entry) => {
      const path = join(entry.parentPath, entry.name)
      return [relative(root, path).split(sep).join("/"), new Uint8Array(readFileSync(path))]
    }),
  )

const seen = nothingCompared()
for (let version = 3; version <= 22; version++) {
  const before = seen.faults.length
  for (const name of readdirSync(join(root, `v${version}`)).sort()) {
    await rewriteAll(arraysOf(filesOf(join(root, `v${version}`, name))), seen)
  }
  console.log(`format ${version}: ${seen.faults.length - before} faults`)
}
for (const { name } of deviations) if (!seen.deviating.has(name)) seen.faults.push(`unused deviation: "${name}"`)
for (const fault of seen.faults) console.log(fault)
console.log(
  `${seen.files} files are equal; ${seen.tiles} tiles of other files are equivalent, except for codecs and random numbers;`,
)
console.log(`${seen.sections} parts of metadata are equal. Known deviations:`)
for (const { name, why } of deviations) console.log(`- ${name}, ${seen.deviating.get(name) ?? 0} times: ${why}`)
console.log(`${seen.files + seen.tiles + seen.sections} passed, ${seen.faults.length} failed`)
process.exitCode = seen.faults.length > 0 ? 1 : 0
