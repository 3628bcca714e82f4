/**
 * A process of local_failures_test.ts: tries every way to write too many bytes below a folder, and prints the outcome
 * of each and the names that exist afterwards.
 */
import * as Effect from "effect/Effect"
import { readdirSync } from "node:fs"
import process from "node:process"
import type { AlreadyExists, StorageError } from "../../../platform/errors.ts"
import { localFiles } from "../../../platform/storage/local/local.ts"

const folder = process.argv[process.argv.length - 1]
const large = new Uint8Array(4 << 20).fill(7)
const uri = (name: string): string => `${folder}/${name}`

const inPieces = (name: string, length: number) =>
  Effect.scoped(Effect.gen(function* () {
    const file = yield* localFiles.openWrite(uri(name))
    for (let at = 0; at < large.length; at += length) yield* file.write(large.subarray(at, at + length))
    yield* file.finish
  }))

const tries: Readonly<Record<string, Effect.Effect<void, AlreadyExists | StorageError>>> = {
  "write": localFiles.write(uri("new"), large),
  "write over": localFiles.write(uri("old"), large),
  "create": localFiles.create(uri("new"), large),
  "create in a folder": localFiles.create(uri("__meta/new"), large),
  "large pieces": inPieces("new", 1 << 20),
  "small pieces": inPieces("new", 1000),
  "pieces over": inPieces("old", 1 << 19),
  "pieces in a folder": inPieces("__fragments/__1_1_0a_22/a0.tdb", 1 << 19),
}

const made = Effect.runSync(Effect.either(localFiles.write(uri("old"), Uint8Array.of(1, 2, 3))))
const attempts = Object.entries(tries).map(([name, call]) => {
  const ended = Effect.runSync(Effect.either(call))
  const { _tag, reason } = (ended._tag === "Left" ? ended.left : {}) as { _tag?: string; reason?: string }
  const names = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((each) => each.isFile())
  return { name, tag: _tag, reason, files: names.map((each) => each.name) }
})
// released space is available to later writes
const after = Effect.runSync(Effect.either(localFiles.create(uri("after"), large.subarray(0, 300_000))))
const old = Effect.runSync(Effect.either(localFiles.read(uri("old"))))
console.log(JSON.stringify({
  made: made._tag,
  attempts,
  after: after._tag,
  old: old._tag === "Right" ? [...old.right] : [],
}))
