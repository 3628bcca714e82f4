/**
 * Generates escaped HTML and SVG. Names come from files, so all text is escaped by {@link text}.
 */

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
}

/** Control characters and characters that change the direction of text. */
// deno-lint-ignore no-control-regex
const hidden = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g

/** Escapes text for HTML, and shortens it to at most `max` characters. */
export const text = (value: string, max = 200): string => {
  const short = value.length > max ? `${value.slice(0, max)}…` : value
  return short.replace(hidden, "\ufffd").replace(/[&<>"']/g, (char) => entities[char])
}

/** Formats a coordinate of a drawing with two decimals. */
export const px = (value: number): string => String(Math.round(value * 100) / 100)

/** Returns a number with thousands separators. */
export const groupedCount = (value: number): string => value.toLocaleString("en-US")

const units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"]

/** Formats a size in bytes with three digits. */
export const byteCountText = (bytes: number): string => {
  let [value, unit] = [bytes, 0]
  for (; value >= 1024 && unit < units.length - 1; unit++) value /= 1024
  return `${unit === 0 || value >= 100 ? Math.round(value) : value.toPrecision(3)} ${units[unit]}`
}

/** Minimum time that is shown as a date (in 1973); smaller times are probably counters. */
const MIN_SHOWN_DATE = 1e11

/** Formats a time in milliseconds as a date. */
export const utcText = (time: number): string =>
  time < MIN_SHOWN_DATE || time > 8.64e15
    ? groupedCount(time)
    : new Date(time).toISOString().replace("T", " ").replace(/(:00)?\.000Z$/, "").replace(/Z$/, "")

/** Returns a table. Cells are HTML; columns in `numbers` are aligned to the right. */
export const table = (
  head: ReadonlyArray<string>,
  rows: ReadonlyArray<ReadonlyArray<string>>,
  numbers: ReadonlyArray<number> = [],
): string => {
  const cells = (row: ReadonlyArray<string>, tag: string): string =>
    row.map((cell, i) => `<${tag}${numbers.includes(i) ? ' class="n"' : ""}>${cell}</${tag}>`).join("")
  return `<div class="scroll"><table><thead><tr>${cells(head, "th")}</tr></thead><tbody>${
    rows.map((row) => `<tr>${cells(row, "td")}</tr>`).join("\n")
  }</tbody></table></div>`
}

/** Shortens a bound of a range to at most seven decimals. */
export const shortBound = (bound: string): string =>
  /^-?\d+\.\d{6,}$/.test(bound) ? String(Number(Number(bound).toPrecision(7))) : bound

/** Formats a range as `low … high`. */
export const boundsText = ([low, high]: readonly [low: string, high: string], max?: number): string =>
  text(`${shortBound(low)} … ${shortBound(high)}`, max)
