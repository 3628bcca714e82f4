/**
 * Encryption keys, as people keep them.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { taggedError, type TaggedErrorClass } from "../schema/errors/tagged_error.ts"

const InvalidKeyBase: TaggedErrorClass<InvalidKey, "InvalidKey", {
  readonly reason: "Length" | "Digits"
  readonly length: number
}> = taggedError("InvalidKey", () => ({ reason: Schema.Literal("Length", "Digits"), length: Schema.Number }))

/**
 * An invalid AES-256 key: `reason` is `"Length"` if it has neither 32 nor 64 bytes, and `"Digits"` if the 64 are not all
 * hexadecimal digits; `length` is the number of its bytes. The message contains no part of the key.
 *
 * ```ts
 * import { parseKey } from "@tessera/array/platform"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 *
 * const key = Effect.catchTag(parseKey("too short"), "InvalidKey", ({ reason, length }) => Effect.succeed([reason, length]))
 * assertEquals(Effect.runSync(key), ["Length", 9])
 * ```
 */
export class InvalidKey extends InvalidKeyBase {
  /** What a key is, and no part of the invalid one. */
  override get message(): string {
    const what = this.reason === "Length" ? `${this.length} bytes` : `${this.length} characters that are not all digits`
    return `invalid encryption key: ${what} (expected 32 raw bytes or 64 hexadecimal digits)`
  }
}

const isHex = (bytes: Uint8Array): boolean =>
  bytes.every((byte) => (byte >= 48 && byte <= 57) || (byte >= 65 && byte <= 70) || (byte >= 97 && byte <= 102))

const hexDigit = (byte: number): number => byte <= 57 ? byte - 48 : (byte | 32) - 87

/** Key files mostly end with a newline that is not part of the key. */
const withoutNewline = (bytes: Uint8Array): Uint8Array => {
  let end = bytes.length
  if ((end === 33 || end === 34 || end === 65 || end === 66) && bytes[end - 1] === 10) {
    end--
    if (bytes[end - 1] === 13 && end !== 32 && end !== 64) end--
  }
  return bytes.subarray(0, end)
}

/**
 * The 32 bytes of an AES-256 key, given as 32 raw bytes or characters, or as 64 hexadecimal digits. One newline at the
 * end is left out of account. Fails with {@link InvalidKey}, which does not tell any of it.
 *
 * ```ts
 * import { parseKey } from "@tessera/array/platform"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 *
 * assertEquals(Effect.runSync(parseKey("0123456789abcdeF0123456789abcdeF")).length, 32)
 * assertEquals(Effect.runSync(parseKey("ff".repeat(32)))[0], 255)
 * ```
 */
export const parseKey = (input: string | Uint8Array): Effect.Effect<Uint8Array, InvalidKey> =>
  Effect.suspend(() => {
    const bytes = withoutNewline(typeof input === "string" ? new TextEncoder().encode(input) : input)
    if (bytes.length === 32) return Effect.succeed(bytes.slice())
    if (bytes.length === 64) {
      if (!isHex(bytes)) {
        return Effect.fail(new InvalidKey({ reason: "Digits", length: bytes.length }))
      }
      return Effect.succeed(
        Uint8Array.from({ length: 32 }, (_, i) => hexDigit(bytes[2 * i]) * 16 + hexDigit(bytes[2 * i + 1])),
      )
    }
    return Effect.fail(new InvalidKey({ reason: "Length", length: bytes.length }))
  })
