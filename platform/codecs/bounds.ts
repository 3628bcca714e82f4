/**
 * The two guarantees of every decompressor: it returns exactly the requested size or throws {@link CodecError}, and it
 * throws nothing else.
 *
 * @module
 */
import { CodecError } from "../errors.ts"

/** Runs `work`; every exception becomes a {@link CodecError} of `codec`. */
export const guarded = <A>(codec: string, reason: string, work: () => A): A => {
  try {
    return work()
  } catch (cause) {
    if (cause instanceof CodecError) throw cause
    const detail = cause instanceof Error && cause.message !== "" ? `${reason} (${cause.message})` : reason
    throw new CodecError({ codec, detail, cause })
  }
}

/** Returns `bytes` if there are `size` of them, else throws {@link CodecError}. */
export const exactly = (codec: string, bytes: Uint8Array, size: number): Uint8Array => {
  if (bytes.length !== size) throw wrongSize(codec, bytes.length, size)
  return bytes
}

/** Returns the error for a stream that decodes to another number of bytes than declared. */
export const wrongSize = (codec: string, have: number | "more", size: number): CodecError =>
  new CodecError({
    codec,
    detail: have === "more"
      ? `the stream holds more than the ${size} bytes that were promised; it is damaged`
      : `the stream holds ${have} bytes where ${size} were promised; it is damaged or cut short`,
  })

/**
 * Rejects a declared `size` that a stream of `length` bytes cannot contain (`ratio`: the codec's best compression
 * ratio), so that a forged size allocates no memory.
 */
export const plausible = (codec: string, length: number, size: number, ratio: number): void => {
  if (!(size >= 0 && Number.isSafeInteger(size))) {
    throw new CodecError({ codec, reason: "InvalidArgument", detail: `${size} is not a number of bytes` })
  }
  if (size > length * ratio) {
    throw new CodecError({ codec, detail: `${length} compressed bytes cannot contain the declared ${size} bytes` })
  }
}
