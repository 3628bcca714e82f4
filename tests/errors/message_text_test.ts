/** Messages are one line of limited length without control characters. */
import { describe, it } from "node:test"
import { assert, assertEquals } from "@std/assert"
import * as FastCheck from "effect/FastCheck"
import { MAX_MESSAGE_LENGTH, messageText } from "../../schema/errors/message_text.ts"

const unsafe = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\u202a-\u202e\u2066-\u2069]/u

describe("messageText", () => {
  it("escapes control characters, line ends, marks of direction and lone surrogates", () => {
    assertEquals(messageText("a\nb\r\tc\x1b[31m\x7f\x9b"), "a\\u000ab\\u000d\\u0009c\\u001b[31m\\u007f\\u009b")
    assertEquals(messageText("\u2028\u2029\u202a\u202e\u2066\u2069"), "\\u2028\\u2029\\u202a\\u202e\\u2066\\u2069")
    assertEquals(messageText("\ud800 \udfff 😀"), "\\ud800 \\udfff 😀")
  })

  it("leaves ordinary text as it is", () => {
    for (const text of ["", "mem://a: there is nothing here", "Tōhoku – 日本 😀", "x".repeat(MAX_MESSAGE_LENGTH)]) {
      assertEquals(messageText(text), text)
    }
  })

  it("shortens long text in the middle, and says by how many characters", () => {
    const text = `start ${"x".repeat(100_000)} end`
    const short = messageText(text)
    assert(short.length <= MAX_MESSAGE_LENGTH)
    const [, head, count, tail] = /^(start x+) … \((\d+) characters left out\) … (x+ end)$/.exec(short)!
    assertEquals(head.length + Number(count) + tail.length, text.length)
    assertEquals(messageText(short), short)
  })

  it("cuts neither pairs of surrogates nor escapes, and takes text of any length", () => {
    for (const part of ["😀", "\x00", "a😀", "\ud800", "\u202e"]) {
      for (const length of [1999, 2001, 2003, 8001, 1_000_000]) {
        const short = messageText(part.repeat(length))
        assert(short.length <= MAX_MESSAGE_LENGTH && !unsafe.test(short), part)
        assert(!/\\u?[0-9a-f]{0,3} … \(/.test(short), short.slice(900, 1100))
      }
    }
  })

  it("is true for any text", () => {
    const unit = FastCheck.oneof(
      FastCheck.fullUnicode(),
      FastCheck.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code)),
      FastCheck.constantFrom("\x1b", "\u202e", "\ud83d", "x".repeat(3000), "https://h/a?sig=CANARY "),
    )
    FastCheck.assert(FastCheck.property(FastCheck.array(unit), (parts) => {
      const short = messageText(parts.join(""))
      assert(short.length <= MAX_MESSAGE_LENGTH && !unsafe.test(short) && !short.includes("CANARY"))
    }))
  })
})
