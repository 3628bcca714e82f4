/**
 * Encryption keys, and how to parse them.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { taggedError, type TaggedErrorClass } from "../schema/errors/tagged_error.ts"

const InvalidKeyBase: TaggedErrorClass<InvalidKey, "InvalidKey", {
  readonly reason: "Length" | "Digits"
  readonly length: number
}> = taggedError("InvalidKey", () => ({ reason: Schema.Literal("Length", "Digits"), length: Schema.Number }))

/**
 * An invalid AES-256 key. `reason` is `"Length"` if the input has neither 32 nor 64 bytes, and `"Digits"` if the 64
 * bytes are not all hexadecimal digits; `length` is the number of bytes. The message contains no part of the key.
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
  /** Describes the expected form of a key; contains no part of the invalid one. */
  override get message(): string {
    const length = this.reason === "Length"
      ? `${this.length} bytes`
      : `${this.length} characters that are not all digits`
    return `invalid encryption key: ${length} (expected 32 raw bytes or 64 hexadecimal digits)`
  }
}

/**
 * The 32 bytes of an AES-256 key, which logs, JSON and errors do not show.
 *
 * ```ts
 * import type { EncryptionKey } from "@tessera/array/platform"
 * import { assertEquals } from "@std/assert"
 * import * as Redacted from "effect/Redacted"
 *
 * const key: EncryptionKey = Redacted.make(new Uint8Array(32))
 * assertEquals(JSON.stringify({ key }), '{"key":"<redacted>"}')
 * ```
 */
export type EncryptionKey = Redacted.Redacted<Uint8Array>

const isHex = (bytes: Uint8Array): boolean =>
  bytes.every((byte) => (byte >= 48 && byte <= 57) || (byte >= 65 && byte <= 70) || (byte >= 97 && byte <= 102))

const hexDigit = (byte: number): number => byte <= 57 ? byte - 48 : (byte | 32) - 87

/** Removes a newline at the end: most key files have one, and it is not part of the key. */
const withoutNewline = (bytes: Uint8Array): Uint8Array => {
  let end = bytes.length
  if ((end === 33 || end === 34 || end === 65 || end === 66) && bytes[end - 1] === 10) {
    end--
    if (bytes[end - 1] === 13 && end !== 32 && end !== 64) end--
  }
  return bytes.subarray(0, end)
}

/**
 * Parses an AES-256 key: 32 raw bytes or characters, or 64 hexadecimal digits. A newline at the end is ignored. The
 * result is redacted, so that printing it does not show the key. Fails with {@link InvalidKey}, whose message contains
 * no part of the key.
 *
 * ```ts
 * import { parseKey } from "@tessera/array/platform"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 * import * as Redacted from "effect/Redacted"
 *
 * const key = Effect.runSync(parseKey("ff".repeat(32)))
 * assertEquals(String(key), "<redacted>")
 * assertEquals(Redacted.value(key), new Uint8Array(32).fill(255))
 * ```
 */
export const parseKey = (input: string | Uint8Array): Effect.Effect<EncryptionKey, InvalidKey> =>
  Effect.suspend(() => {
    const bytes = withoutNewline(typeof input === "string" ? new TextEncoder().encode(input) : input)
    if (bytes.length === 32) return Effect.succeed(Redacted.make(bytes.slice()))
    if (bytes.length === 64) {
      if (!isHex(bytes)) {
        return Effect.fail(new InvalidKey({ reason: "Digits", length: bytes.length }))
      }
      const key = Uint8Array.from({ length: 32 }, (_, i) => hexDigit(bytes[2 * i]) * 16 + hexDigit(bytes[2 * i + 1]))
      return Effect.succeed(Redacted.make(key))
    }
    return Effect.fail(new InvalidKey({ reason: "Length", length: bytes.length }))
  })
