/**
 * The condition of a read, made ready: read from text if it is one, checked against the schema of the array, with the
 * enumerations that it needs.
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

/** Which cells are wanted, and the fields that say which they are. */
export interface Where {
  readonly predicate: Predicate
  readonly fields: ReadonlyArray<Field>
}

/** Runs what throws {@link ConditionError}. */
const attemptCondition = <A>(run: () => A): Effect.Effect<A, ConditionError> => attempt(run, failOn(ConditionError))

/** The condition of a read of an array; `undefined` if there is none. */
export const whereOf = (
  array: OpenedArray,
  given: ConditionTree | string | undefined,
): Effect.Effect<Where | undefined, ConditionError | EnumerationError, Storage | Codecs> =>
  given === undefined ? Effect.succeed(undefined) : conditionOf(array, given)

/** A condition on the cells of an array, or its negation. */
export const conditionOf = (
  array: OpenedArray,
  given: ConditionTree | string,
  isNegated = false,
): Effect.Effect<Where, ConditionError | EnumerationError, Storage | Codecs> =>
  Effect.gen(function* () {
    const { schema, uri } = array
    const tree = yield* attemptCondition(() => typeof given === "string" ? parse(given) : checkTree(given))
    const { byName } = fieldsOf(schema)
    const names = new Set([...fieldNames(tree)].flatMap((name) => byName.get(name)?.enumeration ?? []))
    const enumerations = names.size === 0 ? [] : yield* loadEnumerations(array, names)
    const scope = { uri, schema, enumerations: new Map(enumerations.map((e) => [e.name, e])) }
    const predicate = yield* attemptCondition(() => compileCondition(scope, tree, isNegated))
    return { predicate, fields: [...conditionFields(predicate)].map((name) => byName.get(name)!) }
  })
