/**
 * Deletes cells by a condition: writes a commit that describes the cells to retain. Format: `array_file_hierarchy.md`,
 * delete commits; format notes, section 13.
 */
import * as Effect from "effect/Effect"
import type { Codecs } from "../../../platform/codecs/service.ts"
import type { AlreadyExists } from "../../../platform/errors.ts"
import { Storage } from "../../../platform/storage/service.ts"
import { encode } from "../../../schema/binary/mod.ts"
import { DeleteCondition } from "../../../schema/commit/delete_condition.ts"
import { commitPath } from "../../../schema/name/array_paths.ts"
import { Since } from "../../../schema/version/version.ts"
import type { EnumerationError } from "../../array/enumeration/enumerations.ts"
import { WriteError, type WriteReason } from "../../array/open/errors.ts"
import { join } from "../../array/open/listing.ts"
import { type NameTime, newName } from "../../array/create/fragment_name.ts"
import type { OpenedArray } from "../../array/open/open.ts"
import type { ConditionError } from "../../condition/condition_error.ts"
import type { ConditionTree } from "../../condition/condition_tree.ts"
import { conditionFields } from "../../condition/predicate.ts"
import { conditionOf } from "../../condition/where.ts"
import { type Field, fieldsOf } from "../../fragment/field.ts"
import type { Fragment } from "../../fragment/fragment.ts"
import { closeGenericTile } from "../../tile/generic_tile.ts"
import { beforeCommit, momentOf } from "../fragment/timestamps.ts"
import { storedCondition } from "./stored_condition.ts"
import { targetOf } from "../fragment/fragment_target.ts"
import { attemptWrite, type WriteFailure } from "../result/write_result.ts"

/** Errors of a delete. A failed delete removes nothing. */
export type DeleteFailure = WriteFailure | ConditionError | EnumerationError

/** Result of a delete. */
export interface DeleteResult {
  /** Name of the commit; `undefined` if no cell can satisfy the condition and nothing was written. */
  readonly commit: string | undefined
}

/**
 * Returns an attribute of the condition that a fragment does not store, or stores with another type: engines would
 * treat all cells of that fragment as deleted. Returns `undefined` if there is no such attribute.
 */
const findMissingAttribute = (fragment: Fragment, requested: ReadonlyArray<Field>): Field | undefined => {
  const { byName } = fieldsOf(fragment.schema)
  return requested.find(({ name, type, var: isVar, cellSize }) => {
    const field = byName.get(name)
    return field === undefined || field.type !== type || field.var !== isVar || field.cellSize !== cellSize
  })
}

/** Deletes the cells of a sparse array that satisfy a condition. */
export const deleteCells = (
  array: OpenedArray,
  where: ConditionTree | string,
  time: NameTime | undefined,
): Effect.Effect<DeleteResult, DeleteFailure, Storage | Codecs> =>
  Effect.gen(function* () {
    const { uri, schema } = array
    const refuse = (reason: WriteReason, detail: string) =>
      Effect.fail(new WriteError({ uri, field: "", reason, detail }))
    if (schema.arrayType === "dense") {
      return yield* refuse("Unsupported", "the array is dense; only sparse arrays support deletes by a condition")
    }
    const target = yield* targetOf(array)
    if (target.version < Since.deletes) {
      return yield* refuse(
        "Unsupported",
        `deletes need format version ${Since.deletes}, the array has ${target.version}`,
      )
    }
    // compiling a condition moves negations down to the comparisons
    const { predicate } = yield* conditionOf(array, where, true)
    const stays = yield* attemptWrite(uri, () => storedCondition(uri, fieldsOf(schema).byName, predicate))
    if (stays === true) return { commit: undefined }
    if (stays === false) {
      return yield* refuse(
        "Unsupported",
        "the condition selects every cell; remove the fragments or the array instead",
      )
    }
    const moment = yield* momentOf(array, time, [], "delete")
    const name = yield* newName(moment, target.version)
    const [, at] = moment
    const requested = [...conditionFields(stays)].map((field) => fieldsOf(schema).byName.get(field)!)
    for (const fragment of array.fragments) {
      const timestampedName = fragment.name
      const missing = timestampedName.start <= at ? findMissingAttribute(fragment, requested) : undefined
      if (missing !== undefined) {
        const detail =
          `the fragment ${timestampedName.name} is older than this attribute, and engines would treat all of its cells ` +
          "as deleted; use the other attributes, or copy the array first"
        return yield* Effect.fail(new WriteError({ uri, field: missing.name, reason: "Unsupported", detail }))
      }
      if (
        timestampedName.version < Since.timestampOverlap && timestampedName.start <= at && at <= timestampedName.end &&
        timestampedName.start < timestampedName.end
      ) {
        return yield* refuse(
          "Unsupported",
          `a delete at ${at} would be inside the time range of the fragment ${timestampedName.name}, whose cells have no times of their own; ` +
            `delete before ${timestampedName.start} or after ${timestampedName.end}`,
        )
      }
    }
    const storage = yield* Storage
    const bytes = encode(DeleteCondition, stays, target.version)
    const file = closeGenericTile(target.access, bytes, target.version)
    const path = commitPath(target.version, name, "delete")!
    const there = (_: AlreadyExists) => Effect.void
    yield* beforeCommit(time, moment)
    yield* Effect.uninterruptible(Effect.catchTag(storage.create(join(uri, path), file), "AlreadyExists", there))
    return { commit: name }
  })
