/**
 * Converts `s3://bucket/key` URIs to bucket and key, and these to request URLs.
 *
 * @module
 */
import { StorageError, type StorageOp } from "../../errors.ts"
import type { S3Options } from "./options.ts"

/** A location in a bucket. */
export interface S3Location {
  readonly bucket: string
  /** The key without trailing slashes; `""` for the whole bucket. */
  readonly key: string
}

/** Maximum length of a key in UTF-8, in bytes. */
const MAX_KEY_LENGTH = 1024

/** Returns the bucket and the key of a URI. Throws {@link StorageError} with reason `BadName`. */
export const s3Location = (op: StorageOp, uri: string): S3Location => {
  const refuse = (message: string): never => {
    throw new StorageError({ op, uri, reason: "BadName", cause: new TypeError(message) })
  }
  const parts = /^s3a?:\/\/([^/]*)(?:\/(.*))?$/is.exec(uri)
  if (parts === null) return refuse("this is not an s3:// URI")
  const [, bucket, path = ""] = parts
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]{1,62}$/.test(bucket)) {
    return refuse("the name of the bucket must have 3 to 63 letters, digits, dots and hyphens")
  }
  const key = path.replace(/\/+$/, "")
  if (/(^|\/)\.\.?(\/|$)/.test(key)) return refuse("a key with . or .. between slashes cannot be part of a URL")
  if (!key.isWellFormed()) return refuse("the key contains half of a surrogate pair")
  if (new TextEncoder().encode(key).length > MAX_KEY_LENGTH) {
    return refuse(`the key has more than ${MAX_KEY_LENGTH} bytes`)
  }
  return { bucket, key }
}

/** Percent-encodes a text as the signature requires: only letters, digits and `-_.~` stay unchanged. */
export const encodeText = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)

/** Percent-encodes a key; slashes stay unchanged. */
export const encodeKey = (key: string): string => key.split("/").map(encodeText).join("/")

/** Returns the URL that identifies an object; {@link makeEndpoint} returns the URL of its requests. */
export const objectUrl = ({ bucket, key }: S3Location): string => `s3://${bucket}/${encodeKey(key)}`

/** Returns a function that converts the URL of an object to the URL of a request in a region. */
export const makeEndpoint = (options: S3Options) => {
  const { endpoint, dualStack } = options
  return (url: string, region: string): string => {
    const [, bucket, path = "", query = ""] = /^s3:\/\/([^/?]*)([^?]*)(\?.*)?$/s.exec(url)!
    const pathStyle = options.pathStyle ?? (endpoint !== undefined || bucket.includes("."))
    const suffix = region.startsWith("cn-") ? "amazonaws.com.cn" : "amazonaws.com"
    const base = endpoint?.replace(/\/+$/, "") ?? `https://s3.${dualStack ? "dualstack." : ""}${region}.${suffix}`
    const rooted = path === "" ? "/" : path
    if (pathStyle) return `${base}/${bucket}${rooted}${query}`
    return `${base.replace("://", `://${bucket}.`)}${rooted}${query}`
  }
}
