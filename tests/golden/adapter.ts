/** The engine under test, through its public API, with results in the form of `expected.json`. */
import { nonEmptyDomain } from "../../src/array/describe/non_empty_domain.ts"
import { describeOpenFragments } from "../../src/array/describe/fragment_descriptions.ts"
import { openedOf } from "../../src/array/open/handle.ts"
import * as Cause from "effect/Cause"
import type * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as ManagedRuntime from "effect/ManagedRuntime"
import { posix, resolve } from "node:path"
import { Condition, Dense, Group, Sparse, TileArray } from "../../mod.ts"
import { type Codecs, layerDefault, layerDefaultPortable, type StorageService } from "../../platform/mod.ts"
import { compareBytewise } from "../../platform/storage/utf8_order.ts"
import {
  describeEnumerations,
  describeFragments,
  describeMetadata,
  describeRanges,
  describeSchema,
} from "../../src/array/describe/describe.ts"
import type { Engine, OpenOptions } from "./check_case.ts"

const orders = { "row-major": "row", "col-major": "col", unordered: "unordered" } as const

const comparisons: Readonly<Record<string, typeof Condition.eq>> = {
  lt: Condition.lt,
  le: Condition.le,
  gt: Condition.gt,
  ge: Condition.ge,
  eq: Condition.eq,
  ne: Condition.ne,
}

const keyOf = ({ key }: OpenOptions): { readonly key?: Uint8Array } =>
  key === undefined ? {} : { key: new TextEncoder().encode(key) }

/** The engine over local files with one of its codec layers. */
export const makeEngine = (codecs: "native" | "portable"): Engine => {
  const runtime = ManagedRuntime.make(codecs === "native" ? layerDefault : layerDefaultPortable)
  /** Rejects with the engine's own error, not with a wrapper around it. */
  const run = async <A, E>(effect: Effect.Effect<A, E, StorageService | Codecs>): Promise<A> => {
    const exit = await runtime.runPromiseExit(effect)
    if (Exit.isSuccess(exit)) return exit.value
    throw Cause.squash(exit.cause)
  }
  return {
    openArray: async (uri, options) => {
      const end = options.end === undefined ? {} : { end: options.end }
      const array = await run(TileArray.open(uri, { ...keyOf(options), ...end }))
      const { schema } = array
      return {
        schema: () => describeSchema(schema),
        nonEmptyDomain: () => {
          const domain = nonEmptyDomain(openedOf(array))
          return domain === undefined ? null : describeRanges(schema, domain)
        },
        fragments: async () => describeFragments(schema, await run(describeOpenFragments(openedOf(array)))),
        metadata: async () => describeMetadata(await run(TileArray.metadata(array))),
        enumerations: async () => {
          // only enumerations used by an attribute are recorded
          const used = schema.attributes.map((attribute) => attribute.enumeration).filter((name) => name !== "")
          return describeEnumerations(await run(TileArray.enumerations(array, used)))
        },
        read: async ({ order, ranges, where }) => {
          const tests = where?.map(({ field, op, value }) =>
            value === null
              ? op === "eq" ? Condition.isNull(field) : Condition.notNull(field)
              : comparisons[op](field, value as string | number)
          )
          const request = { region: ranges, order: orders[order], ...(tests && { where: Condition.and(...tests) }) }
          if (schema.arrayType === "sparse") {
            const { length, columns } = await run(Sparse.read(array, request))
            return { cells: length, columns }
          }
          const { shape, columns } = await run(Dense.read(array, request))
          return { cells: shape.reduce((product, n) => product * n, 1), columns }
        },
      }
    },
    openGroup: async (uri, options) => {
      const group = await run(Group.open(uri, keyOf(options)))
      return {
        metadata: async () => describeMetadata(await run(Group.metadata(group))),
        members: () =>
          group.members
            .map(({ uri: member, type, name }) => ({
              uri: posix.relative(resolve(uri), resolve(member.replace(/^file:\/\//, ""))),
              type,
              name,
            }))
            .sort((a, b) => compareBytewise(a.uri, b.uri)),
      }
    },
  }
}
