/**
 * Checks for permissions without prompting: Deno prompts the user, other runtimes grant all permissions.
 *
 * @module
 */

/** A permission descriptor, in Deno's terms. */
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
