/**
 * The sequences of a zstd block: the number of literals to copy, then the length and the distance of a match (RFC 8878,
 * 3.1.1.3.2).
 *
 * @module
 */
import { wrongSize } from "../bounds.ts"
import { BLOCK_MAX } from "./frame.ts"
import { backwardBits, damagedZstd, fseOfOne, type FseTable, fseTable, readFseTable } from "./entropy_tables.ts"

/** The tables of the three codes; later blocks may reuse them. */
export interface SequenceTables {
  literals?: FseTable
  offsets?: FseTable
  matches?: FseTable
}

/** State that is kept between blocks. */
export interface ZstdState {
  readonly out: Uint8Array
  /** Position of the next byte. */
  to: number
  /** The last three distances. */
  readonly repeats: [number, number, number]
  readonly tables: SequenceTables
}

const bases = (bits: ArrayLike<number>, first: number): Int32Array => {
  const base = new Int32Array(bits.length)
  for (let code = 0, value = first; code < bits.length; value += 1 << bits[code++]) base[code] = value
  return base
}

/** Extra bits of the literal length codes. */
export const literalBits: Uint8Array = /* @__PURE__ */ Uint8Array.from(
  [...new Array<number>(16).fill(0), 1, 1, 1, 1, 2, 2, 3, 3, 4, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16],
)
/** Extra bits of the match length codes. */
export const matchBits: Uint8Array = /* @__PURE__ */ Uint8Array.from(
  [...new Array<number>(32).fill(0), 1, 1, 1, 1, 2, 2, 3, 3, 4, 4, 5, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16],
)
/** Base values of the literal length codes. */
export const literalBase: Int32Array = /* @__PURE__ */ bases(literalBits, 0)
/** Base values of the match length codes. */
export const matchBase: Int32Array = /* @__PURE__ */ bases(matchBits, 3)

const ones = (count: number, value = 1): Array<number> => new Array<number>(count).fill(value)

/** The predefined distribution of a code, and the limits of other distributions. */
interface StandardShares {
  readonly counts: ReadonlyArray<number>
  readonly log: number
  readonly symbolMax: number
  readonly logMax: number
}

/** The predefined distributions of the three codes. */
export const standardShares: Readonly<Record<keyof SequenceTables, StandardShares>> = /* @__PURE__ */ (() => ({
  literals: {
    counts: [4, 3, ...ones(11, 2), 1, 1, 1, ...ones(9, 2), 3, 2, ...ones(5), ...ones(4, -1)],
    log: 6,
    symbolMax: 35,
    logMax: 9,
  },
  offsets: { counts: [...ones(6), 2, 2, 2, ...ones(15), ...ones(5, -1)], log: 5, symbolMax: 31, logMax: 8 },
  matches: { counts: [1, 4, 3, ...ones(6, 2), ...ones(37), ...ones(7, -1)], log: 6, symbolMax: 52, logMax: 9 },
}))()

const standard: Required<SequenceTables> = /* @__PURE__ */ (() => ({
  literals: fseTable(standardShares.literals.counts, standardShares.literals.log),
  offsets: fseTable(standardShares.offsets.counts, standardShares.offsets.log),
  matches: fseTable(standardShares.matches.counts, standardShares.matches.log),
}))()

/** Reads the tables of a block; returns the end of their descriptions. */
const readTables = (tables: SequenceTables, modes: number, bytes: Uint8Array, from: number, end: number): number => {
  if (modes & 3) throw damagedZstd("a reserved bit is set in a block")
  let at = from
  let shift = 6
  for (const kind of ["literals", "offsets", "matches"] as const) {
    const { symbolMax, logMax } = standardShares[kind]
    const mode = (modes >>> shift) & 3
    shift -= 2
    if (mode === 0) tables[kind] = standard[kind]
    else if (mode === 1) {
      if (at >= end || bytes[at] > symbolMax) throw damagedZstd("a block names a missing code")
      tables[kind] = fseOfOne(bytes[at++])
    } else if (mode === 2) {
      const read = readFseTable(bytes, at, end, symbolMax, logMax)
      tables[kind] = read.table
      at = read.next
    } else if (tables[kind] === undefined) throw damagedZstd("a block repeats a missing table")
  }
  return at
}

/** Executes the sequences in `bytes[from … end)` with `literals`; appends to `state.out`. */
export const runSequences = (
  state: ZstdState,
  literals: Uint8Array,
  bytes: Uint8Array,
  from: number,
  end: number,
): void => {
  const { out, repeats } = state
  const size = out.length
  // maximum output of a block
  const stop = Math.min(size, state.to + BLOCK_MAX)
  const tooMuch = () =>
    stop === size ? wrongSize("zstd", "more", size) : damagedZstd("a block is larger than blocks are")
  if (from >= end) throw damagedZstd("a block ends before its sequences")
  let at = from
  let count = bytes[at++]
  if (count > 127) {
    const wide = count === 255
    if (end - at < (wide ? 2 : 1)) throw damagedZstd("a block ends before its sequences")
    count = wide ? bytes[at] + (bytes[at + 1] << 8) + 0x7f00 : ((count - 128) << 8) + bytes[at]
    at += wide ? 2 : 1
  }
  let to = state.to
  let used = 0
  if (count === 0) {
    if (at !== end) throw damagedZstd("bytes follow the literals of a block without sequences")
  } else {
    if (at >= end) throw damagedZstd("a block ends before its sequences")
    const modes = bytes[at++]
    const start = readTables(state.tables, modes, bytes, at, end)
    const { literals: ll, offsets: of, matches: ml } = state.tables as Required<SequenceTables>
    let remaining = backwardBits(bytes, start, end)
    // at most 17 bits at once: three bytes contain them at any bit offset
    const read = (bits: number): number => {
      remaining -= bits
      if (remaining < 0) throw damagedZstd("the sequences of a block are cut short")
      const byte = start + (remaining >>> 3)
      const word = bytes[byte] | (bytes[byte + 1] << 8) | (bytes[byte + 2] << 16)
      return (word >>> (remaining & 7)) & ((1 << bits) - 1)
    }
    let llState = read(ll.log)
    let ofState = read(of.log)
    let mlState = read(ml.log)
    for (let i = 0; i < count; i++) {
      const ofCode = of.symbols[ofState]
      const llCode = ll.symbols[llState]
      const mlCode = ml.symbols[mlState]
      let distance = ofCode <= 17 ? (1 << ofCode) + read(ofCode) : 2 ** ofCode + read(ofCode - 16) * 65536 + read(16)
      const match = matchBase[mlCode] + read(matchBits[mlCode])
      const length = literalBase[llCode] + read(literalBits[llCode])
      if (distance > 3) {
        distance -= 3
        repeats[2] = repeats[1]
        repeats[1] = repeats[0]
        repeats[0] = distance
      } else {
        // one of the last three distances; without literals before the match, the last distance is excluded
        const which = distance - (length > 0 ? 1 : 0)
        distance = which === 3 ? repeats[0] - 1 : repeats[which]
        if (which > 0) {
          if (which > 1) repeats[2] = repeats[1]
          repeats[1] = repeats[0]
          repeats[0] = distance
        }
      }
      if (length > literals.length - used) throw damagedZstd("a block uses more literals than it has")
      if (length + match > stop - to) throw tooMuch()
      if (distance < 1 || distance > to + length) {
        throw damagedZstd("a match reaches back before the start of the frame")
      }
      if (length > 32) {
        out.set(literals.subarray(used, used + length), to)
        used += length
        to += length
      } else {
        for (const last = to + length; to < last;) out[to++] = literals[used++]
      }
      if (match > 32 && distance >= match) {
        out.copyWithin(to, to - distance, to - distance + match)
        to += match
      } else if (distance === 1) {
        out.fill(out[to - 1], to, to += match)
      } else {
        for (const last = to + match; to < last; to++) out[to] = out[to - distance]
      }
      if (i === count - 1) break
      llState = ll.base[llState] + read(ll.bits[llState])
      mlState = ml.base[mlState] + read(ml.bits[mlState])
      ofState = of.base[ofState] + read(of.bits[ofState])
    }
    if (remaining !== 0) throw damagedZstd("bits follow the last sequence of a block")
  }
  const rest = literals.length - used
  if (rest > stop - to) throw tooMuch()
  out.set(literals.subarray(used), to)
  state.to = to + rest
}
