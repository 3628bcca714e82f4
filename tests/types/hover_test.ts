/**
 * The texts that an editor shows for the results of `open`, `read` and `stream`, for errors, requirements and layers: they
 * name the columns and their buffers, and stay short. A snapshot: change it when the new text reads better.
 */
import { describe, it } from "node:test"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assertEquals } from "@std/assert"
import ts from "typescript"

const ROOT = join(import.meta.dirname!, "../..")

/** A user's module. The text of each constant in {@link EXPECTED} is checked. */
const MODULE = `
import { Aggregate, ArraySchema, Attr, Dense, Dim, Group, layerDefault, layerMemory, Sparse, TileArray } from "@tessera/array"
import * as Effect from "effect/Effect"

const Weather = ArraySchema.dense({
  dims: { day: Dim.int32([1, 366], { tile: 7 }), station: Dim.int32([1, 100]) },
  attrs: { temperature: Attr.float32(), note: Attr.utf8({ nullable: true }) },
})
const Quakes = ArraySchema.sparse({
  dims: { lat: Dim.float64([-90, 90]), lon: Dim.float64([-180, 180]) },
  attrs: { magnitude: Attr.float32(), place: Attr.utf8(), time: Attr.datetime("ms") },
})

export const program = Effect.gen(function* () {
  const weather = yield* TileArray.open("weather", Weather)
  const quakes = yield* TileArray.open("quakes", Quakes)
  const untyped = yield* TileArray.open("quakes")
  const denseRead = Dense.read(weather, { select: ["temperature"] })
  const denseResult = yield* Dense.read(weather, { region: { day: 60 } })
  const denseColumn = denseResult.columns.note
  const denseStream = Dense.stream(weather, { select: ["temperature"] })
  const untypedRead = Dense.read(untyped)
  const sparseRead = Sparse.read(quakes, { select: ["lat", "place"] })
  const sparseDates = yield* Sparse.read(quakes, { select: ["time"], time: "date" })
  const sparseStream = Sparse.stream(quakes, { select: ["magnitude"] })
  const denseWrite = Dense.write(weather, { day: [1, 1], station: [1, 2] }, {
    temperature: Float32Array.of(1, 2),
    note: ["a", null],
  })
  const sparseWrite = Sparse.write(quakes, { lat: [1], lon: [2], magnitude: [3], place: ["x"], time: [new Date(0)] })
  const counts = Dense.aggregate(weather, { mean: Aggregate.mean("temperature"), min: Aggregate.min("day") })
  const groups = Dense.aggregate(weather, { mean: Aggregate.mean("temperature") }, { by: ["day"] })
  const metadata = TileArray.metadata(weather)
  const group = Group.open("group")
})
const provided = Effect.provide(program, layerDefault)
const memory = layerMemory
`

/** Returns what an editor shows for each constant of {@link MODULE}, by its name, and the type errors of the module. */
const hoverTexts = (): { readonly texts: Map<string, string>; readonly errors: ReadonlyArray<string> } => {
  const file = join(ROOT, "tests/types/hover_module.ts")
  const content = (name: string): string | undefined =>
    name === file ? MODULE : existsSync(name) ? readFileSync(name, "utf8") : undefined
  const options: ts.CompilerOptions = {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    allowImportingTsExtensions: true,
    target: ts.ScriptTarget.ESNext,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    lib: ["lib.esnext.d.ts", "lib.dom.d.ts"],
    paths: { "@tessera/array": [join(ROOT, "mod.ts")] },
  }
  const service = ts.createLanguageService({
    getScriptFileNames: () => [file],
    getScriptVersion: () => "0",
    getScriptSnapshot: (name) => {
      const text = content(name)
      return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text)
    },
    getCurrentDirectory: () => ROOT,
    getCompilationSettings: () => options,
    getDefaultLibFileName: (settings) => ts.getDefaultLibFilePath(settings),
    fileExists: (name) => name === file || ts.sys.fileExists(name),
    readFile: content,
    readDirectory: ts.sys.readDirectory,
    directoryExists: ts.sys.directoryExists,
    getDirectories: ts.sys.getDirectories,
  })
  const texts = new Map<string, string>()
  for (const { 1: name, index } of MODULE.matchAll(/const (\w+) = /g)) {
    const info = service.getQuickInfoAtPosition(file, index + "const ".length)
    texts.set(name, ts.displayPartsToString(info?.displayParts))
  }
  const errors = service.getSemanticDiagnostics(file)
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, "\n"))
  return { texts, errors }
}

const WEATHER = `ArraySchema.ArraySchema<"dense", {
    day: Dim.Dimension<"int32">;
    station: Dim.Dimension<"int32">;
}, {
    temperature: Attr.Attribute<"float32", false, 1, "">;
    note: Attr.Attribute<"string_utf8", true, "var", "">;
}, ArraySchema.NoLabels>`

const FAILURES = "InvalidOption | ArrayNotFound | NotFound | StorageError | FormatError | ChecksumMismatch | " +
  "DecryptionFailed | CodecError | SchemaMismatch | SelectionError | ConditionError | ResultTooLarge"

const SERVICES = "Storage | Codecs"

/** The type that an editor shows, by constant of {@link MODULE}. */
const EXPECTED: Readonly<Record<string, string>> = {
  Weather: WEATHER,
  weather: `TileArray.TileArray<${WEATHER}>`,
  untyped: "TileArray.TileArray<undefined>",
  denseRead: `Effect.Effect<Dense.DenseResult<{
    readonly temperature: Float32Array<ArrayBufferLike>;
}>, Dense.QueryError, ${SERVICES}>`,
  denseResult: `Dense.DenseResult<{
    readonly temperature: Float32Array<ArrayBufferLike>;
    readonly note: Dense.NullableVarColumn<Uint8Array<ArrayBufferLike>>;
}>`,
  denseColumn: "Dense.NullableVarColumn<Uint8Array<ArrayBufferLike>>",
  denseStream: `Stream<Dense.DenseBatch<{
    readonly temperature: Float32Array<ArrayBufferLike>;
}>, Dense.QueryError, ${SERVICES}>`,
  untypedRead: `Effect.Effect<Dense.DenseResult<Dense.UntypedColumns>, Dense.QueryError, ${SERVICES}>`,
  sparseRead: `Effect.Effect<Sparse.SparseResult<{
    readonly lat: Float64Array<ArrayBufferLike>;
    readonly place: Dense.VarColumn<Uint8Array<ArrayBufferLike>>;
}>, Dense.QueryError, ${SERVICES}>`,
  sparseDates: `Sparse.SparseResult<{
    readonly time: Dense.DatesOf<"date">;
}>`,
  sparseStream: `Stream<Sparse.SparseResult<{
    readonly magnitude: Float32Array<ArrayBufferLike>;
}>, Dense.QueryError, ${SERVICES}>`,
  denseWrite: `Effect.Effect<Dense.WriteResult, Dense.WriteFailure, ${SERVICES}>`,
  sparseWrite: `Effect.Effect<Dense.WriteResult, Dense.WriteFailure, ${SERVICES}>`,
  counts: `Effect.Effect<{
    readonly mean: number | null;
    readonly min: number | null;
}, Dense.QueryError, ${SERVICES}>`,
  groups: `Effect.Effect<readonly {
    readonly day: number;
    readonly mean: number | null;
}[], Dense.QueryError, ${SERVICES}>`,
  metadata: `Effect.Effect<readonly Group.MetadataItem[], Group.MetadataError, ${SERVICES}>`,
  group: `Effect.Effect<Group.TileGroup, Group.GroupError, ${SERVICES}>`,
  program: `Effect.Effect<void, ${FAILURES}, ${SERVICES}>`,
  provided: `Effect.Effect<void, ${FAILURES}, never>`,
  memory: "Layer<Storage, never, never>",
}

describe("the types that an editor shows", () => {
  const { texts, errors } = hoverTexts()
  it("of a module without type errors", () => assertEquals(errors, []))
  for (const [name, type] of Object.entries(EXPECTED)) {
    it(name, () => assertEquals(texts.get(name), `const ${name}: ${type}`))
  }
})
