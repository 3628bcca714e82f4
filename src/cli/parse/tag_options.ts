/**
 * Looks up the names of tags in the time options of a request.
 */
import * as Effect from "effect/Effect"
import type { Codecs } from "../../../platform/codecs/service.ts"
import type { EncryptionKey } from "../../../platform/keys.ts"
import type { Storage } from "../../../platform/storage/service.ts"
import { attemptTag, type TagError, tagNamed } from "../../array/metadata/tag_times.ts"
import { loadItems } from "../../history/tags.ts"
import type { Request } from "./arguments.ts"
import { tagOption, type TagTimes } from "./time.ts"

/** Options that take a time. */
const TIME_OPTIONS = ["at", "to", "from"]

/**
 * Returns the times of the tags that the options of a request name; `uri` is the array or group with the tags. Reads
 * nothing if all times are numbers or dates.
 */
export const tagTimesOf = (
  request: Request,
  key: EncryptionKey | undefined,
  uri: string = request.uri,
): Effect.Effect<TagTimes, TagError, Storage | Codecs> =>
  Effect.gen(function* () {
    const named = TIME_OPTIONS.flatMap((option) => {
      const name = tagOption(request.text(option) ?? "")
      return name === undefined ? [] : [{ option, name }]
    })
    if (named.length === 0) return new Map()
    const items = yield* loadItems(uri, key)
    return yield* attemptTag(() =>
      new Map(named.map(({ option, name }) => [name, tagNamed(uri, items, name, `--${option}`).time]))
    )
  })
