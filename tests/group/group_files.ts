/** Groups in memory. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { layerNative, makeMemoryStorage, StorageService } from "../../platform/mod.ts"
import type { Codecs } from "../../platform/codecs/service.ts"
import { encode, GroupDetails, type GroupMember, MetadataEntries, type MetadataEntry } from "../../schema/mod.ts"
import { genericTile } from "../support/build_array.ts"

export const uuid = (n: number): string => n.toString(16).padStart(32, "0")

/** Returns a member with the usual values. */
export const member = (uri: string, more: Partial<GroupMember> = {}): GroupMember => ({
  version: 2,
  type: "group",
  relative: true,
  uri,
  name: null,
  deleted: false,
  ...more,
})

/** Returns a file of group details. */
export const details = (version: 1 | 2, members: ReadonlyArray<GroupMember>): Uint8Array =>
  genericTile(encode(GroupDetails, { version, members: members.map((m) => ({ ...m, version })) }, 22))

/** Returns a metadata entry: a string, or a deletion. */
export const entry = (key: string | Uint8Array, value: string | null): MetadataEntry => {
  const bytes = new TextEncoder().encode(value ?? "")
  return {
    key: typeof key === "string" ? new TextEncoder().encode(key) : key,
    deleted: value === null,
    type: value === null ? "any" : "string_utf8",
    count: bytes.byteLength,
    value: bytes,
  }
}

/** Returns a file of metadata. */
export const metadata = (entries: ReadonlyArray<MetadataEntry>): Uint8Array =>
  genericTile(encode(MetadataEntries, entries, 22))

export type Files = Readonly<Record<string, Uint8Array | string>>

/** Runs an effect over a memory storage with these files. */
export const over = <A, E>(files: Files, effect: Effect.Effect<A, E, StorageService | Codecs>): Promise<A> => {
  const storage = makeMemoryStorage()
  for (const [path, content] of Object.entries(files)) {
    const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content
    Effect.runSync(storage.write(`mem://${path}`, bytes))
  }
  return Effect.runPromise(
    Effect.provide(effect, Layer.merge(Layer.succeed(StorageService, storage), layerNative)),
  )
}
