/**
 * AES-256-GCM: encrypts every part separately, with its own IV and tag.
 *
 * @module
 */
import { CodecError } from "../../../platform/errors.ts"
import type { FilterPipeline } from "../../../schema/array/filter_pipeline.ts"
import { DecryptionFailed } from "../part/errors.ts"
import { forwardParts, reverseParts } from "../part/part_frame.ts"
import { damaged, type FilterContext, type FilterOf, type Transform } from "../part/transform.ts"
import { concat } from "../../kernel/copy/concat.ts"

const KEY_SIZE = 32
const IV_SIZE = 12
const TAG_SIZE = 16

/** The encryption filter. */
export const aes256Gcm: Transform<FilterOf<"aes_256_gcm">> = {
  reverse: (_, chunk, context, limit, allocate) => {
    const { codecs, uri } = context
    const key = keyOf(context)
    return reverseParts(chunk, 8 + IV_SIZE + TAG_SIZE, limit, allocate, (cipher, size, _, cursor) => {
      if (cipher.byteLength !== size) throw damaged(`${cipher.byteLength} encrypted bytes for ${size} plain bytes`)
      const iv = cursor.bytesOf(IV_SIZE)
      const tag = cursor.bytesOf(TAG_SIZE)
      try {
        return codecs.decrypt(key, iv, tag, cipher)
      } catch (error) {
        if (!(error instanceof CodecError)) throw error
        const detail = "wrong key, or the bytes were changed after they were written; check the key first"
        throw new DecryptionFailed({ uri, reason: "WrongKey", detail })
      }
    })
  },
  forward: (_, parts, context) => {
    const key = keyOf(context)
    return forwardParts(parts, (part) => {
      const iv = crypto.getRandomValues(new Uint8Array(IV_SIZE))
      const { cipher, tag } = context.codecs.encrypt(key, iv, part)
      return { stored: cipher, header: concat([iv, tag]) }
    })
  },
}

const keyOf = ({ key, uri }: FilterContext): Uint8Array => {
  if (key === undefined) {
    throw new DecryptionFailed({ uri, reason: "MissingKey", detail: "it is encrypted", hint: { _tag: "ProvideKey" } })
  }
  if (key.byteLength !== KEY_SIZE) {
    throw new DecryptionFailed({
      uri,
      reason: "InvalidKey",
      detail: `the key must have ${KEY_SIZE} bytes, not ${key.byteLength}`,
    })
  }
  return key
}

/**
 * Returns the pipeline of a field in an encrypted array. Stored pipelines do not contain the encryption, except in
 * generic tiles; it is the last filter.
 */
export const withEncryption = (pipeline: FilterPipeline): FilterPipeline => ({
  ...pipeline,
  filters: [...pipeline.filters, { type: "aes_256_gcm" }],
})
