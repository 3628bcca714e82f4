/** Every write, with every fault at every call, in memory and on this machine's disk. */
import { describe, it } from "node:test"
import { crashLaws } from "./crash_laws.ts"
import { grounds } from "./ground.ts"
import { transfers, writes } from "./writes.ts"

for (const [name, law] of Object.entries({ ...writes, ...transfers })) {
  describe(`a crash while writing ${name}`, () => {
    for (const [where, ground] of Object.entries(grounds)) {
      it(`leaves the state before or after the write (${where})`, async () => {
        const empty = ground()
        try {
          await crashLaws(law, empty)
        } finally {
          empty.close()
        }
      })
    }
  })
}
