/**
 * Splits a source file into the text that people read (comments, strings) and code. Both parts have the length of the
 * file and the same line breaks, so that an offset in one of them is an offset in the file.
 */

/** A file in two parts; characters of the other part are `\0`. */
export interface SplitSource {
  readonly prose: string
  readonly code: string
}

/** Characters after which a slash starts a regular expression, not a division. */
const beforeRegExp = /(?:^|[(,=:[!&|?{};+\-*%~^<>]|\b(?:return|typeof|case|in|of|do|else|void|await|yield))\s*$/

const blank = (text: string): string => text.replace(/[^\n]/g, "\0")

/** Splits TypeScript. Templates count as prose, the expressions in them as code; regular expressions are neither. */
export const splitTypeScript = (source: string): SplitSource => {
  let prose = ""
  let code = ""
  const addProse = (text: string, shown: string = text): void => {
    prose += shown
    code += blank(text)
  }
  const addCode = (text: string): void => {
    prose += blank(text)
    code += text
  }
  const skip = (text: string): void => {
    prose += blank(text)
    code += blank(text)
  }
  // open braces of each template expression that the position is in
  const braces: Array<number> = []
  let at = 0
  let inTemplate = false
  while (at < source.length) {
    const rest = source.slice(at, at + 2)
    const c = source[at]
    let end: number
    if (inTemplate) {
      end = at
      while (end < source.length && source[end] !== "`" && !source.startsWith("${", end)) {
        end += source[end] === "\\" ? 2 : 1
      }
      addProse(source.slice(at, end))
      if (source.startsWith("${", end)) {
        braces.push(0)
        addCode("${")
        end += 2
      } else {
        addCode("`")
        end += 1
      }
      inTemplate = false
    } else if (rest === "/*") {
      end = source.indexOf("*/", at + 2)
      end = end < 0 ? source.length : end + 2
      const text = source.slice(at, end)
      // the asterisk at the start of a line is not part of a sentence
      addProse(text, text.replace(/(\n *)\*(?!\/)/g, "$1 ").replace(/^\/\*\*?|\*\/$/g, (mark) => blank(mark)))
    } else if (rest === "//") {
      end = source.indexOf("\n", at)
      end = end < 0 ? source.length : end
      const text = source.slice(at, end)
      // a comment of several lines is one text: the indentation between its lines becomes blanks
      const gap = /\n[\n\0]*$/.exec(prose)
      const before = code.slice(0, code.length).trimEnd()
      const joined = gap !== null && /\0$/.test(before) && /^\s*$/.test(source.slice(at - (gap[0].length - 1), at)) &&
        /\/\/[^\n]*\n *$/.test(source.slice(Math.max(0, at - 400), at))
      if (joined) prose = prose.slice(0, prose.length - gap[0].length) + gap[0].replaceAll("\0", " ")
      addProse(text, `  ${text.slice(2)}`)
    } else if (c === '"' || c === "'") {
      end = at + 1
      while (end < source.length && source[end] !== c && source[end] !== "\n") end += source[end] === "\\" ? 2 : 1
      addCode(c)
      addProse(source.slice(at + 1, end))
      if (source[end] === c) {
        addCode(c)
        end += 1
      }
    } else if (c === "`") {
      addCode(c)
      inTemplate = true
      end = at + 1
    } else if (c === "/" && beforeRegExp.test(code.slice(-12).replaceAll("\0", ""))) {
      const literal = /^\/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\[\n])+\/\w*/.exec(source.slice(at, at + 2000))
      const text = literal?.[0] ?? c
      if (literal === null) addCode(text)
      else skip(text)
      end = at + text.length
    } else {
      if (braces.length > 0 && c === "{") braces[braces.length - 1]++
      if (braces.length > 0 && c === "}") {
        if (braces[braces.length - 1] === 0) {
          braces.pop()
          inTemplate = true
        } else braces[braces.length - 1]--
      }
      addCode(c)
      end = at + 1
    }
    at = end
  }
  return { prose, code }
}

/** Splits Markdown: inline code and code blocks are not prose, except comments and strings in TypeScript. */
export const splitMarkdown = (source: string): SplitSource => ({
  prose: source.replace(
    /^```(\w*)\n([\s\S]*?)^```|`[^`\n]*`/gm,
    (text: string, language: string | undefined, body: string) =>
      language === "ts" ? `${blank("```ts\n")}${splitTypeScript(body).prose}${blank("```")}` : blank(text),
  ),
  code: blank(source),
})

/** Splits a script whose comments start with `#`: all of it is prose, as its strings are. */
const splitScript = (source: string): SplitSource => ({ prose: source.replace(/^( *)#/gm, "$1 "), code: blank(source) })

/** Splits a file by the ending of its name. */
export const splitSource = (path: string, source: string): SplitSource =>
  path.endsWith(".md") ? splitMarkdown(source) : path.endsWith(".ts") ? splitTypeScript(source) : splitScript(source)
