/**
 * Detects the delimiter of CSV text by its first rows.
 */

/** Delimiters that can be detected; the first one is the default. */
const CANDIDATES = [",", "\t", ";", "|"] as const

/** Maximum number of rows that are compared. */
const MAX_ROWS = 100

/** Counts the cells of each row. Delimiters and line endings in quotes are ignored; empty lines are skipped. */
const cellCounts = (text: string, delimiter: string, whole: boolean): ReadonlyArray<number> => {
  const counts: Array<number> = []
  let [cells, quoted, isEmpty] = [1, false, true]
  for (let i = 0; i < text.length && counts.length < MAX_ROWS; i++) {
    const char = text[i]
    if (char === '"') quoted = !quoted
    else if (!quoted && (char === "\n" || char === "\r")) {
      if (!isEmpty) counts.push(cells)
      cells = 1
      isEmpty = true
      continue
    } else if (!quoted && char === delimiter) cells++
    isEmpty = false
  }
  // the last row may be incomplete
  const isLast = counts.length === 0 || whole
  if (isLast && !isEmpty && counts.length < MAX_ROWS) counts.push(cells)
  return counts
}

/**
 * Returns the delimiter for which most rows have the same number of cells as the first row. If several qualify,
 * returns the one with the most cells. Returns a comma for text with a single column. `whole` is true if the text is complete.
 */
export const detectDelimiter = (text: string, whole: boolean): string => {
  let best = { delimiter: CANDIDATES[0] as string, agreement: 0, cells: 1 }
  for (const delimiter of CANDIDATES) {
    const counts = cellCounts(text, delimiter, whole)
    const cells = counts[0] ?? 1
    if (cells < 2) continue
    const agreement = counts.filter((count) => count === cells).length / counts.length
    if (agreement > best.agreement || (agreement === best.agreement && cells > best.cells)) {
      best = { delimiter, agreement, cells }
    }
  }
  return best.delimiter
}

const NAMES: Readonly<Record<string, string>> = { ",": "comma", "\t": "tab", ";": "semicolon", "|": "pipe" }

/** Returns the name of a delimiter. */
export const delimiterName = (delimiter: string): string => NAMES[delimiter] ?? JSON.stringify(delimiter)
