/**
 * Checks the R-tree of a fragment: the rectangles of each level contain those of the level below, and the non-empty
 * domain contains all of them. Format: `fragment.md`.
 */
import * as Effect from "effect/Effect"
import type { Storage } from "../../platform/storage/service.ts"
import { decode } from "../../schema/binary/mod.ts"
import { type MbrLevel, type RTree, rtree } from "../../schema/fragment/rtree.ts"
import type { Fragment } from "../fragment/fragment.ts"
import { loadMbrs, rtreeDimensions } from "../fragment/mbrs.ts"
import { loadSections, type SectionError } from "../fragment/sections.ts"
import { attemptTile } from "../tile/attempt.ts"
import type { TileAccess } from "../tile/generic_tile.ts"
import { containsRange, rangeAt } from "./bounds.ts"
import type { Subject } from "./finding.ts"
import type { Findings } from "./findings.ts"

const loadTree = (access: TileAccess, fragment: Fragment): Effect.Effect<RTree, SectionError, Storage> => {
  const { metadata, schema, version } = fragment
  if (metadata.kind === "legacy") {
    return Effect.map(loadMbrs(access, fragment), (leaves) => ({ fanout: 1, levels: [leaves] }))
  }
  const { footer, sections } = metadata
  return Effect.flatMap(
    loadSections(access, sections, [footer.rtreeOffset]),
    ([tile]) => attemptTile(() => decode(rtree(rtreeDimensions(schema)), tile.bytes, version, sections.uri)),
  )
}

/** Checks that each rectangle of a level contains its entries in the level below. */
const checkLevel = (
  { schema: { dimensions } }: Fragment,
  fanout: number,
  parents: MbrLevel,
  children: MbrLevel,
  report: (message: string) => void,
): void => {
  const expected = Math.ceil(children.count / fanout)
  if (parents.count !== expected) {
    return report(`a level has ${parents.count} rectangles over ${children.count} instead of ${expected}`)
  }
  for (const [d, dimension] of dimensions.entries()) {
    for (let i = 0; i < children.count; i++) {
      const parent = Math.floor(i / fanout)
      const outer = rangeAt(parents.dimensions[d], parent)
      if (containsRange(dimension, outer, rangeAt(children.dimensions[d], i))) continue
      report(`rectangle ${parent} does not contain entry ${i} of the level below in dimension ${dimension.name}`)
    }
  }
}

/** Checks the R-tree of a fragment. */
export const checkRTree = (
  access: TileAccess,
  fragment: Fragment,
  subject: Subject,
  findings: Findings,
): Effect.Effect<void, never, Storage> =>
  Effect.gen(function* () {
    const tree = yield* findings.attempt(loadTree(access, fragment), subject, "RTree")
    if (tree === undefined) return
    const { fanout, levels } = tree
    const leaves = levels[levels.length - 1]
    const count = leaves?.count ?? 0
    if (fragment.dense) return
    if (count !== fragment.tileCount) {
      return findings.add("RTree", subject, `${subject.path}: ${count} rectangles for ${fragment.tileCount} tiles`)
    }
    if (count > 0 && (fanout < 1 || levels[0].count > Math.max(1, fanout) && fragment.metadata.kind === "sections")) {
      findings.add("RTreeLevels", subject, `${subject.path}: ${levels[0].count} roots with a fanout of ${fanout}`)
    }
    for (let level = 1; level < levels.length && fanout > 0; level++) {
      checkLevel(fragment, fanout, levels[level - 1], levels[level], (message) => {
        findings.add("RTreeLevels", subject, `${subject.path}: level ${level - 1} of the R-tree: ${message}`)
      })
    }
    const { nonEmptyDomain, schema: { dimensions } } = fragment
    for (const [d, dimension] of nonEmptyDomain === undefined ? [] : dimensions.entries()) {
      for (let i = 0; i < count; i++) {
        if (containsRange(dimension, nonEmptyDomain![d], rangeAt(leaves.dimensions[d], i))) continue
        const message = `${subject.path}: the non-empty domain does not contain the rectangle of tile ${i} in ` +
          `dimension ${dimension.name}`
        findings.add("NonEmptyDomain", { ...subject, field: dimension.name, tile: i }, message)
      }
    }
  })
