/** The writes that are tried with faults: small ones of every kind, since each is run once for every call that it makes. */
import * as Effect from "effect/Effect"
import { ArraySchema, Attr, Dim, Metadata, TileArray } from "../../mod.ts"
import { makeArray } from "../array/change_array.ts"
import type { CrashLaw } from "./crash_laws.ts"

const Weather = ArraySchema.dense({ dims: { x: Dim.int32([1, 8], { tile: 4 }) }, attrs: { temp: Attr.float32() } })

const metadataOf = (uri: string) =>
  Effect.map(
    Effect.flatMap(TileArray.open(uri), TileArray.metadata),
    (items) => Object.fromEntries(Metadata.values(items)),
  )

/** The laws by the names of their writes. */
export const writes: Readonly<Record<string, CrashLaw>> = {
  "metadata that is put": {
    prepare: (uri) =>
      Effect.zipRight(makeArray(uri, Weather), TileArray.putMetadata(uri, { title: "Weather", draft: 1 })),
    act: (uri) =>
      TileArray.editMetadata(
        uri,
        (metadata) =>
          Effect.zipRight(metadata.put({ title: "Weather of today", unit: "°C" }), metadata.delete(["draft"])),
      ),
    read: metadataOf,
  },
  "the first metadata": {
    prepare: (uri) => makeArray(uri, Weather),
    act: (uri) => TileArray.putMetadata(uri, { title: "Weather" }),
    read: metadataOf,
  },
}
