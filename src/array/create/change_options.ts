/**
 * How to change what an array or group says of itself – metadata, schema, members –, checked.
 */
import type * as Effect from "effect/Effect"
import type { EncryptionKey } from "../../../platform/keys.ts"
import type { InvalidOption } from "../open/errors.ts"
import type { NameTime } from "./fragment_name.ts"
import { attemptOptions, checkKey, checkNames, checkUri, millis, refusing } from "../open/open_options.ts"

/** How to change what an array or group says of itself. */
export interface ChangeOptions {
  /**
   * The moment of the change, in whole milliseconds since 1970 (number or bigint) or as a Date. Default: now, or the
   * millisecond after the newest change of its kind if the clock is behind that by an hour at most; by more it fails with
   * `InvalidOption`.
   */
  readonly at?: number | bigint | Date
  /** The AES-256-GCM key of an encrypted array: 32 bytes. What was opened with its key has it already. */
  readonly key?: EncryptionKey | Uint8Array
}

/** What is to be changed: something open, or where it is. */
export type ChangeTarget = string | { readonly uri: string; readonly key: EncryptionKey | undefined }

/** What a change means. */
export interface Changing {
  /** Where, without a slash at the end. */
  readonly uri: string
  /** The moment, if one was given. */
  readonly time: NameTime | undefined
  readonly key: EncryptionKey | undefined
}

const OPTIONS: ReadonlyArray<string> = ["at", "key"] satisfies Array<keyof ChangeOptions>

/** What a change and its options mean; `more` are the names of options that the caller looks at. */
export const changingOf = (
  changed: ChangeTarget,
  options: ChangeOptions,
  more: ReadonlyArray<string> = [],
): Effect.Effect<Changing, InvalidOption> =>
  attemptOptions(() => {
    const open = typeof changed === "object" && changed !== null ? changed : undefined
    const refuse = refusing(open === undefined ? changed : open.uri)
    const uri = open === undefined ? checkUri(changed, refuse) : open.uri
    checkNames(options, [...OPTIONS, ...more], refuse)
    const at = millis("at", options.at, refuse)
    const key = checkKey(options.key, refuse)
    if (open !== undefined && key !== undefined) refuse("key", "it is open already; its key is the one of its opening")
    return { uri, time: at === undefined ? undefined : [at, at], key: open === undefined ? key : open.key }
  })
