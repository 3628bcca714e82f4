/**
 * Advice for callers about an error, as data: each edge – the library, the command line, a page – renders it with the
 * names of its own options.
 *
 * @module
 */
import * as Schema from "effect/Schema"

/** Advice for callers about an error. */
export type Hint =
  /** Clip ranges to the domain. */
  | { readonly _tag: "ClipRanges" }
  /** Select fewer cells or fields, or raise the memory budget to `atLeast` bytes. */
  | { readonly _tag: "SelectLess"; readonly atLeast: number }
  /** Raise the memory budget to `atLeast` bytes. */
  | { readonly _tag: "RaiseMemory"; readonly atLeast: number }
  /** Provide the encryption key. */
  | { readonly _tag: "ProvideKey" }
  /** Read without verifying checksums. */
  | { readonly _tag: "SkipChecksums" }
  /** Resume an unfinished copy or import, or overwrite it. */
  | { readonly _tag: "Resume" }
  /** Overwrite the content of the target, or choose another target. */
  | { readonly _tag: "Overwrite" }
  /** Choose another target. */
  | { readonly _tag: "ChooseTarget" }
  /** Omit the metadata. */
  | { readonly _tag: "OmitMetadata" }
  /** Use one of these names, which are similar to the one in the call. */
  | { readonly _tag: "DidYouMean"; readonly names: ReadonlyArray<string> }

/**
 * The schema of hints. An application renders its own advice from the hint of an error and its `summary`, the message
 * without advice.
 *
 * ```ts
 * import { Dense, layerDefault, TileArray } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 *
 * const program = Effect.gen(function* () {
 *   const weather = yield* TileArray.open("tests/golden/demo/weather")
 *   return yield* Dense.read(weather, { region: { day: [360, 370] } })
 * })
 * const error = await Effect.runPromise(Effect.provide(Effect.flip(program), layerDefault))
 * assertEquals(error._tag === "SelectionError" && error.hint, { _tag: "ClipRanges" })
 * ```
 */
export const Hint: Schema.Schema<Hint> = Schema.suspend(() =>
  Schema.Union(
    Schema.TaggedStruct("ClipRanges", {}),
    Schema.TaggedStruct("SelectLess", { atLeast: Schema.Number }),
    Schema.TaggedStruct("RaiseMemory", { atLeast: Schema.Number }),
    Schema.TaggedStruct("ProvideKey", {}),
    Schema.TaggedStruct("SkipChecksums", {}),
    Schema.TaggedStruct("Resume", {}),
    Schema.TaggedStruct("Overwrite", {}),
    Schema.TaggedStruct("ChooseTarget", {}),
    Schema.TaggedStruct("OmitMetadata", {}),
    Schema.TaggedStruct("DidYouMean", { names: Schema.Array(Schema.String) }),
  )
)

/** An error with advice: `message` consists of `summary` and the hint in the wording of the library. */
export interface Advised {
  /** Describes the error and its location, without advice. */
  readonly summary: string
  /** Advice for callers. */
  readonly hint?: Hint
}

/** Returns the advice with the names of the library's options. */
const advice = (hint: Hint): string => {
  switch (hint._tag) {
    case "ClipRanges":
      return 'select cells inside the domain, or set `outOfBounds` to "clip"'
    case "SelectLess":
      return `select fewer cells or fields, or raise \`memory\` to ${hint.atLeast}`
    case "RaiseMemory":
      return `raise \`memory\` to ${hint.atLeast}`
    case "ProvideKey":
      return "provide `key`"
    case "SkipChecksums":
      return "restore the file, or set `verifyChecksums` to false"
    case "Resume":
      return "set `resume` or `overwrite`"
    case "Overwrite":
      return "set `overwrite`, or choose another target"
    case "ChooseTarget":
      return "choose another target"
    case "OmitMetadata":
      return "set `metadata` to false"
    case "DidYouMean":
      return `did you mean ${hint.names.map((name) => JSON.stringify(name)).join(" or ")}?`
  }
}

/** Returns the message of an error with advice: its summary, and the hint in the wording of the library. */
export const adviseApi = ({ summary, hint }: Advised): string =>
  hint === undefined ? summary : `${summary}; ${advice(hint)}`
