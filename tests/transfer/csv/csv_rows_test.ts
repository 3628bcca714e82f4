/** Parsing CSV text into rows: for any cells, and text that is cut anywhere. */
import { describe, it } from "node:test"
import { assert, assertEquals } from "@std/assert"
import * as FastCheck from "effect/FastCheck"
import { type CsvForm, type CsvRow, loadCsvReader } from "../../../src/transfer/csv/csv_rows.ts"

/** Parses text in chunks of these sizes. */
const read = async (text: string, sizes: ReadonlyArray<number> = [text.length + 1], form: CsvForm = {}) => {
  const next = await loadCsvReader(form)
  const rows: Array<CsvRow> = []
  let problem: { readonly row: number; readonly reason: string } | undefined
  for (let at = 0, k = 0, last = false; !last; k++) {
    const end = at + sizes[k % sizes.length]
    last = end >= text.length
    const parsed = next(text.slice(at, end), last)
    rows.push(...parsed.rows)
    problem ??= parsed.problem
    at = end
  }
  return { rows, problem }
}

const cell = FastCheck.oneof(
  FastCheck.constant(null),
  FastCheck.constantFrom("", "a", '"', "a,b", "x\ny", "x\r\ny", '""', " ", "é𝄞", "\r", "NULL", "1"),
  FastCheck.string({ maxLength: 4 }),
)

const table = FastCheck.integer({ min: 1, max: 4 }).chain((width) =>
  FastCheck.array(FastCheck.array(cell, { minLength: width, maxLength: width }), { minLength: 1, maxLength: 8 })
)

const written = (cells: ReadonlyArray<ReadonlyArray<string | null>>, delimiter: string, newline: string, end: string) =>
  cells.map((row) =>
    row.map((text) =>
      text === null
        ? ""
        : text === "" || /["\r\n]/.test(text) || text.includes(delimiter)
        ? `"${text.replaceAll('"', '""')}"`
        : text
    ).join(delimiter)
  ).join(newline) + end

describe("rows of CSV", () => {
  it("are parsed to the written cells, in chunks of any size", async () => {
    await FastCheck.assert(
      FastCheck.asyncProperty(
        table,
        FastCheck.constantFrom(",", ";", "\t", "|"),
        FastCheck.constantFrom("\n", "\r\n"),
        FastCheck.array(FastCheck.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 4 }),
        async (cells, delimiter, newline, sizes) => {
          const text = written(cells, delimiter, newline, newline)
          assertEquals(await read(text, sizes, { delimiter }), { rows: cells, problem: undefined })
        },
      ),
      { numRuns: 400 },
    )
  })

  it("may end with any line ending or none", async () => {
    const rows = [["a", "b"], ["1", null]]
    for (const newline of ["\n", "\r\n", "\r"]) {
      for (const end of ["", newline]) {
        assertEquals((await read(written(rows, ",", newline, end), [1])).rows, rows, JSON.stringify([newline, end]))
      }
    }
    assertEquals((await read("")).rows, [])
    assertEquals((await read("a")).rows, [["a"]])
    // with a single column, an empty line is a null
    assertEquals((await read("a\n\n1\n\n")).rows, [["a"], [null], ["1"], [null]])
  })

  it("may have different line endings, also at chunk borders, and quoted ones are kept", async () => {
    const text = 'a,b\r\n1,x\n"\r\n""\r","\n"\r5\'6"\r,"y"\r\n\r\n"",z'
    const rows = [["a", "b"], ["1", "x"], ['\r\n"\r', "\n"], ["5'6\""], [null, "y"], [null], ["", "z"]]
    for (const sizes of [[1], [2], [3], [5, 1], [text.length + 1]]) {
      assertEquals(await read(text, sizes), { rows, problem: undefined }, `${sizes}`)
      assertEquals((await read(text + "\r", sizes)).rows, rows, `${sizes}`)
    }
  })

  it("may start with a byte order mark", async () => {
    for (const sizes of [[1], [9]]) {
      assertEquals((await read('\ufeff"a",\ufeffb\n', sizes)).rows, [["a", "\ufeffb"]])
    }
  })

  it("use the text of the null option for nulls", async () => {
    assertEquals((await read('a,"",NA,\n', [3], { null: "NA" })).rows, [["a", "", null, ""]])
  })

  it("keep blanks, and accept blanks after closing quotes", async () => {
    assertEquals((await read('" a ", b ,"" ,""\n')).rows, [[" a ", " b ", "", ""]])
  })

  it("report the number and the reason of an invalid row", async () => {
    const open = await read('a,b\n1,"2\n3,4\n', [5])
    assert(open.problem !== undefined)
    assertEquals([open.problem.row, open.problem.reason], [1, "a quote is opened and never closed"])
    const afterQuote = await read('a,b\n"1"x,2\n')
    assert(afterQuote.problem !== undefined)
    assertEquals(afterQuote.problem.row, 1)
    assert(afterQuote.problem.reason.startsWith("text follows a closing quote"), afterQuote.problem.reason)
  })

  it("fail if they are too long, instead of buffering without limit", async () => {
    const next = await loadCsvReader()
    const piece = '"' + "x".repeat(2 ** 24 - 1)
    let problem
    for (let i = 0; i < 4 && problem === undefined; i++) {
      problem = next(piece.replaceAll('"', i === 0 ? '"' : "x"), false).problem
    }
    assert(problem !== undefined && problem.row === 0, String(problem?.row))
  })
})
