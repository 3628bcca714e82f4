/** Opens and reads arrays in memory, and returns the result or the error. */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import { assert } from "@std/assert"
import type { Codecs } from "../../platform/codecs/service.ts"
import { layerNative } from "../../platform/codecs/layers/native.ts"
import { layerPortable } from "../../platform/codecs/layers/portable.ts"
import { Storage } from "../../platform/storage/service.ts"
import { makeMemoryStorage } from "../../platform/storage/memory.ts"
import { openArray } from "../../src/array/open/open.ts"
import type { OpenOptions } from "../../src/array/open/open_options.ts"
import type { Column } from "../../src/query/column/column.ts"
import { readDense } from "../../src/query/request/dense_request.ts"
import type { ReadOptions } from "../../src/query/options/read_options.ts"
import { readSparse } from "../../src/query/request/sparse_request.ts"

/** The result of a read. */
export interface Answer {
  readonly columns: Readonly<Record<string, Column>>
  readonly length: number
  /** The shape of a dense result. */
  readonly shape: ReadonlyArray<number> | undefined
}

/** The errors that bytes and storages may cause. */
const tags = new Set([
  "ArrayNotFound",
  "ChecksumMismatch",
  "CodecError",
  "DecryptionFailed",
  "FormatError",
  "InvalidOption",
  "NotFound",
  "ResultTooLarge",
  "SelectionError",
  "StorageError",
])

/** Runs an effect over files in memory with at most `inFlight` concurrent reads; throws a defect with its stack. */
export const runOver = async <A, E>(
  files: ReadonlyMap<string, Uint8Array>,
  effect: Effect.Effect<A, E, Storage | Codecs>,
  codecs: "native" | "portable" = "native",
  inFlight?: number,
): Promise<{ readonly value: A } | { readonly error: E & { readonly _tag: string; readonly message: string } }> => {
  const memory = makeMemoryStorage(new Map(files))
  const storage = Layer.succeed(Storage, inFlight === undefined ? memory : { ...memory, inFlight: () => inFlight })
  const layer = Layer.merge(storage, codecs === "native" ? layerNative : layerPortable)
  const exit = await Effect.runPromiseExit(Effect.provide(effect, layer))
  if (Exit.isSuccess(exit)) return { value: exit.value }
  const error = Cause.squash(exit.cause)
  if (Cause.isDie(exit.cause)) throw error
  const { _tag, message } = error as { readonly _tag: string; readonly message: string }
  assert(tags.has(_tag), `an error without a tag that is known: ${String(error)}`)
  assert(message.length > 10, `${_tag} says ${JSON.stringify(message)}`)
  return { error: error as E & { readonly _tag: string; readonly message: string } }
}

/** Opens and reads one array. */
export const openAndRead = (
  path: string,
  options: ReadOptions = {},
  open: OpenOptions = {},
) =>
  Effect.gen(function* () {
    const array = yield* openArray(`mem://${path}`, open)
    if (array.schema.arrayType === "sparse") {
      const { columns, length } = yield* readSparse(array, options)
      return { columns, length, shape: undefined } as Answer
    }
    const { columns, shape } = yield* readDense(array, options)
    return { columns, length: shape.reduce((n, s) => n * s, 1), shape } as Answer
  })

/** Returns the result of a read over files in memory, which must succeed. */
export const answerOf = async (
  files: ReadonlyMap<string, Uint8Array>,
  path: string,
  options: ReadOptions = {},
  open: OpenOptions = {},
  inFlight?: number,
): Promise<Answer> => {
  const result = await runOver(files, openAndRead(path, options, open), "native", inFlight)
  assert("value" in result, "error" in result ? result.error.message : "")
  return result.value
}

/**
 * Returns the message of the error of a read over files in memory, which must fail with this tag within three seconds.
 */
export const refusalOf = async (
  files: ReadonlyMap<string, Uint8Array>,
  path: string,
  tag: string,
  options: ReadOptions = {},
): Promise<string> => {
  const before = performance.now()
  const result = await runOver(files, openAndRead(path, options))
  const took = performance.now() - before
  assert(took < 3000, `took ${Math.round(took)} ms`)
  assert("error" in result, "the read succeeded")
  assert(result.error._tag === tag, `${result.error._tag} instead of ${tag}: ${result.error.message}`)
  return result.error.message
}
