/** A program for tests: runs a job on a worker, and never closes the scope of its workers. */
import * as Effect from "effect/Effect"
import * as Scope from "effect/Scope"
import { makeWorkers } from "../../../platform/workers/worker_pool.ts"

const scope = Effect.runSync(Scope.make())
const workers = Effect.runSync(Scope.extend(makeWorkers(1), scope))
const pool = workers!.pool({ url: new URL("./echo_worker.ts", import.meta.url) })
const offer = () => pool.offer(() => [{ bytes: new ArrayBuffer(8) }, []])
let answer = offer()
for (let tries = 0; answer === undefined && tries < 400; tries++) {
  await new Promise((resume) => setTimeout(resume, 5))
  answer = offer()
}
if (answer === undefined) console.log("no thread took it")
else {
  const { bytes } = (await Effect.runPromise(answer)) as { readonly bytes: ArrayBuffer }
  console.log(`${bytes.byteLength} bytes came back`)
}
