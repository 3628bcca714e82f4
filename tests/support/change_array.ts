/** Creates arrays without cells for tests of operations that change arrays, in memory and in local files. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { it } from "node:test"
import type { Codecs } from "../../platform/codecs/service.ts"
import type { EncryptionKey } from "../../platform/keys.ts"
import { layerNative } from "../../platform/codecs/layers/native.ts"
import { makeLocalStorage } from "../../platform/storage/local/local.ts"
import { layerMemory } from "../../platform/storage/memory.ts"
import { Storage } from "../../platform/storage/service.ts"
import { enumerationsOf, toStructure } from "../../src/schema_builder/structure.ts"
import type { ArraySchema } from "../../src/schema_builder/schema_value.ts"
import type { StoreError } from "../../src/array/create/create_structure.ts"
import { accessOf } from "../../src/array/open/open.ts"
import { newSchemaName, storeSchema } from "../../src/array/create/store_schema.ts"

/** The services that changes require. */
export type Needs = Storage | Codecs

/** Runs a test in memory, and in local files in a new folder; `root` is a URI below which there are no files. */
export const onEachStorage = (name: string, body: (root: string) => Effect.Effect<void, unknown, Needs>): void => {
  it(`${name} (memory)`, () =>
    Effect.runPromise(Effect.provide(body("mem://root"), Layer.merge(layerMemory, layerNative))))
  it(`${name} (local files)`, async () => {
    const folder = mkdtempSync(join(tmpdir(), "tessera change "))
    const local = Layer.succeed(Storage, makeLocalStorage({ durability: "cached" }))
    try {
      await Effect.runPromise(Effect.provide(body(folder), Layer.merge(local, layerNative)))
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })
}

/** Options of `makeArray`. */
export interface Making {
  /** Default: now. */
  readonly at?: number
  readonly version?: number
  readonly key?: EncryptionKey
}

let enumerations = 0

/** Creates an array without cells. */
export const makeArray = (
  uri: string,
  schema: ArraySchema,
  { at, version = 22, key }: Making = {},
): Effect.Effect<void, StoreError, Needs> =>
  Effect.gen(function* () {
    const access = yield* accessOf({ key, verifyChecksums: true })
    const files = new Map(Object.keys(schema.enumerations).map((name) => [name, `__${enumerations++}_0`]))
    const options = { version, enumerationFile: (name: string) => files.get(name)! }
    const name = yield* newSchemaName(version, at === undefined ? undefined : [at, at])
    yield* storeSchema(access, uri, name, toStructure(schema, options), enumerationsOf(schema, options))
  })
