/**
 * The zstd decoder of `node:zlib`, one for all frames of a codec layer: a new one for each, as `zstdDecompressSync` takes, costs Deno a fifth of
 * the time for 64 KiB. Reusing one synchronously takes what that function is made of (`_handle` and `_writeState`, the same in
 * Node, Deno and Bun) but Node does not document. So it is looked at before it is used, what it gives is believed only if it
 * consumed and filled everything; whatever else happens is left to `zstdDecompressSync`.
 *
 * @module
 */
import { builtin } from "../../host/builtin_modules.ts"

const zlib = builtin("node:zlib")

interface Decoder {
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
  /** What is left of the output and of the input. */
  readonly _writeState?: Uint32Array
}

/** Starts a decoder; `undefined` where it is not as it is known. */
const start = (): Decoder | undefined => {
  try {
    const decoder = zlib().createZstdDecompress() as unknown as Decoder
    // an error is told by the state, which is left as it was
    decoder.on("error", () => {})
    if (
      typeof decoder._handle?.reset === "function" && typeof decoder._handle.writeSync === "function" &&
      decoder._writeState instanceof Uint32Array
    ) return decoder
  } catch {
    // there is no zstd
  }
  return undefined
}

/**
 * Fills `output` with what the frame `input` holds, whose header says that it is just as much. Returns false, with anything in
 * `output`, if that did not work.
 */
export type DecodeFrame = (input: Uint8Array, output: Uint8Array) => boolean

/** Makes a decoder of frames that keeps one handle, which it starts with the first frame. */
export const makeFrameDecoder = (): DecodeFrame => {
  let decoder: Decoder | undefined
  let handleUnavailable = false
  return (input, output) => {
    if (handleUnavailable) return false
    decoder ??= start()
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
      // damaged, as below
    }
    decoder = undefined
    return false
  }
}
