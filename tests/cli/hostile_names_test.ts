/** Control characters in names and texts do not reach the terminal, and long ones are cut. */
import { describe, it } from "node:test"
import { assert, assertEquals, assertMatch } from "@std/assert"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { ArraySchema, Attr, Dim, Filter, Group, Sparse, TileArray } from "../../mod.ts"
import { CodecError, layerNative, makeMemoryStorage, StorageError, StorageService } from "../../platform/mod.ts"
import { InvalidOption, ResultTooLarge, SelectionError } from "../../mod.ts"
import { exitCodeOf, messageOf } from "../../src/cli/exit_code.ts"
import { progressLine } from "../../src/cli/print/progress.ts"
import { UsageError } from "../../src/cli/parse/usage_error.ts"
import { cli } from "./run_cli.ts"

const evil = "\x1b[31mred\x07\x9b2J\u202eevil\u2028\r\nline\x7f"
// deno-lint-ignore no-control-regex
const unsafe = /[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]/

const hostileFiles = async (): Promise<Map<string, Uint8Array>> => {
  const files = new Map<string, Uint8Array>()
  const layer = Layer.merge(Layer.succeed(StorageService, makeMemoryStorage(files)), layerNative)
  const schema = ArraySchema.sparse({
    dims: { [`x${evil}`]: Dim.ascii() },
    attrs: {
      [`t${evil}`]: Attr.utf8({ filters: [Filter.zstd()] }),
      [`n${evil}`]: Attr.int32(),
      [`u${evil}`]: Attr.utf16(),
    },
  })
  const program = Effect.gen(function* () {
    const array = yield* TileArray.create("mem://array", schema as never)
    yield* Sparse.write(array, {
      [`x${evil}`]: ["a", "b"],
      [`t${evil}`]: [evil, `${evil}${evil}`],
      [`n${evil}`]: [1, 2],
      [`u${evil}`]: [evil, "b"],
    } as never)
    yield* TileArray.putMetadata(array, { [`key${evil}`]: `value${evil}`, list: [1, 2, 3] })
    yield* Group.create("mem://group")
    yield* Group.add("mem://group", [
      { uri: "mem://array", type: "array", name: `member${evil}` },
      { uri: `mem://none${evil}`, type: "group", name: `group${evil}` },
    ])
    yield* Group.putMetadata("mem://group", { [`key${evil}`]: evil })
  })
  await Effect.runPromise(Effect.provide(program, layer))
  return files
}

describe("tables", () => {
  it("escape control characters in names, metadata and cells", async () => {
    const files = await hostileFiles()
    const shown: Array<string> = []
    for (
      const args of [
        ["ls", "mem://group"],
        ["tree", "mem://group"],
        ["schema", "mem://array"],
        ["domain", "mem://array"],
        ["fragments", "mem://array"],
        ["meta", "mem://array"],
        ["meta", "mem://group"],
        ["read", "mem://array"],
        ["read", "mem://array", "--explain"],
        ["read", "mem://array", "--agg", "count"],
        ["read", "mem://array", "--limit", "1"],
        ["read", "mem://array", "--memory", "100"],
        ["read", "mem://array", "--select", `${evil}`],
        ["read", "mem://array", "--where", `${evil} > 1`],
        ["read", "mem://array", "--range", `${evil}=1`],
        ["read", `mem://${evil}`],
        ["ls", `mem://${evil}`],
        [evil],
        ["read", "mem://array", evil],
        ["read", "mem://array", `--${evil}`],
        ["read", "mem://array", "--format", evil],
        ["import", `mem://${evil}.csv`, "mem://b"],
        ["publish", `mem://${evil}`],
      ]
    ) {
      const { out, err } = await cli(args, { files, columns: 300 })
      shown.push(out)
      assert(!unsafe.test(out), `${JSON.stringify(args)}: ${JSON.stringify(out)}`)
      assert(!unsafe.test(err), `${JSON.stringify(args)}: ${JSON.stringify(err)}`)
    }
    // escaped, not omitted
    assert(shown[0].includes("\\u{1b}[31mred"), shown[0])
  })

  it("contain the data unchanged in JSON and CSV, where cells with control characters are written as bytes", async () => {
    const files = await hostileFiles()
    const hex = Array.from(new TextEncoder().encode(evil), (byte) => byte.toString(16).padStart(2, "0")).join("")
    const { columns } = JSON.parse((await cli(["read", "mem://array", "--format", "json"], { files })).out)
    assertEquals(columns[`t${evil}`][0], { hex })
    const { out } = await cli(["read", "mem://array", "--format", "csv"], { files })
    assert(out.includes(`t${evil}`) && out.includes(`{""hex"":""${hex}""}`), out)
  })
})

describe("printed lines", () => {
  it("of errors have a limited length, and contain the advice", () => {
    const long = "x".repeat(1_000_000)
    const has = () => true
    const messages: ReadonlyArray<readonly [unknown, RegExp]> = [
      [new UsageError({ detail: long }), /characters left out/],
      [new InvalidOption({ uri: long, option: long, reason: "InvalidValue", detail: long }), /characters left out/],
      [new StorageError({ op: "read", uri: long, reason: "Denied", cause: new Error(long) }), /characters left out/],
      [new CodecError({ codec: "zstd", detail: long }), /characters left out/],
      [new Error(long), /^this is a bug in tessera.*characters left out/],
      [new ResultTooLarge({ uri: long, needed: 2, limit: 1 }), /select fewer cells with --range or --limit/],
      [
        new SelectionError({
          uri: long,
          field: long,
          reason: "OutOfBounds",
          detail: "no",
          hint: { _tag: "ClipRanges" },
        }),
        /, or add --clip$/,
      ],
      [
        new ResultTooLarge({
          uri: long,
          needed: 9,
          limit: 1,
          detail: long,
          hint: { _tag: "RaiseMemory", atLeast: 9 },
        }),
        /; set --memory to at least 9, or change --order$/,
      ],
    ]
    for (const [error, pattern] of messages) {
      const message = messageOf(error, has)!
      assert(message.length <= 2100, `${message.length}`)
      assertMatch(message, pattern)
    }
    assertEquals(exitCodeOf(messages[0][0]), 2)
  })

  it("of errors and of progress do not contain credentials", () => {
    const url = "https://user:SECRET@host/array?sig=SECRET"
    const texts = [
      messageOf(new Error(`defect at ${url}`)),
      messageOf(url),
      messageOf({ toString: () => url }),
      messageOf(Object.assign(new Error(url), { _tag: "Other" })),
      progressLine({ text: `${url}: 3 cells` }, 1000, false),
      progressLine({ text: `${url}: 3 cells`, part: 0.5 }, 1000, true),
    ]
    for (const text of texts) assert(text!.includes("https://…@host/array?…"), text)
    for (const text of texts) assert(!text!.includes("SECRET"), text)
  })
})
