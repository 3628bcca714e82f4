/** Long writes and imports yield to the event loop: timers fire, time limits and aborts take effect. */
import { after, describe, it } from "node:test"
import { assert, assertEquals } from "@std/assert"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Stream from "effect/Stream"
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import {
  ArraySchema,
  Attr,
  type Codecs,
  Csv,
  Dense,
  Dim,
  Filter,
  layerDefault,
  Sparse,
  StorageService,
  TileArray,
} from "../../mod.ts"
import { processorTime, withHeartbeat } from "../support/event_loop.ts"

type Program<A> = Effect.Effect<A, unknown, StorageService | Codecs>

const folder = mkdtempSync(join(tmpdir(), "tessera-event-loop-"))
after(() => rmSync(folder, { recursive: true, force: true }))

let arrays = 0
/** Returns the path of a new folder for an array. */
const fresh = (): string => join(folder, `array${arrays++}`)

const run = <A>(program: Program<A>, options?: { readonly signal?: AbortSignal }): Promise<A> =>
  Effect.runPromise(Effect.provide(program, layerDefault) as Effect.Effect<A>, options)

/** The longest time in milliseconds for which the event loop may be blocked. */
const MAX_WAIT = 100
/** Garbage collection and other processes may disturb an attempt. */
const ATTEMPTS = 3

/** Runs an operation up to `ATTEMPTS` times, until timers fire on time during a whole run. */
const staysResponsive = async (operation: () => Program<unknown>): Promise<void> => {
  const measured: Array<string> = []
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const { elapsed, longestGap, longestWork } = await withHeartbeat(() => run(operation()))
    // on a busy machine the thread itself may have to wait for a processor
    if (Math.min(longestGap, longestWork) < MAX_WAIT) return
    measured.push(`gap ${longestGap.toFixed(0)} ms, work ${longestWork.toFixed(0)} ms of ${elapsed.toFixed(0)} ms`)
  }
  assert(false, `the event loop had to wait: ${measured.join("; ")}`)
}

const random = (() => {
  let state = 12345
  return () => (state = (Math.imul(state, 1103515245) + 12345) >>> 0) / 2 ** 32
})()
const numbers = (n: number): Float64Array => Float64Array.from({ length: n }, random)
const coordinates = (n: number, maxValue: number): Int32Array =>
  Int32Array.from({ length: n }, () => Math.floor(random() * maxValue))

const M = 1_000_000
const sparse = { x: Dim.int32([0, 99_999], { tile: 1000 }), y: Dim.int32([0, 99_999], { tile: 1000 }) }
const Points = ArraySchema.sparse({ dims: sparse, attrs: { a: Attr.float64() }, allowsDuplicates: true })
const Curve = ArraySchema.sparse({
  dims: { ...sparse, z: Dim.int32([0, 99_999]) },
  attrs: { a: Attr.float64() },
  allowsDuplicates: true,
  order: "hilbert",
})
const OneTile = ArraySchema.sparse({
  dims: sparse,
  attrs: { a: Attr.float64({ filters: [Filter.zstd({ level: 3 })] }) },
  allowsDuplicates: true,
  capacity: 10 * M,
})
const Texts = ArraySchema.sparse({
  dims: { x: Dim.int32([0, 10 * M]) },
  attrs: { s: Attr.utf8(), v: Attr.nullable(Attr.float64()) },
})
const Names = ArraySchema.sparse({ dims: { name: Dim.ascii() }, attrs: { a: Attr.int32() }, allowsDuplicates: true })
const SIDE = 3000
const Grid = ArraySchema.dense({
  dims: { x: Dim.int32([0, SIDE - 1], { tile: SIDE }), y: Dim.int32([0, SIDE - 1], { tile: SIDE }) },
  attrs: { a: Attr.float64({ filters: [Filter.zstd({ level: 3 })] }) },
})
const Bzip2 = ArraySchema.dense({
  dims: { x: Dim.int32([0, 299_999], { tile: 100_000 }) },
  attrs: { a: Attr.float64({ filters: [Filter.bzip2({ level: 1 })] }) },
})
const Line = ArraySchema.dense({ dims: { x: Dim.int32([0, 10 * M]) }, attrs: { a: Attr.float64() } })

const points = { x: coordinates(2 * M, 1e5), y: coordinates(2 * M, 1e5), a: numbers(2 * M) }
const names = Array.from({ length: 400_000 }, () => `name ${Math.floor(random() * 1e9)}`)

/** Creates an array and runs a write into it. */
const into = <S extends ArraySchema.ArraySchema>(
  schema: S,
  write: (array: TileArray.TileArray<S>) => Program<unknown>,
): Program<unknown> => Effect.suspend(() => Effect.flatMap(TileArray.create(fresh(), schema), write))

describe("the event loop", () => {
  it("is reported as blocked while a loop blocks it", async () => {
    const { longestGap, longestWork } = await withHeartbeat(async () => {
      await new Promise((resolve) => setTimeout(resolve, 20))
      const start = performance.now()
      const used = processorTime()
      // on a busy machine this thread gets only a part of the processor time
      while (performance.now() - start < 400 || (used !== undefined && processorTime()! - used < 2 * MAX_WAIT));
    })
    assert(longestGap >= 399, `a gap of ${longestGap} ms`)
    assert(longestWork > MAX_WAIT, `work of ${longestWork} ms`)
  })

  it("runs while unordered sparse cells are checked, sorted and written", () =>
    staysResponsive(() => into(Points, (array) => Sparse.write(array, points))))

  it("runs while cells are sorted along the Hilbert curve", () => {
    const some = {
      x: points.x.subarray(0, M),
      y: points.y.subarray(0, M),
      z: coordinates(M, 1e5),
      a: points.a.subarray(0, M),
    }
    return staysResponsive(() => into(Curve, (array) => Sparse.write(array, some)))
  })

  it("runs while duplicates are removed", () => {
    const cells = { x: coordinates(2 * M, 1000), y: coordinates(2 * M, 1000), a: points.a }
    const Unique = ArraySchema.sparse({ dims: sparse, attrs: { a: Attr.float64() } })
    return staysResponsive(() => into(Unique, (array) => Sparse.write(array, cells, { duplicates: "first" })))
  })

  it("runs while text coordinates are ranked", () =>
    staysResponsive(() =>
      into(Names, (array) => Sparse.write(array, { name: names, a: coordinates(names.length, 100) }))
    ))

  it("runs while one huge sparse tile is gathered and filtered", () =>
    staysResponsive(() => into(OneTile, (array) => Sparse.write(array, points))))

  it("runs while one huge dense tile is filtered", () => {
    const cells = { a: numbers(SIDE * SIDE) }
    return staysResponsive(() => into(Grid, (array) => Dense.write(array, {}, cells, { order: "col" })))
  })

  it("runs between the chunks of a slow compressor", () => {
    const cells = { a: numbers(300_000) }
    return staysResponsive(() => into(Bzip2, (array) => Dense.write(array, {}, cells)))
  })

  it("runs while lists of texts and of nullable values are converted", () => {
    const cells = {
      x: Int32Array.from({ length: M }, (_, i) => i),
      s: Array.from({ length: M }, (_, i) => `text ${i}`),
      v: Array.from({ length: M }, (_, i) => i % 3 === 0 ? null : i),
    }
    return staysResponsive(() => into(Texts, (array) => Sparse.write(array, cells)))
  })

  it("runs while rows are encoded", () => {
    const Row = Schema.Struct({ x: Schema.Int, s: Schema.String, v: Schema.NullOr(Schema.Number) })
    const rows = Array.from({ length: 150_000 }, (_, i) => ({ x: i, s: `row ${i}`, v: i % 2 === 0 ? null : i }))
    return staysResponsive(() => into(Texts, (array) => Sparse.writeRows(array, rows, Row)))
  })

  it("runs while scattered cells are covered with boxes", () => {
    const Row = Schema.Struct({ x: Schema.Int, a: Schema.Number })
    const rows = Array.from({ length: 100_000 }, (_, i) => ({ x: 3 * i, a: i }))
    return staysResponsive(() => into(Line, (array) => Effect.ignore(Dense.writeRows(array, rows, Row))))
  })

  it("runs while a writer takes large batches", () => {
    const batches = [0, 1, 2].map((k) => ({
      x: points.x.subarray(k * M / 2),
      y: points.y.subarray(k * M / 2),
      a: points.a.subarray(k * M / 2),
    }))
    return staysResponsive(() =>
      into(Points, (array) => Stream.run(Stream.rechunk(Stream.fromIterable(batches), 1), Sparse.sink(array)))
    )
  })

  it("runs while an array is copied", async () => {
    const source = fresh()
    await run(Effect.flatMap(TileArray.create(source, Points), (array) => Sparse.write(array, points)))
    await staysResponsive(() => Effect.suspend(() => TileArray.copy(source, fresh())))
  })

  it("runs while one huge tile is copied, of numbers or of texts", async () => {
    const dims = { x: Dim.int32([0, 6 * M - 1], { tile: 6 * M }) }
    const schema = ArraySchema.dense({ dims, attrs: { a: Attr.float64({ filters: [Filter.zstd({ level: 3 })] }) } })
    const words = ArraySchema.dense({ dims, attrs: { s: Attr.ascii() } })
    const [source, texts] = [fresh(), fresh()]
    await run(
      Effect.flatMap(TileArray.create(source, schema), (array) => Dense.write(array, {}, { a: numbers(6 * M) })),
    )
    const values = new Uint8Array(12 * M).fill(97)
    const s = { values, offsets: Uint32Array.from({ length: 6 * M + 1 }, (_, i) => 2 * i) }
    await run(Effect.flatMap(TileArray.create(texts, words), (array) => Dense.write(array, {}, { s })))
    for (const from of [source, texts]) {
      await staysResponsive(() => Effect.suspend(() => TileArray.copy(from, fresh(), { memory: 1 << 30 })))
    }
  })

  const csv = (rows: number): string => {
    let text = "t,n,w\n"
    for (let i = 0; i < rows; i++) {
      text += `2024-01-01T00:${String(i % 60).padStart(2, "0")}:00Z,${random()},word ${i}\n`
    }
    return text
  }

  it("runs while CSV in one piece is parsed, typed and converted", () => {
    const text = csv(150_000)
    return staysResponsive(() => Effect.suspend(() => Csv.create(fresh(), Stream.make(text))))
  })

  it("runs while CSV of many columns is typed", () => {
    const header = Array.from({ length: 200 }, (_, c) => `c${c}`).join(",")
    const row = Array.from({ length: 200 }, (_, c) => c % 2 === 0 ? "2024-01-01" : `${c}.5`).join(",")
    const text = [header, ...new Array<string>(3000).fill(row)].join("\n")
    return staysResponsive(() => Effect.suspend(() => Csv.create(fresh(), Stream.make(text))))
  })

  it("runs while a very long row of CSV is read, quoted or not", async () => {
    const quoted = `a,b\n1,"${'""x\n'.repeat(1.5 * M)}"\n`
    await staysResponsive(() => Effect.suspend(() => Csv.create(fresh(), Stream.make(quoted))))
    const cells = `a,b\n${"1,".repeat(M)}\n`
    await staysResponsive(() => Effect.suspend(() => Effect.ignore(Csv.create(fresh(), Stream.make(cells)))))
  })

  it("runs while a large file is synced", async () => {
    // a blocking sync waits for the disk without processor time, so that the elapsed time is measured
    const bytes = new Uint8Array(1 << 26).fill(7)
    const measured: Array<string> = []
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const { elapsed, longestGap } = await run(Effect.scoped(Effect.gen(function* () {
        const storage = yield* StorageService
        const file = yield* storage.openWrite(join(fresh(), "file"))
        yield* file.write(bytes)
        return yield* Effect.promise(() => withHeartbeat(() => Effect.runPromise(file.finish)))
      })))
      // a file system in memory has no data to sync
      if (elapsed < 40 || longestGap < elapsed / 2) return
      measured.push(`${longestGap.toFixed(0)} ms of ${elapsed.toFixed(0)} ms`)
    }
    assert(false, `the event loop had to wait: ${measured.join("; ")}`)
  })
})

describe("a long write", () => {
  /** Lists the fragments of an array, committed or not. */
  const remains = (uri: string): ReadonlyArray<string> =>
    ["__fragments", "__commits"].flatMap((name) => existsSync(join(uri, name)) ? readdirSync(join(uri, name)) : [])

  it("stops soon after its time limit, and leaves no files", async () => {
    const uri = fresh()
    const array = await run(TileArray.create(uri, Curve))
    const cells = { ...points, z: points.y }
    const whole = await withHeartbeat(() => run(into(Curve, (array) => Sparse.write(array, cells))))
    const { value, elapsed } = await withHeartbeat(() =>
      run(Effect.either(Effect.timeout(Sparse.write(array, cells), "50 millis")))
    )
    assertEquals(value._tag, "Left")
    assert(elapsed < whole.elapsed / 2, `${elapsed} ms of ${whole.elapsed}`)
    assertEquals(remains(uri), [])
  })

  it("stops soon after its time limit in a ManagedRuntime too", async () => {
    const runtime = ManagedRuntime.make(layerDefault)
    try {
      const array = await run(TileArray.create(fresh(), Curve))
      const cells = { ...points, z: points.y }
      let fired = false
      const timer = setTimeout(() => fired = true, 20)
      const ended = await runtime.runPromise(Effect.either(Effect.timeout(Sparse.write(array, cells), "50 millis")))
      clearTimeout(timer)
      assertEquals([ended._tag, fired], ["Left", true])
    } finally {
      await runtime.dispose()
    }
  })

  it("stops soon after it is aborted, and leaves no files", async () => {
    const uri = fresh()
    const array = await run(TileArray.create(uri, Curve))
    const cells = { ...points, z: points.y }
    const abort = new AbortController()
    setTimeout(() => abort.abort(), 50)
    const { value, elapsed } = await withHeartbeat(() =>
      run(Sparse.write(array, cells), { signal: abort.signal }).then(() => "written", () => "aborted")
    )
    assertEquals(value, "aborted")
    assert(elapsed < 2000, `${elapsed} ms`)
    assertEquals(remains(uri), [])
  })

  it("can be repeated with the same writer after a batch was interrupted during validation", async () => {
    const uri = fresh()
    // enough cells that their validation takes longer than a time slice
    const count = 8 * M
    const cells = { x: Int32Array.from({ length: count }, (_, i) => i), a: new Float64Array(count) }
    const Ordered = ArraySchema.sparse({
      dims: { x: Dim.int32([0, 10 * M], { tile: 1000 }) },
      attrs: { a: Attr.float64() },
    })
    const written = await run(Effect.scoped(Effect.gen(function* () {
      const array = yield* TileArray.create(uri, Ordered)
      const writer = yield* Sparse.writer(array, { order: "global" })
      yield* Effect.either(Effect.timeout(writer.write(cells), "1 millis"))
      yield* writer.write(cells)
      return yield* writer.commit
    })))
    assertEquals(written.cells, count)
  })

  it("runs without an event loop if it is small", () => {
    const uri = fresh()
    const program = Effect.gen(function* () {
      const array = yield* TileArray.create(uri, Points)
      return yield* Sparse.write(array, {
        x: points.x.subarray(0, 200_000),
        y: points.y.subarray(0, 200_000),
        a: points.a.subarray(0, 200_000),
      })
    })
    assertEquals(Effect.runSync(Effect.provide(program, layerDefault)).cells, 200_000)
  })
})
