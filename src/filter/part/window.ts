/**
 * The common part of filters on windows of integers: the supported datatypes.
 *
 * @module
 */
import { type Datatype, isInteger, isTemporal, sizeOf } from "../../../schema/array/datatype.ts"
import { Since } from "../../../schema/version/version.ts"

/** Returns the value size in bytes for bit-width reduction; 0 for datatypes that it passes on unchanged. */
export const reducibleSize = (type: Datatype, version: number): number =>
  isInteger(type) && sizeOf(type) > 1 || isTemporal(type) && version >= Since.dateFilters ? sizeOf(type) : 0

/** Returns the value size in bytes for positive delta; 0 for datatypes that it passes on unchanged. */
export const deltableSize = (type: Datatype, version: number): number =>
  type === "blob" || type === "bool" || type === "geom_wkb" || type === "geom_wkt" || isInteger(type)
    ? sizeOf(type)
    : reducibleSize(type, version)

/** Returns the size of a window in bytes: a multiple of the value size, at least one value. */
export const windowSize = (maxWindow: number, size: number): number => Math.max(1, Math.floor(maxWindow / size)) * size
