/** Arguments are split like in Node's own parser. */
import * as fc from "effect/FastCheck"
import { describe, it } from "node:test"
import { parseArgs } from "node:util"
import { assertEquals } from "@std/assert"
import { argumentTokens } from "../../../src/cli/parse/tokens.ts"

const known = { select: "string", range: "string", json: "boolean" } as const
const options = Object.fromEntries(Object.entries(known).map(([name, type]) => [name, { type }]))
const takesValue = (name: string): boolean =>
  Object.hasOwn(known, name) && known[name as "json"] !== "boolean" as string

const words = fc.constantFrom(
  ...[
    "a",
    "",
    "-",
    "--",
    "--select",
    "--range",
    "--json",
    "--nope",
    "--select=",
    "--range=x=1:5",
    "--json=1",
    "--nope=--",
  ],
  ...["--=x", "---x", "-h", "-x", "-1", "--no-json", "--__proto__", "--toString", "x=y"],
)

describe("arguments", () => {
  it("are split like in parseArgs of Node", () => {
    fc.assert(
      fc.property(fc.array(words, { maxLength: 6 }), (args) => {
        const theirs = parseArgs({ args, options, strict: false, allowPositionals: true, tokens: true }).tokens
          .filter((token) => token.kind !== "option-terminator")
          .map((token) =>
            token.kind === "positional"
              ? { kind: token.kind, index: token.index, value: token.value }
              : { kind: token.kind, index: token.index, name: token.name, value: token.value }
          )
        const ours = [...argumentTokens(args, takesValue)].map((token) =>
          token.kind === "positional" ? token : { ...token, value: token.value }
        )
        assertEquals(ours as unknown, theirs as unknown)
      }),
      { numRuns: 2000 },
    )
  })
})
