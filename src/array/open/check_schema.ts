/**
 * Validates schemas as every engine does before it writes one. Bytes that decode may still contain an invalid schema: a
 * dense array of floats, a domain that ends before it starts, tiles without cells. All other code relies on this check.
 */
import type { ArraySchema } from "../../../schema/array/array_schema.ts"
import { VAR } from "../../../schema/array/cell_val_num.ts"
import { isFloat, isInteger, isTemporal, sizeOf } from "../../../schema/array/datatype.ts"
import { FormatError } from "../../../schema/errors/format_error.ts"
import { checkInnerPath } from "../../../schema/name/inner_path.ts"
import { readScalar, scalarJson } from "../../../schema/array/scalar.ts"
import { Since } from "../../../schema/version/version.ts"
import type { Fragment } from "../../fragment/fragment.ts"
import { tileExtentOf } from "../../fragment/tile_extent.ts"

/**
 * Throws `FormatError` if the schema contains a path that leaves the array. A label with a whole URI is valid: the
 * array can be read without it, and `labelUri` refuses to open it.
 */
const checkPaths = (schema: ArraySchema, uri: string): void => {
  const { version } = schema
  schema.dimensionLabels.forEach((label, i) => {
    if (label.relative) checkInnerPath(label.uri, { uri, path: `dimensionLabels.${i}.uri`, version })
  })
  schema.enumerations.forEach(({ fileName }, i) =>
    checkInnerPath(fileName, { uri, path: `enumerations.${i}.fileName`, version }, "file")
  )
  // in earlier formats data files are named after the fields
  if (version >= Since.encodedFileNames) return
  for (const fields of ["dimensions", "attributes"] as const) {
    schema[fields].forEach(({ name }, i) =>
      checkInnerPath(name, { uri, path: `${fields}.${i}.name`, version }, "field")
    )
  }
}

/**
 * Validates and returns the schema that was read from `uri`. Throws `FormatError` if no engine can have written it.
 */
export const checkSchema = (schema: ArraySchema, uri: string): ArraySchema => {
  const fail = (path: string, reason: string): FormatError =>
    new FormatError({ uri, path, offset: 0, version: schema.version, detail: reason })
  checkPaths(schema, uri)
  const dense = schema.arrayType === "dense"
  schema.dimensions.forEach(({ type, cellValNum, domain, tileExtent }, d) => {
    const at = (part: string): string => `dimensions.${d}.${part}`
    if (dense && (cellValNum === VAR || !(isInteger(type) || isTemporal(type)))) {
      throw fail(at("type"), `a dense array has dimensions of integers, dates or times, not of ${type}`)
    }
    if (cellValNum === VAR) return
    const low = readScalar(type, domain)
    const high = readScalar(type, domain, sizeOf(type))
    if (!(low <= high)) throw fail(at("domain"), `the domain [${scalarJson(low)}, ${scalarJson(high)}] is empty`)
    if (tileExtent === null || isFloat(type)) return
    const extent = readScalar(type, tileExtent)
    // a negative extent encodes one tile of the whole domain, whose length exceeds the datatype
    const whole = BigInt(tileExtentOf(schema.dimensions[d])!) === BigInt(high) - BigInt(low) + 1n
    if (extent < 1 && !whole) throw fail(at("tileExtent"), `a tile extent of ${extent}`)
  })
  for (const [path, order] of [["tileOrder", schema.tileOrder], ["cellOrder", schema.cellOrder]] as const) {
    const hilbert = order === "hilbert" && path === "cellOrder" && !dense
    if (order !== "row-major" && order !== "col-major" && !hilbert) {
      throw fail(path, `${order} is not an order of a ${schema.arrayType} array`)
    }
  }
  if (!dense && schema.capacity < 1) throw fail("capacity", "tiles of no cells")
  schema.attributes.forEach(({ type, fillValue }, a) => {
    if (fillValue.byteLength % sizeOf(type) !== 0) {
      throw fail(`attributes.${a}.fillValue`, `${fillValue.byteLength} bytes are not whole values of ${type}`)
    }
  })
  return schema
}

const sameBytes = (a: Uint8Array, b: Uint8Array): boolean =>
  a.length === b.length && a.every((byte, i) => byte === b[i])

/**
 * Checks that a fragment has the dimensions and domain of its array, since these never evolve. Throws `FormatError`.
 */
export const checkFragmentSchema = (schema: ArraySchema, fragment: Fragment): void => {
  const arraySchema = fragment.schema
  const same = arraySchema === schema || (arraySchema.arrayType === schema.arrayType &&
    arraySchema.dimensions.length === schema.dimensions.length &&
    arraySchema.dimensions.every(({ type, cellValNum, domain }, d) => {
      const other = schema.dimensions[d]
      return type === other.type && cellValNum === other.cellValNum && sameBytes(domain, other.domain)
    }))
  if (!same) {
    throw new FormatError({
      uri: fragment.uri,
      path: "schemaName",
      offset: 0,
      version: fragment.version,
      detail: `it was written by the schema ${fragment.schemaName}, which has other dimensions than the array`,
    })
  }
}
