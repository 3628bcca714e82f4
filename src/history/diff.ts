/**
 * Differences between two times of an array or group: fragments, deletes, schema, metadata and members.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import type { Codecs } from "../../platform/codecs/service.ts"
import { traced } from "../../platform/observability/spans.ts"
import { Storage } from "../../platform/storage/service.ts"
import { redactUri } from "../../schema/errors/redact.ts"
import { ARRAY_SCHEMA_FILE } from "../../schema/name/array_paths.ts"
import { describeMetadata, type Json } from "../array/describe/describe.ts"
import type { EnumerationError } from "../array/enumeration/enumerations.ts"
import { loadMetadata, type MetadataItem, type OpenTile } from "../array/metadata/metadata.ts"
import type { AnyTileArray } from "../array/open/handle.ts"
import { accessOf, type OpenError } from "../array/open/open.ts"
import { cellCount, type Fragment } from "../fragment/fragment.ts"
import { kindOfFolder, type ObjectKind } from "../group/object_type.ts"
import { type Member, openGroup, openGroupTile, type TileGroup } from "../group/open_group.ts"
import { openGenericTileSteps } from "../tile/generic_tile.ts"
import { type DiffOptions, type DiffTimes, diffTimes, openStates } from "./diff_states.ts"
import { schemaDifferencesBetween, type SchemaPartDifference } from "./schema_diff.ts"

/** Errors of a comparison. */
export type DiffError = OpenError | EnumerationError

/** A fragment that a read at only one of the times includes. */
export interface DiffFragment {
  /** Name of the fragment. */
  readonly name: string
  /** First time of its cells, in milliseconds since 1970. */
  readonly start: number
  /** Last time of its cells. */
  readonly end: number
  /** Number of cells; in dense fragments, of whole tiles. */
  readonly cells: number
  /** Name of its schema. */
  readonly schemaName: string
}

/** A difference of metadata. */
export interface MetadataDifference {
  /** The stored key. */
  readonly key: string
  /** The earlier value with its datatype; `null` if the key was added. */
  readonly before: Json | null
  /** The later value with its datatype; `null` if the key was removed. */
  readonly after: Json | null
}

/** A difference of the members of a group. */
export interface MemberDifference {
  /** Name of the member, or its URI if it has no name. */
  readonly name: string
  /** The earlier member; `null` if it was added. */
  readonly before: Member | null
  /** The later member; `null` if it was removed. */
  readonly after: Member | null
}

/** The differences between two times of an array or group. */
export interface Diff {
  readonly uri: string
  readonly type: ObjectKind
  /** The earlier time, in milliseconds since 1970. */
  readonly from: number
  /** The later time. */
  readonly to: number
  /** Fragments that only one of the states includes, oldest first. */
  readonly fragments: { readonly added: ReadonlyArray<DiffFragment>; readonly removed: ReadonlyArray<DiffFragment> }
  /** The delete conditions that were added, by their paths, oldest first. */
  readonly deletes: ReadonlyArray<string>
  readonly schema: ReadonlyArray<SchemaPartDifference>
  readonly metadata: ReadonlyArray<MetadataDifference>
  /** Groups only. */
  readonly members: ReadonlyArray<MemberDifference>
}

const fragmentOf = (fragment: Fragment): DiffFragment => ({
  name: fragment.name.name,
  start: fragment.name.start,
  end: fragment.name.end,
  cells: cellCount(fragment),
  schemaName: fragment.schemaName === "" ? ARRAY_SCHEMA_FILE : fragment.schemaName,
})

/** Returns the pairs of values of two maps that differ, by key. */
const differing = <A>(
  before: ReadonlyMap<string, A>,
  after: ReadonlyMap<string, A>,
  isEqual: (a: A, b: A) => boolean,
): ReadonlyArray<readonly [key: string, before: A | undefined, after: A | undefined]> =>
  [...new Set([...before.keys(), ...after.keys()])].sort().flatMap((key) => {
    const [a, b] = [before.get(key), after.get(key)]
    return a !== undefined && b !== undefined && isEqual(a, b) ? [] : [[key, a, b] as const]
  })

const sameItem = (a: MetadataItem, b: MetadataItem): boolean =>
  a.type === b.type && a.count === b.count && a.value.byteLength === b.value.byteLength &&
  a.value.every((byte, i) => byte === b.value[i])

/** Returns the value of an item with its datatype. */
const itemJson = (item: MetadataItem | undefined): Json | null => {
  if (item === undefined) return null
  const { type, num, value } = describeMetadata([item])[0]
  return { type, num, value }
}

/** Compares the metadata at two times. */
const metadataDiff = (
  { uri, key, from, to }: DiffTimes,
  openTile: OpenTile,
): Effect.Effect<ReadonlyArray<MetadataDifference>, DiffError, Storage | Codecs> =>
  Effect.gen(function* () {
    const access = yield* accessOf({ key, verifyChecksums: true })
    const load = (end: number) =>
      Effect.map(loadMetadata(uri, { start: 0, end }, access, openTile), (items) =>
        // keys that are not UTF-8 are distinguished by their bytes
        new Map(items.map((item) => [item.name ?? `\\x${Array.from(item.key).join(",")}`, item])))
    return differing(yield* load(from), yield* load(to), sameItem).map(([key, before, after]) => ({
      key,
      before: itemJson(before),
      after: itemJson(after),
    }))
  })

const arrayDiff = (times: DiffTimes): Effect.Effect<Diff, DiffError, Storage | Codecs> =>
  Effect.gen(function* () {
    const states = yield* openStates(times)
    const { before, after } = states
    const only = (a: ReadonlyArray<Fragment>, b: ReadonlyArray<Fragment>): ReadonlyArray<DiffFragment> => {
      const names = new Set(b.map(({ name }) => name.name))
      return a.filter(({ name }) => !names.has(name.name)).map(fragmentOf)
    }
    const deletes = new Set(before.deletes.map(({ name }) => name))
    return {
      uri: redactUri(times.uri),
      type: "array",
      from: times.from,
      to: times.to,
      fragments: {
        added: only(after.fragments, before.fragments),
        removed: only(before.fragments, after.fragments),
      },
      deletes: after.deletes.map(({ name }) => name).filter((name) => !deletes.has(name)),
      schema: yield* schemaDifferencesBetween(states),
      metadata: yield* metadataDiff(times, openGenericTileSteps),
      members: [],
    }
  })

const groupDiff = (times: DiffTimes): Effect.Effect<Diff, DiffError, Storage | Codecs> =>
  Effect.gen(function* () {
    const { uri, key, from, to } = times
    const load = (end: number) =>
      Effect.map(openGroup(uri, key === undefined ? { end } : { end, key }), ({ members }) =>
        new Map(members.map((member) => [member.name ?? member.uri, member])))
    const same = (a: Member, b: Member): boolean =>
      a.uri === b.uri && a.type === b.type && a.relative === b.relative
    return {
      uri: redactUri(uri),
      type: "group",
      from,
      to,
      fragments: { added: [], removed: [] },
      deletes: [],
      schema: [],
      metadata: yield* metadataDiff(times, openGroupTile),
      members: differing(yield* load(from), yield* load(to), same).map(([name, before, after]) => ({
        name,
        before: before ?? null,
        after: after ?? null,
      })),
    }
  })

/**
 * Returns the differences between the states of an array or group at two times: added and removed fragments, added
 * deletes, changes of the schema, the enumerations, the metadata and the members. Reads no cells; `TileArray.diffCells`
 * compares them. Fails with `InvalidOption` if `from` is later than `to`, and otherwise as `TileArray.open` does.
 *
 * ```ts
 * import { ArraySchema, Attr, Dim, layerMemory, layerNative, Sparse, TileArray } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 * import * as Layer from "effect/Layer"
 *
 * const Log = ArraySchema.sparse({ dims: { x: Dim.uint32([0, 9]) }, attrs: { n: Attr.uint8() } })
 * const program = Effect.gen(function* () {
 *   const array = yield* TileArray.create("mem://log", Log, { at: 1000 })
 *   yield* Sparse.write(array, { x: [1], n: [7] }, { at: 1500 })
 *   yield* TileArray.evolve(array, { addAttributes: { unit: Attr.ascii() } }, { at: 2000 })
 *   const { fragments, schema } = yield* TileArray.diff(array, { from: 1000, to: 2000 })
 *   return [fragments.added.length, schema.map(({ part, name }) => [part, name])]
 * })
 * const found = await Effect.runPromise(Effect.provide(program, Layer.merge(layerMemory, layerNative)))
 * assertEquals(found, [1, [["attribute", "unit"]]])
 * ```
 */
export const diff = (
  target: AnyTileArray | TileGroup | string,
  options: DiffOptions,
): Effect.Effect<Diff, DiffError, Storage | Codecs> =>
  Effect.gen(function* () {
    const times = yield* diffTimes(target, options)
    const storage = yield* Storage
    const kind = kindOfFolder(yield* storage.list(times.uri))
    return yield* (kind === "group" ? groupDiff(times) : arrayDiff(times))
  }).pipe(traced("TileArray.diff", target))
