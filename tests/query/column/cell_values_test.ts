/** Single cells of self-describing and plain columns. */
import { describe, it } from "node:test"
import { assertEquals, assertThrows } from "@std/assert"
import * as Effect from "effect/Effect"
import { Cells, Sparse, TileArray } from "../../../mod.ts"
import { Forms } from "../../support/weather.ts"
import { FORMS, MOMENT, overForms } from "../../support/forms_array.ts"

const read = () => overForms(Effect.flatMap(TileArray.open(FORMS, Forms), (a) => Sparse.read(a)))

describe("cells of self-describing columns", () => {
  it("are returned as values", async () => {
    const { fields } = await read()
    assertEquals(Cells.value(fields.fixed, 0), -1)
    assertEquals(Cells.value(fields.wide, 0), 2n ** 60n)
    assertEquals(Cells.value(fields.nullable, 1), null)
    assertEquals(Cells.value(fields.text, 2), "€")
    assertEquals(Cells.value(fields.nullableText, 2), "𝄞")
    assertEquals(Cells.value(fields.code, 1), "yz")
    assertEquals(Cells.value(fields.three, 1), Float64Array.of(4, 5, 6))
    assertEquals(Cells.value(fields.many, 1), new Uint32Array(0))
    assertEquals(Cells.value(fields.raw, 0), Uint8Array.of(0, 255))
    assertEquals(Cells.value(fields.when, 1), -1n)
    assertEquals(Cells.value(fields.when, 1, { time: "date" }), new Date(-1))
    assertEquals(Cells.value(fields.duration, 1, { time: "date" }), 3600n)
    assertEquals(Cells.values(fields.nullable), [7, null, 9])
    assertEquals(Cells.values(fields.name), ["a", "bc", "d"])
    assertEquals(Cells.length(fields.three), 3)
  })

  it("are returned as texts, bytes, dates and nulls", async () => {
    const { fields } = await read()
    assertEquals(Cells.texts(fields.nullableText), ["hé", null, "𝄞"])
    assertEquals(Cells.bytes(fields.text, 0), Uint8Array.of(110, 195, 169))
    assertEquals(Cells.bytes(fields.nullable, 1), null)
    assertEquals(Cells.bytes(fields.fixed, 0), Uint8Array.of(255, 255))
    assertEquals(Cells.date(fields.at, 1), new Date(MOMENT + 1))
    assertEquals(Cells.dates(fields.whenever), [new Date("2024-02-29"), null, null])
    assertEquals([0, 1].map((i) => Cells.isNull(fields.nullable, i)), [false, true])
    assertEquals(Cells.isNull(fields.fixed, 0), false)
    assertThrows(() => Cells.date(fields.fixed, 0), TypeError, "int16 is not a datetime type")
  })
})

describe("cells of plain columns", () => {
  it("are returned as values, texts and dates", async () => {
    const { columns } = await read()
    assertEquals(Cells.value(columns.fixed, 2), 1)
    assertEquals(Cells.value(columns.nullable, 1), null)
    assertEquals(Cells.value(columns.text, 0), Uint8Array.of(110, 195, 169))
    assertEquals(Cells.texts(columns.text), ["né", "", "€"])
    assertEquals(Cells.texts(columns.nullableText), ["hé", null, "𝄞"])
    assertEquals(Cells.text(columns.code, 1), "yz")
    assertEquals(Cells.length(columns.text), 3)
    assertEquals(Cells.length(columns.fixed), 3)
    assertEquals(Cells.date(columns.at, 0, "datetime_ms"), new Date(MOMENT))
    assertEquals(Cells.dates(columns.whenever.values, "datetime_day")[0], new Date("2024-02-29"))
    assertThrows(() => Cells.date(columns.at, 0), TypeError, "pass the datatype")
  })

  it("replace invalid characters", () => {
    assertEquals(Cells.text({ values: Uint8Array.of(65, 255), offsets: Uint32Array.of(0, 2) }, 0), "A\ufffd")
    assertEquals(Cells.text({ values: Uint32Array.of(65, 0x110000), offsets: Uint32Array.of(0, 2) }, 0), "A\ufffd")
  })
})
