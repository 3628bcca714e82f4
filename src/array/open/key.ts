/**
 * Keys of open arrays and groups.
 *
 * @module
 */
import * as Redacted from "effect/Redacted"
import type { EncryptionKey } from "../../../platform/keys.ts"

/** Returns the bytes of a key. */
export const keyBytes = (key: EncryptionKey | Uint8Array | undefined): Uint8Array | undefined =>
  Redacted.isRedacted(key) ? Redacted.value(key as EncryptionKey) : key

/** Adds a key to an object as a property that logs, JSON and spread copies do not include. */
export const withKey = <A extends object>(
  value: A,
  key: EncryptionKey | undefined,
): A & { readonly key: EncryptionKey | undefined } =>
  Object.defineProperty(value, "key", { value: key, enumerable: false }) as A & {
    readonly key: EncryptionKey | undefined
  }
