/**
 * Claims: a process that changes the schema of an array first creates a claim, a file in the array's folder that only
 * one process can create. Other processes wait until it is removed, and then apply their changes to the new schema.
 *
 * A claim names the schema to change (its base) and has a generation. A killed process leaves its claim behind; a
 * process that has waited long enough creates a claim of the next generation. The first process may still be running
 * slowly, so a claim alone does not decide which process changes the schema:
 *
 * - A claim contains the name under which its owner will store the schema, and a process that takes over uses a later
 *   name. A schema that the slow owner stores afterwards hides nothing.
 * - After storing its schema, a process checks for later generations. It succeeds only when its change is part of the
 *   newest schema.
 * - A process removes the claim of another process only after it stored a later schema. A claim with an older base has
 *   no effect then.
 *
 * Engines do not use claims. They ignore such files: a name with another dot before the extension is never a fragment.
 */
import * as Effect from "effect/Effect"
import type { AlreadyExists, StorageError } from "../../../platform/errors.ts"
import { Storage } from "../../../platform/storage/service.ts"
import { toHex } from "../../../schema/array/scalar.ts"
import { join } from "../open/listing.ts"

/** An existing claim. */
export interface Claim {
  /** Name of the claim's file in the array's folder. */
  readonly file: string
  /** Name of the schema to change. */
  readonly base: string
  readonly generation: number
}

const PREFIX = "__tessera_evolve."
const SUFFIX = ".claim"
const pattern = /^__tessera_evolve\.(.+)\.(\d{1,15})\.claim$/

/** Returns the claims among the files of an array's folder. */
export const claimsIn = (files: ReadonlyArray<string>): ReadonlyArray<Claim> =>
  files.flatMap((file) => {
    const parts = pattern.exec(file)
    return parts === null ? [] : [{ file, base: parts[1], generation: Number(parts[2]) }]
  })

/** Returns the claim of the next generation for a base. */
export const nextClaim = (base: string, claims: ReadonlyArray<Claim>): Claim => {
  const generation = claims.reduce(
    (next, claim) => claim.base === base ? Math.max(next, claim.generation + 1) : next,
    0,
  )
  return { file: `${PREFIX}${base}.${generation}${SUFFIX}`, base, generation }
}

const encoder = new TextEncoder()
const decoder = new TextDecoder()

/**
 * Returns the name under which the owner of a claim will store its schema; `undefined` if the claim was removed, or
 * contains no name.
 */
export const plannedName = (uri: string, { file }: Claim): Effect.Effect<string | undefined, StorageError, Storage> =>
  Effect.flatMap(Storage, (storage) =>
    storage.read(join(uri, file)).pipe(
      Effect.map((bytes) => decoder.decode(bytes).split("\n")[0]),
      Effect.catchTag("NotFound", () => Effect.succeed(undefined)),
    ))

/** Creates a claim. Returns whether this process owns it. */
export const createClaim = (
  uri: string,
  { file }: Claim,
  planned: string,
): Effect.Effect<boolean, StorageError, Storage> =>
  Effect.flatMap(Storage, (storage) => {
    const at = join(uri, file)
    const content = `${planned}\n${toHex(crypto.getRandomValues(new Uint8Array(16)))}\n`
    // the file may be this process's own, if the response of the create was lost
    const isOurs = Effect.map(storage.read(at), (bytes) => decoder.decode(bytes) === content)
    const check = (error: AlreadyExists | StorageError): Effect.Effect<boolean, StorageError> =>
      Effect.flatMap(Effect.orElseSucceed(isOurs, () => false), (ours) =>
        ours || error._tag === "AlreadyExists" ? Effect.succeed(ours) : Effect.fail(error))
    return Effect.catchAll(Effect.as(storage.create(at, encoder.encode(content)), true), check)
  })

/** Removes claims. A claim that cannot be removed now is taken over by the next process. */
export const removeClaims = (uri: string, claims: ReadonlyArray<Claim>): Effect.Effect<void, never, Storage> =>
  Effect.flatMap(Storage, (storage) =>
    Effect.forEach(
      claims,
      ({ file }) => Effect.ignore(Effect.retry(storage.remove(join(uri, file)), { times: 2 })),
      { discard: true },
    ))
