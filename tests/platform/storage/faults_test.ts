/** The storage with planned faults: each kind of fault at each call that writes, in memory and in local files. */
import { assert, assertEquals } from "@std/assert"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { mkdtempSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, it } from "node:test"
import { StorageError } from "../../../platform/errors.ts"
import { localFiles } from "../../../platform/storage/local/local.ts"
import { makeMemoryStorage } from "../../../platform/storage/memory.ts"
import type { Storage } from "../../../platform/storage/service.ts"
import { type Fault, type FaultPlan, faults, withFaults } from "../../../platform/storage/middleware/faults.ts"

/** Writes a file in two pieces, a whole file and a commit, and removes a folder; with a finalizer, as writers have. */
const act = (storage: Storage, root: string) =>
  Effect.scoped(Effect.gen(function* () {
    let done = false
    yield* Effect.addFinalizer(() => done ? Effect.void : Effect.ignore(storage.remove(`${root}/new`)))
    yield* storage.createFolder(`${root}/new`)
    const file = yield* storage.openWrite(`${root}/new/pieces`)
    yield* file.write(Uint8Array.of(1, 2))
    yield* file.write(Uint8Array.of(3, 4))
    yield* file.finish
    yield* storage.write(`${root}/new/whole`, Uint8Array.of(5))
    yield* storage.create(`${root}/commit`, Uint8Array.of(6))
    done = true
    yield* storage.remove(`${root}/old`)
  }))

const CALLS = ["createFolder", "openWrite", "write 1", "write 2", "finish", "write", "create", "remove"]

/** Returns the remaining files and the outcome of a plan. */
const tryPlan = async (storage: Storage, root: string, plan?: FaultPlan) => {
  for (const name of ["a", "b", "c"]) await Effect.runPromise(storage.write(`${root}/old/${name}`, Uint8Array.of(1)))
  const faulty = withFaults(storage, plan)
  const exit = await Effect.runPromiseExit(act(faulty.storage, root))
  const files: Array<string> = []
  const walk = async (uri: string, path: string): Promise<void> => {
    for (const { name, kind } of await Effect.runPromise(storage.list(uri))) {
      if (kind === "folder") await walk(`${uri}/${name}`, `${path}${name}/`)
      else files.push(path + name)
    }
  }
  await walk(root, "")
  return { exit, faulty, files: files.sort() }
}

const OLD = ["old/a", "old/b", "old/c"]
const NEW = ["commit", "new/pieces", "new/whole"]

/** Returns the files that exist after a fault at a call. */
const expected = (fault: Fault, at: number): ReadonlyArray<string> => {
  const call = CALLS[at]
  const torn = fault === "partial" || fault === "partial-crash"
  const stops = fault === "stop" || fault === "partial-crash"
  if (call === "remove") return fault === "full" ? NEW : torn ? [...NEW, "old/c"] : [...NEW, ...OLD]
  const committed = call === "create" && torn ? ["commit"] : []
  const pieces = stops && (at > 4 || (at === 4 && torn)) ? ["new/pieces"] : []
  const whole = stops && (at > 5 || (at === 5 && torn)) ? ["new/whole"] : []
  return [...committed, ...pieces, ...whole, ...OLD]
}

const backends: Readonly<Record<string, () => { storage: Storage; root: string; close: () => void }>> = {
  memory: () => ({ storage: makeMemoryStorage(), root: "mem://root", close: () => {} }),
  "local files": () => {
    const root = mkdtempSync(join(tmpdir(), "tessera-faults-"))
    return { storage: localFiles, root, close: () => rmSync(root, { recursive: true }) }
  },
}

for (const [name, open] of Object.entries(backends)) {
  describe(`faults in ${name}`, () => {
    const inside = async (body: (storage: Storage, root: string) => Promise<void>): Promise<void> => {
      const { storage, root, close } = open()
      try {
        await body(storage, root)
      } finally {
        close()
      }
    }

    it("do not occur without a plan, and calls are counted", () =>
      inside(async (storage, root) => {
        const { exit, files, faulty } = await tryPlan(storage, root)
        assert(Exit.isSuccess(exit))
        assertEquals(files, NEW)
        assertEquals([faulty.calls(), faulty.struck()], [CALLS.length, undefined])
      }))

    for (const fault of faults) {
      it(`of the kind "${fault}" leave the expected files at every call`, async () => {
        for (const [at, call] of CALLS.entries()) {
          await inside(async (storage, root) => {
            const { exit, files, faulty } = await tryPlan(storage, root, { at, fault })
            assertEquals(faulty.struck()?.op, call.split(" ")[0])
            assertEquals(files, expected(fault, at), `${fault} at ${call}`)
            if (fault === "full" && call === "remove") return assert(Exit.isSuccess(exit), call)
            assert(Exit.isFailure(exit), call)
            if (fault === "interrupt") assert(Exit.isInterrupted(exit), call)
            else assertEquals(exit.cause._tag === "Fail" && exit.cause.error instanceof StorageError, true, call)
            await Effect.runPromise(faulty.release)
            if (storage !== localFiles) return
            const names = readdirSync(root, { recursive: true }).map(String)
            assertEquals(names.filter((each) => each.includes(".tessera")), [], `${fault} at ${call}`)
          })
        }
      })
    }
  })
}

describe("faults", () => {
  it("that stop the program do not change open files until they are released", async () => {
    const root = mkdtempSync(join(tmpdir(), "tessera-faults-"))
    try {
      const faulty = withFaults(localFiles, { at: 2, fault: "partial-crash" })
      const { storage } = faulty
      await Effect.runPromiseExit(act(storage, root))
      const remaining = (): number => readdirSync(join(root, "new")).length
      assertEquals(remaining(), 1)
      assert(Exit.isFailure(await Effect.runPromiseExit(storage.list(root))), "reads fail after the stop")
      assertEquals(remaining(), 1)
      await Effect.runPromise(faulty.release)
      assertEquals(remaining(), 0)
    } finally {
      rmSync(root, { recursive: true })
    }
  })

  it("that interrupt wait for uninterruptible regions", async () => {
    const { storage } = withFaults(makeMemoryStorage(), { at: 0, fault: "interrupt" })
    const write = Effect.uninterruptible(storage.write("mem://file", Uint8Array.of(1)))
    const exit = await Effect.runPromiseExit(Effect.zipRight(write, storage.write("mem://other", Uint8Array.of(1))))
    assert(Exit.isInterrupted(exit))
    assertEquals((await Effect.runPromise(storage.list("mem://"))).map(({ name }) => name), ["file"])
  })

  it("that write a part of a piece end the file", async () => {
    const { storage } = withFaults(makeMemoryStorage(), { at: 1, fault: "partial" })
    await Effect.runPromise(Effect.scoped(Effect.gen(function* () {
      const file = yield* storage.openWrite("mem://file")
      yield* Effect.flip(file.write(Uint8Array.of(1, 2)))
      yield* Effect.flip(file.write(Uint8Array.of(1, 2)))
      yield* Effect.flip(file.finish)
    })))
    assertEquals(await Effect.runPromise(storage.list("mem://")), [])
  })
})
