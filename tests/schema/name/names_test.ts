import { describe, it } from "node:test"
import { assert, assertEquals } from "@std/assert"
import {
  commitPath,
  compareNames,
  consolidatedMetadataPath,
  type DataField,
  dataFile,
  formatName,
  fragmentPath,
  parseName,
  schemaPath,
  vacuumedName,
  vacuumLine,
} from "../../../schema/mod.ts"

const uuid = "0123456789abcdef0123456789abcdef"

describe("timestamped names", () => {
  it("have three forms", () => {
    assertEquals(parseName(`__${uuid}_1538747712566`), {
      name: `__${uuid}_1538747712566`,
      form: "uuid_t",
      start: 1538747712566,
      end: 1538747712566,
      version: 0,
      uuid,
    })
    // for consolidated fragments the last timestamp counts
    assertEquals(parseName(`__${uuid}_9_7`)?.start, 7)
    assertEquals(parseName(`__3_5_${uuid}`)?.form, "t_t_uuid")
    assertEquals(parseName(`__3_5_${uuid}_21`), {
      name: `__3_5_${uuid}_21`,
      form: "t_t_uuid_v",
      start: 3,
      end: 5,
      version: 21,
      uuid,
    })
  })

  it("are parsed from paths with any extension", () => {
    for (const path of [`__1_2_${uuid}_22.wrt`, `/a.b/__commits/__1_2_${uuid}_22.con`, `file:///x/__1_2_${uuid}_22/`]) {
      assertEquals(parseName(path)?.name, `__1_2_${uuid}_22`)
    }
  })

  it("are rejected if they are only similar", () => {
    for (
      const name of [
        "",
        "__schema",
        "__array_schema.tdb",
        `__5_3_${uuid}_22`,
        `__1_2_${uuid.toUpperCase()}_22`,
        `__1_2_${uuid}0`,
        `__1_2_${uuid}_22_1`,
        `1_2_${uuid}`,
        `__-1_2_${uuid}`,
      ]
    ) assertEquals(parseName(name), undefined, name)
  })

  it("are ordered by their numbers, then by their bytes", () => {
    const names = [
      formatName(10, 10, uuid, 22),
      formatName(9, 12, uuid, 22),
      formatName(9, 9, "f".repeat(32), 5),
      formatName(9, 9, "0".repeat(32), 22),
      formatName(9, 9, "0".repeat(32), 5),
    ]
    const sorted = names.map((name) => parseName(name)!).sort(compareNames).map((name) => name.name)
    assertEquals(sorted, [names[3], names[4], names[2], names[1], names[0]])
  })
})

describe("data files", () => {
  const a: DataField = { kind: "attribute", index: 3, name: 'a<b>"c|d\\e f/ü%' }

  it("contain the field's name up to format 7", () => {
    assertEquals(dataFile(1, { kind: "attribute", index: 0, name: "__attr" }, "fixed"), "__attr.tdb")
    assertEquals(dataFile(5, { kind: "attribute", index: 0, name: "" }, "fixed"), ".tdb")
    assertEquals(dataFile(7, a, "validity"), 'a<b>"c|d\\e f/ü%_validity.tdb')
    assertEquals(dataFile(6, { kind: "dimension", index: 2, name: "" }, "fixed"), "__dim_2.tdb")
    assertEquals(dataFile(4, { kind: "coords" }, "fixed"), "__coords.tdb")
  })

  it("are percent-encoded in format 8, with wrong codes for five characters", () => {
    assertEquals(dataFile(8, a, "var"), "a%20b%2D%22c%3Cd%30e f%2Fü%25_var.tdb")
  })

  it("are numbered from format 9", () => {
    assertEquals(dataFile(9, a, "var"), "a3_var.tdb")
    assertEquals(dataFile(22, { kind: "dimension", index: 0, name: "x" }, "fixed"), "d0.tdb")
    assertEquals(dataFile(22, { kind: "timestamps" }, "fixed"), "t.tdb")
    assertEquals(dataFile(22, { kind: "deleteTimes" }, "fixed"), "dt.tdb")
    assertEquals(dataFile(22, { kind: "deleteConditions" }, "fixed"), "dci.tdb")
  })
})

describe("array paths", () => {
  it("are in one folder up to format 11, in several folders after", () => {
    assertEquals(fragmentPath(11, "f"), "f")
    assertEquals(fragmentPath(12, "f"), "__fragments/f")
    assertEquals(commitPath(4, "f", "write"), undefined)
    assertEquals(commitPath(5, "f", "write"), "f.ok")
    assertEquals(commitPath(12, "f", "write"), "__commits/f.wrt")
    assertEquals(commitPath(11, "f", "vacuum"), "f.vac")
    assertEquals(commitPath(22, "f", "vacuum"), "__commits/f.vac")
    assertEquals(commitPath(22, "f", "delete"), "__commits/f.del")
    assertEquals(consolidatedMetadataPath(11, "f"), "f.meta")
    assertEquals(consolidatedMetadataPath(12, "f"), "__fragment_meta/f.meta")
    assertEquals(schemaPath(""), "__array_schema.tdb")
    assertEquals(schemaPath("s"), "__schema/s")
  })
})

describe("vacuum files", () => {
  it("name the same fragments after the array has moved", () => {
    const name = formatName(1, 2, uuid, 18)
    for (
      const line of [
        `/__fragments/${name}`,
        `__fragments/${name}`,
        `file:///gone/${name}`,
        `s3://b/__fragments/${name}/`,
      ]
    ) {
      assertEquals(vacuumedName(line), name, line)
    }
    assertEquals(vacuumedName("/__meta/m1"), "m1")
  })

  it("have absolute lines up to format 18", () => {
    assertEquals(vacuumLine(18, "file:///a/", "__fragments/f"), "file:///a/__fragments/f")
    assertEquals(vacuumLine(19, "file:///a/", "__fragments/f"), "/__fragments/f")
    assert(vacuumedName(vacuumLine(19, "mem://a", "__fragments/f")) === "f")
  })
})
