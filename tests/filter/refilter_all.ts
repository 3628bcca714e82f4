/**
 * `deno task refilter [FIXTURES]`: unfilters every tile of every fixture of formats 3 to 22, filters it again, and compares.
 * Prints the differences, and finally `N passed, N failed`.
 */
import { existsSync, readdirSync } from "node:fs"
import { join } from "node:path"
import process from "node:process"
import { fixtures } from "./fixture_tiles.ts"
import { noTiles, refilterCase } from "./refilter.ts"

const root = process.argv[2] ?? fixtures
const all = noTiles()
for (let version = 3; version <= 22; version++) {
  for (const name of readdirSync(join(root, `v${version}`)).sort()) {
    const folder = join(root, `v${version}`, name)
    if (!existsSync(join(folder, "expected.json"))) continue
    try {
      refilterCase(folder, all)
    } catch (error) {
      all.faults.push(`${folder}: ${error}`)
    }
  }
}
for (const fault of all.faults) console.log(fault)
console.log(`${all.equal} tiles are equal, ${all.coded} up to the output of a codec, ${all.skipped} were skipped;`)
console.log(`${all.deviating} have a known deviation (tests/rewrite/deviations.ts)`)
console.log(`${all.equal + all.coded + all.deviating} passed, ${all.faults.length} failed`)
process.exitCode = all.faults.length > 0 ? 1 : 0
