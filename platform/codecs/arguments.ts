/**
 * Argument checks and errors that all codec layers share.
 *
 * @module
 */
import { CodecError } from "../errors.ts"

/**
 * Checks the arguments of AES-256-GCM: a key of 32 bytes, an initialisation vector of 12 and a tag of 16. Messages
 * never contain the key.
 */
export const checkCipherArguments = (key: Uint8Array, iv: Uint8Array, tag?: Uint8Array): void => {
  const wrong = (subject: string, have: number, want: number) =>
    new CodecError({
      codec: "aes_256_gcm",
      reason: "InvalidArgument",
      detail: `the ${subject} has ${have} bytes where ${want} are needed`,
    })
  if (key.length !== 32) throw wrong("key", key.length, 32)
  if (iv.length !== 12) throw wrong("initialisation vector", iv.length, 12)
  if (tag !== undefined && tag.length !== 16) throw wrong("tag", tag.length, 16)
}

/** Returns the error of layers without WebP. */
export const webpMissing = (): CodecError =>
  new CodecError({
    codec: "webp",
    reason: "Missing",
    detail: "this codec layer has no WebP; provide layerWebp on top of it",
  })
