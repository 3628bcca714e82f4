/** Checks one case: compares an engine with everything in the case's `expected.json`. */
import { join } from "node:path"
import type { Json } from "../../src/array/describe/describe.ts"
import { type Cells, differenceOfJson, differenceOfRead } from "./compare.ts"
import type {
  Case,
  ExpectedArray,
  ExpectedGroup,
  ExpectedObject,
  ExpectedRead,
  ExpectedRefusal,
  Order,
} from "./expected.ts"
import { isEngineFault, righted } from "./known_engine_faults.ts"

/** The parameters of a read. Default: all cells, all default columns. */
export interface ReadRequest {
  readonly order: Order
  readonly ranges: Readonly<Record<string, NonNullable<NonNullable<ExpectedRead["ranges"]>[number]>>>
  /** The conditions, which are combined with `and`. */
  readonly where?: ExpectedRead["condition"]
}

/** An open array. Results, or the values of promises, are in the form of `expected.json`. */
export interface OpenArray {
  readonly schema: () => unknown
  readonly nonEmptyDomain: () => unknown
  readonly metadata: () => unknown
  readonly fragments: () => unknown
  readonly enumerations: () => unknown
  readonly read: (request: ReadRequest) => Promise<Cells>
}

/** An open group. */
export interface OpenGroup {
  readonly metadata: () => unknown
  readonly members: () => unknown
}

/** Options of opening: `end` is the last timestamp that is visible. */
export interface OpenOptions {
  readonly end?: number
  readonly key?: string
}

/** The engine under test. Failures are rejections with the engine's own errors. */
export interface Engine {
  readonly openArray: (uri: string, options: OpenOptions) => Promise<OpenArray>
  readonly openGroup: (uri: string, options: OpenOptions) => Promise<OpenGroup>
}

/** The outcome of one comparison. */
export interface Outcome {
  readonly uri: string
  /** `schema`, `read full`… */
  readonly thing: string
  /** the reason of a failure, or undefined */
  readonly failure?: string
}

interface Thing {
  readonly thing: string
  /** Returns the first difference. */
  readonly check: () => Promise<string | undefined>
}

const say = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  const tag = (error as { readonly _tag?: unknown })._tag
  // a defect is a bug: show the stack
  return typeof tag === "string" ? `${tag}: ${error.message}` : (error.stack ?? error.message).split("\n    at ")
    .slice(0, 3).join(" | at ")
}

/** Opens at most once for each end time, shared by all comparisons. */
const shared = <A>(open: (end: number | undefined) => Promise<A>): (end?: number) => Promise<A> => {
  const opened = new Map<number | undefined, Promise<A>>()
  return (end) => {
    let promise = opened.get(end)
    if (promise === undefined) {
      promise = open(end)
      promise.catch(() => {}) // callers that await the promise receive the error
      opened.set(end, promise)
    }
    return promise
  }
}

const json = (thing: string, expected: Json, actual: () => Promise<unknown>): Thing => ({
  thing,
  check: async () => differenceOfJson(expected, await actual()),
})

const rangesOf = (expected: ExpectedArray, read: ExpectedRead): ReadRequest["ranges"] => {
  const ranges: Record<string, ReadRequest["ranges"][string]> = {}
  read.ranges?.forEach((list, i) => {
    if (list !== null) ranges[expected.schema.dimensions[i].name] = list
  })
  return ranges
}

const ofArray = (
  expected: ExpectedArray,
  uri: string,
  open: (end?: number) => Promise<OpenArray>,
): ReadonlyArray<Thing> => {
  const now = (ask: (array: OpenArray) => unknown) => async () => ask(await open())
  const comparison = {
    dimensions: expected.schema.dimensions.map(({ name }) => name),
    allowsDuplicates: expected.schema.allows_dups,
  }
  return [
    json("schema", expected.schema, now((array) => array.schema())),
    json("non_empty_domain", expected.non_empty_domain, now((array) => array.nonEmptyDomain())),
    ...(expected.fragments === undefined
      ? []
      : [json("fragments", expected.fragments, now((array) => array.fragments()))]),
    json("metadata", expected.metadata, now((array) => array.metadata())),
    ...(expected.enumerations === undefined
      ? []
      : [json("enumerations", expected.enumerations, now((array) => array.enumerations()))]),
    ...expected.reads.map((read): Thing => ({
      thing: `read ${read.name}`,
      check: async () => {
        const array = await open(read.timestamp_end === undefined ? undefined : Number(read.timestamp_end))
        const cells = await array.read({
          order: read.layout ?? "row-major",
          ranges: rangesOf(expected, read),
          where: read.condition,
        })
        // the recording engine failed to read, so there is no expected result
        if (read.columns === undefined) return undefined
        return differenceOfRead(isEngineFault(uri, read) ? righted(expected, read) : read, cells, comparison)
      },
    })),
  ]
}

const ofGroup = (expected: ExpectedGroup, open: () => Promise<OpenGroup>): ReadonlyArray<Thing> => [
  json("metadata", expected.metadata, async () => (await open()).metadata()),
  json("members", expected.members, async () => (await open()).members()),
]

const ofRefusal = (_: ExpectedRefusal, open: () => Promise<unknown>): Thing => ({
  thing: "open",
  check: async () => {
    try {
      await open()
    } catch (error) {
      return typeof (error as { readonly _tag?: unknown })._tag === "string"
        ? undefined
        : `expected a tagged error, got ${say(error)}`
    }
    return "expected an error, got an open array"
  },
})

const thingsOf = (expected: ExpectedObject, uri: string, key: string | null, engine: Engine): ReadonlyArray<Thing> => {
  const options = key === null ? {} : { key }
  const array = shared((end) => engine.openArray(uri, end === undefined ? options : { ...options, end }))
  const group = shared(() => engine.openGroup(uri, options))
  if ("error" in expected) {
    return [ofRefusal(expected, () => expected.kind === "array" ? array() : group())]
  }
  return expected.kind === "array" ? ofArray(expected, uri, array) : ofGroup(expected, group)
}

/**
 * Runs all comparisons of a case. `only` selects the comparisons whose `uri: thing` it matches.
 */
export async function* checkCase(testCase: Case, engine: Engine, only?: RegExp): AsyncGenerator<Outcome> {
  for (const [path, expected] of Object.entries(testCase.objects)) {
    const uri = join(testCase.folder, path)
    for (const { thing, check } of thingsOf(expected, uri, testCase.key, engine)) {
      if (only !== undefined && !only.test(`${uri}: ${thing}`)) continue
      let failure: string | undefined
      try {
        failure = await check()
      } catch (error) {
        failure = say(error)
      }
      yield failure === undefined ? { uri, thing } : { uri, thing, failure }
    }
  }
}
