import { describe, it } from "node:test"
import { assert, assertEquals } from "@std/assert"
import * as fc from "effect/FastCheck"
import { cellText } from "../../../src/cli/print/cell_text.ts"
import { layOutTable, textTable } from "../../../src/cli/print/text_table.ts"
import { cut, printable, textWidth } from "../../../src/cli/print/text_width.ts"
import type { Column } from "../../../src/query/column/column.ts"

describe("tables", () => {
  it("are aligned, and long cells are cut", () => {
    const rows = [["a", "1", "a long text that has no room at all"], ["bb", "12345", "短い"]]
    assertEquals(
      [...textTable(["name", "n", "text"], rows, 30, ["n"])].join(""),
      [
        "name      n  text",
        "──────────────────────────────",
        "a         1  a long text that…",
        "bb    12345  短い",
        "",
      ].join("\n"),
    )
  })

  it("are never wider than the terminal", () => {
    const cell = fc.oneof(fc.string(), fc.fullUnicodeString(), fc.stringMatching(/^[a-z ]{0,60}$/)).map(printable)
    const table = fc.integer({ min: 1, max: 6 }).chain((n) =>
      fc.array(fc.array(cell, { minLength: n, maxLength: n }), { maxLength: 4 }).map((rows) => ({ n, rows }))
    )
    fc.assert(fc.property(table, fc.integer({ min: 20, max: 100 }), ({ n, rows }, width) => {
      const titles = Array.from({ length: n }, (_, i) => `column ${i}`)
      for (const line of textTable(titles, rows, width)) assert(textWidth(line.replace(/\n$/, "")) <= width, line)
    }))
  })

  it("omit columns before they cut a number", () => {
    const column = (title: string) => ({
      title,
      align: "right" as const,
      cell: (row: number) => String(10 ** 14 + row),
    })
    const { hidden, lines } = layOutTable(["a", "b", "c", "d"].map(column), 1, 40)
    const text = [...lines]
    assertEquals(hidden, 2)
    assertEquals(text[2], "100000000000000  100000000000000  …\n")
  })
})

describe("text", () => {
  it("has no control characters", () => {
    assertEquals(printable("a\nb\tc\u001b[0m\u202ed\u2028"), "a\\nb\\tc\\u{1b}[0m\\u{202e}d\\u{2028}")
    assertEquals(printable("grüße 日本 é 🎉"), "grüße 日本 é 🎉")
    // deno-lint-ignore no-control-regex
    fc.assert(fc.property(fc.fullUnicodeString(), (text) => !/[\x00-\x1f\x7f-\x9f]/.test(printable(text))))
  })

  it("is cut by its display width", () => {
    assertEquals(cut("abcdef", 6), "abcdef")
    assertEquals(cut("abcdefg", 6), "abcde…")
    assertEquals(cut("日本語日本語", 6), "日本…")
    assertEquals([textWidth("日本"), textWidth("e\u0301"), textWidth("🎉"), textWidth("ab")], [4, 1, 2, 2])
    assertEquals([textWidth("⌚"), textWidth("🪐"), textWidth("✅"), textWidth("𖿠"), textWidth("ｱ")], [2, 2, 2, 2, 1])
  })
})

describe("cells as text", () => {
  const column = (type: Column["type"], values: Column["values"], more: Partial<Column> = {}): Column => ({
    name: "c",
    type,
    cellValNum: 1,
    length: values.length,
    values,
    ...more,
  })
  const texts = (c: Column) => Array.from({ length: c.length }, (_, i) => cellText(c)(i))

  it("are printed in a readable form", () => {
    assertEquals(texts(column("float32", Float32Array.of(0.1, -2.5, NaN, Infinity, 16777216, -0))), [
      "0.1",
      "-2.5",
      "NaN",
      "Infinity",
      "16777216",
      "-0",
    ])
    assertEquals(texts(column("datetime_day", BigInt64Array.of(0n, -(2n ** 63n)))), ["1970-01-01", "NaT"])
    assertEquals(texts(column("time_sec", BigInt64Array.of(3661n))), ["01:01:01"])
    assertEquals(texts(column("bool", Uint8Array.of(0, 1, 7))), ["false", "true", "7"])
    assertEquals(texts(column("uint64", BigUint64Array.of(2n ** 64n - 1n))), ["18446744073709551615"])
    assertEquals(texts(column("int32", Int32Array.of(1, 2), { validity: Uint8Array.of(1, 0) })), ["1", "null"])
    assertEquals(texts(column("int32", Int32Array.of(1, 2, 3, 4), { cellValNum: 2, length: 2 })), ["[1, 2]", "[3, 4]"])
    const offsets = Uint32Array.of(0, 2, 2)
    assertEquals(texts(column("string_utf8", Uint8Array.of(0x61, 0x0a), { cellValNum: "var", length: 2, offsets })), [
      "a\\n",
      "",
    ])
    assertEquals(texts(column("blob", Uint8Array.of(1, 255), { cellValNum: "var", length: 2, offsets })), [
      "0x01ff",
      "0x",
    ])
    assertEquals(texts(column("float32", Float32Array.of(0.1, 2), { cellValNum: "var", length: 2, offsets })), [
      "[0.1, 2]",
      "[]",
    ])
  })

  it("of float32 are the shortest that convert back", () => {
    fc.assert(fc.property(fc.float(), (value) => {
      const [text] = texts(column("float32", Float32Array.of(value)))
      assert(Object.is(Math.fround(Number(text)), value), text)
      assert(value === 0 || text.length <= String(value).length, text)
    }))
  })
})
