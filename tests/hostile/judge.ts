/**
 * Judges the results of reading a damaged array or group. Each operation must end in one of three ways:
 *
 * 1. A located error: a tag that damaged bytes may cause, a `uri` inside the subject, an `offset` for a FormatError, and a
 *    message of one line.
 * 2. The original result, if the modified file does not affect the operation: schemas without `__schema`, metadata without
 *    `__meta`, mutations without an effect, and encrypted data, which the authentication tag protects.
 * 3. A different but valid result, for data without a checksum: every column has the number of cells of the result, offsets
 *    ascend from 0 to the end of the values, validity is 0 or 1. A data file without a checksum may change the values of its
 *    own field, but not the number of cells of a dense read, and not other fields; a field with a checksum must not change.
 *    Coordinates are different: they determine the cells, and MBRs determine the tiles. Reads of all cells in several orders
 *    must return the same number of cells, and so must streams; but streams that are partitioned along MBRs for sorting may
 *    miss (never add) cells whose damaged coordinates are outside their MBR.
 */
import { sizeOf, viewAs } from "../../schema/array/datatype.ts"
import { exitCodeOf } from "../../src/cli/exit_code.ts"
import type { Column } from "../../src/query/column/column.ts"
import type { Mutation } from "./mutation.ts"
import type { Subject } from "./subjects.ts"
import type { CellsRead, Outcome, Seen } from "./visit.ts"

const tags = new Set([
  "ArrayNotFound",
  "ChecksumMismatch",
  "CodecError",
  "DecryptionFailed",
  "FormatError",
  "NotFound",
  "ResultTooLarge",
  "SelectionError",
  "StorageError",
  "Unsupported",
])

/** Returns the reason why an error is not acceptable. */
const faultOfError = (path: string, error: object): string | undefined => {
  const { _tag: tag, uri, offset, message, reason } = error as Readonly<Record<string, unknown>>
  const shown = `${String(tag)} (${String(message)})`
  if (typeof tag !== "string" || !tags.has(tag)) return `an error without a tag that bytes may cause: ${shown}`
  if (typeof message !== "string" || message.length < 10 || message.length > 1000) return `a strange message: ${shown}`
  // deno-lint-ignore no-control-regex
  if (/[\x00-\x1f]|\n {4}at /.test(message)) return `a message of more than one line: ${JSON.stringify(message)}`
  // an error about a codec that is missing in a layer has no location
  if (tag === "CodecError") return reason === "Missing" ? undefined : `an error that says not where: ${shown}`
  if (typeof uri !== "string" || !uri.startsWith(`mem://${path}`)) return `an error that says not where: ${shown}`
  const placed = tag === "FormatError" || tag === "ChecksumMismatch"
  if (placed && !(Number.isSafeInteger(offset) && Number(offset) >= 0)) return `offset ${String(offset)}: ${shown}`
  const code = exitCodeOf(error)
  if (code < 2 && tag !== "ResultTooLarge" && tag !== "StorageError") return `exit code ${code}: ${shown}`
  return undefined
}

const faultOfColumn = (name: string, column: Column, cells: number): string | undefined => {
  const { type, cellValNum, length, values, offsets, validity } = column
  const label = JSON.stringify(name)
  if (length !== cells) return `${label} has ${length} cells of ${cells}`
  if (values.BYTES_PER_ELEMENT !== viewAs(type, new Uint8Array(sizeOf(type))).BYTES_PER_ELEMENT) {
    return `${label} has values of another type than ${type}`
  }
  if (validity !== undefined) {
    if (validity.length !== cells) return `${label} has ${validity.length} bytes of validity for ${cells} cells`
    if (validity.some((v) => v > 1)) return `${label} has a validity of neither 0 nor 1`
  }
  if (cellValNum !== "var") {
    return values.length === cells * cellValNum && offsets === undefined
      ? undefined
      : `${label} has ${values.length} values for ${cells} cells of ${cellValNum}`
  }
  if (offsets?.length !== cells + 1) return `${label} has ${offsets?.length} offsets for ${cells} cells`
  if (offsets[0] !== 0 || offsets[cells] !== values.length) return `${label} has offsets that do not span its values`
  for (let i = 0; i < cells; i++) if (offsets[i] > offsets[i + 1]) return `${label} has offsets that fall at cell ${i}`
  return undefined
}

const faultOfCells = ({ batches }: CellsRead): string | undefined => {
  for (const { cells, columns } of batches) {
    if (!Number.isSafeInteger(cells) || cells < 0) return `${cells} cells`
    for (const [name, column] of Object.entries(columns)) {
      const fault = faultOfColumn(name, column, cells)
      if (fault !== undefined) return fault
    }
  }
  return undefined
}

const total = ({ batches }: CellsRead): number => batches.reduce((sum, { cells }) => sum + cells, 0)

const sameBytes = (a: ArrayBufferView | undefined, b: ArrayBufferView | undefined): boolean => {
  if (a === undefined || b === undefined) return a === b
  const [x, y] = [a, b].map((view) => new Uint8Array(view.buffer, view.byteOffset, view.byteLength))
  return x.length === y.length && x.every((byte, i) => byte === y[i])
}

/** Whether columns are equal, ignoring the values of null cells. */
const sameColumn = (a: Column | undefined, b: Column | undefined): boolean =>
  a !== undefined && b !== undefined && a.length === b.length && sameBytes(a.values, b.values) &&
  sameBytes(a.offsets, b.offsets) && sameBytes(a.validity, b.validity)

/** Returns the columns that differ in at least one batch. */
const differing = (before: CellsRead, after: CellsRead): ReadonlySet<string> => {
  const out = new Set<string>()
  before.batches.forEach((batch, i) => {
    for (const name of Object.keys(batch.columns)) {
      if (!sameColumn(batch.columns[name], after.batches[i]?.columns[name])) out.add(name)
    }
  })
  return out
}

const isRead = (step: string): boolean => /^(read|stream) /.test(step)

/** Whether a modified file can affect the result of a step. */
const takesPart = (file: string, step: string): boolean => {
  if (/\/__(array_)?schema(\/|\.tdb|$)|\/__array_schema/.test(file) && !/__enumerations/.test(file)) return true
  if (/\/__enumerations\//.test(file)) return step === "enumerations" || /resolved/.test(step)
  if (/\/__meta\//.test(file)) return step === "metadata"
  return step !== "schema" && step !== "metadata" && step !== "enumerations"
}

const withoutSizes = (step: string, text: string): string =>
  step === "fragments" ? text.replace(/"size":"\d+"/g, `"size":""`) : text

interface Described {
  readonly dimensions: ReadonlyArray<{ readonly name: string }>
  readonly attributes: ReadonlyArray<
    { readonly name: string; readonly cell_val_num: unknown; readonly nullable: boolean }
  >
}

/** Returns the reason why a changed result is not acceptable. */
const faultOfChange = (
  { file, same, behind }: Mutation,
  guarded: boolean,
  step: string,
  before: Outcome,
  after: Outcome,
  checked: ReadonlySet<string>,
  deletes: boolean,
  coordinates: boolean,
): string | undefined => {
  const data = /\.tdb$/.test(file) && !/__fragment_metadata|__schema|__array_schema|__meta\/|__commits/.test(file)
  const fixed = same || !takesPart(file, step) ||
    (guarded && !behind && /\.tdb$/.test(file) && !/__fragment_metadata/.test(file))
  if (before.kind === "text" && after.kind === "text") {
    const equal = withoutSizes(step, before.text) === withoutSizes(step, after.text)
    return equal || !(fixed || (data && !isRead(step)))
      ? undefined
      : `another answer than before: ${after.text.slice(0, 300)}`
  }
  if (before.kind !== "cells" || after.kind !== "cells") return undefined
  if (!fixed && !data) return undefined
  const changed = differing(before.cells, after.cells)
  if (fixed) return changed.size === 0 ? undefined : `other cells than before in ${[...changed].join(", ")}`
  if (before.cells.dense && total(before.cells) !== total(after.cells)) {
    return `${total(after.cells)} cells, not ${total(before.cells)}`
  }
  if (coordinates || (!before.cells.dense && deletes)) return undefined
  if (changed.size > 1) return `other cells than before in ${[...changed].join(", ")}, not in one field`
  const guardedField = behind ? undefined : [...changed].find((name) => checked.has(name))
  return guardedField === undefined ? undefined : `other cells than before in ${guardedField}, which has a checksum`
}

/** Whether a file contains coordinates or timestamps of cells; older formats name it after the dimension. */
const holdsCoordinates = (file: string, seen: Seen): boolean => {
  const schema = seen.get("schema")
  const { dimensions } = (schema?.kind === "text" ? JSON.parse(schema.text) : { dimensions: [] }) as Described
  const name = file.replace(/.*\//, "").replace(/(_var)?\.tdb$/, "")
  return /^(d\d+|__coords|t|dt|dci)$/.test(name) || dimensions.some((dimension) => dimension.name === name)
}

/** Returns the fields of fixed size whose bytes are all covered by a checksum. */
const checkedFields = (seen: Seen): ReadonlySet<string> => {
  const schema = seen.get("schema")
  if (schema?.kind !== "text") return new Set()
  const { attributes } = JSON.parse(schema.text) as Described
  return new Set(
    attributes.filter((attribute) =>
      attribute.cell_val_num !== "var" && !attribute.nullable &&
      /"checksum_|"md5"|"sha256"/.test(JSON.stringify(attribute))
    ).map(({ name }) => name),
  )
}

/** Returns the faults in the results of a subject after a mutation, one line each. */
export const faults = (
  { path, key, kind }: Pick<Subject, "path" | "key" | "kind">,
  mutation: Mutation,
  before: Seen,
  after: Seen,
): ReadonlyArray<string> => {
  const out: Array<string> = []
  const checked = checkedFields(before)
  const coordinates = holdsCoordinates(mutation.file, before)
  const rectangles = coordinates || /__fragment_metadata|__fragment_meta\//.test(mutation.file)
  const deletes = [...mutation.files.keys()].some((name) => /\.del$|\.con$/.test(name))
  for (const [step, outcome] of after) {
    let fault: string | undefined
    if (outcome.kind === "defect") fault = `a defect: ${outcome.stack}`
    else if (outcome.kind === "error") fault = faultOfError(path, outcome.error)
    else if (outcome.kind === "cells") fault = faultOfCells(outcome.cells)
    const first = before.get(step)
    if (fault === undefined && outcome.kind === "error" && first?.kind !== "error" && mutation.same) {
      fault = `fails though nothing was changed: ${String(outcome.error.message)}`
    }
    if (fault === undefined && first !== undefined && kind === "array") {
      fault = faultOfChange(mutation, key !== undefined, step, first, outcome, checked, deletes, coordinates)
    }
    if (fault !== undefined) out.push(`${step}: ${fault}`)
  }
  const counts = new Map<string, number>()
  for (const [step, outcome] of after) {
    if (outcome.kind === "cells" && isRead(step) && !/resolved/.test(step)) counts.set(step, total(outcome.cells))
  }
  for (const part of [false, true]) {
    const label = [...counts].filter(([step]) => /part/.test(step) === part)
    const max = Math.max(...label.map(([, count]) => count))
    // a stream must not return more cells than a read
    const agree = label.every(([step, count]) => count === max || (rectangles && /^stream/.test(step)))
    if (!agree) out.push(`reads that do not agree: ${label.map(([step, count]) => `${step} ${count}`).join(", ")}`)
  }
  return out
}
