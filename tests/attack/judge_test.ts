/** Tests of the judge of the attacks: it reports planted flaws, and accepts correct results. */
import { assert, assertEquals, assertMatch } from "@std/assert"
import * as Effect from "effect/Effect"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, it } from "node:test"
import { ArraySchema, Attr, Dim, TileArray } from "../../mod.ts"
import { httpFiles } from "../../platform/storage/http/default_http.ts"
import { Storage } from "../../platform/storage/service.ts"
import { makeRandom } from "../hostile/random.ts"
import { memoryGround } from "../laws/ground.ts"
import { startWebServer } from "../support/web_server.ts"
import { judgeFault } from "./faults.ts"
import { differences, NEIGHBOUR_NAMES, snapshotOf, writeStrangers } from "./files.ts"
import { forgedPath } from "./forged.ts"
import { makeMemo } from "./input.ts"
import type { RandomLaw } from "./laws.ts"
import { judgeExit, runIn } from "./outcomes.ts"
import type { Signal } from "./processes.ts"
import { judgeRivals } from "./rivals.ts"
import { HEADER, isOneVersion, judgeSecrets, QUERY } from "./servers.ts"
import { judgeStopped } from "./signals.ts"

const one = Uint8Array.of(1)
const Points = ArraySchema.sparse({ dims: { x: Dim.int32([0, 9]) }, attrs: { n: Attr.uint8() } })

describe("the judge of stopped processes", () => {
  const before = new Map([["notes.txt", "mine"], ["target.txt", "mine"]])
  const seen = { before: "absent", after: "9 cells", now: "absent" }
  const target = { isMarked: false, replaces: false, endless: false, own: (path: string) => path.startsWith("target/") }
  const stopped = {
    sent: ["SIGINT"] as ReadonlyArray<Signal>,
    code: 130 as number | null,
    signal: null,
    isHanging: false,
    error: "",
  }
  const judged = (
    more: Partial<typeof stopped>,
    files: ReadonlyMap<string, string> = before,
    state: Partial<typeof seen> = {},
    at: Partial<typeof target> = {},
  ) =>
    judgeStopped({ ...stopped, ...more }, { ...seen, ...state }, { before, now: files }, { ...target, ...at }).join(
      "\n",
    )

  it("accepts an unchanged array, and a complete one", () => {
    assertEquals(judged({}), "")
    const complete = new Map([...before, ["target/__schema/x", "1"]])
    assertEquals(judged({ code: 0, sent: [] }, complete, { now: "9 cells" }), "")
    assertEquals(judged({}, complete, { now: "9 cells" }), "")
    assertEquals(judged({ sent: ["SIGKILL"], code: null }, complete), "")
  })

  it("reports unrelated files that are removed, changed or added", () => {
    assertMatch(judged({}, new Map([["notes.txt", "mine"]])), /stranger's file: target.txt is missing/)
    assertMatch(judged({ sent: ["SIGKILL"] }, new Map([...before, ["notes.txt", "x"]])), /notes.txt is changed/)
    assertMatch(judged({ sent: ["SIGKILL"] }, new Map([...before, ["core", "x"]])), /core is new/)
  })

  it("reports leftover files, wrong exit codes, half of an array and processes that hang", () => {
    const remaining = new Map([...before, ["target/__fragments/x", "1"]])
    assertMatch(judged({}, remaining), /left behind: target\/__fragments\/x is new/)
    assertMatch(judged({}, new Map([...before, ["target/.tessera-1.tmp", "1"]])), /temporary file/)
    assertMatch(judged({ code: 1 }), /ended with 1 after SIGINT/)
    assertMatch(judged({ code: 143 }), /ended with 143/)
    assertMatch(judged({ code: 0 }), /the work is not done/)
    for (const sent of [["SIGINT"], ["SIGKILL"]] as ReadonlyArray<ReadonlyArray<Signal>>) {
      assertMatch(judged({ sent }, before, { now: "5 cells" }), /neither in the state before/)
      assertMatch(judged({ sent }, before, { now: "0 cells" }), /neither in the state before/)
    }
    assertMatch(judged({}, before, { before: "4 cells" }), /neither in the state before/)
    assertMatch(judged({}, before, { now: "9 cells" }, { isMarked: true }), /its mark is still there/)
    assertMatch(judged({ isHanging: true }), /did not end/)
  })

  it("compares folders byte by byte", () => {
    const folder = mkdtempSync(join(tmpdir(), "tessera-judge-"))
    try {
      writeStrangers(folder, NEIGHBOUR_NAMES)
      const first = snapshotOf(folder)
      assertEquals(differences(first, snapshotOf(folder)), [])
      writeFileSync(join(folder, "notes.txt"), "a stranger's file: notes.txT")
      rmSync(join(folder, "photos/cat.jpg"))
      writeFileSync(join(folder, "photos/dog.jpg"), "")
      assertEquals(differences(first, snapshotOf(folder)).sort(), [
        "notes.txt is changed",
        "photos/cat.jpg is missing",
        "photos/dog.jpg is new",
      ])
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})

describe("the judge of faults", () => {
  const law = (act: RandomLaw["act"]): RandomLaw => ({
    name: "a flaw",
    prepare: () => Effect.void,
    act,
    read: (uri) =>
      Effect.catchAll(
        Effect.as(TileArray.open(uri), "there"),
        (error) => error._tag === "ArrayNotFound" ? Effect.succeed("absent") : Effect.fail(error),
      ),
  })
  /** Returns the problems that are found in this number of runs; the flaw occurs in at least one of them. */
  const judgedFault = async (act: RandomLaw["act"], fault: "fail" | "interrupt from outside" | "full" = "fail") => {
    const lines: Array<string> = []
    for (let i = 0; i < 25; i++) {
      lines.push(...(await judgeFault(law(act), memoryGround(), fault, makeRandom(String(i)))).wrong)
    }
    return lines.join("\n")
  }
  const withStorage = (use: (storage: Storage) => Effect.Effect<unknown, unknown, never>) =>
    Effect.flatMap(Storage, use)
  const create = (uri: string) => TileArray.create(uri, Points)

  it("accepts a creation that cleans up", async () => {
    assertEquals(await judgedFault(create), "")
    assertEquals(await judgedFault(create, "interrupt from outside"), "")
  })

  it("reports a writer that deletes an unrelated file", async () => {
    const cruel = (uri: string) =>
      Effect.tapError(create(uri), () => withStorage((storage) => Effect.ignore(storage.remove(`${uri}/notes.txt`))))
    assertMatch(await judgedFault(cruel), /a stranger's file is missing: \/notes.txt/)
  })

  it("reports a writer that leaves an array without cells, and one that leaves a file", async () => {
    const empty: RandomLaw = {
      ...law((uri) => Effect.zipRight(create(uri), withStorage((storage) => storage.write(`${uri}/cells`, one)))),
      read: (uri) =>
        withStorage((storage) =>
          Effect.map(
            storage.list(uri),
            (entries) => entries.map(({ name }) => name).filter((name) => /cells|__sch/.test(name)),
          )
        ),
    }
    const lines: Array<string> = []
    for (let i = 0; i < 40; i++) {
      lines.push(...(await judgeFault(empty, memoryGround(), "fail", makeRandom(`empty ${i}`))).wrong)
    }
    assertMatch(lines.join("\n"), /neither what was before nor what should be after/)
    const messy = (uri: string) =>
      Effect.zipRight(withStorage((storage) => storage.write(`${uri}/scratch`, one)), create(uri))
    assertMatch(await judgedFault(messy), /left behind: root\/scratch/)
  })
})

describe("the judge of secrets", () => {
  it("reports a header or a query that another origin receives, or that a message contains", async () => {
    const there = await startWebServer({ files: new Map([["file", one]]) })
    try {
      const read = (options: object, query = "") =>
        runIn(
          httpFiles(options),
          Effect.flatMap(Storage, (storage) => storage.read(`${there.origin}/file${query}`)),
          10_000,
        )
      await read({})
      assertEquals(judgeSecrets(there, ["nothing"]), [])
      await read({ headers: { authorization: `Bearer ${HEADER}` } })
      assertMatch(judgeSecrets(there, []).join(), /the other origin sees CANARYheader/)
      there.seen.length = 0
      await read({}, `?sig=${QUERY}`)
      assertMatch(judgeSecrets(there, []).join(), /the other origin sees CANARYquery/)
      there.seen.length = 0
      assertMatch(judgeSecrets(there, [`cannot read https://x/?sig=${QUERY}`]).join(), /CANARYquery is shown/)
    } finally {
      await there.close()
    }
  })

  it("reports mixtures of two versions", () => {
    assertEquals([[1, 1, 1], [2, 2], [], [120, 120]].map(isOneVersion), [true, true, true, true])
    assertEquals([[1, 2], [2, 2, 1], [0], [3, 3], [1, 120]].map(isOneVersion), [false, false, false, false, false])
  })

  it("reports programs that do not end, defects and errors without a type", async () => {
    const { storage } = memoryGround()
    assertEquals(judgeExit("x", await runIn(storage, Effect.succeed(1), 1000)), [])
    assertMatch(judgeExit("x", await runIn(storage, Effect.never, 20))[0], /does not end/)
    assertMatch(judgeExit("x", await runIn(storage, Effect.die(new TypeError("no")), 1000))[0], /a defect/)
    assertMatch(judgeExit("x", await runIn(storage, Effect.fail(new Error("no")), 1000))[0], /without a type/)
  })
})

describe("the judge of rivals", () => {
  const rival = (
    code: number,
    makes: string,
    more: { readonly isHanging?: boolean; readonly error?: string } = {},
  ) => ({
    ended: { code, isHanging: false, error: "", ...more },
    makes,
  })
  const judged = (rivals: ReadonlyArray<ReturnType<typeof rival>>, now: string, isMarked = false) =>
    judgeRivals(rivals, { before: "old", now, isMarked }).join("\n")

  it("accepts the array of a process that ended with 0, and an unchanged or marked array after a failure", () => {
    assertEquals(judged([rival(0, "a"), rival(0, "b")], "b"), "")
    assertEquals(judged([rival(0, "a"), rival(2, "b")], "a"), "")
    assertEquals(judged([rival(2, "a"), rival(2, "b")], "old"), "")
    assertEquals(judged([rival(0, "a"), rival(2, "b")], "absent", true), "")
  })

  it("reports mixtures, results of failed processes, lost writes, defects and processes that hang", () => {
    assertMatch(judged([rival(0, "a"), rival(0, "b")], "cannot be read: FormatError"), /differs from each of them/)
    assertMatch(judged([rival(0, "a"), rival(2, "b")], "b"), /differs from each of them/)
    assertMatch(judged([rival(0, "a"), rival(0, "b")], "old"), /differs from each of them/)
    assertMatch(judged([rival(0, "a"), rival(0, "b")], "a", true), /marked as unfinished/)
    assertMatch(judged([rival(2, "a"), rival(2, "b")], "absent"), /not as it was/)
    assertMatch(judged([rival(0, "a"), rival(2, "b")], "half", true), /opens as half/)
    assertMatch(judged([rival(0, "a"), rival(1, "b", { error: "this is a bug" })], "a"), /a defect/)
    assertMatch(judged([rival(0, "a"), rival(1, "b", { isHanging: true })], "a"), /did not end/)
  })
})

describe("inputs", () => {
  it("are equal for the same number and seed", () => {
    const paths = () => Array.from({ length: 50 }, (_, i) => forgedPath(makeRandom(`1/${i}`), "/root"))
    assertEquals(paths(), paths())
    assert(new Set(paths()).size > 30)
  })

  it("share values that are made once", async () => {
    const memo = makeMemo()
    let made = 0
    const make = () => Promise.resolve(++made)
    assertEquals([await memo("a", make), await memo("a", make), await memo("b", make)], [1, 1, 2])
  })
})
