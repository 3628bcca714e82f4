/** The judge must detect wrong results, otherwise the sweep is meaningless. */
import { describe, it } from "node:test"
import { assert, assertEquals } from "@std/assert"
import { FormatError } from "../../schema/errors/format_error.ts"
import { ArrayNotFound } from "../../src/array/open/errors.ts"
import type { Column } from "../../src/query/column/column.ts"
import { faults } from "./judge.ts"
import type { Mutation } from "./mutation.ts"
import type { Outcome } from "./visit.ts"

const subject = { path: "v22/one/array", kind: "array", key: undefined } as const

const mutation = (file: string, overrides: Partial<Mutation> = {}): Mutation => ({
  description: "cut",
  file: `v22/one/array/${file}`,
  same: false,
  behind: false,
  files: new Map(),
  codecs: (codecs) => codecs,
  ...overrides,
})

const a: Column = { name: "a", type: "int32", cellValNum: 1, length: 2, values: Int32Array.of(1, 2) }
const s: Column = {
  name: "s",
  type: "string_ascii",
  cellValNum: "var",
  length: 2,
  values: Uint8Array.of(65, 66),
  offsets: Uint32Array.of(0, 1, 2),
  validity: Uint8Array.of(1, 1),
}

const read = (columns: Readonly<Record<string, Column>>, cells = 2, dense = true): Outcome => ({
  kind: "cells",
  cells: { dense, batches: [{ cells, columns }] },
})
const text = (value: unknown): Outcome => ({ kind: "text", text: JSON.stringify(value) })

const schema = (version: number, ...filters: ReadonlyArray<object>): Outcome =>
  text({ version, dimensions: [], attributes: [{ name: "a", cell_val_num: 1, nullable: false, filters }] })

const judged = (
  step: string,
  before: Outcome,
  after: Outcome,
  of: Mutation = mutation("__schema/x"),
  key?: Uint8Array,
) => faults({ ...subject, key }, of, new Map([[step, before]]), new Map([[step, after]]))

const refused = (error: object): ReadonlyArray<string> => judged("open", text(1), { kind: "error", error })
const where = { uri: "mem://v22/one/array/__schema/x", path: "", offset: 4, version: 22, detail: "is cut short" }

describe("the judge", () => {
  it("accepts located errors only", () => {
    assertEquals(refused(new FormatError(where)), [])
    assertEquals(
      refused(new ArrayNotFound({ uri: "mem://v22/one/array", reason: "Empty", detail: "not an array" })),
      [],
    )
    for (
      const error of [
        new RangeError("Invalid array length"),
        new FormatError({ ...where, uri: "" }),
        new FormatError({ ...where, offset: -1 }),
        new FormatError({ ...where, offset: NaN }),
        new FormatError({ ...where, detail: "is long".repeat(200) }),
        { _tag: "Surprise", uri: where.uri, message: "something happened" },
        { _tag: "CodecError", message: "gzip: the stream is damaged" },
        { _tag: "NotFound", uri: where.uri, message: "two\nlines of text" },
      ]
    ) assertEquals(refused(error).length, 1, String(error))
    assert(/a defect: TypeError/.test(judged("open", text(1), { kind: "defect", stack: "TypeError: no" })[0]))
  })

  it("accepts valid columns only", () => {
    assertEquals(judged("read row", read({ a, s }), read({ a, s })), [])
    for (
      const column of [
        { ...a, length: 3 },
        { ...a, values: Int32Array.of(1) },
        { ...a, values: Uint8Array.of(1, 2) },
        { ...s, offsets: Uint32Array.of(0, 2, 1) },
        { ...s, offsets: Uint32Array.of(0, 3, 2) },
        { ...s, offsets: Uint32Array.of(1, 1, 2) },
        { ...s, offsets: Uint32Array.of(0, 2) },
        { ...s, validity: Uint8Array.of(1, 255) },
        { ...s, validity: Uint8Array.of(1) },
      ] as ReadonlyArray<Column>
    ) assertEquals(judged("read row", read({ a, s }), read({ a, [column.name]: column })).length, 1)
  })

  it("accepts a changed result only if the mutation affects the operation", () => {
    const other = { ...a, values: Int32Array.of(1, 3) }
    const changed = (of: Mutation, key?: Uint8Array) =>
      judged("read row", read({ a, s }), read({ a: other, s }), of, key)
    const data = "__fragments/__1_1_x_22/a0.tdb"
    assertEquals(changed(mutation(data)), [])
    assertEquals(changed(mutation("__schema/x")), [])
    assertEquals(changed(mutation(data, { same: true })).length, 1)
    assertEquals(changed(mutation("__meta/__1_1_x")).length, 1)
    // the authentication tag protects encrypted data, but not against changes after decompression
    assertEquals(changed(mutation(data), new Uint8Array(32)).length, 1)
    assertEquals(changed(mutation(data, { behind: true }), new Uint8Array(32)), [])
    const two = read({ a: other, s: { ...s, values: Uint8Array.of(65, 67) } })
    assertEquals(judged("read row", read({ a, s }), two, mutation(data)).length, 1)
    const more = read({ a: { ...a, length: 3, values: Int32Array.of(1, 2, 3) } }, 3)
    assertEquals(judged("read row", read({ a }), more, mutation(data)).length, 1)
    assertEquals(judged("schema", schema(1), schema(2), mutation(data)).length, 1)
    assertEquals(judged("schema", schema(1), schema(2), mutation("__schema/x")), [])
  })

  it("trusts checksums", () => {
    const other = { ...a, values: Int32Array.of(1, 3) }
    const outcome = (filter: string) => {
      const before = new Map([["schema", schema(22, { type: filter })], ["read row", read({ a })]])
      const after = new Map([["read row", read({ a: other })]])
      return faults(subject, mutation("__fragments/__1_1_x_22/a0.tdb"), before, after)
    }
    assertEquals(outcome("gzip"), [])
    assertEquals(outcome("checksum_sha256").length, 1)
  })

  it("requires reads that agree", () => {
    const after = new Map([["read row", read({ a })], ["stream row", read({}, 1)]])
    const agree = (file: string, after: ReadonlyMap<string, Outcome>) =>
      faults(subject, mutation(file), new Map(), after).length === 0
    assertEquals(agree("__schema/x", after), false)
    // a stream may miss cells outside their MBR, but a read may not, and a stream must not return more
    assertEquals(agree("__fragments/__1_1_x_22/d0.tdb", after), true)
    assertEquals(agree("__fragments/__1_1_x_22/a0.tdb", after), false)
    const more = new Map([["read row", read({}, 1)], ["stream row", read({ a })]])
    assertEquals(agree("__fragments/__1_1_x_22/d0.tdb", more), false)
  })
})
