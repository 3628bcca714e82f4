/**
 * Validates the options of changes to an array or group: metadata, schema, members.
 */
import type * as Effect from "effect/Effect"
import type { EncryptionKey } from "../../../platform/keys.ts"
import type { InvalidOption } from "../open/errors.ts"
import type { NameTime } from "./fragment_name.ts"
import {
  attemptOptions,
  checkKey,
  checkNames,
  checkUri,
  millis,
  refuseFor,
  type TimeInput,
} from "../open/open_options.ts"

/** Options of a change to an array or group. */
export interface ChangeOptions {
  /**
   * Time of the change: milliseconds since 1970, ISO text, a Date or a DateTime. Default: now, or the millisecond after
   * the newest change of its kind if the clock is late by at most an hour; if it is later, the
   * change fails with `InvalidOption`.
   */
  readonly at?: TimeInput
  /** The AES-256-GCM key of an encrypted array: 32 bytes. Not required for an array that was opened with its key. */
  readonly key?: EncryptionKey | Uint8Array
}

/** An array or group to change: its URI, or an open one. */
export type ChangeTarget = string | { readonly uri: string; readonly key: EncryptionKey | undefined }

/** A validated change. */
export interface Changing {
  /** URI without a trailing slash. */
  readonly uri: string
  /** The explicit time, if any. */
  readonly time: NameTime | undefined
  readonly key: EncryptionKey | undefined
}

const OPTIONS: ReadonlyArray<string> = ["at", "key"] satisfies Array<keyof ChangeOptions>

/** Validates the target and the options of a change. `more` lists the names of options that the caller validates. */
export const changingOf = (
  changed: ChangeTarget,
  options: ChangeOptions,
  more: ReadonlyArray<string> = [],
): Effect.Effect<Changing, InvalidOption> =>
  attemptOptions(() => {
    const open = typeof changed === "object" && changed !== null ? changed : undefined
    const refuse = refuseFor(open === undefined ? changed : open.uri)
    const uri = open === undefined ? checkUri(changed, refuse) : open.uri
    checkNames(options, [...OPTIONS, ...more], refuse)
    const at = millis("at", options.at, refuse)
    const key = checkKey(options.key, refuse)
    if (open !== undefined && key !== undefined) {
      refuse("key", "the array is open already; omit the key, which was passed when it was opened")
    }
    return { uri, time: at === undefined ? undefined : [at, at], key: open === undefined ? key : open.key }
  })
