/**
 * One of the concurrent processes of storage_test.ts: tries to create 100 files, and prints the numbers of those that
 * it created.
 */
import * as Effect from "effect/Effect"
import process from "node:process"
import { localFiles } from "../../../platform/storage/local/local.ts"

const [folder, mark] = process.argv.slice(-2)
const content = new Uint8Array(10_000).fill(Number(mark))
const made: Array<number> = []
for (let i = 0; i < 100; i++) {
  const result = Effect.runSync(Effect.either(localFiles.create(`${folder}/${i}`, content)))
  if (result._tag === "Right") made.push(i)
  else if (result.left._tag !== "AlreadyExists") throw result.left
}
console.log(JSON.stringify(made))
