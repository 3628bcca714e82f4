/**
 * The mark of an array that is being filled: while its file exists, a copy or an import is running, or was killed. The
 * array then has no schema, so that it cannot be opened half-filled, or it has an older schema that will be replaced.
 *
 * A call writes and removes only its own mark. A call that takes over a target adds a mark with another name, and then
 * removes the earlier ones. A call that finds an unknown mark, or does not find its own, has lost the target.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import type { StorageError } from "../../../platform/errors.ts"
import { type Entry, Storage } from "../../../platform/storage/service.ts"
import { FormatError } from "../../../schema/errors/format_error.ts"
import { parseName } from "../../../schema/name/timestamped_name.ts"
import { join } from "./listing.ts"

/** Name of the first mark, in the array's own folder. Engines ignore unknown names there. */
export const UNFINISHED_FILE = "__tessera_unfinished.json"

/** Returns the name of the mark of a call that takes over a target; `id` is its UUID. */
export const takeoverFile = (id: string): string => `__tessera_unfinished_${id}.json`

/** Returns whether a name is one of {@link takeoverFile}. No other program uses these names. */
export const isTakeoverFile = (name: string): boolean => /^__tessera_unfinished_[0-9a-f]{32}\.json$/.test(name)

/** Returns whether a name belongs to a mark. */
export const isMark = (name: string): boolean => name === UNFINISHED_FILE || isTakeoverFile(name)

/** Returns the names of the marks in the listing of an array's own folder. */
export const marksIn = (root: ReadonlyArray<Entry>): ReadonlyArray<string> =>
  root.filter(({ kind, name }) => kind === "file" && isMark(name)).map(({ name }) => name)

/** Maximum size of a mark in bytes: about 100,000 fragments. */
const MAX_MARK_SIZE = 16 << 20

/** State of a write at some point. */
export interface Checkpoint {
  /** Number of input cells that finished fragments contain. */
  readonly inputCells: number
  /** Number of cells in those fragments; smaller than `inputCells` if duplicates were dropped. */
  readonly cells: number
  /** Size of their files in bytes. */
  readonly bytes: number
  /** Names of the fragments, oldest first. */
  readonly fragments: ReadonlyArray<string>
  /**
   * Name of the commit of the fragments; present once all cells are written and only the commit and the schema are
   * missing.
   */
  readonly commit: string | null
}

/** The beginning of an input that was consumed: its number of bytes and a digest. */
export interface PassedInput {
  readonly bytes: number
  readonly digest: string
}

/** A copy or an import that is not finished. */
export interface Unfinished {
  readonly format: "tessera-unfinished"
  readonly version: 1
  readonly operation: "copy" | "import"
  /** Source of the cells, without the query of a URL. */
  readonly source: string
  /** A random UUID in hexadecimal that identifies the call that created the mark. */
  readonly id: string
  /** Start time, in milliseconds since 1970. */
  readonly begun: number
  /** A digest of everything that determines the contents of the array. Only an equal request can be resumed. */
  readonly request: string
  /** True if it replaces an array that still exists. */
  readonly replaces: boolean
  /** Name of the schema file that will be stored; `""` before format 10. */
  readonly schemaName: string
  readonly checkpoint: Checkpoint
  /** Names of the marks that this one replaces. They may still exist if the call was killed at its start. */
  readonly takes?: ReadonlyArray<string>
  /** The input that was consumed at the checkpoint, or more. */
  readonly input?: PassedInput
}

const Count = Schema.NonNegativeInt
/** names become parts of paths, so only timestamped names are valid: they contain no slash */
const Name = Schema.String.pipe(Schema.filter((name) => parseName(name)?.name === name))

const UnfinishedText: Schema.Schema<Unfinished> = Schema.Struct({
  format: Schema.Literal("tessera-unfinished"),
  version: Schema.Literal(1),
  operation: Schema.Literal("copy", "import"),
  source: Schema.String,
  id: Schema.String.pipe(Schema.pattern(/^[0-9a-f]{32}$/)),
  begun: Count,
  request: Schema.String,
  replaces: Schema.Boolean,
  schemaName: Schema.Union(Schema.Literal(""), Name),
  checkpoint: Schema.Struct({
    inputCells: Count,
    cells: Count,
    bytes: Count,
    fragments: Schema.Array(Name),
    commit: Schema.NullOr(Name),
  }),
  takes: Schema.optionalWith(Schema.Array(Schema.String.pipe(Schema.filter(isMark))), { exact: true }),
  input: Schema.optionalWith(Schema.Struct({ bytes: Count, digest: Schema.String }), { exact: true }),
})

const decode = Schema.decodeUnknownEither(Schema.parseJson(UnfinishedText))

/** Encodes a mark. */
export const encodeUnfinished = (unfinished: Unfinished): Uint8Array =>
  new TextEncoder().encode(JSON.stringify(unfinished, null, 1) + "\n")

/** Loads a mark; fails with `FormatError` if it is damaged. */
export const loadMark = (
  uri: string,
  name: string,
): Effect.Effect<Unfinished | undefined, StorageError | FormatError, Storage> =>
  Effect.gen(function* () {
    const storage = yield* Storage
    const file = join(uri, name)
    const tail = yield* Effect.catchTag(storage.readTail(file, MAX_MARK_SIZE), "NotFound", () =>
      Effect.succeed(undefined))
    if (tail === undefined) {
      return undefined
    }
    const decoded = tail.size > MAX_MARK_SIZE ? undefined : decode(new TextDecoder().decode(tail.bytes))
    if (decoded !== undefined && Either.isRight(decoded)) {
      return decoded.right
    }
    const reason = "this mark of an unfinished copy or import is damaged; remove the folder, or overwrite the array"
    return yield* Effect.fail(new FormatError({ uri: file, path: "", offset: 0, version: 0, detail: reason }))
  })

/**
 * Loads the mark that no other of these marks replaces, the newest if there are several; `undefined` without marks.
 * Fails with `FormatError` if one is damaged.
 */
export const loadUnfinished = (
  uri: string,
  names: ReadonlyArray<string>,
): Effect.Effect<Unfinished | undefined, StorageError | FormatError, Storage> =>
  Effect.gen(function* () {
    const marks = new Map<string, Unfinished>()
    for (const name of names) {
      const mark = yield* loadMark(uri, name)
      if (mark !== undefined) marks.set(name, mark)
    }
    const replaced = new Set([...marks.values()].flatMap(({ takes = [] }) => takes))
    const [newest] = [...marks].filter(([name]) => !replaced.has(name)).map(([, mark]) => mark)
      .sort((a, b) => b.begun - a.begun)
    return newest
  })
