/**
 * The mark of an array that is being filled: while its file exists, a copy or an import is under way, or a program that
 * did one was killed. The array has no schema then, so that nobody opens half of it; or it is an older one that will be
 * replaced.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import type { StorageError } from "../../../platform/errors.ts"
import { Storage } from "../../../platform/storage/service.ts"
import { FormatError } from "../../../schema/errors/format_error.ts"
import { parseName } from "../../../schema/name/timestamped_name.ts"
import { join } from "./listing.ts"

/** The file of the mark, in the array's own folder, where engines ignore names that they do not know. */
export const UNFINISHED_FILE = "__tessera_unfinished.json"

/** No mark has more bytes: some 100,000 fragments. */
const MAX_BYTES = 16 << 20

/** What was written up to a point. */
export interface Checkpoint {
  /** Cells of the input that finished fragments hold. */
  readonly given: number
  /** Cells in those fragments: fewer, where duplicates were left out. */
  readonly cells: number
  /** Bytes of their files. */
  readonly bytes: number
  /** The names of the fragments, oldest first. */
  readonly fragments: ReadonlyArray<string>
  /** The name of their commit, once all cells are written: what is left is to commit them and to store the schema. */
  readonly commit: string | null
}

/** The beginning of an input: how many bytes were read, and a digest of them. */
export interface PassedInput {
  readonly bytes: number
  readonly digest: string
}

/** A copy or an import that is not finished. */
export interface Unfinished {
  readonly format: "tessera-unfinished"
  readonly version: 1
  readonly operation: "copy" | "import"
  /** Where the cells come from, without the query of a URL. */
  readonly source: string
  /** A random number, by which a program knows the mark that it made. */
  readonly id: string
  /** When it began, in milliseconds since 1970. */
  readonly begun: number
  /** A digest of everything that decides what the array will hold: only the same request can be resumed. */
  readonly request: string
  /** Whether it replaces an array that is still there. */
  readonly replaces: boolean
  /** The name of the schema's file to come; `""` before format 10. */
  readonly schemaName: string
  readonly checkpoint: Checkpoint
  /** What was read of an input at the checkpoint, or more. */
  readonly input?: PassedInput
}

const Count = Schema.NonNegativeInt
/** Names become paths: nothing but timestamped names, which have no slash. */
const Name = Schema.String.pipe(Schema.filter((name) => parseName(name)?.name === name))

const UnfinishedText: Schema.Schema<Unfinished> = Schema.Struct({
  format: Schema.Literal("tessera-unfinished"),
  version: Schema.Literal(1),
  operation: Schema.Literal("copy", "import"),
  source: Schema.String,
  id: Schema.String,
  begun: Count,
  request: Schema.String,
  replaces: Schema.Boolean,
  schemaName: Schema.Union(Schema.Literal(""), Name),
  checkpoint: Schema.Struct({
    given: Count,
    cells: Count,
    bytes: Count,
    fragments: Schema.Array(Name),
    commit: Schema.NullOr(Name),
  }),
  input: Schema.optionalWith(Schema.Struct({ bytes: Count, digest: Schema.String }), { exact: true }),
})

const decode = Schema.decodeUnknownEither(Schema.parseJson(UnfinishedText))

/** The bytes of a mark. */
export const encodeUnfinished = (unfinished: Unfinished): Uint8Array =>
  new TextEncoder().encode(JSON.stringify(unfinished, null, 1) + "\n")

/** The mark in the folder of an array; fails with `FormatError` for one that is damaged. */
export const loadUnfinished = (
  uri: string,
): Effect.Effect<Unfinished | undefined, StorageError | FormatError, Storage> =>
  Effect.gen(function* () {
    const storage = yield* Storage
    const file = join(uri, UNFINISHED_FILE)
    const tail = yield* Effect.catchTag(storage.readTail(file, MAX_BYTES), "NotFound", () => Effect.succeed(undefined))
    if (tail === undefined) return undefined
    const decoded = tail.size > MAX_BYTES ? undefined : decode(new TextDecoder().decode(tail.bytes))
    if (decoded !== undefined && Either.isRight(decoded)) return decoded.right
    const reason = "this mark of an unfinished copy or import is damaged; remove the folder, or overwrite the array"
    return yield* Effect.fail(new FormatError({ uri: file, path: "", offset: 0, version: 0, detail: reason }))
  })
