/**
 * Targets of the functions of this folder: open arrays, open groups, and URIs.
 */
import { type AnyTileArray, openedOf } from "../array/open/handle.ts"
import type { OpenOptions } from "../array/open/open_options.ts"
import type { TileGroup } from "../group/open_group.ts"

/** Returns the URI of a target, and the key: the explicit one, or that of the open array or group. */
export const addressOf = (
  target: AnyTileArray | TileGroup | string,
  key: OpenOptions["key"],
): { readonly uri: string; readonly key?: OpenOptions["key"] } => {
  const open = typeof target !== "object" || target === null
    ? undefined
    : "members" in target
    ? target
    : openedOf(target)
  const chosen = key ?? open?.key
  return { uri: open?.uri ?? target as string, ...(chosen === undefined ? {} : { key: chosen }) }
}
