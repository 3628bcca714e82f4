/** The round-trip law of every structure, at every format version that has it. */
import { describe, it } from "node:test"
import { assert, assertEquals } from "@std/assert"
import * as Arbitrary from "effect/Arbitrary"
import * as FastCheck from "effect/FastCheck"
import * as Schema from "effect/Schema"
import { type Codec, decode, decodeSteps, encode, encodeSteps } from "../../schema/binary/mod.ts"
import {
  ArraySchema,
  Attribute,
  Chunks,
  Condition,
  ConsolidatedCommits,
  ConsolidatedFragmentMetadata,
  DeleteCondition,
  DimensionLabel,
  dimensionOf,
  Domain,
  Enumeration,
  Filter,
  FilterPipeline,
  FormatError,
  fragmentFooter,
  FragmentStatistic,
  FragmentStatistics,
  GenericTileHeader,
  globalOrderBounds,
  GroupDetails,
  GroupMember,
  IgnoreFile,
  legacyMetadata,
  MetadataEntries,
  MetadataEntry,
  NEWEST_VERSION,
  OptionalSection,
  ProcessedConditions,
  rtree,
  Since,
  TileNullCounts,
  TileOffsets,
  TileStatistic,
  TileSums,
  UpdateCondition,
  VacuumFile,
} from "../../schema/mod.ts"
import { finish } from "../../src/kernel/steps.ts"

/** Returns the result of a call, or the message of its error. */
const outcome = (run: () => unknown): unknown => {
  try {
    return run()
  } catch (error) {
    return String(error)
  }
}

const SEED = 20240607
const RUNS = 30

// deno-lint-ignore no-explicit-any
type Law = readonly [name: string, codec: Codec<any>, from?: number, to?: number]

const laws: ReadonlyArray<Law> = [
  ["Filter", Filter],
  ["FilterPipeline", FilterPipeline],
  ["Dimension", dimensionOf("int16")],
  ["Domain", Domain],
  ["Attribute", Attribute],
  ["DimensionLabel", DimensionLabel, Since.dimensionLabels],
  ["Enumeration", Enumeration, Since.enumerations],
  ["ArraySchema", ArraySchema],
  ["GenericTileHeader", GenericTileHeader],
  ["Chunks", Chunks],
  ["LegacyMetadata, one dimension", legacyMetadata({ attributes: 2, dimensions: [8] }), 1, 2],
  ["LegacyMetadata, no attributes, two dimensions", legacyMetadata({ attributes: 0, dimensions: [4, 4] }), 1, 2],
  ["FragmentFooter, fixed", fragmentFooter({ attributes: 3, dimensions: [4, 4] }), Since.footer],
  ["FragmentFooter, var", fragmentFooter({ attributes: 1, dimensions: [8, "var"] }), Since.splitDimensions],
  ["OptionalSection", OptionalSection, Since.optionalSections],
  ["GlobalOrderBounds", globalOrderBounds(3), Since.optionalSections],
  ["RTree, one float", rtree([{ type: "float32", var: false }]), Since.footer],
  ["RTree, two of a type", rtree([{ type: "int64", var: false }, { type: "int64", var: false }]), Since.footer],
  [
    "RTree, mixed",
    rtree([{ type: "int8", var: false }, { type: "string_ascii", var: true }, { type: "datetime_ms", var: false }]),
    Since.splitDimensions,
  ],
  ["TileOffsets", TileOffsets, Since.footer],
  ["TileStatistic", TileStatistic, Since.tileStatistics],
  ["TileSums", TileSums, Since.tileStatistics],
  ["TileNullCounts", TileNullCounts, Since.tileStatistics],
  ["FragmentStatistic", FragmentStatistic, Since.fragmentStatistics],
  ["FragmentStatistics", FragmentStatistics, Since.fragmentStatistics],
  ["ProcessedConditions", ProcessedConditions, Since.deleteMetadata],
  ["VacuumFile", VacuumFile],
  ["IgnoreFile", IgnoreFile, Since.folders],
  ["ConsolidatedCommits", ConsolidatedCommits],
  ["Condition", Condition, Since.deletes],
  ["DeleteCondition", DeleteCondition, Since.deletes],
  ["UpdateCondition", UpdateCondition, Since.deletes],
  ["ConsolidatedFragmentMetadata", ConsolidatedFragmentMetadata, Since.footer],
  ["MetadataEntry", MetadataEntry],
  ["MetadataEntries", MetadataEntries],
  ["GroupMember", GroupMember],
  ["GroupDetails", GroupDetails],
]

describe("structures", () => {
  for (const [name, codec, from = 1, to = NEWEST_VERSION] of laws) {
    it(`${name}: decode after encode is the identity, formats ${from} to ${to}`, () => {
      for (let version = from; version <= to; version++) {
        const schema = codec.at(version)
        const toBytes = Schema.encodeSync(schema)
        const toValue = Schema.decodeSync(schema)
        FastCheck.assert(
          FastCheck.property(Arbitrary.make(Schema.typeSchema(schema)), (value) => {
            assertEquals(toValue(toBytes(value)), value)
          }),
          { seed: SEED + version, numRuns: RUNS },
        )
      }
    })

    it(`${name}: in steps, bytes, values and errors are the same`, () => {
      for (const version of new Set([from, to])) {
        const input = FastCheck.tuple(
          Arbitrary.make(Schema.typeSchema(codec.at(version))),
          FastCheck.nat(),
          FastCheck.nat(255),
        )
        FastCheck.assert(
          FastCheck.property(input, ([value, at, byte]) => {
            const bytes = encode(codec, value, version)
            assertEquals(finish(encodeSteps(codec, value, version)), bytes)
            if (bytes.length > 0) bytes[at % bytes.length] = byte
            assertEquals(
              outcome(() => finish(decodeSteps(codec, bytes, version, "mem://a"))),
              outcome(() => decode(codec, bytes, version, "mem://a")),
            )
          }),
          { seed: SEED + version, numRuns: RUNS },
        )
      }
    })

    it(`${name}: damaged bytes are a FormatError or another value, nothing else`, () => {
      for (const version of new Set([from, Math.min(to, 11), to])) {
        const damaged = FastCheck.tuple(
          Arbitrary.make(Schema.typeSchema(codec.at(version))),
          FastCheck.array(FastCheck.tuple(FastCheck.nat(), FastCheck.nat(255)), { maxLength: 3 }),
          FastCheck.nat(),
        )
        FastCheck.assert(
          FastCheck.property(damaged, ([value, changes, cut]) => {
            const whole = encode(codec, value, version)
            for (const [at, byte] of changes) if (whole.length > 0) whole[at % whole.length] = byte
            const bytes = whole.subarray(0, cut % 3 === 0 ? cut % (whole.length + 1) : whole.length)
            try {
              decode(codec, bytes, version, "mem://damaged")
            } catch (error) {
              assert(error instanceof FormatError, String(error))
              assert(error.detail !== "" && error.offset >= 0)
            }
          }),
          { seed: SEED - version, numRuns: 50 },
        )
      }
    })
  }
})
