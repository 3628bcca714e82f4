/**
 * Prepares commands: determines the key, the time, and the object at the URI.
 */
import * as Effect from "effect/Effect"
import { attempt, failOn } from "../../../platform/attempt.ts"
import type { Codecs } from "../../../platform/codecs/service.ts"
import { NotFound, type StorageError } from "../../../platform/errors.ts"
import { type EncryptionKey, type InvalidKey, parseKey } from "../../../platform/keys.ts"
import { Storage } from "../../../platform/storage/service.ts"
import { pathInFileUri } from "../../../platform/storage/uri.ts"
import type { TagError } from "../../array/metadata/tag_times.ts"
import { openArray, type OpenedArray, type OpenError } from "../../array/open/open.ts"
import type { OpenOptions } from "../../array/open/open_options.ts"
import type { Request } from "./arguments.ts"
import { type Terminal, warn } from "../print/terminal.ts"
import { tagTimesOf } from "./tag_options.ts"
import { namedTime, timeOptions } from "./time.ts"
import { UsageError } from "./usage_error.ts"

/** Errors of settings. */
export type SettingsError = UsageError | InvalidKey | NotFound | StorageError | TagError

/** Runs a function that may throw UsageError. */
export const attemptUsage = <A>(run: () => A): Effect.Effect<A, UsageError> => attempt(run, failOn(UsageError))

/** Quotes a path for a shell. */
const shellWord = (path: string): string => /^[\w./~+:@%,-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`

/** Permission bits of users other than the owner. */
const OTHER_USERS_MASK = 0o077

/** Returns whether text looks like a key: users may pass the key itself instead of the name of its file. */
const isKeyText = (text: string): boolean => /^(?:[0-9a-f]{64}|[^/\\.]{32})$/i.test(text)

const UNSHOWN_FILE = "the key file (give the name of a file; this one looks like the key itself and is not shown)"

/** Reads the key in a file. Warns if other users can read the file. */
export const readKey = (
  file: string,
  terminal: Terminal,
): Effect.Effect<EncryptionKey, InvalidKey | NotFound | StorageError, Storage> =>
  Effect.gen(function* () {
    const storage = yield* Storage
    const bytes = yield* Effect.mapError(
      storage.read(file),
      (error) => isKeyText(file) && error._tag === "NotFound" ? new NotFound({ uri: UNSHOWN_FILE }) : error,
    )
    const mode = storage.mode === undefined
      ? undefined
      : yield* Effect.catchAll(storage.mode(file), () => Effect.succeed(undefined))
    if (mode !== undefined && (mode & OTHER_USERS_MASK) !== 0) {
      const path = pathInFileUri(file) ?? file
      yield* warn(
        terminal,
        `tessera: warning: key file ${file} can be read by other users; run: chmod 600 ${shellWord(path)}`,
      )
    }
    return yield* parseKey(bytes)
  })

/** Returns the key from the request or the environment. */
export const keyOption = (
  request: Request,
  terminal: Terminal,
): Effect.Effect<EncryptionKey | undefined, InvalidKey | NotFound | StorageError, Storage> =>
  Effect.gen(function* () {
    const file = request.text("key-file")
    if (file !== undefined) return yield* readKey(file, terminal)
    const text = terminal.environment("TESSERA_KEY")
    return text === undefined || text === "" ? undefined : yield* parseKey(text)
  })

/** Returns the options for opening an array. */
export const settingsOf = (
  request: Request,
  terminal: Terminal,
): Effect.Effect<OpenOptions, SettingsError, Storage | Codecs> =>
  Effect.gen(function* () {
    const key = yield* keyOption(request, terminal)
    const tags = yield* tagTimesOf(request, key)
    const times = yield* attemptUsage(() => timeOptions(request, tags))
    return key === undefined ? times : { ...times, key }
  })

/** Options of a change. */
export interface ChangeSettings {
  readonly at?: number
  readonly key?: EncryptionKey
}

/** Returns the options of a change of an array or group: `--at` and the key. A new object has no tags yet. */
export const changeSettings = (
  request: Request,
  terminal: Terminal,
  isNew = false,
): Effect.Effect<ChangeSettings, SettingsError, Storage | Codecs> =>
  Effect.gen(function* () {
    const text = request.text("at")
    const key = yield* keyOption(request, terminal)
    const tags = isNew ? new Map<string, number>() : yield* tagTimesOf(request, key)
    const at = text === undefined
      ? undefined
      : yield* attemptUsage(() => namedTime(`${request.command}: --at`, text, tags))
    return { ...(at === undefined ? {} : { at }), ...(key === undefined ? {} : { key }) }
  })

/** Opens the array of a request. */
export const openRequested = (
  request: Request,
  terminal: Terminal,
): Effect.Effect<OpenedArray, SettingsError | OpenError, Storage | Codecs> =>
  Effect.flatMap(settingsOf(request, terminal), (options) => openArray(request.uri, options))
