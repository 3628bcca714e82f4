/**
 * A row of CSV text that is much longer than usual. It arrives in pieces, and each character is parsed once: papaparse
 * would parse the whole row again with each piece, which takes quadratic time.
 *
 * @module
 */
/** The cells of a row; `null` for those that are. */
export type CsvRow = Array<string | null>

/** What is found once a row is complete. */
export interface CompleteRow {
  readonly row: CsvRow
  /** Why it is not a valid row. */
  readonly problem: "MissingQuotes" | "InvalidQuotes" | undefined
  /** The text after the row and its line ending. */
  readonly rest: string
}

/** Cells or parts of cells between two yields. */
const STEP = 1 << 12
/** Characters between two yields. */
const CHARACTERS = 1 << 16

const LINE_FEED = 10
const RETURN = 13

/** Reads one row. `none` is the text of cells that are null. */
export class LongRow {
  readonly #delimiter: number
  readonly #none: string
  readonly #cells: CsvRow = []
  /** The cell at hand: whole blocks of it, and parts of the next block. */
  #blocks: Array<string> = []
  #parts: Array<string> = []
  #state: "start" | "plain" | "quotes" | "closed" = "start"
  #quoted = false
  #problem: CompleteRow["problem"]
  /** Text whose meaning depends on what follows. */
  #buffered = ""
  /** Characters so far. */
  length = 0

  constructor(delimiter: string, none: string) {
    this.#delimiter = delimiter.charCodeAt(0)
    this.#none = none
  }

  #add(part: string): void {
    if (part === "") return
    this.#parts.push(part)
    if (this.#parts.length < STEP) return
    this.#blocks.push(this.#parts.join(""))
    this.#parts = []
  }

  #endCell(): void {
    const cell = this.#blocks.length > 0 || this.#parts.length > 1
      ? [...this.#blocks, ...this.#parts].join("")
      : this.#parts[0] ?? ""
    // an empty text in quotes is a text, unless null is written as some other text
    this.#cells.push(cell === this.#none && !(this.#quoted && cell === "") ? null : cell)
    this.#blocks.length = 0
    this.#parts.length = 0
    this.#quoted = false
    this.#state = "start"
  }

  #isEnd(code: number): boolean {
    return code === this.#delimiter || code === LINE_FEED || code === RETURN
  }

  /** Takes the next piece of text; `undefined` as long as the row goes on. */
  *feed(piece: string, last: boolean): Generator<void, CompleteRow | undefined, void> {
    const text = this.#buffered + piece
    this.#buffered = ""
    this.length += piece.length
    let at = 0
    const complete = (rest: string): CompleteRow => ({ row: this.#cells, problem: this.#problem, rest })
    for (let steps = 1, due = CHARACTERS;; steps++) {
      if (steps % STEP === 0 || at >= due) {
        due = at + CHARACTERS
        yield
      }
      if (at >= text.length) {
        if (!last) return undefined
        if (this.#state === "quotes") this.#problem ??= "MissingQuotes"
        this.#endCell()
        return complete("")
      }
      switch (this.#state) {
        case "start":
          this.#quoted = text[at] === '"'
          this.#state = this.#quoted ? "quotes" : "plain"
          if (this.#quoted) at++
          break
        case "plain": {
          const to = Math.min(text.length, at + CHARACTERS)
          let end = at
          while (end < to && !this.#isEnd(text.charCodeAt(end))) end++
          this.#add(text.slice(at, end))
          at = end
          if (end < to) this.#state = "closed"
          break
        }
        case "quotes": {
          const quote = text.indexOf('"', at)
          if (quote < 0) {
            this.#add(text.slice(at))
            at = text.length
            break
          }
          if (text[quote + 1] === '"') {
            this.#add(text.slice(at, quote + 1))
            at = quote + 2
            break
          }
          // blanks may follow a closing quote
          let end = quote + 1
          while (end < text.length && !this.#isEnd(text.charCodeAt(end)) && text[end].trim() === "") end++
          this.#add(text.slice(at, quote))
          if (end === text.length && !last) {
            this.#buffered = text.slice(quote)
            return undefined
          }
          if (end === text.length || this.#isEnd(text.charCodeAt(end))) {
            this.#state = "closed"
            at = end
          } else {
            this.#problem ??= "InvalidQuotes"
            this.#add('"')
            at = quote + 1
          }
          break
        }
        case "closed": {
          const code = text.charCodeAt(at)
          if (code === RETURN && at + 1 === text.length && !last) {
            // half of a line ending, perhaps
            this.#buffered = "\r"
            return undefined
          }
          this.#endCell()
          if (code === this.#delimiter) {
            at++
            break
          }
          return complete(text.slice(at + (code === RETURN && text.charCodeAt(at + 1) === LINE_FEED ? 2 : 1)))
        }
      }
    }
  }
}
