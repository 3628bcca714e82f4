/**
 * Checks vacuum files, of fragments and of metadata. Format: `vacuum_file.md`.
 */
import * as Effect from "effect/Effect"
import { inFlight, Storage } from "../../platform/storage/service.ts"
import { decode } from "../../schema/binary/mod.ts"
import { vacuumedNames, VacuumFile } from "../../schema/commit/vacuum_file.ts"
import { COMMITS_FOLDER, METADATA_FOLDER } from "../../schema/name/array_paths.ts"
import { parseName } from "../../schema/name/timestamped_name.ts"
import { CURRENT_VERSION } from "../../schema/version/version.ts"
import { join } from "../array/open/listing.ts"
import { attemptFormat } from "../tile/attempt.ts"
import type { LoadedCommits } from "./check_commits.ts"
import type { Findings } from "./findings.ts"
import type { Folders } from "./folders.ts"

/** The names that vacuum files of a kind refer to. */
interface Names {
  /** Names that replace others. */
  readonly replacements: ReadonlySet<string>
  /** Existing names. */
  readonly present: ReadonlySet<string>
}

/** Checks one vacuum file: its lines, the names in them, and the replacement. */
const checkVacuum = (
  uri: string,
  path: string,
  { replacements, present }: Names,
  findings: Findings,
): Effect.Effect<void, never, Storage> =>
  Effect.gen(function* () {
    const storage = yield* Storage
    const at = join(uri, path)
    const lines = yield* findings.attempt(
      Effect.flatMap(storage.read(at), (bytes) => attemptFormat(() => decode(VacuumFile, bytes, CURRENT_VERSION, at))),
      { path },
      "VacuumFile",
    )
    if (lines === undefined) return
    const place = { uri: at, path: "lines", version: CURRENT_VERSION }
    const names = yield* findings.attempt(attemptFormat(() => vacuumedNames(lines, place)), { path }, "VacuumPath")
    if (names === undefined) return
    const existing = names.filter((name) => present.has(name))
    for (const name of names) {
      if (present.has(name)) continue
      findings.add("VacuumedMissing", { path }, `${path}: ${name} was already removed`)
    }
    const replacement = parseName(path)!.name
    if (existing.length > 0 && !replacements.has(replacement)) {
      const message = `${path}: hides ${existing.length} existing names, but ${replacement}, which replaces them, ` +
        "is missing"
      findings.add("MissingReplacement", { path }, message)
    }
  })

/** Checks all vacuum files. */
export const checkVacuums = (
  folders: Folders,
  commits: LoadedCommits,
  findings: Findings,
): Effect.Effect<void, never, Storage> =>
  Effect.gen(function* () {
    const { uri } = folders
    const storage = yield* Storage
    const isVacuum = ({ kind, name }: { readonly kind: string; readonly name: string }): boolean =>
      kind === "file" && name.endsWith(".vac") && parseName(name) !== undefined
    const paths = [
      ...folders.root.filter(isVacuum).map(({ name }) => name),
      ...folders.commits.filter(isVacuum).map(({ name }) => `${COMMITS_FOLDER}/${name}`),
    ]
    const fragments = {
      replacements: new Set(commits.fragments.map(({ name }) => name.name)),
      present: commits.folders,
    }
    const files = new Set(folders.metadata.map(({ name }) => name))
    const metadata = { replacements: files, present: files }
    const inMetadata = folders.metadata.filter(isVacuum).map(({ name }) => `${METADATA_FOLDER}/${name}`)
    yield* Effect.forEach([
      ...paths.map((path) => checkVacuum(uri, path, fragments, findings)),
      ...inMetadata.map((path) => checkVacuum(uri, path, metadata, findings)),
    ], (check) =>
      check, { concurrency: inFlight(storage, uri, 8), discard: true })
  })
