/** The cases of a sweep: the damaged subjects, the number of mutations, and the result of each case. */
import * as Effect from "effect/Effect"
import { type Codecs, Codecs as CodecsTag } from "../../platform/codecs/service.ts"
import { layerDefault, layerDefaultPortable } from "../../platform/mod.ts"
import { takeAllocations } from "./allocations.ts"
import { faults } from "./judge.ts"
import { mutate, type Mutation, type Packed, watched } from "./mutation.ts"
import { makeRandom } from "./random.ts"
import type { Subject } from "./subjects.ts"
import { MAX_BYTES, MEMORY, partOf, type Plan, type Seen, visit } from "./visit.ts"

/** One mutation of one subject. */
export interface Case {
  /** `v22/dense_fill/array#3`: determines the case together with the seed. */
  readonly id: string
  readonly subject: Subject
}

/** The result of a case. */
export interface Report {
  readonly faults: ReadonlyArray<string>
  /** Whether an operation was rejected, or returned another result. */
  readonly noticed: boolean
  readonly milliseconds: number
  readonly largest: number
}

/** The maximum duration of a case in milliseconds. */
export const MAX_CASE_MS = 5000

/** The memory in bytes that codecs allocate in addition: the tables of bzip2 take 3.6 MB. */
const MAX_CODEC_BYTES = 2 ** 22
/** The maximum compression ratio: gzip cannot exceed it. */
const MAX_COMPRESSION_RATIO = 1032

/**
 * Returns the maximum size of an allocation: for sparse arrays, the maximum uncompressed size of the files. Dense arrays also
 * return unwritten cells, so that a damaged domain may be large; reads reject results larger than `MAX_BYTES`.
 */
const largestOf = (files: ReadonlyMap<string, Uint8Array>, seen: Seen): number => {
  const schema = seen.get("schema")
  if (schema?.kind === "text" && schema.text.includes('"array_type":"dense"')) return MAX_BYTES
  let size = 0
  for (const bytes of files.values()) size += bytes.length
  return Math.min(MAX_BYTES, MAX_CODEC_BYTES + MAX_COMPRESSION_RATIO * size)
}

/** Returns `count` cases, grouped by subject; the seed determines the order of the subjects. */
export const casesOf = (all: ReadonlyArray<Subject>, seed: string, count: number, rounds: number = 1): Array<Case> => {
  const random = makeRandom(`${seed} order`)
  const order = [...all]
  for (let i = order.length - 1; i > 0; i--) {
    const j = random.below(i + 1)
    ;[order[i], order[j]] = [order[j], order[i]]
  }
  const each = Math.max(rounds, Math.ceil(count / order.length))
  const out: Array<Case> = []
  for (let i = 0; out.length < count; i++) {
    const subject = order[i]
    // the remaining cases are divided evenly
    const remaining = order.length - i
    const max = Math.max(rounds, Math.ceil((count - out.length) / remaining))
    for (let n = 0; n < Math.min(each, max) && out.length < count; n++) {
      out.push({ id: `${subject.path}#${n}`, subject })
    }
  }
  return out
}

/** The results of an unchanged subject. */
interface Baseline {
  readonly files: ReadonlyMap<string, Uint8Array>
  readonly plan: Plan
  readonly seen: Readonly<Record<"native" | "portable", Seen>>
  readonly packed: ReadonlyArray<Packed>
}

/** Runs cases; caches the results of the last unchanged subject. */
export const makeRunner = async (seed: string) => {
  const codecs = {
    native: await Effect.runPromise(Effect.provide(CodecsTag, layerDefault)) as Codecs,
    portable: await Effect.runPromise(Effect.provide(CodecsTag, layerDefaultPortable)) as Codecs,
  }
  let last: { readonly path: string; readonly baseline: Baseline } | undefined

  const baselineOf = async (subject: Subject): Promise<Baseline> => {
    if (last?.path === subject.path) return last.baseline
    const files = subject.files()
    const faultsOfCase = new Map<number, Packed>()
    const first = await visit(subject, files, watched(codecs.native, files, faultsOfCase), {
      ranges: undefined,
      memory: MEMORY,
    })
    // an indivisible read reports its required memory
    const needed = [...first.values()].map((outcome) => {
      const error = outcome.kind === "error"
        ? outcome.error as { readonly _tag?: string; readonly needed?: number }
        : {}
      return error._tag === "ResultTooLarge" ? error.needed ?? 0 : 0
    })
    const plan = { ranges: partOf(first), memory: Math.max(MEMORY, ...needed) }
    const native = await visit(subject, files, codecs.native, plan)
    // both codec layers return the same results
    const baseline = { files, plan, seen: { native, portable: native }, packed: [...faultsOfCase.values()] }
    last = { path: subject.path, baseline }
    return baseline
  }

  return {
    /** Creates the mutation of a case. */
    prepare: async ({ id, subject }: Case) => {
      const { files, packed, seen, plan } = await baselineOf(subject)
      const random = makeRandom(`${seed} ${id}`)
      const which = random.pick(["native", "portable"] as const)
      return { which, mutation: mutate(files, packed, random), before: seen[which], plan }
    },
    /** Runs a prepared case. */
    run: async (
      { subject }: Case,
      { which, mutation, before, plan }: {
        readonly which: "native" | "portable"
        readonly mutation: Mutation
        readonly before: Seen
        readonly plan: Plan
      },
    ): Promise<Report> => {
      takeAllocations()
      const start = performance.now()
      const after = await visit(subject, mutation.files, mutation.codecs(codecs[which]), plan)
      const milliseconds = performance.now() - start
      const { largest } = takeAllocations()
      const faultsOfCase = [...faults(subject, mutation, before, after)]
      if (milliseconds > MAX_CASE_MS) faultsOfCase.push(`took ${Math.round(milliseconds)} ms`)
      if (largest > largestOf(mutation.files, after)) faultsOfCase.push(`allocated ${largest} bytes at once`)
      const noticed = [...after.values()].some((outcome) => outcome.kind === "error")
      return { faults: faultsOfCase, noticed, milliseconds, largest }
    },
  }
}
