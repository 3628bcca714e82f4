/**
 * Every error class, with a secret in every field: no printed form of the error contains the secret, and its message is
 * one line of limited length. A new class needs a row in `error_classes.ts`.
 */
import { describe, it } from "node:test"
import { assert, assertEquals } from "@std/assert"
import * as FastCheck from "effect/FastCheck"
import { classes, declaredClasses, fieldsOf, load, sources } from "./error_classes.ts"
import { shownForms } from "./shown.ts"

const CANARY = "CANARY4711"

/**
 * Errors without a tag: they are internal, and their reason becomes a field of a tagged error; or their messages
 * contain only numbers and codes (HttpFailure, S3Failure).
 */
const inside = ["BinaryIssue", "CellRefused", "HttpFailure", "OutOfBoundsError", "Refusal", "S3Failure", "ScalarError"]

const assertHidden = (error: unknown, secret: string, where: string): void => {
  for (const text of shownForms(error)) {
    assert(!text.includes(secret), `${where}: ${text.slice(Math.max(0, text.indexOf(secret) - 200)).slice(0, 400)}`)
  }
}

// deno-lint-ignore no-control-regex
const unsafe = /[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]|\p{Cs}/u

const assertOneLine = (message: string): void => {
  assert(message.length <= 2100, `${message.length} characters`)
  assert(!unsafe.test(message), JSON.stringify(message))
}

describe("error classes", () => {
  it("are all covered, and have one base class", () => {
    assertEquals(declaredClasses.map(({ tag }) => tag).sort(), Object.keys(classes).sort())
    const others = sources.filter(({ path }) => !path.endsWith("tagged_error.ts")).flatMap(({ path, text }) =>
      [...text.matchAll(/\b(?:Data|Schema)\s*\.(?:TaggedError|Error)\b/g)].map(([name]) => `${path}: ${name}`)
    )
    assertEquals(others, [])
    const plain = sources.flatMap((
      { text },
    ) => [...text.matchAll(/class (\w+) extends (?:\w*Error|globalThis\.Error) /g)])
    assertEquals(plain.map(([, name]) => name).sort(), inside)
  })

  for (const tag of Object.keys(classes)) {
    it(`${tag} shows no credentials of URLs in any field`, async () => {
      const Class = await load(tag)
      const urls = [
        `https://host/array?sig=${CANARY}`,
        `https://host/array?a=1&sig=${CANARY}/__schema/__1_1_ab`,
        `s3://user:${CANARY}@bucket/array#${CANARY}`,
      ]
      for (const url of urls) {
        assertHidden(new Class(fieldsOf(tag, () => url)), CANARY, tag)
        assertHidden(new Class(fieldsOf(tag, (name) => name === "uri" ? url : `cannot read (${url}): no`)), CANARY, tag)
        // a text that contains only the secret of the URI
        if (!classes[tag].text.includes("uri")) continue
        const bare = (name: string) => name === "uri" ? url : name === "cause" ? new Error(CANARY) : `no ${CANARY}`
        assertHidden(new Class(fieldsOf(tag, bare)), CANARY, tag)
      }
    })

    it(`${tag} shows no credentials of its causes`, async () => {
      if (!classes[tag].text.includes("cause")) return
      const Class = await load(tag)
      const url = `https://host/array?sig=${CANARY}`
      const inner = new TypeError(`fetch failed for ${url}`)
      const odd = Object.assign(new Error("no"), {
        request: { url, headers: { authorization: CANARY } },
        code: "ECODE",
      })
      const circle = new Error(url)
      circle.cause = circle
      const causes = [
        inner,
        new Error("outer", { cause: inner }),
        Object.assign(new Error("with a property"), { path: url, input: url }),
        odd,
        new Error("outer", { cause: odd }),
        new AggregateError([inner], "several"),
        new DOMException(url, "AbortError"),
        circle,
        url,
        { message: url, list: [url, { url }], request: new Request(url) },
        new URL(url),
        Object.defineProperty(new Error("throws"), "trap", {
          get: () => {
            throw new Error(url)
          },
        }),
      ]
      for (const cause of causes) {
        const fields = { ...fieldsOf(tag, () => "a"), cause }
        assertHidden(new Class(fields), CANARY, tag)
      }
      const kept = new Class({ ...fieldsOf(tag, () => "a"), cause: odd }) as { cause?: { code?: string } }
      assertEquals(kept.cause?.code, "ECODE")
      const harmless = Object.assign(new Error("ENOENT: no such file"), { code: "ENOENT", errno: -2 })
      assert((new Class({ ...fieldsOf(tag, () => "a"), cause: harmless }) as { cause?: unknown }).cause === harmless)
    })

    it(`${tag} has a message of one line and limited length, for any fields`, async () => {
      const Class = await load(tag)
      const unit = FastCheck.oneof(
        { weight: 4, arbitrary: FastCheck.fullUnicode() },
        FastCheck.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code)),
        FastCheck.constantFrom("\n", "\x1b[31m", "\u202e", "\ud83d", "x".repeat(4000), ` https://h/a?s=${CANARY} `),
      )
      const text = FastCheck.array(unit, { maxLength: 12 }).map((parts) => parts.join(""))
      FastCheck.assert(
        FastCheck.property(FastCheck.array(text, { minLength: 8, maxLength: 8 }), (texts) => {
          let next = 0
          const error = new Class(fieldsOf(tag, (name) => {
            const value = texts[next++ % texts.length]
            return name === "cause" ? new Error(value) : value
          }))
          assertOneLine(error.message)
          assertEquals(error._tag, tag)
          assert(!error.message.includes(CANARY))
        }),
        { numRuns: 50 },
      )
    })
  }

  it("contain the location, with the printable part of the URI", async () => {
    const NotFound = await load("NotFound")
    const error = new NotFound({ uri: `https://user:${CANARY}@host/array?sig=${CANARY}/__schema` })
    assertEquals(error.uri, "https://…@host/array?…/__schema")
    assertEquals(error.message, "https://…@host/array?…/__schema: there is nothing here")
  })

  it("keep the position in a condition whose URLs became shorter", async () => {
    const ConditionError = await load("ConditionError")
    const text = `a == "https://host/?sig=${CANARY}" and >`
    const error = new ConditionError({
      text,
      at: text.indexOf(">"),
      path: "",
      field: "",
      reason: "Syntax",
      detail: "no",
    })
    const { at, text: shown } = error as unknown as { at: number; text: string }
    assertEquals(shown[at], ">")
  })

  it("list thousands of names without filling the screen", async () => {
    const SelectionError = await load("SelectionError")
    const names = Array.from({ length: 10_000 }, (_, i) => JSON.stringify(`column_${i}`)).join(", ")
    const error = new SelectionError({
      uri: "a",
      field: "b",
      reason: "UnknownName",
      detail: `there is no such field; there are ${names}`,
    })
    assertOneLine(error.message)
    assert(error.message.endsWith('"column_9999"') && error.message.includes('"column_0"'))
  })
})
