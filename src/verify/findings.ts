/**
 * Collects findings. Errors of readers become findings, so that the other files are still checked.
 */
import * as Effect from "effect/Effect"
import type { NotFound, StorageError } from "../../platform/errors.ts"
import type { TileError } from "../tile/attempt.ts"
import { type Finding, type FindingCheck, type FindingSeverity, makeFinding, type Subject } from "./finding.ts"

/** Errors of reading and decoding files. */
export type ReaderError = NotFound | StorageError | TileError

/** Maximum number of findings of one check in one file. */
const MAX_SIMILAR = 10

/** Returns the check that an error of a reader belongs to; `otherwise` is the check of damaged bytes. */
const checkOf = (error: ReaderError, otherwise: FindingCheck): FindingCheck => {
  switch (error._tag) {
    case "ChecksumMismatch":
      return "Checksum"
    case "DecryptionFailed":
      return "Decryption"
    case "NotFound":
      return "MissingFile"
    case "StorageError":
      return error.reason === "Truncated" ? "FileSize" : "Unreadable"
    case "CodecError":
      return error.reason === "Missing" ? "Unsupported" : otherwise === "ChunkFraming" ? "Decode" : otherwise
    case "FormatError":
      return error.reason === "Unsupported" ? "Unsupported" : otherwise
  }
}

/** The findings of a part of an array. */
export class Findings {
  readonly #uri: string
  readonly #prefix: string
  #findings: Array<Finding> = []
  readonly #counts = new Map<string, number>()

  /** `prefix` is the path of the array inside the verified array: empty, or the path of a label array. */
  constructor(uri: string, prefix: string) {
    this.#uri = uri
    this.#prefix = prefix
  }

  /** Adds a finding. After {@link MAX_SIMILAR} similar ones, further findings are dropped. */
  add(check: FindingCheck, subject: Subject, message: string, severity?: FindingSeverity): void {
    const similar = `${check} ${subject.fragment ?? ""} ${subject.field ?? subject.path}`
    const count = (this.#counts.get(similar) ?? 0) + 1
    this.#counts.set(similar, count)
    if (count > MAX_SIMILAR) return
    const text = count === MAX_SIMILAR ? `${message}; further findings of this kind are omitted` : message
    const path = this.#prefix + subject.path
    this.#findings.push(makeFinding(this.#uri, check, { ...subject, path }, text, severity))
  }

  /** Adds an error of a reader. */
  addError(error: ReaderError, subject: Subject, otherwise: FindingCheck): void {
    // without the advice of the error: findings have hints
    this.add(checkOf(error, otherwise), subject, "summary" in error ? error.summary : error.message)
  }

  /** Runs an effect. Its error becomes a finding, and its result is then `undefined`. */
  attempt<A, R>(
    effect: Effect.Effect<A, ReaderError, R>,
    subject: Subject,
    otherwise: FindingCheck | ((error: ReaderError) => FindingCheck),
  ): Effect.Effect<A | undefined, never, R> {
    return Effect.catchAll(effect, (error) =>
      Effect.sync(() => {
        this.addError(error, subject, typeof otherwise === "string" ? otherwise : otherwise(error))
        return undefined
      }))
  }

  /** Returns the findings since the last call. */
  take(): ReadonlyArray<Finding> {
    const findings = this.#findings
    this.#findings = []
    return findings
  }
}
