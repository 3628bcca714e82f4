/**
 * What a program may do without being asked for a permission: Deno asks its user, others have no such thing.
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

/** Whether something may be done, and nobody is asked about it. */
export const isGranted = (permission: Permission): boolean => {
  const { permissions } = (globalThis as { readonly Deno?: Deno }).Deno ?? {}
  return permissions === undefined || permissions.querySync(permission).state === "granted"
}
