/** An array of the schema `Forms` in memory, with three cells: attributes of every form, and dimensions of four forms. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Codecs } from "../../platform/codecs/service.ts"
import { layerNative } from "../../platform/codecs/layers/native.ts"
import { Storage } from "../../platform/storage/service.ts"
import { makeMemoryStorage } from "../../platform/storage/memory.ts"
import { ArraySchema } from "../../mod.ts"
import { encode } from "../../schema/binary/mod.ts"
import { Enumeration } from "../../schema/array/enumeration.ts"
import { noFilters } from "../../schema/array/filter_pipeline.ts"
import { buildArray, type FieldParts, genericTile, varTile } from "./build_array.ts"
import { Forms } from "./weather.ts"

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text)
const utf16 = (text: string): Uint8Array =>
  bytesOf(Uint16Array.from({ length: text.length }, (_, i) => text.charCodeAt(i)))
const bytesOf = (array: ArrayBufferView): Uint8Array =>
  new Uint8Array(array.buffer, array.byteOffset, array.byteLength).slice()
const fixed = (array: ArrayBufferView, validity?: ReadonlyArray<number>): FieldParts => ({
  fixed: [bytesOf(array)],
  ...(validity === undefined ? {} : { validity: [Uint8Array.from(validity)] }),
})
const varied = (cells: ReadonlyArray<Uint8Array>, validity?: ReadonlyArray<number>): FieldParts => {
  const tile = varTile(cells)
  return {
    fixed: [tile.fixed],
    var: [tile.var],
    ...(validity === undefined ? {} : { validity: [Uint8Array.from(validity)] }),
  }
}

/** 2024-02-29T12:30:00.250Z */
export const MOMENT = 1709209800250
const NAT = -(2n ** 63n)

const fileName = "__colors_0"
const options = { enumerationFile: () => fileName }
const made = ArraySchema.toStructure(Forms, options)
const structure = { ...made, coordsFilters: noFilters, offsetsFilters: noFilters, validityFilters: noFilters }

const files = buildArray("forms", structure, [{
  time: 1,
  domain: [
    { low: bytesOf(BigUint64Array.of(1n)), high: bytesOf(BigUint64Array.of(3n)) },
    { low: bytesOf(BigInt64Array.of(BigInt(MOMENT))), high: bytesOf(BigInt64Array.of(BigInt(MOMENT) + 2n)) },
    { low: utf8("a"), high: utf8("d") },
    { low: bytesOf(Float32Array.of(0.25)), high: bytesOf(Float32Array.of(0.75)) },
  ],
  tileCount: 1,
  lastTileCells: 3,
  fields: {
    id: fixed(BigUint64Array.of(1n, 2n, 3n)),
    at: fixed(BigInt64Array.of(BigInt(MOMENT), BigInt(MOMENT) + 1n, BigInt(MOMENT) + 2n)),
    name: varied(["a", "bc", "d"].map(utf8)),
    x: fixed(Float32Array.of(0.25, 0.5, 0.75)),
    fixed: fixed(Int16Array.of(-1, 0, 1)),
    wide: fixed(BigInt64Array.of(2n ** 60n, -1n, 0n)),
    nullable: fixed(Uint8Array.of(7, 8, 9), [1, 0, 1]),
    text: varied(["né", "", "€"].map(utf8)),
    nullableText: varied(["hé", "lost", "𝄞"].map(utf16), [1, 0, 1]),
    three: fixed(Float64Array.of(1, 2, 3, 4, 5, 6, 7, 8, 9)),
    many: varied([bytesOf(Uint32Array.of(1, 2)), new Uint8Array(0), bytesOf(Uint32Array.of(3))]),
    when: fixed(BigInt64Array.of(BigInt(MOMENT) * 1_000_000n + 999_999n, -1n, NAT)),
    whenever: fixed(BigInt64Array.of(19782n, 0n, NAT), [1, 0, 1]),
    duration: fixed(BigInt64Array.of(60n, 3600n, 0n)),
    raw: varied([Uint8Array.of(0, 255), Uint8Array.of(1), new Uint8Array(0)]),
    code: varied(["x", "yz", ""].map(utf8)),
    color: fixed(Int8Array.of(1, 0, -128)),
  },
  mbrs: {
    count: 1,
    dimensions: [
      { kind: "fixed", values: BigUint64Array.of(1n, 3n) },
      { kind: "fixed", values: BigInt64Array.of(BigInt(MOMENT), BigInt(MOMENT) + 2n) },
      { kind: "var", bytes: utf8("ad"), offsets: Uint32Array.of(0, 1, 2) },
      { kind: "fixed", values: Float32Array.of(0.25, 0.75) },
    ],
  },
}])
for (const enumeration of ArraySchema.enumerationsOf(Forms, options)) {
  files.set(`forms/__schema/__enumerations/${fileName}`, genericTile(encode(Enumeration, enumeration, 22)))
}

/** The URI of the array. */
export const FORMS = "mem://forms"

/** Storage that contains the array, and codecs. */
export const layerForms: Layer.Layer<Storage | Codecs> = Layer.merge(
  Layer.sync(Storage, () => makeMemoryStorage(new Map(files))),
  layerNative,
)

/** Runs an effect that reads the array. */
export const overForms = <A, E>(effect: Effect.Effect<A, E, Storage | Codecs>): Promise<A> =>
  Effect.runPromise(Effect.provide(effect, layerForms))
