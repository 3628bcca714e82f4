import { assert, assertEquals } from "@std/assert"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { describe, it } from "node:test"
import { inspect } from "node:util"
import { InvalidKey, parseKey } from "../../platform/keys.ts"

const text = "0123456789abcdeF0123456789abcdeF"
const raw = new TextEncoder().encode(text)
const hex = Array.from(raw, (byte) => byte.toString(16).padStart(2, "0")).join("")

const parsed = (input: string | Uint8Array): Uint8Array => Redacted.value(Effect.runSync(parseKey(input)))

describe("keys", () => {
  it("are redacted where they are printed", () => {
    const key = Effect.runSync(parseKey(text))
    for (const shown of [String(key), JSON.stringify({ key }), inspect({ key }, { depth: 9, showHidden: true })]) {
      assert(shown.includes("<redacted>") && !shown.includes("48, 49") && !shown.includes(text), shown)
    }
  })

  it("are 32 characters or bytes, or 64 hexadecimal digits, and a newline does not count", () => {
    for (const form of [text, raw, hex, hex.toUpperCase(), `${text}\n`, `${text}\r\n`, `${hex}\n`, `${hex}\r\n`]) {
      assertEquals(parsed(form), raw)
    }
    assertEquals(parsed(new TextEncoder().encode(`${hex}\n`)), raw)
  })

  it("may end with the bytes of a newline if they have 32 bytes", () => {
    const key = Uint8Array.from({ length: 32 }, (_, i) => i === 30 ? 13 : i === 31 ? 10 : i + 100)
    assertEquals(parsed(key), key)
    assertEquals(parsed(Uint8Array.from([...key, 10])), key)
  })

  it("are copies", () => {
    const input = raw.slice()
    const key = Effect.runSync(parseKey(input))
    input.fill(0)
    assertEquals(Redacted.value(key), raw)
  })

  it("are rejected otherwise, without their content in the message", () => {
    const secrets = [
      "",
      "sesame",
      "sesame-sesame-sesame-sesame-sesam",
      "é".repeat(32),
      `${hex.slice(0, 63)}g`,
      `${text}\n\n`,
    ]
    for (const secret of secrets) {
      const error = Effect.runSync(Effect.flip(parseKey(secret)))
      assert(error instanceof InvalidKey)
      assertEquals(error._tag, "InvalidKey")
      assert(!error.message.includes("sesam") && !error.message.includes("0123") && !error.message.includes("3031"))
      assert(error.message.includes("32 raw bytes or 64 hexadecimal digits"))
    }
  })
})
