/**
 * The features that the recorded cases cover: datatypes, orders, regions, times. A sample that misses one of them
 * fails.
 */
import { datatypes } from "../../schema/array/datatype.ts"
import { findCases, loadCase } from "../golden/expected.ts"
import type { InteropArray } from "./compare.ts"
import { knownEngineDefects } from "./known_engine_defects.ts"

interface Field {
  readonly name: string
  readonly type: string
}

const fieldsOf = (schema: InteropArray["schema"]): ReadonlyArray<Field> => {
  const { dimensions, attributes } = schema as unknown as Record<"dimensions" | "attributes", ReadonlyArray<Field>>
  return [...dimensions, ...attributes]
}

const UNKNOWN = "unknown failure of the engine: "
const MESSAGES = new RegExp(knownEngineDefects.flatMap(({ message }) => message ?? []).join("|"))

/** Counts the compared features by name. */
export class Coverage {
  readonly #counts = new Map<string, number>()

  #add(name: string): void {
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1)
  }

  /** Counts all cases below a folder. */
  add(folder: string): void {
    for (const path of findCases(folder)) {
      for (const object of Object.values(loadCase(path).objects)) {
        if (object.kind !== "array" || "error" in object) continue
        const { schema, interop_reads: reads, interop_times: times } = object as InteropArray
        for (const read of reads) {
          if (read.columns === undefined) {
            this.#add("the engine failed")
            if (!MESSAGES.test(read.error ?? "")) this.#add(`${UNKNOWN}${read.error}`)
            continue
          }
          this.#add(`${schema.array_type} ${read.layout}`)
          if (read.ranges !== undefined) this.#add(read.outOfBounds === "clip" ? "clipped regions" : "regions")
          if (read.timestamp_start !== undefined) this.#add("reads from a time")
          if (read.timestamp_end !== undefined) this.#add("reads to a time")
          for (const field of fieldsOf(schema)) {
            if (read.cells > 0 && Object.hasOwn(read.columns, field.name)) this.#add(`type ${field.type}`)
          }
        }
        if (times.length > 0) this.#add("opened at times")
      }
    }
  }

  /** Returns the counts as one line. */
  show(): string {
    const types = datatypes.filter((type) => this.#counts.has(`type ${type}`)).length
    const rest = [...this.#counts].filter(([name]) => !name.startsWith("type ")).map(([name, n]) => `${n} ${name}`)
    return `${types} of ${datatypes.length} datatypes; reads: ${rest.sort().join(", ")}`
  }

  /** Returns the errors of the engine that are not known defects. */
  unknown(): ReadonlyArray<string> {
    return [...this.#counts.keys()].filter((name) => name.startsWith(UNKNOWN))
  }

  /** Returns the features that were not compared. */
  missing(): ReadonlyArray<string> {
    const required = [
      ...datatypes.map((type) => `type ${type}`),
      ...["row-major", "col-major", "global-order"].flatMap((order) => [`dense ${order}`, `sparse ${order}`]),
      "sparse unordered",
      "regions",
      "clipped regions",
      "reads from a time",
      "reads to a time",
      "opened at times",
    ]
    return required.filter((name) => !this.#counts.has(name))
  }
}
