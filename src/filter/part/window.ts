/**
 * What the filters over windows of integers share: which types they act on.
 *
 * @module
 */
import { type Datatype, isInteger, isTemporal, sizeOf } from "../../../schema/array/datatype.ts"
import { Since } from "../../../schema/version/version.ts"

/** Bytes of one value where bit-width reduction acts; 0 where it hands everything on untouched. */
export const reducibleSize = (type: Datatype, version: number): number =>
  isInteger(type) && sizeOf(type) > 1 || isTemporal(type) && version >= Since.dateFilters ? sizeOf(type) : 0

/** Bytes of one value where positive delta acts; 0 where it hands everything on untouched. */
export const deltableSize = (type: Datatype, version: number): number =>
  type === "blob" || type === "bool" || type === "geom_wkb" || type === "geom_wkt" || isInteger(type)
    ? sizeOf(type)
    : reducibleSize(type, version)

/** Bytes of a window: whole values, at least one. */
export const windowSize = (maxWindow: number, size: number): number => Math.max(1, Math.floor(maxWindow / size)) * size
