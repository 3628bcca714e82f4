/**
 * Keys of open arrays and groups.
 *
 * @module
 */

/** Returns `value` with its key as a property that logs, JSON and spread copies do not include. */
export const withKey = <A extends object>(
  value: A,
  key: Uint8Array | undefined,
): A & { readonly key: Uint8Array | undefined } =>
  Object.defineProperty(value, "key", { value: key, enumerable: false }) as A & { readonly key: Uint8Array | undefined }
