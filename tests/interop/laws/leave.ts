/**
 * `leave.ts FOLDER`: runs the writes of the laws with every fault at every storage call, and stores the remaining files
 * of each run, with a list of what tessera reads from them. In addition, stores the arrays of processes that were
 * killed or that ran concurrently.
 */
import { cpSync, existsSync, mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import process from "node:process"
import { crashLaws } from "../../laws/crash_laws.ts"
import { localGround } from "../../laws/ground.ts"
import { killWriters, raceWriters } from "../../laws/processes.ts"
import { writes } from "../../laws/writes.ts"

const folder = process.argv[process.argv.length - 1]
mkdirSync(folder, { recursive: true })
const list: Array<{ law: string; where: string; seen: string; path: string }> = []
for (const [law, write] of Object.entries(writes)) {
  const ground = localGround()
  try {
    await crashLaws(write, ground, ({ where, ground, seen }) => {
      const path = join(folder, String(list.length))
      if (existsSync(ground.uri)) cpSync(ground.uri, path, { recursive: true })
      list.push({ law, where, seen, path })
    })
  } finally {
    ground.close()
  }
}
const processes = [
  { path: join(folder, "killed"), writes: [...await killWriters(join(folder, "killed"), 5)] },
  { path: join(folder, "raced"), writes: [...await raceWriters(join(folder, "raced"), 4, 10)] },
]
writeFileSync(join(folder, "list.json"), JSON.stringify({ runs: list, processes }))
