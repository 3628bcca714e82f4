/** Credentials in URLs are not printed. */
import { describe, it } from "node:test"
import { assert, assertEquals } from "@std/assert"
import * as FastCheck from "effect/FastCheck"
import { redactText, redactUri, secretsOf } from "../../schema/errors/redact.ts"

describe("redactUri", () => {
  it("replaces query, fragment and user info, and keeps host, path and inner names", () => {
    for (
      const [uri, shown] of [
        ["https://host/array?sig=SECRET", "https://host/array?…"],
        ["https://host/array?", "https://host/array?…"],
        ["https://host?SECRET", "https://host?…"],
        ["https://host/array?sig=SECRET/__schema/__1_1_ab", "https://host/array?…/__schema/__1_1_ab"],
        // a text that resembles a member may be a part of the signature
        ["https://host/group?sig=SECRET/member", "https://host/group?…"],
        ["https://host/array#SECRET", "https://host/array#…"],
        ["https://host/array?a=1#SECRET", "https://host/array?…"],
        ["https://user:SECRET@host/array", "https://…@host/array"],
        ["https://SECRET@host:8080/array", "https://…@host:8080/array"],
        ["https://user:SEC@RET@host/array?x=SECRET", "https://…@host/array?…"],
        ["HTTPS://user:SECRET@host", "HTTPS://…@host"],
        ["s3://key:SECRET@bucket/array?versionId=SECRET", "s3://…@bucket/array?…"],
        ["azure://account/array?sv=1&sig=SECRET%3D", "azure://account/array?…"],
        ["gs://bucket/array?X-Goog-Signature=SECRET", "gs://bucket/array?…"],
        ["https:/host/array?sig=SECRET", "https:/host/array?…"],
        ["https:host/array?sig=SECRET", "https:host/array?…"],
        ["s3:/bucket/array?sig=SECRET", "s3:/bucket/array?…"],
        ["https:\\\\host\\array?sig=SECRET", "https:\\\\host\\array?…"],
        [" https://host/array?sig=SECRET value", " https://host/array?…"],
        ["https://[::1]:8080/array?sig=SECRET", "https://[::1]:8080/array?…"],
        ["https://proxy/https://user:SECRET@host/array", "https://proxy/https://…@host/array"],
      ]
    ) assertEquals(redactUri(uri), shown)
  })

  it("hides signatures and passwords with unescaped slashes", () => {
    for (
      const [uri, shown] of [
        ["https://host/array?sig=SEC/RET==", "https://host/array?…"],
        ["https://host/array?sig=SEC/RET", "https://host/array?…"],
        ["https://host/array?x=1/SECRET/y", "https://host/array?…"],
        ["https://host/array?sig=SEC/RET==/__schema/a", "https://host/array?…/__schema/a"],
        ["https://host/array?c=AK/SECRET/s3&X-Amz-Signature=SECRET/__commits", "https://host/array?…/__commits"],
        ["https://user:SEC/RET@host/array", "https://…@host/array"],
        ["https://user:SEC/RET", "https://…@"],
        ["https://user:SEC?RET@host/array?sig=SECRET", "https://…@host/array?…"],
      ]
    ) assertEquals(redactUri(uri), shown)
  })

  it("leaves names without credentials as they are", () => {
    for (
      const uri of [
        "",
        "tests/golden/demo/weather",
        "/data/what?/a#b@c",
        "file:///data/what?a=b#c",
        "mem://a?b=c/d#e",
        "https://host/array",
        "https://host:8080/@scope/array/__fragments/__1_1_ab/a0.tdb",
        "s3://bucket/array",
        "C:\\data\\array",
      ]
    ) assertEquals(redactUri(uri), uri)
  })
})

describe("redactText", () => {
  it("redacts every URL in running text, and nothing else", () => {
    assertEquals(
      redactText(
        'error sending request for url (https://host/a?sig=SECRET): refused; see http://b:SECRET@c/d, or "ftp://e?SECRET".',
      ),
      'error sending request for url (https://host/a?…): refused; see http://…@c/d, or "ftp://e?…".',
    )
    assertEquals(redactText("https://host/a?sig=SECRET: not found"), "https://host/a?…: not found")
    assertEquals(redactText('a \\"https://h/a?x=\\"SECRET\\""'), 'a \\"https://h/a?…"')
    assertEquals(redactText("is a > 1? or b@c # d"), "is a > 1? or b@c # d")
  })

  it("is idempotent", () => {
    const urls = FastCheck.array(
      FastCheck.constantFrom(
        "https://",
        "http:",
        "s3://",
        "u:p@",
        "host",
        "/",
        "?",
        "#",
        "=",
        "&",
        "a",
        " ",
        '"',
        "__schema",
        "mem://",
        "…",
        "\\",
        ")",
      ),
    )
    FastCheck.assert(FastCheck.property(urls, (parts) => {
      for (const redact of [redactUri, redactText]) {
        const once = redact(parts.join(""))
        assertEquals(redact(once), once)
      }
    }))
  })

  it("never shows the values of a query, the fragment or the user info, in any surrounding text", () => {
    const word = FastCheck.stringMatching(/^[A-Za-z0-9._~%+-]{0,12}$/)
    const around = FastCheck.stringMatching(/^[ (,;"a-z]{0,8}$/)
    const scheme = FastCheck.constantFrom("http", "https", "HTTPS", "s3", "azure", "gs", "ftp")
    FastCheck.assert(FastCheck.property(around, scheme, word, word, around, (before, urlScheme, name, value, after) => {
      for (
        const url of [
          `${urlScheme}://host/${name}?sig=CANARY${value}`,
          `${urlScheme}://host/${name}?${name}&a=${value}CANARY/__schema/${name}`,
          `${urlScheme}://host/${name}#CANARY${value}`,
          `${urlScheme}://user:CANARY${value}@host/${name}?x=${value}CANARY#CANARY`,
        ]
      ) {
        assert(!redactText(`${before} ${url} ${after}`).includes("CANARY"), url)
        assert(!redactUri(url).includes("CANARY"), url)
      }
    }))
  })

  it("takes time proportional to the length of the text", () => {
    const started = performance.now()
    for (const part of ["a", "a.", "://", "http://", "https://a?b=c/", ")", "@:/", "?", "a:/", "/__"]) {
      redactText(part.repeat(200_000 / part.length))
      redactUri(`https://host/${part.repeat(200_000 / part.length)}`)
      redactUri(`https://host?${part.repeat(200_000 / part.length)}`)
      redactText(`https://${part.repeat(200_000 / part.length)}x y`)
    }
    const took = performance.now() - started
    assert(took < 5000, `${took} ms`)
  })
})

describe("secretsOf", () => {
  it("lists the secret parts of a URI, the longest first", () => {
    assertEquals(secretsOf("https://user:password@host/a?sig=S%2Fecretly&v=1/__schema"), [
      "sig=S%2Fecretly&v=1",
      "sig=S/ecretly&v=1",
      "user:password",
      "S%2Fecretly",
      "S/ecretly",
      "password",
    ])
    assertEquals(secretsOf("mem://a?sig=something"), [])
    assertEquals(secretsOf("a/path"), [])
  })
})
