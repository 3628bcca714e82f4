/** The bundle puts functions in parentheses without changing their behaviour. */
import { describe, it } from "node:test"
import { assertEquals } from "@std/assert"
import { inParentheses, withoutRequire } from "../../bundle/cli.ts"

/** Returns the code with these parts in parentheses, if they were called. */
const marked = (code: string, pieces: ReadonlyArray<string>, count = 1): string =>
  inParentheses(
    code,
    pieces.map((piece) => {
      const startOffset = code.indexOf(piece)
      return { ranges: [{ startOffset, endOffset: startOffset + piece.length, count }] }
    }),
  )

describe("the bundle", () => {
  it("puts called expressions in parentheses, nested and in sequence", () => {
    const inner = "async y=>y+x"
    const outer = `(x,z=(1))=>${inner}`
    assertEquals(marked(`f(${outer},a=>a)`, [outer, inner, "a=>a"]), `f(((x,z=(1))=>(${inner})),(a=>a))`)
    assertEquals(
      marked("a=function(){return function*(){}}", ["function(){return function*(){}}", "function*(){}"]),
      "a=(function(){return (function*(){})})",
    )
  })

  it("does not change declarations, methods and functions that were not called", () => {
    for (const piece of ["function f(){}", "m(a){}", "get g(){}", "[k](){}", "async n(){}", "class A{}"]) {
      for (const before of ["", ";", "{", "}"]) assertEquals(marked(before + piece, [piece]), before + piece)
    }
    assertEquals(marked("f(()=>1)", ["()=>1"], 0), "f(()=>1)")
    // strings are not parsed, but do no harm
    for (const piece of ['(a=")")=>a', '(a="(")=>a']) assertEquals(marked(`f(${piece})`, [piece]), `f(${piece})`)
  })

  it("keeps the names of functions", () => {
    const code = "const a=()=>1,o={b:function(){}};let c;c??=x=>x;return [a,o.b,c].map(f=>f.name)"
    const names = (text: string): unknown => new Function(text)()
    const markedCode = marked(code, ["()=>1", "function(){}", "x=>x"])
    assertEquals(markedCode, "const a=(()=>1),o={b:(function(){})};let c;c??=(x=>x);return [a,o.b,c].map(f=>f.name)")
    assertEquals(names(markedCode), names(code))
  })

  it("loads Node's modules on first use", () => {
    const head = 'var a=1;import{createRequire as __deno_x} from "node:module";var b=__deno_x(import.meta.url);var c=2'
    const require = 'var b=e=>process.getBuiltinModule("node:module").createRequire(import.meta.url)(e);'
    assertEquals(withoutRequire(head), `var a=1;${require}var c=2`)
    assertEquals(withoutRequire("var a=1"), "var a=1")
  })
})
