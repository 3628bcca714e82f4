/**
 * The zstd decoder of `node:zlib`, one for all frames: a new one for each, as `zstdDecompressSync` takes, costs Deno a fifth of
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

let decoder: Decoder | undefined
/** Set for good where the decoder is not as it is known. */
let handleUnavailable = false

const start = (): Decoder | undefined => {
  try {
    const its = zlib().createZstdDecompress() as unknown as Decoder
    // an error is told by the state, which is left as it was
    its.on("error", () => {})
    if (
      typeof its._handle?.reset === "function" && typeof its._handle.writeSync === "function" &&
      its._writeState instanceof Uint32Array
    ) return its
  } catch {
    // there is no zstd
  }
  handleUnavailable = true
  return undefined
}

/**
 * Fills `output` with what the frame `input` holds, whose header says that it is just as much. False, with anything in
 * `output`, if that did not work.
 */
export const decodeFrame = (input: Uint8Array, output: Uint8Array): boolean => {
  if (handleUnavailable) return false
  const its = decoder ??= start()
  if (its === undefined) return false
  const { _handle: handle, _writeState: left } = its
  try {
    left!.fill(1)
    handle!.reset()
    handle!.writeSync(zlib().constants.ZSTD_e_end, input, 0, input.length, output, 0, output.length)
    if (left![0] === 0 && left![1] === 0) return true
  } catch {
    // damaged, as below
  }
  decoder = undefined
  return false
}
