/**
 * Finds names that are similar to a misspelled one.
 *
 * @module
 */

/**
 * Returns the number of letters to insert, remove, replace or exchange to convert one word to the other; 3 for all
 * larger numbers.
 */
const distance = (a: string, b: string): number => {
  if (Math.abs(a.length - b.length) > 2) return 3
  const rows = [Array.from({ length: b.length + 1 }, (_, i) => i)]
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const replaced = rows[i - 1][j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1)
      const exchanged = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? rows[i - 2][j - 2] + 1 : 3
      row.push(Math.min(rows[i - 1][j] + 1, row[j - 1] + 1, replaced, exchanged))
    }
    rows.push(row)
  }
  return Math.min(rows[a.length][b.length], 3)
}

/** Maximum length of a word that is compared. */
const MAX_LENGTH = 64

/** Returns the names that differ from a word in at most two letters, or in one if the word is short. */
export const nearestNames = (word: string, names: ReadonlyArray<string>): ReadonlyArray<string> =>
  word.length > MAX_LENGTH ? [] : names.filter((name) => {
    const same = name.toLowerCase() === word.toLowerCase()
    return same || distance(word, name) <= (word.length > 3 ? 2 : word.length > 1 ? 1 : 0)
  })
