import { describe, it } from "node:test"
import { assertEquals, assertMatch, assertThrows } from "@std/assert"
import { exitCodeOf, messageOf } from "../../src/cli/exit_code.ts"
import * as Effect from "effect/Effect"
import { CodecError, Codecs, layerPortable, StorageError } from "../../platform/mod.ts"
import { FormatError, NEWEST_VERSION } from "../../schema/mod.ts"
import { decodeArraySchema } from "../../schema/array/array_schema.ts"
import { decode } from "../../schema/binary/mod.ts"
import { FilterPipeline } from "../../schema/array/filter_pipeline.ts"
import { InvalidOption, ResultTooLarge } from "../../mod.ts"
import { packedCase } from "./packed_files.ts"
import { cli, type CliSettings } from "./run_cli.ts"

const fill = packedCase("v22/dense_fill")
const uri = "mem://v22/dense_fill/array"

/** Returns the case with some of its files changed; `undefined` removes a file. */
const changed = (which: RegExp, change: (bytes: Uint8Array) => Uint8Array | undefined): CliSettings => {
  let count = 0
  const files = new Map<string, Uint8Array>()
  for (const [name, bytes] of fill.files) {
    const now = which.test(name) ? change(bytes.slice()) : bytes
    if (now !== bytes) count++
    if (now !== undefined) files.set(name, now)
  }
  if (count === 0) throw new Error(`no file is ${which}`)
  return { files }
}

const outcome = async (args: ReadonlyArray<string>, settings: CliSettings): Promise<readonly [number, string]> => {
  const { code, out, err } = await cli(args, settings)
  assertEquals([out, err.split("\n").length], ["", 2], err)
  return [code, err]
}

describe("exit codes", () => {
  it("3: a missing array or group", async () => {
    for (const command of ["ls", "tree", "schema", "fragments", "meta", "read"]) {
      const [code, err] = await outcome([command, "mem://nothing"], {})
      assertEquals(code, 3)
      assertMatch(err, /^tessera: mem:\/\/nothing: there is no/)
    }
    const group = packedCase("v22/group")
    const [code, err] = await outcome(["read", "mem://v22/group/group"], { files: group.files })
    assertEquals(code, 3)
    assertMatch(err, /this is a group, not an array/)
  })

  it("4: no permission", async () => {
    const [code, err] = await outcome(["schema", uri], { files: fill.files, denied: /__schema$/ })
    assertEquals(code, 4)
    assertMatch(err, /__schema: cannot list: permission denied/)
  })

  it("5: damaged files", async () => {
    const cut = await outcome(["schema", uri], changed(/__schema\/__\d/, (bytes) => bytes.subarray(0, 40)))
    assertEquals(cut[0], 5)
    const tile = await outcome(["read", uri], changed(/a0\.tdb$/, (bytes) => bytes.fill(0x55, 8)))
    assertEquals(tile[0], 5)
    const short = await outcome(["read", uri], changed(/a0\.tdb$/, (bytes) => bytes.subarray(0, 9)))
    assertEquals(short[0], 5)
    for (const [, err] of [cut, tile, short]) assertMatch(err, /^tessera: mem:\/\/v22\/dense_fill\/array\//)
  })

  it("5: a committed fragment with a missing file", async () => {
    const removed = () => undefined
    for (
      const [command, file] of [["read", "a0.tdb"], ["read", "__fragment_metadata.tdb"], [
        "schema",
        "__fragment_metadata.tdb",
      ]]
    ) {
      const [code, err] = await outcome([command, uri], changed(new RegExp(`/${file.replace(".", "\\.")}$`), removed))
      assertEquals(code, 5)
      assertMatch(
        err,
        new RegExp(`__fragments/(__\\w+)/${file}: the committed fragment \\1 lacks its file ${file}; .*open .*again`),
      )
    }
  })

  it("2: an empty URI", async () => {
    for (const command of ["ls", "tree", "schema", "fragments", "meta", "read"]) {
      const [code, err] = await outcome([command, ""], {})
      assertEquals(code, 2)
      assertMatch(err, new RegExp(`^tessera: ${command}: name an array or group: tessera ${command} URI`))
    }
  })

  it("6: an unsupported format or scheme", async () => {
    const newer = await outcome(
      ["schema", uri],
      changed(/__schema\/__\d/, (bytes) => {
        bytes[0] = 99
        return bytes
      }),
    )
    assertEquals(newer[0], 6)
    assertMatch(newer[1], /format version 99 is newer than 23/)
    const scheme = await outcome(["ls", "s3://bucket/array"], {})
    assertEquals(scheme[0], 6)
    assertMatch(scheme[1], /scheme/)
  })

  it("follow from the error", () => {
    const pipeline = (...bytes: ReadonlyArray<number>) =>
      exitCodeOf(assertThrows(() => decode(FilterPipeline, Uint8Array.from(bytes), 22, "a"), FormatError))
    assertEquals(pipeline(0, 0), 5)
    // unknown filters of newer formats, and removed ones
    assertEquals(pipeline(0, 0, 1, 0, 1, 0, 0, 0, 20, 0, 0, 0, 0), 6)
    assertEquals(pipeline(0, 0, 1, 0, 1, 0, 0, 0, 17, 0, 0, 0, 0), 6)
    const version = (v: number) =>
      exitCodeOf(assertThrows(() => decodeArraySchema(new Uint8Array(Uint32Array.of(v).buffer), "a"), FormatError))
    assertEquals(version(22), 5)
    assertEquals(version(NEWEST_VERSION + 1), 6)
    assertEquals(version(0xffffffff), 6)
    // no release will ever have this version
    assertEquals(version(0x55555555), 5)
    assertEquals(exitCodeOf(new CodecError({ codec: "zstd", detail: "damaged" })), 5)
    // the field decides, not the text
    assertEquals(exitCodeOf(new CodecError({ codec: "webp", detail: "this codec layer has no WebP; provide it" })), 5)
    assertEquals(exitCodeOf(new CodecError({ codec: "webp", reason: "Missing", detail: "not here" })), 6)
    assertEquals(
      exitCodeOf(Effect.runSync(Effect.provide(Effect.flip(Effect.flatMap(Codecs, (c) => c.webp)), layerPortable))),
      6,
    )
    assertEquals(exitCodeOf(new StorageError({ op: "read", uri: "a", reason: "Truncated" })), 5)
    assertEquals(exitCodeOf(new StorageError({ op: "read", uri: "a", reason: "Unsupported" })), 6)
    assertEquals(exitCodeOf(new InvalidOption({ uri: "a", option: "at", reason: "InvalidValue", detail: "b" })), 2)
    assertEquals(exitCodeOf(new ResultTooLarge({ uri: "a", needed: 2, limit: 1 })), 1)
    assertEquals(exitCodeOf(new StorageError({ op: "list", uri: "a", reason: "Timeout" })), 1)
    assertEquals(exitCodeOf(new Error("oh")), 1)
    assertEquals(exitCodeOf(undefined), 1)
  })

  it("are printed with one line", () => {
    assertEquals(
      messageOf(new InvalidOption({ uri: "a", option: "at", reason: "InvalidValue", detail: "b\nc\u001b[31m" })),
      "a: at: b\\u000ac\\u001b[31m",
    )
    assertMatch(messageOf(new Error("oh"))!, /this is a bug in tessera, please report it: oh/)
    assertMatch(messageOf(new ResultTooLarge({ uri: "a", needed: 2, limit: 1 }))!, /--range or --limit/)
  })
})

describe("output", () => {
  it("to a closed pipe ends the command without a message", async () => {
    let writes = 0
    const { code, err } = await cli(["read", uri, "--format", "csv"], {
      files: fill.files,
      write: () => {
        writes++
        return Promise.reject(Object.assign(new Error("broken pipe"), { code: "EPIPE" }))
      },
    })
    assertEquals([code, err, writes], [0, "", 1])
  })

  it("that cannot be written is an error", async () => {
    const { code, err } = await cli(["read", uri], {
      files: fill.files,
      write: () => Promise.reject(Object.assign(new Error("no space left"), { code: "ENOSPC" })),
    })
    assertEquals([code, err], [1, "tessera: standard output: cannot write: no space left\n"])
  })

  it("is written in chunks, each awaited", async () => {
    const { code } = await cli(["read", uri, "--format", "ndjson"], {
      files: fill.files,
      write: async (text) => {
        open++
        maxOpen = Math.max(maxOpen, open)
        sizes.push(text.length)
        await new Promise((resolve) => setTimeout(resolve, 1))
        open--
      },
    })
    assertEquals([code, maxOpen, sizes.every((size) => size < 70_000)], [0, 1, true])
  })
  let [open, maxOpen] = [0, 0]
  const sizes: Array<number> = []
})
