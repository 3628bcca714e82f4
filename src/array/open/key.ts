/**
 * Keys of open arrays and groups.
 *
 * @module
 */

/** `value` with its key, which logs, JSON and copies by spread do not show. */
export const withKey = <A extends object>(
  value: A,
  key: Uint8Array | undefined,
): A & { readonly key: Uint8Array | undefined } =>
  Object.defineProperty(value, "key", { value: key, enumerable: false }) as A & { readonly key: Uint8Array | undefined }
