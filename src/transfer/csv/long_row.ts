/**
 * Parses a row of CSV text that is much longer than usual. The row arrives in pieces, and each character is parsed
 * once: papaparse would parse the whole row again with each piece, which takes quadratic time.
 *
 * @module
 */
/** The cells of a row; `null` for null cells. */
export type CsvRow = Array<string | null>

/** A complete row. */
export interface CompleteRow {
  readonly row: CsvRow
  /** Why the row is invalid; `undefined` for a valid row. */
  readonly problem: "MissingQuotes" | "InvalidQuotes" | undefined
  /** The text after the row and its line ending. */
  readonly rest: string
}

/** Number of parts of a cell that are joined to a block, and of parts between two yields. */
const STEP_PARTS = 1 << 12
/** Number of characters between two yields. */
const STEP_CHARACTERS = 1 << 16

const LINE_FEED = 10
const CARRIAGE_RETURN = 13

/** Parses one row. `none` is the text of null cells. */
export class LongRow {
  readonly #delimiter: number
  readonly #none: string
  readonly #cells: CsvRow = []
  /** The current cell: joined blocks, and the parts of the next block. */
  #blocks: Array<string> = []
  #parts: Array<string> = []
  #state: "start" | "plain" | "quotes" | "closed" = "start"
  #quoted = false
  #problem: CompleteRow["problem"]
  /** Text whose meaning depends on the next character. */
  #buffered = ""
  /** Number of characters so far. */
  length = 0

  constructor(delimiter: string, none: string) {
    this.#delimiter = delimiter.charCodeAt(0)
    this.#none = none
  }

  #add(part: string): void {
    if (part === "") return
    this.#parts.push(part)
    if (this.#parts.length < STEP_PARTS) return
    this.#blocks.push(this.#parts.join(""))
    this.#parts = []
  }

  #endCell(): void {
    const cell = this.#blocks.length > 0 || this.#parts.length > 1
      ? [...this.#blocks, ...this.#parts].join("")
      : this.#parts[0] ?? ""
    // an empty text in quotes is not null, even if empty cells are null
    this.#cells.push(cell === this.#none && !(this.#quoted && cell === "") ? null : cell)
    this.#blocks.length = 0
    this.#parts.length = 0
    this.#quoted = false
    this.#state = "start"
  }

  #isEnd(code: number): boolean {
    return code === this.#delimiter || code === LINE_FEED || code === CARRIAGE_RETURN
  }

  /** Parses the next piece of text. Returns `undefined` as long as the row is incomplete. */
  *feed(piece: string, last: boolean): Generator<void, CompleteRow | undefined, void> {
    const text = this.#buffered + piece
    this.#buffered = ""
    this.length += piece.length
    let at = 0
    const complete = (rest: string): CompleteRow => ({ row: this.#cells, problem: this.#problem, rest })
    for (let steps = 1, due = STEP_CHARACTERS;; steps++) {
      if (steps % STEP_PARTS === 0 || at >= due) {
        due = at + STEP_CHARACTERS
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
          const to = Math.min(text.length, at + STEP_CHARACTERS)
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
          // skip blanks after a closing quote
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
          if (code === CARRIAGE_RETURN && at + 1 === text.length && !last) {
            // the carriage return may be half of a line ending
            this.#buffered = "\r"
            return undefined
          }
          this.#endCell()
          if (code === this.#delimiter) {
            at++
            break
          }
          return complete(text.slice(at + (code === CARRIAGE_RETURN && text.charCodeAt(at + 1) === LINE_FEED ? 2 : 1)))
        }
      }
    }
  }
}
