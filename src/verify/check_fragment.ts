/**
 * Checks the metadata of a fragment.
 */
import * as Effect from "effect/Effect"
import type { Storage } from "../../platform/storage/service.ts"
import type { ArraySchema } from "../../schema/array/array_schema.ts"
import { encode } from "../../schema/binary/mod.ts"
import { FormatError } from "../../schema/errors/format_error.ts"
import { fragmentFooter } from "../../schema/fragment/footer.ts"
import { FRAGMENT_METADATA_FILE } from "../../schema/name/data_file.ts"
import { checkFragmentSchema } from "../array/open/check_schema.ts"
import type { Field } from "../fragment/field.ts"
import { type Fragment, shapeOf } from "../fragment/fragment.ts"
import { loadFragment, type Schemas } from "../fragment/load/load_fragment.ts"
import { makeBoundedCache } from "../kernel/bounded_cache.ts"
import { attemptFormat } from "../tile/attempt.ts"
import type { TileAccess } from "../tile/generic_tile.ts"
import type { CommittedFragment } from "./check_commits.ts"
import { checkFiles } from "./check_files.ts"
import type { CopiedFooter } from "./check_footers.ts"
import { checkOffsets } from "./check_offsets.ts"
import { checkRTree } from "./check_rtree.ts"
import { checkStatistics } from "./check_statistics.ts"
import type { FindingCheck } from "./finding.ts"
import type { Findings, ReaderError } from "./findings.ts"

/** Everything that the checks of fragments share. */
export interface FragmentContext {
  readonly access: TileAccess
  readonly schemas: ReadonlyMap<string, ArraySchema>
  readonly newest: ArraySchema | undefined
  readonly footers: ReadonlyMap<string, ReadonlyArray<CopiedFooter>>
}

/** A fragment whose metadata is valid, and the fields whose tiles can be located. */
export interface LoadedFragment {
  readonly fragment: Fragment
  readonly fields: ReadonlyArray<Field>
}

/** Returns the check of an error about the footer. */
const footerCheck = (error: ReaderError): FindingCheck => {
  if (error._tag !== "FormatError") return "FragmentMetadata"
  if (error.path === "version") return "FragmentVersion"
  if (error.path === "schemaName") return "FragmentSchema"
  if (error.detail.includes("lacks its file")) return "MissingFile"
  return error.path.startsWith("nonEmptyDomain") ? "NonEmptyDomain" : "FragmentMetadata"
}

/** Returns the schemas for loading fragments. A schema that cannot be decoded is a finding of its own. */
const schemasOf = (uri: string, byName: ReadonlyMap<string, ArraySchema>): Schemas<FormatError, never> => ({
  known: byName,
  load: (name) => {
    const detail = `the schema ${name === "" ? "__array_schema.tdb" : name} is missing or damaged`
    return Effect.fail(new FormatError({ uri, path: "schemaName", offset: 0, version: 0, detail }))
  },
})

const equalBytes = (a: Uint8Array, b: Uint8Array): boolean =>
  a.length === b.length && a.every((byte, i) => byte === b[i])

/** Returns the bytes of a footer that was decoded and checked; `undefined` before format 3. */
const footerBytes = ({ metadata, schema, version }: Fragment): Uint8Array | undefined =>
  metadata.kind === "legacy" ? undefined : encode(fragmentFooter(shapeOf(schema)), metadata.footer, version)

/** Checks the metadata of a fragment. Returns `undefined` if its tiles cannot be located. */
export const checkFragment = (
  { access, schemas, newest, footers }: FragmentContext,
  committed: CommittedFragment,
  findings: Findings,
): Effect.Effect<LoadedFragment | undefined, never, Storage> =>
  Effect.gen(function* () {
    const { name: { name }, path, uri } = committed
    const subject = { path: `${path}/${FRAGMENT_METADATA_FILE}`, fragment: name }
    const cache = makeBoundedCache().makeSpace()
    const sources = schemasOf(uri, schemas)
    const loading = loadFragment(access, committed, sources, undefined, cache)
    const fragment = yield* findings.attempt(loading, subject, footerCheck)
    const bytes = fragment === undefined ? undefined : footerBytes(fragment)
    for (const copied of footers.get(name) ?? []) {
      const at = { path: copied.path, fragment: name }
      const copy = yield* findings.attempt(
        loadFragment(access, committed, sources, copied.footer),
        at,
        "ConsolidatedFooters",
      )
      const copyBytes = copy === undefined ? undefined : footerBytes(copy)
      if (bytes === undefined || copyBytes === undefined || equalBytes(bytes, copyBytes)) continue
      const message = `${copied.path}: the footer of ${name} differs from the one in the fragment`
      findings.add("ConsolidatedFooters", at, message)
    }
    if (fragment === undefined) return undefined
    if (newest !== undefined) {
      const checking = attemptFormat(() => checkFragmentSchema(newest, fragment))
      yield* findings.attempt(checking, subject, "FragmentSchema")
    }
    yield* checkFiles(fragment, committed, findings)
    const fields = yield* checkOffsets(access, fragment, subject, findings)
    yield* checkRTree(access, fragment, subject, findings)
    yield* checkStatistics(access, fragment, fields, subject, findings)
    return { fragment, fields }
  })
