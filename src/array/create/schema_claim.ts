/**
 * Claims: who changes the schema of an array says so first, by a file in the array's folder that only one can create. Another
 * process waits until it is gone, and then changes what the first one left.
 *
 * A claim names the schema that is to be changed, its base, and has a generation. A process that is killed leaves its claim
 * behind; who has waited for it long enough claims the next generation. The process may be alive after all, and only slow. So
 * nothing is ever decided by a claim alone:
 *
 * - a claim says under which name its owner will publish, and who takes over publishes under a later name. What the slow owner
 *   publishes after that hides nothing;
 * - who has published looks whether a later generation has come meanwhile, and has not succeeded before it knows that its
 *   change is part of the newest schema;
 * - nobody removes the claim of another before having published a later schema. A claim to an older base has no force then.
 *
 * Engines know nothing of claims. They ignore such files: a name with another dot before the extension is never a fragment.
 */
import * as Effect from "effect/Effect"
import type { AlreadyExists, StorageError } from "../../../platform/errors.ts"
import { Storage } from "../../../platform/storage/service.ts"
import { toHex } from "../../../schema/array/scalar.ts"
import { join } from "../open/listing.ts"

/** A claim that is there. */
export interface Claim {
  /** The name of its file in the array's folder. */
  readonly file: string
  /** The name of the schema that is to be changed. */
  readonly base: string
  readonly generation: number
}

const PREFIX = "__tessera_evolve."
const SUFFIX = ".claim"
const pattern = /^__tessera_evolve\.(.+)\.(\d{1,15})\.claim$/

/** The claims among the files of an array's folder. */
export const claimsIn = (files: ReadonlyArray<string>): ReadonlyArray<Claim> =>
  files.flatMap((file) => {
    const parts = pattern.exec(file)
    return parts === null ? [] : [{ file, base: parts[1], generation: Number(parts[2]) }]
  })

/** The claim that comes next to a base. */
export const nextClaim = (base: string, claims: ReadonlyArray<Claim>): Claim => {
  const generation = claims.reduce(
    (next, claim) => claim.base === base ? Math.max(next, claim.generation + 1) : next,
    0,
  )
  return { file: `${PREFIX}${base}.${generation}${SUFFIX}`, base, generation }
}

const encoder = new TextEncoder()
const decoder = new TextDecoder()

/** The name under which the owner of a claim will publish; `undefined` if the claim is gone, or says none. */
export const plannedName = (uri: string, { file }: Claim): Effect.Effect<string | undefined, StorageError, Storage> =>
  Effect.flatMap(Storage, (storage) =>
    storage.read(join(uri, file)).pipe(
      Effect.map((bytes) => decoder.decode(bytes).split("\n")[0]),
      Effect.catchTag("NotFound", () => Effect.succeed(undefined)),
    ))

/** Creates a claim; answers whether it is ours. */
export const createClaim = (
  uri: string,
  { file }: Claim,
  planned: string,
): Effect.Effect<boolean, StorageError, Storage> =>
  Effect.flatMap(Storage, (storage) => {
    const at = join(uri, file)
    const content = `${planned}\n${toHex(crypto.getRandomValues(new Uint8Array(16)))}\n`
    // the answer of a create that succeeded may have been lost
    const isOurs = Effect.map(storage.read(at), (bytes) => decoder.decode(bytes) === content)
    const check = (error: AlreadyExists | StorageError): Effect.Effect<boolean, StorageError> =>
      Effect.flatMap(Effect.orElseSucceed(isOurs, () => false), (ours) =>
        ours || error._tag === "AlreadyExists" ? Effect.succeed(ours) : Effect.fail(error))
    return Effect.catchAll(Effect.as(storage.create(at, encoder.encode(content)), true), check)
  })

/** Removes claims: what cannot be removed now is taken over by whoever comes next. */
export const removeClaims = (uri: string, claims: ReadonlyArray<Claim>): Effect.Effect<void, never, Storage> =>
  Effect.flatMap(Storage, (storage) =>
    Effect.forEach(
      claims,
      ({ file }) => Effect.ignore(Effect.retry(storage.remove(join(uri, file)), { times: 2 })),
      { discard: true },
    ))
