/**
 * Parses `--agg` with the fields of the array.
 */
import type { Aggregate, AggregateKind, Aggregates } from "../../query/aggregate/aggregate.ts"
import { UsageError } from "./usage_error.ts"

/** Aggregates by the names that TileDB-Py uses. */
const kinds: Readonly<Record<string, AggregateKind>> = {
  count: "count",
  sum: "sum",
  min: "min",
  max: "max",
  mean: "mean",
  null_count: "nullCount",
}

const fail = (text: string, reason: string): never => {
  throw new UsageError({ detail: `--agg ${JSON.stringify(text)}: ${reason}` })
}

/**
 * Returns the name in the parentheses that open at `from`. Names may contain any character, so the longest matching
 * name is returned.
 */
const nameAt = (names: ReadonlySet<string>, text: string, from: number): string => {
  const fits = (name: string): boolean => {
    const end = from + name.length
    return text.startsWith(name, from) && text[end] === ")" && (end + 1 === text.length || text[end + 1] === ",")
  }
  const match = [...names].filter(fits).reduce<string | undefined>(
    (longest, name) => longest !== undefined && longest.length >= name.length ? longest : name,
    undefined,
  )
  if (match !== undefined) return match
  const end = text.indexOf(")", from)
  if (end < 0) return fail(text, `character ${from}: the parenthesis is not closed`)
  const name = text.slice(from, end)
  return name === "" ? fail(text, `character ${from + 1}: a field is missing, as in sum(a)`) : name
}

/** Parses all `--agg` options. Returns aggregates by their text. Throws {@link UsageError}. */
export const parseAggregates = (names: ReadonlySet<string>, texts: ReadonlyArray<string>): Aggregates => {
  const match: Record<string, Aggregate> = {}
  for (const text of texts) {
    for (let at = 0; at < text.length;) {
      const [word] = /^[^(,]*/.exec(text.slice(at))!
      const kind = Object.hasOwn(kinds, word.trim()) ? kinds[word.trim()] : undefined
      if (kind === undefined) {
        const all = Object.keys(kinds).map((name) => name === "count" ? name : `${name}(FIELD)`).join(", ")
        return fail(text, `character ${at + 1}: there is no ${JSON.stringify(word.trim())}; there are ${all}`)
      }
      let end = at + word.length
      let field = ""
      if (kind !== "count") {
        if (text[end] !== "(") fail(text, `character ${end + 1}: name the field: ${word.trim()}(FIELD)`)
        field = nameAt(names, text, end + 1)
        end += field.length + 2
        if (!names.has(field)) field = field.trim()
      }
      if (end < text.length && text[end] !== ",") fail(text, `character ${end + 1}: a comma should stand here`)
      const title = text.slice(at, end).trim()
      if (Object.hasOwn(match, title)) fail(text, `${title} is repeated`)
      match[title] = { kind, field }
      at = end + 1
    }
  }
  return match
}
