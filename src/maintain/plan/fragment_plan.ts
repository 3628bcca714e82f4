/**
 * Plans which fragments of an array are combined.
 */
import { readScalar } from "../../../schema/array/scalar.ts"
import type { Range } from "../../../schema/array/range.ts"
import type { ArraySchema } from "../../../schema/array/array_schema.ts"
import { nonEmptyDomain } from "../../array/describe/non_empty_domain.ts"
import type { OpenedArray } from "../../array/open/open.ts"
import type { Fragment } from "../../fragment/fragment.ts"
import { inputsProblem } from "./check_inputs.ts"
import { type ChoiceOptions, chooseFragments, fragmentBytes } from "./choose_fragments.ts"
import { splitAtDrops } from "./result_schema.ts"
import type { ConsolidationTask } from "./task.ts"

/** Rules of a plan. */
export interface FragmentPlanOptions extends ChoiceOptions {
  /** Dense arrays: maximum ratio of the cells of the result to the cells of its inputs. */
  readonly amplification: number
  readonly purgeDeleted: boolean
  readonly maxFragmentSize: number | null
}

const cellsOf = (schema: ArraySchema, box: ReadonlyArray<Range>): number =>
  box.reduce((cells, { low, high }, d) => {
    const { type } = schema.dimensions[d]
    return cells * (Number(readScalar(type, high)) - Number(readScalar(type, low)) + 1)
  }, 1)

/** Returns why fragments of an open array cannot be combined; `undefined` if they can be. */
export const combinationProblem = (
  array: OpenedArray,
  inputs: ReadonlyArray<Fragment>,
  purge: boolean,
): string | undefined => {
  const union = nonEmptyDomain({ ...array, key: undefined, fragments: inputs })
  const chosen = new Set(inputs)
  const others = array.fragments.filter((fragment) => !chosen.has(fragment))
  return union === undefined ? undefined : inputsProblem(array, inputs, others, union, purge, array.deletes)
}

/** Returns the task that combines these fragments. */
export const taskOf = (
  fragments: ReadonlyArray<Fragment>,
  { purgeDeleted, maxFragmentSize }: Pick<FragmentPlanOptions, "purgeDeleted" | "maxFragmentSize">,
): ConsolidationTask => ({
  version: 1,
  mode: "fragments",
  fragments: fragments.map(({ name }) => name.name),
  purgeDeleted,
  maxFragmentSize,
  bytes: fragments.reduce((sum, fragment) => sum + fragmentBytes(fragment), 0),
})

/**
 * Plans at most `count` tasks that have no fragments in common. `candidates` are visible fragments of the array, oldest
 * first.
 */
export const planFragments = (
  array: OpenedArray,
  candidates: ReadonlyArray<Fragment>,
  options: FragmentPlanOptions,
  count: number,
): ReadonlyArray<ConsolidationTask> => {
  const { schema } = array
  const isDense = schema.arrayType === "dense"
  const tasks: Array<ConsolidationTask> = []
  // only neighbours are combined, so a chosen range divides the remaining fragments
  let parts = splitAtDrops(array, candidates, options.purgeDeleted)
  const amplified = (inputs: ReadonlyArray<Fragment>): boolean => {
    if (!isDense) return false
    const union = nonEmptyDomain({ ...array, key: undefined, fragments: inputs })
    if (union === undefined) return false
    const sum = inputs.reduce((n, { nonEmptyDomain }) => n + (nonEmptyDomain ? cellsOf(schema, nonEmptyDomain) : 0), 0)
    return cellsOf(schema, union) / sum > options.amplification
  }
  while (tasks.length < count && parts.length > 0) {
    const [part, ...rest] = parts
    const range = chooseFragments(part.map(fragmentBytes), options, (from, to) => {
      const inputs = part.slice(from, to)
      return !amplified(inputs) && combinationProblem(array, inputs, options.purgeDeleted) === undefined
    })
    if (range === undefined) {
      parts = rest
      continue
    }
    const [from, to] = range
    tasks.push(taskOf(part.slice(from, to), options))
    parts = [part.slice(0, from), part.slice(to), ...rest].filter((fragments) => fragments.length > 1)
  }
  return tasks
}
