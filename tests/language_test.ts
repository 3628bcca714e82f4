/**
 * Rejects the phrases and identifiers of `support/phrases.ts` in sources, tests, scripts and documents. Help texts, error
 * messages and test names are strings in the sources, so that they are checked too.
 */
import { describe, it } from "node:test"
import { assert, assertEquals } from "@std/assert"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { identifiers, occurrencesIn, phrases, textFiles } from "./support/phrases.ts"
import { splitSource } from "./support/prose.ts"

const root = join(import.meta.dirname!, "..")
const occurrences = (path: string) => occurrencesIn(path, readFileSync(join(root, path), "utf8"))

describe("language", () => {
  it("has at least forty rejected phrases, each with an example and an alternative", () => {
    assert(phrases.length >= 40, `${phrases.length} phrases`)
    for (const { pattern, example, instead } of phrases) {
      assert(occurrencesIn("example.md", `${example}\n`).some(({ phrase }) => phrase.pattern === pattern), example)
      assert(occurrencesIn("example.ts", `const text = "${example}"\n`).length > 0, example)
      assert(instead.length > 0, example)
    }
    for (const { pattern, example } of identifiers) {
      assert(occurrencesIn("example.ts", `${example}\n`).some(({ phrase }) => phrase.pattern === pattern), example)
      assertEquals(
        occurrencesIn("example.ts", `// ${example}\n`).filter(({ phrase }) => phrase.pattern === pattern),
        [],
      )
    }
  })

  it("accepts plain sentences", () => {
    const plain = [
      "There is no limit. The array is no longer open.",
      "Dense arrays return the fill value for unwritten cells.",
      "Fails with `NotFound` if the file does not exist.",
      "Workers start with the first large read and stop when the layer closes.",
    ]
    assertEquals(plain.flatMap((text) => occurrencesIn("example.md", text)), [])
  })

  it("is plain in sources, tests and documents", () => {
    const lines = textFiles(root).flatMap((path) =>
      occurrences(path).map(({ line, text, phrase }) => `${path}:${line}: ${text} → ${phrase.instead}`)
    )
    assert(lines.length === 0, lines.join("\n"))
  })
})

describe("splitting sources", () => {
  const shown = (text: string): string => text.replace(/\0+/g, "|")

  it("separates comments and strings from code, and keeps offsets", () => {
    const source = [
      "/** First\n * line. */",
      'const a = "text" // note',
      "const b = `x ${call(`y ${c}`)} z`",
      "const d = 1 / 2 / 3",
      "const e = f.replace(/['\"`]/g, g)",
      "// one comment",
      "// of two lines",
    ].join("\n")
    const { prose, code } = splitSource("a.ts", source)
    assertEquals([prose.length, code.length], [source.length, source.length])
    assertEquals(prose.split("\n").length, source.split("\n").length)
    assertEquals(shown(code).split("\n").slice(2, 6), [
      'const a = "|" |',
      "const b = `|${call(`|${c}`)}|`",
      "const d = 1 / 2 / 3",
      "const e = f.replace(|, g)",
    ])
    assertEquals(/First\s+line\./.test(prose), true)
    assertEquals(/one comment\s+of two lines/.test(prose), true)
    assertEquals(["text", "note", "x ", " z", "y "].every((text) => prose.includes(text)), true)
    assertEquals(/const|call|replace/.test(prose), false)
  })

  it("ignores code in documents, except comments and strings of examples", () => {
    const text = 'Read `its` now:\n\n```ts\nits("a") // b\n```\n\n```sh\nits c\n```\n'
    const { prose } = splitSource("a.md", text)
    assertEquals(prose.length, text.length)
    assertEquals(prose.replace(/[\0\s]+/g, " "), "Read now: a b ")
  })
})
