/**
 * Checks commit files: consolidated commits, ignore files and delete conditions; and commits against the folders of
 * fragments. Format: `array_file_hierarchy.md`, `consolidated_commits_file.md`, `ignore_file.md`.
 */
import * as Effect from "effect/Effect"
import type { Codecs } from "../../platform/codecs/service.ts"
import { inFlight, Storage } from "../../platform/storage/service.ts"
import type { ArraySchema } from "../../schema/array/array_schema.ts"
import { decode } from "../../schema/binary/mod.ts"
import { ConsolidatedCommits } from "../../schema/commit/consolidated_commits.ts"
import { IgnoreFile } from "../../schema/commit/ignore_file.ts"
import type { ConditionNode } from "../../schema/condition_ast.ts"
import { COMMITS_FOLDER, FRAGMENTS_FOLDER } from "../../schema/name/array_paths.ts"
import { FRAGMENT_METADATA_FILE } from "../../schema/name/data_file.ts"
import { innerPathFault } from "../../schema/name/inner_path.ts"
import { compareNames, lastComponent, parseName, type TimestampedName } from "../../schema/name/timestamped_name.ts"
import { CURRENT_VERSION, Since } from "../../schema/version/version.ts"
import { loadDeleteCondition } from "../array/open/delete_condition.ts"
import { join } from "../array/open/listing.ts"
import { attemptFormat } from "../tile/attempt.ts"
import type { TileAccess } from "../tile/generic_tile.ts"
import type { Findings } from "./findings.ts"
import type { Folders } from "./folders.ts"

/** A committed fragment whose folder exists. */
export interface CommittedFragment {
  readonly name: TimestampedName
  readonly uri: string
  /** Path of the folder relative to the array. */
  readonly path: string
}

/** The decoded form of the commit files. */
export interface LoadedCommits {
  /** Committed fragments, oldest first. */
  readonly fragments: ReadonlyArray<CommittedFragment>
  /** Names of all fragments with a folder, whether they are committed or not. */
  readonly folders: ReadonlySet<string>
}

/** A delete that is to be checked. */
interface Delete {
  readonly path: string
  readonly uri: string
  readonly name: TimestampedName
  readonly bytes: Uint8Array | undefined
}

const fieldNames = (node: ConditionNode): ReadonlyArray<string> =>
  node.kind === "value" ? [node.field] : node.children.flatMap(fieldNames)

/** Returns the problem of a path in a consolidated file or ignore file; `undefined` if it names a commit. */
const pathProblem = (path: string): string | undefined => {
  const fault = innerPathFault(path, "path")
  if (fault !== undefined) return fault
  const name = parseName(path)
  const suffix = name === undefined ? "" : lastComponent(path).slice(name.name.length)
  return [".wrt", ".del", ".upd", ".ok"].includes(suffix) ? undefined : "is not the path of a commit"
}

/** Checks the commit files and returns the committed fragments. */
export const checkCommits = (
  folders: Folders,
  access: TileAccess,
  schemas: ReadonlyMap<string, ArraySchema>,
  findings: Findings,
): Effect.Effect<LoadedCommits, never, Storage | Codecs> =>
  Effect.gen(function* () {
    const { uri } = folders
    const storage = yield* Storage
    const files = [
      ...folders.root.map((entry) => ({ ...entry, path: entry.name })),
      ...folders.commits.map((entry) => ({ ...entry, path: `${COMMITS_FOLDER}/${entry.name}` })),
    ].filter(({ kind, name }) => kind === "file" && parseName(name) !== undefined)
    const inRoot = new Set(folders.root.flatMap(({ kind, name }) => kind === "folder" ? [name] : []))
    const inFolder = new Set(folders.fragments.flatMap(({ kind, name }) => kind === "folder" ? [name] : []))

    // ignore files
    const ignored = new Set<string>()
    yield* Effect.forEach(files.filter(({ name }) => name.endsWith(".ign")), ({ path }) =>
      Effect.gen(function* () {
        const at = join(uri, path)
        const lines = yield* findings.attempt(
          Effect.flatMap(storage.read(at), (bytes) =>
            attemptFormat(() => decode(IgnoreFile, bytes, CURRENT_VERSION, at))),
          { path },
          "IgnoreFile",
        )
        for (const line of lines ?? []) {
          const problem = pathProblem(line)
          if (problem === undefined) {
            ignored.add(line)
          } else findings.add("CommitPath", { path }, `${path}: the line "${line.slice(0, 200)}" ${problem}`)
        }
      }), { concurrency: inFlight(storage, uri, 8), discard: true })

    // commits by the name of the fragment: the path of the fragment's folder, and the file that contains the commit
    const committed = new Map<string, { readonly folder: string; readonly source: string }>()
    const deletes = new Map<string, Delete>()
    const addCommit = (path: string, source: string): void => {
      const name = parseName(path)
      if (name === undefined) {
        return
      }
      if (path.endsWith(".wrt")) {
        committed.set(name.name, { folder: `${FRAGMENTS_FOLDER}/${name.name}`, source })
      } else if (path.endsWith(".ok")) {
        committed.set(name.name, { folder: name.name, source })
      }
    }
    for (const { path, name } of files) {
      if (name.endsWith(".del")) {
        deletes.set(path, { path, uri: join(uri, path), name: parseName(name)!, bytes: undefined })
      } else addCommit(path, path)
    }
    yield* Effect.forEach(
      files.filter(({ name }) =>
        name.endsWith(".con")
      ),
      ({ path: source }) =>
        Effect.gen(function* () {
          const at = join(uri, source)
          const entries = yield* findings.attempt(
            Effect.flatMap(
              storage.read(at),
              (bytes) => attemptFormat(() => decode(ConsolidatedCommits, bytes, CURRENT_VERSION, at)),
            ),
            { path: source },
            "ConsolidatedCommits",
          )
          const listed = new Set<string>()
          for (const { path, file } of entries ?? []) {
            const problem = pathProblem(path)
            if (problem !== undefined) {
              findings.add("CommitPath", { path: source }, `${source}: the path "${path.slice(0, 200)}" ${problem}`)
              continue
            }
            if (listed.has(path)) findings.add("RepeatedCommit", { path: source }, `${source}: lists ${path} twice`)
            listed.add(path)
            if (file === null) {
              if (!ignored.has(path)) addCommit(path, source)
            } else if (!deletes.has(path)) deletes.set(path, { path, uri: at, name: parseName(path)!, bytes: file })
          }
        }),
      { discard: true },
    )

    const fragments: Array<CommittedFragment> = []
    const addFragment = (name: TimestampedName, path: string): void => {
      fragments.push({ name, path, uri: join(uri, path) })
    }
    for (const [name, { folder, source }] of committed) {
      const exists = folder === name ? inRoot.has(name) : inFolder.has(name)
      const parsed = parseName(name)!
      if (exists) addFragment(parsed, folder)
      else {
        const message = `${source}: commits the fragment ${name}, whose folder ${folder} is missing`
        // engines ignore a commit in the array's own folder whose fragment is missing
        findings.add(
          "MissingFragment",
          { path: folder, fragment: name },
          message,
          folder === name ? "warning" : "error",
        )
      }
    }
    // before format 5 there are no commit files: a fragment is committed if its metadata exists
    const others = [
      ...[...inRoot].map((name) => ({ name, path: name })),
      ...[...inFolder].map((name) => ({ name, path: `${FRAGMENTS_FOLDER}/${name}` })),
    ]
    for (const { name, path } of others) {
      const parsed = parseName(name)
      if (parsed?.name !== name || committed.has(name)) continue
      if (path === name && parsed.version < Since.splitDimensions) {
        const exists = storage.exists(join(uri, path, FRAGMENT_METADATA_FILE))
        if (yield* findings.attempt(exists, { path, fragment: name }, "Unreadable")) {
          addFragment(parsed, path)
          continue
        }
      }
      findings.add("UncommittedFragment", { path, fragment: name }, `${path}: the fragment has no commit`)
    }

    const fields = new Set(
      [...schemas.values()].flatMap(({ attributes, dimensions }) =>
        [...attributes, ...dimensions].map(({ name }) => name)
      ),
    )
    yield* Effect.forEach(deletes.values(), ({ path, uri: from, name, bytes }) =>
      Effect.gen(function* () {
        const entry = { name: path, time: name.start, uri: from, bytes }
        const loaded = yield* findings.attempt(loadDeleteCondition(access, entry), { path }, "DeleteCondition")
        for (const field of loaded === undefined ? [] : new Set(fieldNames(loaded.condition))) {
          if (fields.has(field) || fields.size === 0 || field.startsWith("__")) continue
          const message = `${path}: the condition uses the field ${JSON.stringify(field)}, which no schema has`
          findings.add("DeleteCondition", { path, field }, message)
        }
      }), { concurrency: inFlight(storage, uri, 8), discard: true })
    return {
      fragments: fragments.sort((a, b) => compareNames(a.name, b.name)),
      folders: new Set([...inRoot, ...inFolder]),
    }
  })
