/**
 * Prepares the condition of a read: parses text, and checks the condition against the schema of the array and the
 * enumerations that it uses.
 */
import * as Effect from "effect/Effect"
import { attempt, failOn } from "../../platform/attempt.ts"
import type { Codecs } from "../../platform/codecs/service.ts"
import type { Storage } from "../../platform/storage/service.ts"
import { type EnumerationError, loadEnumerations } from "../array/enumeration/enumerations.ts"
import type { OpenedArray } from "../array/open/open.ts"
import { type Field, fieldsOf } from "../fragment/field.ts"
import { conditionFields, type Predicate } from "./predicate.ts"
import { compileCondition } from "./compile.ts"
import { checkTree } from "./check_tree.ts"
import { ConditionError } from "./condition_error.ts"
import { parse } from "./parse.ts"
import { type ConditionTree, fieldNames } from "./condition_tree.ts"

/** A prepared condition, and the fields that it uses. */
export interface Where {
  readonly predicate: Predicate
  readonly fields: ReadonlyArray<Field>
}

/** Runs a function that throws {@link ConditionError}. */
const attemptCondition = <A>(run: () => A): Effect.Effect<A, ConditionError> => attempt(run, failOn(ConditionError))

/** Prepares the condition of a read; `undefined` if there is no condition. */
export const whereOf = (
  array: OpenedArray,
  condition: ConditionTree | string | undefined,
): Effect.Effect<Where | undefined, ConditionError | EnumerationError, Storage | Codecs> =>
  condition === undefined ? Effect.succeed(undefined) : conditionOf(array, condition)

/** Prepares a condition on the cells of an array, or its negation. */
export const conditionOf = (
  array: OpenedArray,
  condition: ConditionTree | string,
  isNegated = false,
): Effect.Effect<Where, ConditionError | EnumerationError, Storage | Codecs> =>
  Effect.gen(function* () {
    const { schema, uri } = array
    const tree = yield* attemptCondition(() => typeof condition === "string" ? parse(condition) : checkTree(condition))
    const { byName } = fieldsOf(schema)
    const names = new Set([...fieldNames(tree)].flatMap((name) => byName.get(name)?.enumeration ?? []))
    const enumerations = names.size === 0 ? [] : yield* loadEnumerations(array, names)
    const scope = { uri, schema, enumerations: new Map(enumerations.map((e) => [e.name, e])) }
    const predicate = yield* attemptCondition(() => compileCondition(scope, tree, isNegated))
    return { predicate, fields: [...conditionFields(predicate)].map((name) => byName.get(name)!) }
  })
