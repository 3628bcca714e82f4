/** The number of requests: opening and reading take a handful of requests, for any array. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { describe, it } from "node:test"
import { assert, assertEquals } from "@std/assert"
import { layerNative } from "../../../platform/codecs/layers/native.ts"
import { Storage } from "../../../platform/storage/service.ts"
import { makeMemoryStorage } from "../../../platform/storage/memory.ts"
import {
  makeCounters,
  type StorageCall,
  type StorageCounters,
  withCounters,
} from "../../../platform/storage/middleware/counters.ts"
import { openArray, type OpenedArray } from "../../../src/array/open/open.ts"
import { readDense } from "../../../src/query/request/dense_request.ts"
import { readSparse } from "../../../src/query/request/sparse_request.ts"
import { boundJson } from "../../../schema/array/scalar.ts"
import { packedArrays } from "../../support/packed_arrays.ts"

interface Traced {
  readonly array: OpenedArray
  readonly opened: StorageCounters
  readonly calls: ReadonlyArray<StorageCall>
  readonly reading: StorageCounters
}

/** Opens an array, and then reads the tile of its first fixed-size attribute that contains the first cell. */
const trace = (path: string, files: ReadonlyMap<string, Uint8Array>, key: Uint8Array | undefined): Promise<Traced> => {
  const opened = makeCounters()
  const reading = makeCounters()
  const calls: Array<StorageCall> = []
  const storage = makeMemoryStorage(new Map(files))
  const over = (t: StorageCounters) =>
    Layer.merge(Layer.succeed(Storage, withCounters(storage, t, (call) => calls.push(call))), layerNative)
  const program = Effect.gen(function* () {
    const array = yield* Effect.provide(openArray(`mem://${path}`, key === undefined ? {} : { key }), over(opened))
    const { schema, fragments } = array
    const attribute = schema.attributes.find((a) => a.cellValNum === 1 && !a.nullable)
    const domain = fragments[0]?.nonEmptyDomain
    const before = calls.length
    if (attribute !== undefined && domain !== undefined && fragments.length === 1) {
      const ranges = Object.fromEntries(schema.dimensions.map((d, i) => {
        const low = boundJson(d.type, d.cellValNum === 1 ? 1 : "var", domain[i].low)
        return [d.name, typeof low === "object" ? domain[i].low : low]
      }))
      const options = { select: [attribute.name], region: ranges, order: "unordered" } as const
      const read = schema.arrayType === "dense"
        ? Effect.asVoid(readDense(array, { ...options, order: "row" }))
        : Effect.asVoid(readSparse(array, options))
      yield* Effect.provide(read, over(reading))
    }
    return { array, opened, calls: calls.slice(0, before), reading }
  })
  return Effect.runPromise(program)
}

/** Matches the names of commit files that are read. */
const readCommit = /\.(vac|con|ign)$/

describe("requests", () => {
  for (const pack of ["v3", "v5", "v9", "v11", "v12", "v16", "v22"]) {
    it(`${pack}: opening lists three folders (and that of footers, if there are several), reads one schema, and the tail of each fragment once`, async () => {
      const arrays = packedArrays(pack).filter((a) => !a.path.includes("webp"))
      assert(arrays.length > 10)
      for (const { path, key, files } of arrays) {
        const { array, opened, calls } = await trace(path, files, key)
        const folders = calls.filter((c) => c.operation === "list").map((c) => c.uri.slice(`mem://${path}`.length))
        const together = folders.filter((folder) => folder === "/__fragment_meta").length
        assertEquals(folders.filter((f) => f !== "/__fragment_meta").sort(), ["", "/__commits", "/__schema"], path)
        assert(together === 0 || array.fragments.length > 0 && together === 1, path)
        const reads = calls.filter((c) => c.operation === "read").map((c) => c.uri)
        const schemas = reads.filter((uri) => /__schema\/|__array_schema/.test(uri))
        const named = new Set([array.schemaName, ...array.fragments.map((f) => f.schemaName || "__array_schema.tdb")])
        assertEquals(schemas.length, named.size, `${path}: a schema is read once`)
        const others = reads.filter((uri) => !schemas.includes(uri))
        assert(others.every((uri) => readCommit.test(uri) || uri.endsWith(".meta")), `${path}: ${others}`)
        assertEquals(new Set(reads).size, reads.length, `${path}: a file is read twice`)
        assert(others.filter((uri) => uri.endsWith(".meta")).length <= 1, path)
        const alone = array.fragments.filter((f) => !f.hasConsolidatedFooter)
        assertEquals(opened.calls.readTail, alone.length, path)
        assertEquals(opened.calls.readRanges, 0, path)
        assertEquals(opened.calls.size, 0, path)
      }
    })

    it(`${pack}: reading a tile of a fixed-size attribute after that takes at most two requests`, async () => {
      let counted = 0
      for (const { path, key, files } of packedArrays(pack).filter((a) => !a.path.includes("webp"))) {
        const { array, reading } = await trace(path, files, key)
        if (reading.requests === 0) continue
        const { schema, fragments: [fragment] } = array
        // sparse: the coordinates of the tile are read first, from one file per dimension
        const coordinates = schema.arrayType === "dense" ? 0 : fragment.version >= 5 ? schema.dimensions.length : 1
        const text = schema.dimensions.filter((d) => d.cellValNum !== 1).length
        const own = fragment.hasTimestamps ? 1 : 0
        const deletes = array.deletes.length * 2
        const maxRequests = (array.schema.arrayType === "dense" ? 2 : 1) + coordinates + text + own + deletes
        const attributeless = fragment.hasDeleteMetadata ? 1 : 0
        assert(
          reading.requests <= maxRequests + attributeless,
          `${path}: ${reading.requests} requests, at most ${maxRequests}`,
        )
        counted++
      }
      assert(counted > 1, `only ${counted} arrays were read`)
    })
  }

  it("reading a small dense array takes one request for each data file", async () => {
    const packed = packedArrays("v22").find(({ path }) => path === "v22/dense_1d_types/array")!
    const opened = makeCounters()
    const storage = withCounters(makeMemoryStorage(new Map(packed.files)), opened)
    const layer = Layer.merge(Layer.succeed(Storage, storage), layerNative)
    const array = await Effect.runPromise(Effect.provide(openArray(`mem://${packed.path}`), layer))
    const before = opened.requests
    await Effect.runPromise(Effect.provide(readDense(array), layer))
    const data = [...packed.files.keys()].filter((name) => /\/[a]\d+(_var|_validity)?\.tdb$/.test(name)).length
    assert(opened.requests - before <= data, `${opened.requests - before} requests for ${data} files`)
  })
})
