/** Naive implementations of the filters, bit by bit in BigInt, as references for the fast ones. */
import { nativeCodecs } from "../../platform/codecs/layers/native.ts"
import { type Datatype, sizeOf, storageOf } from "../../schema/array/datatype.ts"
import type { Filter } from "../../schema/array/filter.ts"
import { encode } from "../../schema/binary/mod.ts"
import { Chunks } from "../../schema/tile/tile_chunks.ts"
import { transformOf } from "../../src/filter/pipeline/registry.ts"
import type { TileContext } from "../../src/filter/pipeline/pipeline.ts"
import type { Parts } from "../../src/filter/part/transform.ts"
import { inputTypes } from "../../src/filter/pipeline/type_flow.ts"

export const bytesOf = (...parts: ReadonlyArray<Uint8Array | ReadonlyArray<number>>): Uint8Array =>
  Uint8Array.from(parts.flatMap((part) => [...part]))

/** Returns `value` as `size` bytes, little-endian, truncated. */
export const int = (value: number | bigint, size: number): Uint8Array => {
  const bits = BigInt.asUintN(64, BigInt(value))
  return Uint8Array.from({ length: size }, (_, i) => Number((bits >> BigInt(8 * i)) & 0xffn))
}
export const u32s = (...values: ReadonlyArray<number>): Uint8Array => bytesOf(...values.map((v) => int(v, 4)))

const isSigned = (type: Datatype): boolean => storageOf(type).startsWith("int")

/** Returns the values of `bytes` as integers with the type's size and sign. */
export const values = (bytes: Uint8Array, type: Datatype): Array<bigint> => {
  const size = sizeOf(type)
  return Array.from({ length: Math.floor(bytes.length / size) }, (_, i) => {
    const raw = bytes.subarray(i * size, (i + 1) * size).reduceRight((sum, byte) => (sum << 8n) | BigInt(byte), 0n)
    return isSigned(type) ? BigInt.asIntN(8 * size, raw) : raw
  })
}

const bitLength = (value: bigint): number => value === 0n ? 1 : value.toString(2).length
const abs = (value: bigint): bigint => value < 0n ? -value : value

/** Applies double delta to a part; returns `undefined` if the engine would reject it. */
export const doubleDeltaPart = (bytes: Uint8Array, type: Datatype, firstDelta: boolean): Uint8Array | undefined => {
  const size = sizeOf(type)
  const v = values(bytes, type)
  const steps = v.slice(1).map((x, i) => x - v[i])
  const changes = steps.slice(1).map((x, i) => x - steps[i])
  if (v.length > 2 && [...steps, ...changes].some((x) => BigInt.asIntN(64, x) !== x)) return undefined
  const measured = (firstDelta ? [...steps.slice(0, 1), ...changes] : changes).map((x) => bitLength(abs(x)))
  const bits = v.length <= 2 ? 0 : Math.max(...measured)
  const head = bytesOf([bits], int(v.length, 8))
  if (bits >= 8 * size - 1) return bytesOf(head, bytes)
  let stream = changes.map((x) => (x < 0n ? "1" : "0") + abs(x).toString(2).padStart(bits, "0")).join("")
  stream = stream.padEnd(Math.ceil(stream.length / 64) * 64, "0")
  const words = stream.match(/.{64}/g) ?? []
  return bytesOf(head, bytes.subarray(0, 2 * size), ...words.map((word) => int(BigInt("0b" + word), 8)))
}

/** Applies bit-width reduction to one part of data. */
export const bitWidth = (bytes: Uint8Array, type: Datatype, maxWindow: number): Parts => {
  const size = sizeOf(type)
  const window = Math.floor(Math.min(bytes.length, maxWindow) / size) * size || bytes.length
  const metadata: Array<Uint8Array> = []
  const data: Array<Uint8Array> = []
  for (let at = 0; at < bytes.length; at += window) {
    const part = bytes.subarray(at, Math.min(at + window, bytes.length))
    const v = values(part, type)
    const min = v.reduce((a, b) => a < b ? a : b, v[0] ?? 0n)
    const max = v.reduce((a, b) => a > b ? a : b, v[0] ?? 0n)
    const range = max - min + 1n
    const fits = isSigned(type)
      ? BigInt.asIntN(8 * size, range) === range && bitLength(range) + 1
      : BigInt.asUintN(8 * size, range) === range && bitLength(range)
    const width = fits === false ? 8 * size : fits <= 8 ? 8 : fits <= 16 ? 16 : fits <= 32 ? 32 : 64
    metadata.push(int(min, size), int(width, 1), int(part.length, 4))
    data.push(
      width >= 8 * size || part.length % size !== 0 ? part : bytesOf(...v.map((x) => int(x - min, width / 8))),
    )
  }
  return {
    metadata: [bytesOf(u32s(bytes.length, metadata.length / 3), ...metadata)],
    data: bytesOf(...data),
  }
}

/** Applies positive delta to one part of data; negative differences wrap here, although the engine rejects them. */
export const positiveDelta = (bytes: Uint8Array, type: Datatype, maxWindow: number): Parts => {
  const size = sizeOf(type)
  const window = Math.floor(Math.min(bytes.length, maxWindow) / size) * size || bytes.length
  const metadata: Array<Uint8Array> = []
  const data: Array<Uint8Array> = []
  for (let at = 0; at < bytes.length; at += window) {
    const part = bytes.subarray(at, Math.min(at + window, bytes.length))
    const v = values(part, type)
    metadata.push(int(v[0] ?? 0n, size), int(part.length, 4))
    data.push(part.length % size !== 0 ? part : bytesOf(...v.map((x, i) => int(x - v[Math.max(i - 1, 0)], size))))
  }
  return { metadata: [bytesOf(u32s(metadata.length / 2), ...metadata)], data: bytesOf(...data) }
}

/** Applies bitshuffle to a block: bit `b` of byte `k` of value `j` becomes bit `j` of plane `8k + b`. */
export const bitshuffleBlock = (bytes: Uint8Array, size: number): Uint8Array => {
  const n = Math.floor(bytes.length / size / 8) * 8
  const out = new Uint8Array(bytes.length)
  out.set(bytes.subarray(n * size), n * size)
  for (let j = 0; j < n; j++) {
    for (let bit = 0; bit < 8 * size; bit++) {
      const one = (bytes[j * size + (bit >> 3)] >> (bit & 7)) & 1
      const to = bit * n + j
      out[to >> 3] |= one << (to & 7)
    }
  }
  return out
}

const bigEndian = (value: number, width: number): Uint8Array => int(value, width).reverse()
const text = new TextEncoder()

/** Applies folded RLE to strings: the whole first filter. */
export const foldedRle = (strings: ReadonlyArray<string>, runWidth: number, lengthWidth: number): Parts => {
  const runs: Array<[string, number]> = []
  for (const s of strings) {
    const last = runs.at(-1)
    if (last !== undefined && last[0] === s && last[1] < 2 ** (8 * runWidth) - 1) last[1]++
    else runs.push([s, 1])
  }
  const data = bytesOf(...runs.flatMap(([s, n]) => {
    const bytes = text.encode(s)
    return [bigEndian(n, runWidth), bigEndian(bytes.length, lengthWidth), bytes]
  }))
  const size = text.encode(strings.join("")).length
  return { metadata: [bytesOf(u32s(0, 1, size, data.length, 8 * strings.length), [runWidth, lengthWidth])], data }
}

/** Applies the folded dictionary to strings: the whole first filter. */
export const foldedDictionary = (strings: ReadonlyArray<string>, idWidth: number, lengthWidth: number): Parts => {
  const words = [...new Set(strings)]
  const dictionary = bytesOf(...words.flatMap((s) => [bigEndian(text.encode(s).length, lengthWidth), text.encode(s)]))
  const data = bytesOf(...strings.map((s) => bigEndian(words.indexOf(s), idWidth)))
  const size = text.encode(strings.join("")).length
  const head = u32s(0, 1, size, data.length, 8 * strings.length)
  return { metadata: [bytesOf(head, [idWidth, lengthWidth], u32s(dictionary.length), dictionary)], data }
}

export const key: Uint8Array = Uint8Array.from({ length: 32 }, (_, i) => i)

/** Encrypts with AES-256-GCM; the IVs are consecutive, which is insecure in production. */
const encrypt = (parts: Parts): Parts => {
  const all = [...parts.metadata, parts.data]
  const sealed = all.map((part, i) => ({
    part,
    iv: new Uint8Array(12).fill(i),
    ...nativeCodecs.encrypt(key, new Uint8Array(12).fill(i), part),
  }))
  return {
    metadata: [
      bytesOf(
        u32s(all.length - 1, 1),
        ...sealed.flatMap(({ cipher, iv, part, tag }) => [u32s(part.length, cipher.length), iv, tag]),
      ),
    ],
    data: bytesOf(...sealed.map(({ cipher }) => cipher)),
  }
}

/** Applies filters that have a naive implementation. */
const naive = (filter: Filter, parts: Parts, type: Datatype): Parts | undefined => {
  const threaded = (made: Parts): Parts => ({ metadata: [...made.metadata, ...parts.metadata], data: made.data })
  switch (filter.type) {
    case "double_delta": {
      const acting = filter.reinterpretDatatype === "any" ? type : filter.reinterpretDatatype
      const encoded = [...parts.metadata, parts.data].map((part) => doubleDeltaPart(part, acting, true))
      if (encoded.some((part) => part === undefined)) throw new Error("the engine rejects these values")
      const sizes = [...parts.metadata, parts.data].map((part, i) => u32s(part.length, encoded[i]!.length))
      return {
        metadata: [bytesOf(u32s(parts.metadata.length, 1), ...sizes)],
        data: bytesOf(...encoded.map((part) => part!)),
      }
    }
    case "bit_width_reduction":
      return sizeOf(type) === 1 ? parts : threaded(bitWidth(parts.data, type, filter.maxWindow))
    case "positive_delta":
      return threaded(positiveDelta(parts.data, type, filter.maxWindow))
    case "aes_256_gcm":
      return encrypt(parts)
  }
}

export const context = (
  filters: ReadonlyArray<Filter>,
  type: Datatype,
  more: Partial<TileContext> = {},
): TileContext => ({
  filters: { maxChunkSize: 65536, filters },
  type,
  cellSize: sizeOf(type),
  version: 22,
  engineVersion: 22,
  codecs: nativeCodecs,
  key,
  uri: "mem://a.tdb",
  offset: 1000,
  ...more,
})

/** Applies the filters from number `from` on to a chunk. */
export const forward = (context: TileContext, parts: Parts, from = 0): Parts => {
  const { filters } = context.filters
  const types = inputTypes(filters, context.type, context.engineVersion)
  for (let i = from; i < filters.length; i++) {
    const type = types[i]
    parts = naive(filters[i], parts, type) ??
      transformOf(filters[i]).forward!(filters[i], parts, { ...context, type, verifyChecksums: true })
  }
  return parts
}

/** Returns a tile as stored in a file. */
export const persist = (chunks: ReadonlyArray<{ readonly original: number; readonly parts: Parts }>): Uint8Array =>
  encode(
    Chunks,
    chunks.map(({ original, parts }) => ({ original, metadata: bytesOf(...parts.metadata), filtered: parts.data })),
    22,
  )

/** Filters the chunks of a tile. */
export const filterTile = (context: TileContext, chunks: ReadonlyArray<Uint8Array>): Uint8Array =>
  persist(chunks.map((data) => ({ original: data.length, parts: forward(context, { metadata: [], data }) })))
