/** Every public operation runs in a span with its name, its URI and its counts. */
import { describe, it } from "node:test"
import { assert, assertEquals } from "@std/assert"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import * as Schedule from "effect/Schedule"
import * as Stream from "effect/Stream"
import { ArraySchema, Attr, Csv, Dense, Dim, Group, Metadata, Objects, Sparse, TileArray } from "../../mod.ts"
import type { Codecs } from "../../mod.ts"
import * as Platform from "../../platform/mod.ts"
import { type EndedSpan, makeInMemoryTracer } from "./in_memory_tracer.ts"

const Grid = ArraySchema.dense({
  dims: { x: Dim.int32([1, 8], { tile: 4 }) },
  attrs: { a: Attr.int32() },
  labels: { depth: { dim: "x", type: "float64", order: "increasing" } },
})
const Points = ArraySchema.sparse({ dims: { x: Dim.int32([1, 100], { tile: 10 }) }, attrs: { a: Attr.int32() } })
const Row = Schema.Struct({ x: Schema.Number, a: Schema.Number })

type Needs = Platform.StorageService | Codecs
type AnyEffect = Effect.Effect<unknown, unknown, Needs | Scope.Scope>

/** Creates the arrays and the group that operations use. */
const setUp = Effect.gen(function* () {
  const newGrid = yield* TileArray.create("mem://grid", Grid)
  yield* Dense.write(newGrid, { x: [1, 8] }, { a: Int32Array.of(1, 2, 3, 4, 5, 6, 7, 8) }, { at: 1000 })
  yield* TileArray.writeLabels(newGrid, { x: [1, 8] }, { depth: Float64Array.of(1, 2, 3, 4, 5, 6, 7, 8) })
  const newPoints = yield* TileArray.create("mem://points", Points)
  yield* Sparse.write(newPoints, { x: [1, 50], a: [10, 20] }, { at: 1000 })
  yield* Group.create("mem://group")
  yield* Group.add("mem://group", { uri: "mem://grid", name: "grid" })
  yield* TileArray.putTag(grid, "old", { at: 5 })
  return {
    grid: yield* TileArray.reopen(newGrid),
    points: yield* TileArray.reopen(newPoints),
    group: yield* Group.open("mem://group"),
    storage: yield* Platform.StorageService,
  }
})
type SetUp = Effect.Effect.Success<typeof setUp>

const oneCell = { x: Int32Array.of(7), a: Int32Array.of(70) }
const grid = "mem://grid"
const points = "mem://points"
const group = "mem://group"

/** Each operation: the URI of its span, and a call. */
const operations: Readonly<Record<string, readonly [uri: string, call: (setUp: SetUp) => AnyEffect]>> = {
  "TileArray.open": [grid, () => TileArray.open(grid)],
  "TileArray.reopen": [grid, (s) => TileArray.reopen(s.grid)],
  "TileArray.create": ["mem://new", () => TileArray.create("mem://new", Points)],
  "TileArray.evolve": [grid, () => TileArray.evolve(grid, { addAttributes: { b: Attr.int8() } })],
  "TileArray.upgrade": [grid, () => TileArray.upgrade(grid)],
  "TileArray.tidy": [grid, () => TileArray.tidy(grid, { dryRun: true })],
  "TileArray.consolidate": [grid, () => TileArray.consolidate(grid, { mode: "commits" })],
  "TileArray.consolidationPlan": [grid, () => TileArray.consolidationPlan(grid)],
  "TileArray.runConsolidationTasks": [grid, () => TileArray.runConsolidationTasks(grid, [])],
  "TileArray.deleteFragments": [points, () => TileArray.deleteFragments(points, { end: 5 })],
  "TileArray.putTag": [grid, () => TileArray.putTag(grid, "release", { at: 5 })],
  "TileArray.listTags": [grid, () => TileArray.listTags(grid)],
  "TileArray.deleteTag": [grid, () => TileArray.deleteTag(grid, "old")],
  "TileArray.changes": [
    grid,
    () => Stream.runDrain(TileArray.changes(grid, { since: 0, schedule: Schedule.stop })),
  ],
  "TileArray.diff": [grid, () => TileArray.diff(grid, { from: 5 })],
  "TileArray.diffCells": [points, () => Stream.runDrain(TileArray.diffCells(points, { from: 5 }))],
  "TileArray.log": [grid, () => TileArray.log(grid)],
  "Objects.copy": ["mem://copied", () => Objects.copy(grid, "mem://copied")],
  "Objects.move": ["mem://moved", () => Objects.move(grid, "mem://moved")],
  "Objects.remove": [grid, () => Objects.remove(grid)],
  "TileArray.inspect": [grid, (s) => TileArray.inspect(s.grid)],
  "TileArray.vacuum": [grid, () => TileArray.vacuum(grid, { mode: "commits" })],
  "TileArray.repair": [grid, () => TileArray.repair(grid)],
  "TileArray.verify": [grid, (s) => Stream.runDrain(TileArray.verify(s.grid))],
  "TileArray.copy": ["mem://copy", (s) => TileArray.copy(s.points, "mem://copy")],
  "TileArray.metadata": [grid, (s) => TileArray.metadata(s.grid)],
  "TileArray.enumerations": [grid, (s) => TileArray.enumerations(s.grid)],
  "TileArray.fragments": [grid, (s) => TileArray.fragments(s.grid)],
  "TileArray.exists": [grid, (s) => TileArray.exists(s.grid.uri)],
  "Dense.fromTypedArray": ["mem://typed", () => Dense.fromTypedArray("mem://typed", new Int8Array(2), [2])],
  "TileArray.putMetadata": [grid, () => TileArray.putMetadata(grid, { title: "a" })],
  "TileArray.deleteMetadata": [grid, () => TileArray.deleteMetadata(grid, ["title"])],
  "TileArray.editMetadata": [grid, () => TileArray.editMetadata(grid, (metadata) => metadata.put({ title: "a" }))],
  "TileArray.readLabel": [grid, (s) => TileArray.readLabel(s.grid, "depth")],
  "TileArray.writeLabels": [grid, (s) => TileArray.writeLabels(s.grid, { x: [1, 2] }, { depth: [1.5, 2.5] })],
  "Dense.read": [grid, (s) => Dense.read(s.grid)],
  "Dense.stream": [grid, (s) => Stream.runDrain(Dense.stream(s.grid))],
  "Dense.cells": [grid, (s) => Stream.runDrain(Dense.cells(s.grid, { where: "a > 3" }))],
  "Dense.aggregate": [grid, (s) => Dense.aggregate(s.grid, {})],
  "Dense.distinct": [grid, (s) => Dense.distinct(s.grid, "a")],
  "Dense.explain": [grid, (s) => Dense.explain(s.grid)],
  "Dense.write": [grid, (s) => Dense.write(s.grid, { x: [1, 1] }, { a: Int32Array.of(9) })],
  "Dense.writer": [grid, (s) => Dense.writer(s.grid, { x: [1, 1] })],
  "Dense.sink": [grid, (s) => Stream.run(Stream.make({ a: Int32Array.of(9) }), Dense.sink(s.grid, { x: [1, 1] }))],
  "Dense.writeRows": [grid, (s) => Dense.writeRows(s.grid, [{ x: 1, a: 2 }], Row)],
  "Sparse.read": [points, (s) => Sparse.read(s.points)],
  "Sparse.stream": [points, (s) => Stream.runDrain(Sparse.stream(s.points))],
  "Sparse.aggregate": [points, (s) => Sparse.aggregate(s.points, {})],
  "Sparse.distinct": [points, (s) => Sparse.distinct(s.points, "a")],
  "Sparse.explain": [points, (s) => Sparse.explain(s.points)],
  "Sparse.write": [points, (s) => Sparse.write(s.points, oneCell)],
  "Sparse.writer": [points, (s) => Sparse.writer(s.points)],
  "Sparse.sink": [points, (s) => Stream.run(Stream.make(oneCell), Sparse.sink(s.points))],
  "Sparse.writeRows": [points, (s) => Sparse.writeRows(s.points, [{ x: 7, a: 2 }], Row)],
  "Sparse.delete": [points, (s) => Sparse.delete(s.points, "a > 10")],
  "Group.create": ["mem://new", () => Group.create("mem://new")],
  "Group.open": [group, () => Group.open(group)],
  "Group.add": [group, () => Group.add(group, { uri: "mem://points" })],
  "Group.remove": [group, () => Group.remove(group, "grid")],
  "Group.change": [group, (s) => Group.change(s.group, { add: [{ uri: "mem://points" }] })],
  "Group.metadata": [group, (s) => Group.metadata(s.group)],
  "Group.consolidateMetadata": [group, () => Group.consolidateMetadata(group)],
  "Group.vacuumMetadata": [group, () => Group.vacuumMetadata(group)],
  "Group.putMetadata": [group, () => Group.putMetadata(group, { title: "a" })],
  "Group.deleteMetadata": [group, () => Group.deleteMetadata(group, ["title"])],
  "Group.editMetadata": [group, () => Group.editMetadata(group, (metadata) => metadata.put({ title: "a" }))],
  "Group.ls": [group, () => Group.ls(group)],
  "Group.tree": [group, () => Group.tree(group)],
  "Group.walk": [group, () => Stream.runDrain(Group.walk(group))],
  "Group.objectType": [group, () => Group.objectType(group)],
  "Csv.create": ["mem://csv", () => Csv.create("mem://csv", Stream.make("a,b\n1,2\n"))],
  "Csv.append": [points, () => Csv.append(points, Stream.make("x,a\n3,4\n"))],
  "publish": [grid, (s) => Platform.publish(s.storage, grid)],
}

/** Functions that do not read or write by themselves, with the reason. */
const withoutSpan: Readonly<Record<string, string>> = {
  "TileArray.ConsolidationTask": "is a Schema",
  "TileArray.Finding": "is a Schema",
  "TileArray.declare": "compares schemas in memory",
  "TileArray.inspectionPage": "formats a value",
  "TileArray.undeclare": "returns another view of an open array",
  "TileArray.nonEmptyDomain": "is known when the array is open",
  "Group.members": "are known when the group is open",
  "Dense.batches": "runs Dense.stream",
  "Sparse.batches": "runs Sparse.stream",
  "Dense.rows": "decodes the rows of a read",
  "Sparse.rows": "decodes the rows of a read",
  "Dense.decodeRows": "decodes the rows of a result",
  "Dense.toRows": "works on a result",
  "Sparse.decodeRows": "decodes the rows of a result",
  "Sparse.toRows": "works on a result",
}

const layer = () => Layer.merge(Platform.layerMemory, Platform.layerNative)

/** Creates arrays without a tracer, then runs an operation with one; returns the spans. */
const traceOf = async (call: (setUp: SetUp) => AnyEffect) => {
  const tracer = makeInMemoryTracer()
  const program = Effect.flatMap(
    setUp,
    (setUp) => Effect.exit(Effect.provide(Effect.scoped(call(setUp)), tracer.layer)),
  )
  return { exit: await Effect.runPromise(Effect.provide(program, layer())), ...tracer }
}

const spanNamed = (spans: ReadonlyArray<EndedSpan>, name: string): EndedSpan => {
  const matching = spans.filter((span) => span.name === `tessera.${name}`)
  assert(matching.length > 0, `no span tessera.${name} among ${spans.map((span) => span.name).join(", ")}`)
  return matching.at(-1)!
}

describe("spans of public operations", () => {
  it("cover every exported function", () => {
    const namespaces = { TileArray, Dense, Sparse, Group, Csv, Objects }
    const functions = Object.entries(namespaces).flatMap(([namespace, module]) =>
      Object.entries(module).filter(([, value]) => typeof value === "function").map(([name]) => `${namespace}.${name}`)
    )
    assertEquals(
      [...functions, "publish"].sort(),
      [...Object.keys(operations), ...Object.keys(withoutSpan)].sort(),
    )
    // metadata values are created in memory
    for (const make of Object.values(Metadata)) assert(!Effect.isEffect(make))
  })

  for (const [name, [uri, call]] of Object.entries(operations)) {
    it(`${name} has a root span with the URI and the requests`, async () => {
      const { exit, spans, open } = await traceOf(call)
      if (exit._tag === "Failure") throw new Error(Cause.pretty(exit.cause))
      const span = spanNamed(spans, name)
      assertEquals(span.parent, undefined)
      assertEquals(span.attributes.get("tessera.uri"), uri)
      assertEquals(typeof span.attributes.get("tessera.requests"), "number")
      assertEquals(span.exit._tag, "Success")
      assertEquals([...open], [])
    })
  }

  it("a writer has spans for its batches and its commit", async () => {
    const { spans } = await traceOf((s) =>
      Effect.flatMap(
        Dense.writer(s.grid, { x: [1, 2] }),
        ({ write, commit }) => Effect.zipRight(write({ a: Int32Array.of(1, 2) }), commit),
      )
    )
    assertEquals(spanNamed(spans, "Dense.writer.write").attributes.get("tessera.uri"), grid)
    const commit = spanNamed(spans, "Dense.writer.commit")
    assert((commit.attributes.get("tessera.bytes_written") as number) > 8)
  })

  it("a read has the spans of its batches as children, and counts fragments, tiles and bytes", async () => {
    const { spans } = await traceOf((s) => Dense.read(s.grid))
    const batch = spanNamed(spans, "readTiles")
    assertEquals(batch.parent, "tessera.Dense.read")
    assertEquals([batch.attributes.get("tessera.field"), batch.attributes.get("tessera.tiles")], ["a", 2])
    const { attributes } = spanNamed(spans, "Dense.read")
    assertEquals(attributes.get("tessera.fragments"), 1)
    assertEquals(attributes.get("tessera.tiles_decoded"), 2)
    assert((attributes.get("tessera.bytes_read") as number) >= 32)
  })

  it("counts pruned tiles", async () => {
    const { spans } = await traceOf((s) => Sparse.read(s.points, { where: "a > 15" }))
    assertEquals(spanNamed(spans, "Sparse.read").attributes.get("tessera.tiles_pruned"), undefined)
    const none = await traceOf((s) => Sparse.read(s.points, { where: "a > 1000" }))
    assertEquals(spanNamed(none.spans, "Sparse.read").attributes.get("tessera.tiles_pruned"), 1)
  })

  it("are children of the surrounding operation, whose counts include theirs", async () => {
    const { spans } = await traceOf(() => TileArray.putMetadata(grid, { title: "a" }))
    const inner = spanNamed(spans, "TileArray.editMetadata")
    assertEquals(inner.parent, "tessera.TileArray.putMetadata")
    assertEquals(
      spanNamed(spans, "TileArray.putMetadata").attributes.get("tessera.requests"),
      inner.attributes.get("tessera.requests"),
    )
    const own = await traceOf(() => Effect.withSpan(TileArray.open(grid), "own"))
    assertEquals(spanNamed(own.spans, "TileArray.open").parent, "own")
  })

  it("end with the failure of the operation", async () => {
    const { spans } = await traceOf(() => TileArray.open("mem://missing"))
    const { exit } = spanNamed(spans, "TileArray.open")
    assert(exit._tag === "Failure" && Cause.pretty(exit.cause).includes("ArrayNotFound"))
  })

  it("end when an operation is interrupted", async () => {
    const tracer = makeInMemoryTracer()
    const hangs = { ...Platform.makeMemoryStorage(), list: () => Effect.never }
    const program = TileArray.open(grid).pipe(
      Effect.provideService(Platform.StorageService, hangs),
      Effect.provide(Platform.layerNative),
      Effect.provide(tracer.layer),
    )
    const fiber = Effect.runFork(program)
    await new Promise((resolve) => setTimeout(resolve, 10))
    await Effect.runPromise(Fiber.interrupt(fiber))
    const { exit } = spanNamed(tracer.spans, "TileArray.open")
    assert(exit._tag === "Failure" && Cause.isInterruptedOnly(exit.cause))
    assertEquals([...tracer.open], [])
  })

  it("of a stream that is not read to the end are ended", async () => {
    const { spans, open } = await traceOf((s) =>
      Stream.runDrain(Stream.take(Dense.stream(s.grid, { memory: 2 ** 24 }), 1))
    )
    spanNamed(spans, "Dense.stream")
    assertEquals([...open], [])
  })

  it("do not exist while tracing is disabled", async () => {
    const { spans } = await traceOf((s) => Effect.withTracerEnabled(Dense.read(s.grid), false))
    assertEquals(spans.map((span) => span.name).filter((name) => name.startsWith("tessera.")), [])
  })
})

describe("withSpans", () => {
  it("creates a span for each request, below the operation", async () => {
    const tracer = makeInMemoryTracer()
    const storage = Platform.withSpans(Platform.makeMemoryStorage())
    const program = Effect.flatMap(setUp, ({ grid }) => Effect.provide(Dense.read(grid), tracer.layer))
    const provided = program.pipe(
      Effect.provideService(Platform.StorageService, storage),
      Effect.provide(Platform.layerNative),
    )
    await Effect.runPromise(provided)
    const ranges = spanNamed(tracer.spans, "storage.readRanges")
    assertEquals(ranges.parent, "tessera.readTiles")
    assertEquals(typeof ranges.attributes.get("tessera.ranges"), "number")
    assertEquals(typeof ranges.attributes.get("tessera.bytes"), "number")
    assert(String(ranges.attributes.get("tessera.uri")).startsWith("mem://grid/__fragments/"))
  })
})
