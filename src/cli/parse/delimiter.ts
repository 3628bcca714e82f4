/**
 * `--delimiter`: the separator between CSV cells.
 */
import type { Request } from "./arguments.ts"
import { UsageError } from "./usage_error.ts"

const names: Readonly<Record<string, string>> = {
  tab: "\t",
  "\\t": "\t",
  comma: ",",
  semicolon: ";",
  pipe: "|",
  space: " ",
}

/** Returns the delimiter of a request, which is given as a character or by name. Throws {@link UsageError}. */
export const delimiterOf = (request: Request): string | undefined => {
  const text = request.text("delimiter")
  if (text === undefined) return undefined
  const delimiter = Object.hasOwn(names, text) ? names[text] : text
  if (delimiter.length === 1 && !'"\r\n'.includes(delimiter)) return delimiter
  throw new UsageError({
    detail: `--delimiter: give one character, or tab, semicolon, pipe; not ${JSON.stringify(text)}`,
  })
}
