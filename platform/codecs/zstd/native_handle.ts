/**
 * The zstd decoder of `node:zlib`, one for all frames of a codec layer: creating one per frame, as `zstdDecompressSync`
 * does, takes Deno a fifth of the time for 64 KiB. Synchronous reuse needs the internals of that function (`_handle`
 * and `_writeState`, the same in Node, Deno and Bun), which Node does not document. They are therefore checked before
 * use, and a result is accepted only if all input was consumed and all output filled; otherwise `zstdDecompressSync`
 * decodes the frame.
 *
 * @module
 */
import { builtin } from "../../host/builtin_modules.ts"

const zlib = builtin("node:zlib")

interface Decoder {
  readonly close: () => void
  readonly on: (event: "error", listener: () => void) => void
  readonly _handle?: {
    readonly reset: () => void
    readonly writeSync: (
      flush: number,
      input: Uint8Array,
      inputAt: number,
      inputLength: number,
      output: Uint8Array,
      outputAt: number,
      outputLength: number,
    ) => void
  }
  /** Remaining output and input. */
  readonly _writeState?: Uint32Array
}

/** Starts a decoder; `undefined` if its internals are not as expected. */
const start = (): Decoder | undefined => {
  try {
    const decoder = zlib().createZstdDecompress() as unknown as Decoder
    // an error leaves the state unchanged, which is how it is detected
    decoder.on("error", () => {})
    if (
      typeof decoder._handle?.reset === "function" && typeof decoder._handle.writeSync === "function" &&
      decoder._writeState instanceof Uint32Array
    ) return decoder
  } catch {
    // there is no zstd in this runtime
  }
  return undefined
}

/**
 * Fills `output` with the content of the frame `input`, whose header declares exactly that size. Returns false on
 * failure; `output` is then undefined.
 */
export type DecodeFrame = (input: Uint8Array, output: Uint8Array) => boolean

/** A decoder of frames with a handle to close. */
export interface FrameDecoder {
  readonly decode: DecodeFrame
  /** Closes the handle. Further frames are not decoded. */
  readonly close: () => void
}

/**
 * Makes a decoder of frames that keeps one handle, which it starts with the first frame and after a damaged frame.
 * `onStart` is called before each start.
 */
export const makeFrameDecoder = (onStart: () => void = () => {}): FrameDecoder => {
  let decoder: Decoder | undefined
  let handleUnavailable = false
  const close = (): void => {
    try {
      decoder?.close()
    } catch {
      // the garbage collector closes it
    }
    decoder = undefined
  }
  const decode: DecodeFrame = (input, output) => {
    if (handleUnavailable) return false
    if (decoder === undefined) {
      onStart()
      // the call may have closed this decoder
      if (!handleUnavailable) decoder = start()
    }
    if (decoder === undefined) {
      handleUnavailable = true
      return false
    }
    const { _handle: handle, _writeState: remaining } = decoder
    try {
      remaining!.fill(1)
      handle!.reset()
      handle!.writeSync(zlib().constants.ZSTD_e_end, input, 0, input.length, output, 0, output.length)
      if (remaining![0] === 0 && remaining![1] === 0) return true
    } catch {
      // damaged input, handled below
    }
    close()
    return false
  }
  return {
    decode,
    close: () => {
      handleUnavailable = true
      close()
    },
  }
}
