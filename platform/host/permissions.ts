/**
 * Permissions that are granted without a prompt: Deno prompts its user, other runtimes grant everything.
 *
 * @module
 */

/** A permission, as Deno names it. */
type Permission =
  | { readonly name: "read"; readonly path: string | URL }
  | { readonly name: "env"; readonly variable: string }

interface Deno {
  readonly permissions?: { readonly querySync: (permission: Permission) => { readonly state: string } }
}

/** Whether a permission is granted without a prompt. */
export const isGranted = (permission: Permission): boolean => {
  const { permissions } = (globalThis as { readonly Deno?: Deno }).Deno ?? {}
  return permissions === undefined || permissions.querySync(permission).state === "granted"
}
