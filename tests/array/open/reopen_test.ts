/** Reopening arrays: only changed files are read. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { describe, it } from "node:test"
import { assert, assertEquals } from "@std/assert"
import { layerNative } from "../../../platform/codecs/layers/native.ts"
import type { Codecs } from "../../../platform/codecs/service.ts"
import { Storage } from "../../../platform/storage/service.ts"
import { makeMemoryStorage } from "../../../platform/storage/memory.ts"
import { makeCounters, type StorageCounters, withCounters } from "../../../platform/storage/middleware/counters.ts"
import { openArray, type OpenedArray, reopenArray } from "../../../src/array/open/open.ts"
import { type PackedArray, packedArrays } from "../../support/packed_arrays.ts"

/** Runs an effect over files in memory, and counts the requests. */
const counted = async <A, E>(
  files: Map<string, Uint8Array>,
  program: Effect.Effect<A, E, Storage | Codecs>,
): Promise<{ readonly value: A; readonly trace: StorageCounters }> => {
  const trace = makeCounters()
  const storage = Layer.succeed(Storage, withCounters(makeMemoryStorage(files), trace))
  return { value: await Effect.runPromise(Effect.provide(program, Layer.merge(storage, layerNative))), trace }
}

const open = (array: PackedArray, files: ReadonlyMap<string, Uint8Array> = array.files) =>
  counted(new Map(files), openArray(`mem://${array.path}`, array.key === undefined ? {} : { key: array.key }))

const reopen = (
  before: OpenedArray,
  files: ReadonlyMap<string, Uint8Array>,
  options: Parameters<typeof reopenArray>[1] = {},
) => counted(new Map(files), reopenArray(before, options))

const seen = (array: OpenedArray): unknown => ({
  schema: array.schema,
  schemaName: array.schemaName,
  fragments: array.fragments.map((f) => [f.name.name, f.nonEmptyDomain, f.tileCount]),
  deletes: array.deletes,
})

const several = packedArrays("v22").filter((a) =>
  [...a.files.keys()].filter((f) => f.endsWith("/__fragment_metadata.tdb")).length > 1
)

describe("reopening an array", () => {
  it("lists its folders, and reads no file if nothing changed", async () => {
    assert(several.length > 3)
    for (const packed of several) {
      const before = await open(packed)
      const after = await reopen(before.value, packed.files)
      const commits = [...packed.files.keys()].filter((f) => /\.(vac|con|ign)$/.test(f)).length
      assertEquals(after.trace.requests - commits, 3, packed.path)
      assertEquals(seen(after.value), seen(before.value), packed.path)
    }
  })

  it("reads only the tail of the metadata of new fragments", async () => {
    let tried = 0
    for (const packed of several) {
      const commits = [...packed.files.keys()].filter((f) => f.includes("/__commits/"))
      if (!commits.every((f) => f.endsWith(".wrt"))) continue
      const last = commits.sort().at(-1)!
      const files = new Map(packed.files)
      files.delete(last)
      const before = await open(packed, files)
      const whole = await open(packed)
      const after = await reopen(before.value, packed.files)
      assertEquals(seen(after.value), seen(whole.value), packed.path)
      assertEquals(after.trace.calls.list, 3, packed.path)
      assertEquals(
        after.trace.calls.readTail,
        whole.value.fragments.length - before.value.fragments.length,
        packed.path,
      )
      const schemas = ({ schemaName, fragments }: OpenedArray) => [schemaName, ...fragments.map((f) => f.schemaName)]
      const known = schemas(before.value)
      const fresh = new Set(schemas(whole.value).filter((name) => !known.includes(name)))
      assertEquals(after.trace.calls.read, fresh.size, packed.path)
      tried++
    }
    assert(tried > 2, `${tried}`)
  })

  it("at another time returns the same as a new open", async () => {
    for (const packed of several) {
      const now = await open(packed)
      const times = now.value.fragments.flatMap((f) => [f.name.start, f.name.end])
      for (const at of [0, ...times]) {
        const fresh = await counted(
          new Map(packed.files),
          openArray(`mem://${packed.path}`, { at, ...packed.key === undefined ? {} : { key: packed.key } }),
        )
        assertEquals(
          seen((await reopen(now.value, packed.files, { at })).value),
          seen(fresh.value),
          `${packed.path} ${at}`,
        )
        assertEquals(seen((await reopen(fresh.value, packed.files)).value), seen(now.value), `${packed.path} ${at}`)
      }
    }
  })

  it("reads the schema again before format 10, where its name does not change", async () => {
    const packed = packedArrays("v9").find(({ files }) => {
      const names = [...files.keys()]
      return names.some((f) => f.endsWith(".ok")) && !names.some((f) => f.endsWith(".vac"))
    })!
    const before = await open(packed)
    const after = await reopen(before.value, packed.files)
    assertEquals(after.trace.calls.read, 1)
    assertEquals(after.trace.calls.readTail, 0)
    assertEquals(seen(after.value), seen(before.value))
  })
})
