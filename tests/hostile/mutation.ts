/**
 * Mutations: a truncated file, a flipped bit, bytes that are zeroed, filled with 0xFF or set to a large count, at
 * positions that depend on a seed. Most structures of the format are compressed, so that the decompressor rejects most
 * changes to a file: therefore a third of the mutations are applied after decompression, like forged data that were
 * compressed correctly.
 */
import { Buffer } from "node:buffer"
import type { Codecs, Compressor } from "../../platform/codecs/service.ts"
import { hash, type Random } from "./random.ts"

/** A subject's files with one file modified, or modified codecs. */
export interface Mutation {
  /** A description of the mutation. */
  readonly description: string
  /** The full name of the modified file. */
  readonly file: string
  /** Whether the mutation has no effect (zeros were zeroed). */
  readonly same: boolean
  /** Whether decompressed data are modified, which checksums of the compressed bytes do not detect. */
  readonly behind: boolean
  readonly files: ReadonlyMap<string, Uint8Array>
  /** Wraps the codecs to modify decompressed data. */
  readonly codecs: (codecs: Codecs) => Codecs
}

/** A decompressed stream, and its file. */
export interface Packed {
  readonly input: number
  readonly size: number
  readonly file: string
}

const unchanged = (codecs: Codecs): Codecs => codecs

/** Counts that are large, or at a boundary. */
const counts = [
  1n,
  2n ** 16n,
  2n ** 20n,
  2n ** 31n - 1n,
  2n ** 31n,
  2n ** 32n - 2n,
  2n ** 40n,
  2n ** 53n,
  2n ** 63n,
  2n ** 64n - 8n,
]

/** Functions that modify bytes in place, and return a description. */
const changes: ReadonlyArray<(bytes: Uint8Array, random: Random) => string> = [
  (bytes, { below }) => {
    const [at, bit] = [below(bytes.length), below(8)]
    bytes[at] ^= 1 << bit
    return `bit ${bit} of byte ${at} flipped`
  },
  (bytes, { below }) => {
    const [at, length] = [below(bytes.length), 1 + below(40)]
    bytes.fill(0, at, at + length)
    return `${length} bytes from ${at} on zeroed`
  },
  (bytes, { below }) => {
    const [at, length] = [below(bytes.length), 1 + below(40)]
    bytes.fill(0xff, at, at + length)
    return `${length} bytes from ${at} on filled with 0xFF`
  },
  // most numbers of the format have 4 or 8 bytes, and most of them count something
  (bytes, { below }) => {
    const [at, which] = [below(bytes.length), below(counts.length)]
    const number = new DataView(new ArrayBuffer(8))
    number.setBigUint64(0, counts[which], true)
    const length = Math.min(counts[which] < 2n ** 32n ? 4 : 8, bytes.length - at)
    bytes.set(new Uint8Array(number.buffer, 0, length), at)
    return `${length} bytes from ${at} on set to ${counts[which]}`
  },
]

/** The size of the end of a file in bytes, where footers are: uncompressed, so that changes have the most effect. */
const TAIL_SIZE = 400

const compressors = ["gzip", "zstd", "lz4", "bzip2"] as const

const wrap = (codecs: Codecs, around: (compressor: Compressor) => Compressor["decompress"]): Codecs => {
  const wrapped = compressors.map((name) => [name, { ...codecs[name], decompress: around(codecs[name]) }] as const)
  return { ...codecs, ...Object.fromEntries(wrapped) }
}

/** Wraps codecs to record the decompressed streams. */
export const watched = (
  codecs: Codecs,
  files: ReadonlyMap<string, Uint8Array>,
  packed: Map<number, Packed>,
): Codecs =>
  wrap(codecs, (compressor) => (input, size) => {
    const key = hash(input)
    if (!packed.has(key)) {
      const compressed = Buffer.from(input)
      const holding = [...files].filter(([, bytes]) =>
        Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).includes(compressed)
      )
      // equal bytes in several files would be modified in all of them
      if (holding.length === 1) packed.set(key, { input: key, size, file: holding[0][0] })
    }
    return compressor.decompress(input, size)
  })

const behindCodecs = (files: ReadonlyMap<string, Uint8Array>, packed: Packed, random: Random): Mutation => {
  const change = random.pick(changes)
  const seed = new Uint8Array(packed.size)
  // positions depend on the size only, so that every read of the stream gets the same modification
  const draws: Array<number> = []
  const description = change(seed, { ...random, below: (n) => (draws.push(random.below(n)), draws[draws.length - 1]) })
  const again = (bytes: Uint8Array): void => {
    let i = 0
    change(bytes, { ...random, below: () => draws[i++] })
  }
  return {
    description: `${packed.file}: ${description}, after decompression of a stream of ${packed.size} bytes`,
    file: packed.file,
    same: false,
    behind: true,
    files,
    codecs: (codecs) =>
      wrap(codecs, (compressor) => (input, size) => {
        const out = compressor.decompress(input, size)
        if (size !== packed.size || hash(input) !== packed.input) return out
        const own = out.slice()
        again(own)
        return own
      }),
  }
}

/** Creates a mutation of a subject's files. Half of the mutations affect metadata files. */
export const mutate = (
  files: ReadonlyMap<string, Uint8Array>,
  packed: ReadonlyArray<Packed>,
  random: Random,
): Mutation => {
  const isStructure = (name: string): boolean => /metadata|schema|commits|__meta\/|__group|\.vac$/.test(name)
  const structure = random.below(2) === 0
  const choose = <A>(list: ReadonlyArray<A>, name: (item: A) => string): A => {
    const structures = list.filter((item) => isStructure(name(item)))
    return random.pick(structure && structures.length > 0 ? structures : list)
  }
  const streams = packed.filter(({ size }) => size > 0)
  if (random.below(3) === 0 && streams.length > 0) {
    return behindCodecs(files, choose(streams, ({ file }) => file), random)
  }
  const names = [...files].filter(([, bytes]) => bytes.length > 0).map(([name]) => name)
  if (names.length === 0) {
    return {
      description: "nothing: all files are empty",
      file: "",
      same: true,
      behind: false,
      files,
      codecs: unchanged,
    }
  }
  const file = choose(names, (name) => name)
  const before = files.get(file)!
  const done = (after: Uint8Array, description: string): Mutation => ({
    description: `${file}: ${description} (of ${before.length} bytes)`,
    file,
    same: Buffer.compare(before, after) === 0,
    behind: false,
    files: new Map(files).set(file, after),
    codecs: unchanged,
  })
  const kind = random.below(2 + changes.length)
  if (kind === 0) {
    const length = random.below(before.length)
    return done(before.slice(0, length), `cut to ${length} bytes`)
  }
  const after = before.slice()
  if (kind === 1) {
    const start = Math.max(0, before.length - TAIL_SIZE)
    return done(after, `in what follows byte ${start}: ${random.pick(changes)(after.subarray(start), random)}`)
  }
  return done(after, changes[kind - 2](after, random))
}
