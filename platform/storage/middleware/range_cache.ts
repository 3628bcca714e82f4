/**
 * A cache of file ranges with a memory budget; the least recently used range is dropped first.
 *
 * @module
 */
import { firstFrom } from "../first_from.ts"

/** Cached data of a file. */
interface CachedFile {
  size: number | undefined
  /** Cached ranges, ordered by offset. */
  readonly pieces: Array<Piece>
}

interface Piece {
  readonly uri: string
  readonly offset: number
  readonly bytes: Uint8Array
}

/** Memory overhead of a cached range, in bytes. */
const OVERHEAD = 256

/** The cache. It copies all bytes that it stores or returns. */
export interface RangeCache {
  readonly size: (uri: string) => number | undefined
  readonly find: (uri: string, offset: number, length: number) => Uint8Array | undefined
  readonly put: (uri: string, offset: number, bytes: Uint8Array) => void
  readonly putSize: (uri: string, size: number) => void
  /** Returns an object that identifies a file until the file is dropped. */
  readonly identity: (uri: string) => object | undefined
  /** Drops a file. */
  readonly forgetFile: (uri: string) => void
  /** Drops a file, or a folder with everything in it. */
  readonly forget: (uri: string) => void
}

/** Creates a cache of at most `budget` bytes. */
export const makeRangeCache = (budget: number): RangeCache => {
  const files = new Map<string, CachedFile>()
  /** Cached ranges, from the least to the most recently used one. */
  const used = new Set<Piece>()
  let total = 0

  /** Returns the number of ranges that start at or before `offset`. */
  const rank = ({ pieces }: CachedFile, offset: number): number =>
    firstFrom(pieces.length, (i) => pieces[i].offset <= offset)
  const covering = (file: CachedFile, offset: number, length: number): Piece | undefined => {
    // earlier ranges may extend further, but since files are read whole, at the end, or by tiles, checking these is
    // enough
    const last = rank(file, offset) - 1
    for (const piece of [file.pieces[last], file.pieces[last - 1], file.pieces[0]]) {
      if (piece !== undefined && piece.offset <= offset && offset + length <= piece.offset + piece.bytes.length) {
        return piece
      }
    }
    return undefined
  }
  const fileOf = (uri: string): CachedFile => {
    let file = files.get(uri)
    if (file === undefined) {
      file = { size: undefined, pieces: [] }
      files.set(uri, file)
      total += OVERHEAD
    }
    return file
  }
  const drop = (piece: Piece): void => {
    used.delete(piece)
    total -= piece.bytes.length + OVERHEAD
    const file = files.get(piece.uri)!
    file.pieces.splice(file.pieces.indexOf(piece), 1)
    if (file.pieces.length === 0) {
      files.delete(piece.uri)
      total -= OVERHEAD
    }
  }
  const makeRoom = (): void => {
    for (const piece of used) {
      if (total <= budget) return
      drop(piece)
    }
    // only file sizes remain
    for (const uri of files.keys()) {
      if (total <= budget) return
      files.delete(uri)
      total -= OVERHEAD
    }
  }

  const forgetFile = (uri: string): void => {
    const file = files.get(uri)
    if (file === undefined) return
    for (const piece of [...file.pieces]) drop(piece)
    if (files.delete(uri)) total -= OVERHEAD
  }

  return {
    size: (uri) => files.get(uri)?.size,
    find: (uri, offset, length) => {
      const file = files.get(uri)
      const piece = file && covering(file, offset, length)
      if (piece === undefined) return undefined
      used.delete(piece)
      used.add(piece)
      return piece.bytes.slice(offset - piece.offset, offset - piece.offset + length)
    },
    put: (uri, offset, bytes) => {
      if (bytes.length + 2 * OVERHEAD > budget) return
      const file = fileOf(uri)
      if (covering(file, offset, bytes.length) !== undefined) return
      const piece = { uri, offset, bytes: bytes.slice() }
      file.pieces.splice(rank(file, offset), 0, piece)
      used.add(piece)
      total += bytes.length + OVERHEAD
      makeRoom()
    },
    putSize: (uri, size) => {
      fileOf(uri).size = size
      makeRoom()
    },
    identity: (uri) => files.get(uri),
    forgetFile,
    forget: (uri) => {
      for (const name of [...files.keys()]) {
        if (name === uri || name.startsWith(uri.endsWith("/") ? uri : `${uri}/`)) forgetFile(name)
      }
    },
  }
}
