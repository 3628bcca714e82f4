/**
 * Converts the line endings of CSV text: those of Unix, Windows and old Macs, which may be mixed, for example in files
 * that were concatenated.
 *
 * papaparse accepts one line ending for a whole text. csv-parse accepts several, but takes 2.5 to 4.7 times as long
 * (`csv_rows`).
 *
 * @module
 */

const withoutReturns = (text: string): string => text.includes("\r") ? text.replace(/\r\n?/g, "\n") : text

/**
 * Returns the text with a line feed after each row. Quoted text is not changed. A quote starts quoted text only at the
 * start of a cell. The text must start with a row.
 */
export const withLineFeeds = (text: string, delimiter: string): string => {
  if (!text.includes("\r")) return text
  const opens = (at: number): boolean => at === 0 || text[at - 1] === delimiter || /[\r\n]/.test(text[at - 1])
  let out = ""
  /** end of the text that `out` contains */
  let done = 0
  for (let quote = text.indexOf('"'); quote >= 0;) {
    if (!opens(quote)) {
      quote = text.indexOf('"', quote + 1)
      continue
    }
    let close = text.indexOf('"', quote + 1)
    while (close >= 0 && text[close + 1] === '"') close = text.indexOf('"', close + 2)
    const end = close < 0 ? text.length : close + 1
    out += withoutReturns(text.slice(done, quote)) + text.slice(quote, end)
    done = end
    quote = text.indexOf('"', end)
  }
  return out + withoutReturns(text.slice(done))
}
