/**
 * What is right for a damaged array or group. Each thing that is done to it ends in one of three ways:
 *
 * 1. An error of ours that says where: its tag is one of those that bytes may cause, its `uri` lies in the subject, a
 *    FormatError has an `offset`, its message is one line.
 * 2. The answer of before, wherever the changed file has no part in it: schemas without `__schema`, metadata without
 *    `__meta`, everything where the change changed nothing, and all that is encrypted, since its tag guards it.
 * 3. Another answer, for data that nothing guards – but a sound one: every column has the cells that the answer says,
 *    offsets rise from 0 to the end of the values, validity is 0 or 1. A data file without a checksum may change the values
 *    of its own field, never the number of cells of a dense read, never another field, and a field with a checksum not at
 *    all. Coordinates are another matter: they say which cells there are, and tiles are found by their rectangles. Reads of
 *    everything in several orders find as many cells as each other, and so do streams – but those cut along the rectangles
 *    where they sort, and may miss (never add) cells whose coordinates were damaged so that they left theirs.
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

/** What is wrong with an error. */
const faultOfError = (path: string, error: object): string | undefined => {
  const { _tag: tag, uri, offset, message, reason } = error as Readonly<Record<string, unknown>>
  const shown = `${String(tag)} (${String(message)})`
  if (typeof tag !== "string" || !tags.has(tag)) return `an error without a tag that bytes may cause: ${shown}`
  if (typeof message !== "string" || message.length < 10 || message.length > 1000) return `a strange message: ${shown}`
  // deno-lint-ignore no-control-regex
  if (/[\x00-\x1f]|\n {4}at /.test(message)) return `a message of more than one line: ${JSON.stringify(message)}`
  // a codec that a layer lacks has no place
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
  const its = JSON.stringify(name)
  if (length !== cells) return `${its} has ${length} cells of ${cells}`
  if (values.BYTES_PER_ELEMENT !== viewAs(type, new Uint8Array(sizeOf(type))).BYTES_PER_ELEMENT) {
    return `${its} has values of another type than ${type}`
  }
  if (validity !== undefined) {
    if (validity.length !== cells) return `${its} has ${validity.length} bytes of validity for ${cells} cells`
    if (validity.some((v) => v > 1)) return `${its} has a validity of neither 0 nor 1`
  }
  if (cellValNum !== "var") {
    return values.length === cells * cellValNum && offsets === undefined
      ? undefined
      : `${its} has ${values.length} values for ${cells} cells of ${cellValNum}`
  }
  if (offsets?.length !== cells + 1) return `${its} has ${offsets?.length} offsets for ${cells} cells`
  if (offsets[0] !== 0 || offsets[cells] !== values.length) return `${its} has offsets that do not span its values`
  for (let i = 0; i < cells; i++) if (offsets[i] > offsets[i + 1]) return `${its} has offsets that fall at cell ${i}`
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

/** The bytes below a null are anything. */
const sameColumn = (a: Column | undefined, b: Column | undefined): boolean =>
  a !== undefined && b !== undefined && a.length === b.length && sameBytes(a.values, b.values) &&
  sameBytes(a.offsets, b.offsets) && sameBytes(a.validity, b.validity)

/** The columns that differ in one of the batches. */
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

/** Whether a changed file can have a part in what a step answers. */
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

/** What is wrong with an answer that is not that of before. */
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

/** Whether a file holds coordinates or times of cells; it was named like its dimension once. */
const holdsCoordinates = (file: string, seen: Seen): boolean => {
  const schema = seen.get("schema")
  const { dimensions } = (schema?.kind === "text" ? JSON.parse(schema.text) : { dimensions: [] }) as Described
  const name = file.replace(/.*\//, "").replace(/(_var)?\.tdb$/, "")
  return /^(d\d+|__coords|t|dt|dci)$/.test(name) || dimensions.some((dimension) => dimension.name === name)
}

/** Fields of fixed size whose every byte is below a checksum. */
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

/** What is wrong, a line each, with what was seen of a subject after a mutation. */
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
    const its = [...counts].filter(([step]) => /part/.test(step) === part)
    const most = Math.max(...its.map(([, count]) => count))
    // streams never have more: then a read would not have the most
    const agree = its.every(([step, count]) => count === most || (rectangles && /^stream/.test(step)))
    if (!agree) out.push(`reads that do not agree: ${its.map(([step, count]) => `${step} ${count}`).join(", ")}`)
  }
  return out
}
