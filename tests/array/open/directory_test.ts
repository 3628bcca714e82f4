/**
 * Array directories from made-up listings: both hierarchies, every kind of commit file, and the fragments in a time
 * range.
 */
import * as Effect from "effect/Effect"
import * as fc from "effect/FastCheck"
import { describe, it } from "node:test"
import { assert, assertEquals } from "@std/assert"
import { encode } from "../../../schema/binary/mod.ts"
import { type ConsolidatedCommit, ConsolidatedCommits } from "../../../schema/commit/consolidated_commits.ts"
import { formatName } from "../../../schema/name/timestamped_name.ts"
import {
  type Directory,
  isArray,
  loadDirectory,
  newestFooters,
  schemaAt,
  type TimeRange,
  visibleDeletes,
  visibleFragments,
} from "../../../src/array/open/directory.ts"
import { listArray, type Listing } from "../../../src/array/open/listing.ts"
import { runOver } from "../../support/run_bytes.ts"

const uuid = (n: number): string => n.toString(16).padStart(32, "0")
const empty = new Uint8Array(0)
const text = (...lines: ReadonlyArray<string>): Uint8Array =>
  new TextEncoder().encode(lines.map((l) => `${l}\n`).join(""))

/** Returns the directory of an array `a` with these files; a file in a fragment creates the fragment's folder. */
const directoryOf = async (files: Readonly<Record<string, Uint8Array>>): Promise<Directory> => {
  const whole = new Map(Object.entries(files).map(([name, bytes]) => [`a/${name}`, bytes]))
  const result = await runOver(whole, Effect.flatMap(listArray("mem://a"), loadDirectory))
  assert("value" in result)
  return result.value
}

const all: TimeRange = { start: 0, end: Infinity }
const seen = (directory: Directory, time: TimeRange, sparse = true): Array<string> =>
  visibleFragments(directory, time, sparse).map((f) => f.name.name)

/** Returns a file of a fragment and the commit file, where their format version stores them. */
const fragment = (name: string, commit = true): Record<string, Uint8Array> => {
  const version = Number(/_(\d+)$/.exec(name.replace(/[0-9a-f]{32}/, ""))?.[1] ?? 0)
  const folder = version >= 12 ? `__fragments/${name}` : name
  const marker = version >= 12 ? `__commits/${name}.wrt` : `${name}.ok`
  return {
    [`${folder}/__fragment_metadata.tdb`]: empty,
    ...(commit && version >= 5 ? { [marker]: empty } : {}),
  }
}

const V5 = formatName(1, 1, uuid(1), 5)
const V11 = formatName(2, 2, uuid(2), 11)
const V12 = formatName(3, 3, uuid(3), 12)
const V22 = formatName(4, 4, uuid(4), 22)

describe("committed fragments", () => {
  it("are found in both hierarchies, in order of time", async () => {
    const old = `__${uuid(9)}_0`
    const v3 = formatName(0, 1, uuid(7))
    const directory = await directoryOf({
      ...fragment(V22),
      ...fragment(V12),
      ...fragment(V11),
      ...fragment(V5),
      ...fragment(v3),
      ...fragment(old),
    })
    assertEquals(seen(directory, all), [old, v3, V5, V11, V12, V22])
    assertEquals(directory.fragments.map((f) => f.uri), [
      `mem://a/${old}`,
      `mem://a/${v3}`,
      `mem://a/${V5}`,
      `mem://a/${V11}`,
      `mem://a/__fragments/${V12}`,
      `mem://a/__fragments/${V22}`,
    ])
  })

  it("require a commit file since format 5", async () => {
    for (const name of [V5, V11, V12, V22]) assertEquals(seen(await directoryOf(fragment(name, false)), all), [])
  })

  it("are sorted by the numbers in their names, not by their digits", async () => {
    const times = [9, 10, 100, 99, 2 ** 40]
    const names = times.map((t, i) => formatName(t, t, uuid(i), 22))
    const directory = await directoryOf(Object.assign({}, ...names.map((n) => fragment(n))))
    assertEquals(directory.fragments.map((f) => f.name.start), [9, 10, 99, 100, 2 ** 40])
  })

  it("with equal times are in the byte order of their names", async () => {
    const names = ["f", "1", "a"].map((d) => formatName(5, 5, d.repeat(32), 22))
    const directory = await directoryOf(Object.assign({}, ...names.map((n) => fragment(n))))
    assertEquals(seen(directory, all), [names[1], names[2], names[0]])
  })

  it("are not read from files and folders with other names", async () => {
    const directory = await directoryOf({
      ...fragment(V22),
      "__fragments/notes.txt": empty,
      "__fragments/__1_2_xyz_22/a0.tdb": empty,
      "__fragments/.DS_Store": empty,
      [`__fragments/${formatName(9, 3, uuid(1), 22)}/a0.tdb`]: empty,
      [`__commits/${formatName(9, 3, uuid(1), 22)}.wrt`]: empty,
      "__commits/readme": empty,
      "__commits/readme.wrt": empty,
      "__lock.tdb": empty,
      "__labels/l0/__schema/x": empty,
      "other/__fragment_metadata.tdb": empty,
      // only folders in the root are fragments of old formats
      [`${V11}.ok`]: empty,
    })
    assertEquals(seen(directory, all), [V22])
  })

  it("are listed although their files are missing: reading them fails", async () => {
    assertEquals(seen(await directoryOf({ [`__commits/${V12}.wrt`]: empty }), all), [V12])
  })

  it("may be committed by a consolidated file alone, unless an ignore file lists them", async () => {
    const con = (...commits: ReadonlyArray<ConsolidatedCommit>) => encode(ConsolidatedCommits, commits, 22)
    const base = { ...fragment(V11, false), ...fragment(V12, false), ...fragment(V22, false) }
    const name = `__commits/${formatName(1, 5, uuid(50), 22)}`
    const listed = con(
      { path: `${V11}.ok`, file: null },
      { path: `__commits/${V12}.wrt`, file: null },
      { path: `__commits/${V22}.wrt`, file: null },
    )
    assertEquals(seen(await directoryOf({ ...base, [`${name}.con`]: listed }), all), [V11, V12, V22])
    const ignored = { [`__commits/${formatName(3, 3, uuid(51), 22)}.ign`]: text(`__commits/${V12}.wrt`) }
    assertEquals(seen(await directoryOf({ ...base, [`${name}.con`]: listed, ...ignored }), all), [V11, V22])
  })
})

describe("superseded fragments", () => {
  const whole = formatName(1, 3, uuid(60), 22)
  const parts = [formatName(1, 1, uuid(61), 22), formatName(3, 3, uuid(62), 22)]
  const later = formatName(4, 4, uuid(63), 22)
  const files = Object.assign({}, ...[whole, ...parts, later].map((n) => fragment(n)))
  const lines: Readonly<Record<string, ReadonlyArray<string>>> = {
    "relative with a slash": parts.map((p) => `/__fragments/${p}`),
    "relative": parts.map((p) => `__fragments/${p}`),
    "absolute, of another place": parts.map((p) => `file:///elsewhere/array/__fragments/${p}`),
    "absolute, in the old hierarchy": parts.map((p) => `s3://bucket/array/${p}`),
  }
  for (const [form, vacuumedNames] of Object.entries(lines)) {
    it(`are hidden by the fragment that replaces them: ${form}`, async () => {
      const vacuumed = await directoryOf({ ...files, [`__commits/${whole}.vac`]: text(...vacuumedNames) })
      assertEquals(seen(vacuumed, all), [whole, later])
      // until the range contains the whole consolidated fragment, its parts are visible
      assertEquals(seen(vacuumed, { start: 0, end: 2 }, false), [parts[0]])
      assertEquals(seen(vacuumed, { start: 2, end: 9 }, false), [parts[1], later])
      // cells of sparse fragments have their own timestamps: any overlap makes the fragment visible and hides its parts
      assertEquals(seen(vacuumed, { start: 0, end: 2 }), [whole])
      assertEquals(seen(vacuumed, { start: 2, end: 9 }), [whole, later])
    })
  }
  it("of old formats are hidden by a vacuum file in the folder of the array", async () => {
    const old = formatName(1, 2, uuid(70), 11)
    const directory = await directoryOf({
      ...fragment(old),
      ...fragment(V5),
      [`${old}.vac`]: text(`file:///gone/${V5}`),
    })
    assertEquals(seen(directory, all), [old])
  })
})

describe("fragments in a time range", () => {
  const names = fc.array(fc.tuple(fc.nat(12), fc.nat(6), fc.constantFrom(5, 11, 12, 14, 15, 22)), { maxLength: 12 })
    .map((list) => list.map(([start, length, version], i) => ({ start, end: start + length, version, id: i })))
  it("are those inside it; since format 15, sparse fragments that overlap it", async () => {
    await fc.assert(
      fc.asyncProperty(names, fc.nat(15), fc.nat(15), fc.boolean(), async (names, a, b, sparse) => {
        const time = { start: Math.min(a, b), end: Math.max(a, b) }
        const named = names.map((n) => ({ ...n, name: formatName(n.start, n.end, uuid(n.id), n.version) }))
        const directory = await directoryOf(Object.assign({}, ...named.map((n) => fragment(n.name))))
        const expected = named
          .filter((n) =>
            sparse && n.version >= 15
              ? n.start <= time.end && n.end >= time.start
              : n.start >= time.start && n.end <= time.end
          )
          .sort((x, y) => x.start - y.start || x.end - y.end || (x.name < y.name ? -1 : 1))
        assertEquals(seen(directory, time, sparse), expected.map((n) => n.name))
      }),
      { seed: 1, numRuns: 60 },
    )
  })
})

describe("delete conditions", () => {
  const at = (t: number) => `${formatName(t, t, uuid(t), 22)}.del`
  it("are visible by their time, from single and consolidated files, each once", async () => {
    const file = Uint8Array.of(1, 2, 3)
    const directory = await directoryOf({
      [`__commits/${at(10)}`]: file,
      [`__commits/${at(9)}`]: file,
      [`__commits/${at(9)}x`]: file,
      [`__commits/${formatName(1, 1, uuid(1), 22)}.con`]: encode(ConsolidatedCommits, [
        { path: `__commits/${at(100)}`, file },
        { path: `__commits/${at(9)}`, file },
      ], 22),
    })
    assertEquals(directory.deletes.map((d) => d.time), [9, 10, 100])
    assertEquals(directory.deletes.map((d) => d.name), [9, 10, 100].map((t) => `__commits/${at(t)}`))
    // a vacuum may remove the single file, so the bytes of the consolidated one are used
    assertEquals(directory.deletes.map((d) => d.bytes?.length), [3, undefined, 3])
    assertEquals(visibleDeletes(directory, { start: 10, end: 99 }).map((d) => d.time), [10])
  })
})

describe("schemas", () => {
  const name = (t: number) => formatName(t, t, uuid(t))
  it("are selected by time: the newest one that is not later, else the first", async () => {
    const directory = await directoryOf({
      [`__schema/${name(500)}`]: empty,
      [`__schema/${name(120)}`]: empty,
      [`__schema/${name(103)}`]: empty,
      "__schema/__enumerations/__0_0": empty,
      "__schema/readme": empty,
    })
    for (const [end, chosen] of [[0, 103], [103, 103], [119, 103], [120, 120], [499, 120], [500, 500], [1e15, 500]]) {
      assertEquals(schemaAt(directory.schemas, end)?.name.start, chosen)
    }
  })

  it("are ordered by the bytes of their names, not by time", async () => {
    const now = 1795264436581
    const directory = await directoryOf(
      Object.fromEntries([9, 10, 100, now].map((t) => [`__schema/${name(t)}`, empty])),
    )
    assertEquals(directory.schemas.map((s) => s.name.start), [100, 10, now, 9])
    // the results of TileDB 2.30: schemas with these timestamps, opened at each of these times
    for (const [end, chosen] of [[5, 100], [9, 9], [10, 9], [100, 9], [200, 9], [now, 9], [2 * now, 9]]) {
      assertEquals(schemaAt(directory.schemas, end)?.name.start, chosen, `at ${end}`)
    }
    const evolved = await directoryOf({ [`__schema/${name(2)}`]: empty, [`__schema/${name(now)}`]: empty })
    assertEquals(schemaAt(evolved.schemas, now)?.name.start, 2)
    assertEquals(schemaAt(evolved.schemas, 1)?.name.start, now)
  })

  it("of the old hierarchy are before all others", async () => {
    const directory = await directoryOf({ "__array_schema.tdb": empty, [`__schema/${name(5)}`]: empty })
    assertEquals(directory.schemas.map((s) => s.name.name), ["__array_schema.tdb", name(5)])
    assertEquals(directory.schemas[0].uri, "mem://a/__array_schema.tdb")
    assertEquals(schemaAt(directory.schemas, 4)?.name.name, "__array_schema.tdb")
    assertEquals(schemaAt(directory.schemas, 5)?.name.name, name(5))
  })

  it("distinguish arrays from other folders", async () => {
    const listing = async (files: ReadonlyArray<string>) => {
      const result = await runOver(new Map(files.map((f) => [f, empty])), listArray("mem://a"))
      assert("value" in result)
      return isArray(result.value)
    }
    assertEquals(await listing(["a/__array_schema.tdb"]), true)
    assertEquals(await listing([`a/__schema/${name(1)}`]), true)
    assertEquals(await listing(["a/__tiledb_group.tdb", "a/__group/x"]), false)
    assertEquals(await listing([`a/__fragments/${V22}/a0.tdb`]), false)
    assertEquals(await listing([]), false)
  })
})

describe("consolidated footers", () => {
  it("are found in both hierarchies, the newest first", async () => {
    const meta = (t: number, v: number): string => `${formatName(1, t, uuid(t), v)}.meta`
    const entries = (...names: ReadonlyArray<string>) => names.map((name) => ({ name, kind: "file" as const }))
    const { value: listing } = await runOver(new Map([[`a/${meta(9, 11)}`, empty]]), listArray("mem://a")) as {
      value: Listing
    }
    assertEquals(newestFooters(listing, [])?.uri, `mem://a/${meta(9, 11)}`)
    const folder = entries(meta(10, 22), meta(100, 22), meta(99, 22), "x.meta", `${formatName(1, 200, uuid(1), 22)}.x`)
    assertEquals(newestFooters(listing, folder)?.uri, `mem://a/__fragment_meta/${meta(100, 22)}`)
    assertEquals(newestFooters({ ...listing, root: [] }, entries("x.meta")), undefined)
  })
})
