/**
 * AWS credentials: the keys that sign requests, and the service that provides them.
 *
 * @module
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { taggedError, type TaggedErrorClass } from "../../../schema/errors/tagged_error.ts"

/** Keys that sign requests. Logs and errors print the secrets as `<redacted>`. */
export interface AwsKeys {
  /** Access key ID. */
  readonly accessKeyId: string
  /** Secret access key. */
  readonly secretAccessKey: Redacted.Redacted<string>
  /** Session token of temporary keys. */
  readonly sessionToken?: Redacted.Redacted<string>
  /** Time at which temporary keys expire, in milliseconds since 1970. */
  readonly expires?: number
}

const CredentialsErrorBase: TaggedErrorClass<CredentialsError, "CredentialsError", {
  readonly source: string
  readonly detail: string
  readonly cause?: unknown
}> = taggedError("CredentialsError", () => ({
  source: Schema.String,
  detail: Schema.String,
  cause: Schema.optional(Schema.Defect),
}))

/**
 * No credentials could be loaded: `source` is where they were searched, `detail` the problem. Contains no secrets.
 *
 * ```ts
 * import { AwsCredentials, layerEnv } from "@tessera/array/aws"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 *
 * const program = Effect.flatMap(AwsCredentials, ({ keys }) => keys)
 * const error = Effect.runSync(Effect.flip(Effect.provide(program, layerEnv({ AWS_ACCESS_KEY_ID: "id" }))))
 * assertEquals(error.detail, "AWS_ACCESS_KEY_ID is set, but AWS_SECRET_ACCESS_KEY is not")
 * ```
 */
export class CredentialsError extends CredentialsErrorBase {
  /** Describes the error. */
  override get message(): string {
    return `no AWS credentials from ${this.source}: ${this.detail}`
  }
}

/** Provides keys, and keeps them until shortly before they expire. */
export interface AwsCredentials {
  /** Returns the current keys; `undefined` for anonymous requests, which are not signed. */
  readonly keys: Effect.Effect<AwsKeys | undefined, CredentialsError>
  /** Drops kept keys, because a server rejected them as expired: the next use loads new ones. */
  readonly invalidate: Effect.Effect<void>
}

/**
 * The tag of the AWS credentials. {@link layerStatic}, `layerEnv`, {@link layerAnonymous} and `layerChain` provide it.
 *
 * ```ts
 * import { AwsCredentials, layerStatic } from "@tessera/array/aws"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 *
 * const program = Effect.flatMap(AwsCredentials, ({ keys }) => keys)
 * const layer = layerStatic({ accessKeyId: "id", secretAccessKey: "secret" })
 * assertEquals(Effect.runSync(Effect.provide(program, layer))?.accessKeyId, "id")
 * ```
 */
export const AwsCredentials: Context.Tag<AwsCredentials, AwsCredentials> = Context.GenericTag<AwsCredentials>(
  "@tessera/array/AwsCredentials",
)

/** Time before the expiry at which keys are loaded again, in milliseconds. */
const EARLY_REFRESH = 5 * 60_000

/**
 * Creates credentials that call `load` on first use and again shortly before the keys expire, once for all concurrent
 * callers. If loading fails while the previous keys are valid, these are used.
 *
 * ```ts
 * import { makeCredentials } from "@tessera/array/aws"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 * import * as Redacted from "effect/Redacted"
 *
 * let loads = 0
 * const load = Effect.sync(() => ({ accessKeyId: `id${++loads}`, secretAccessKey: Redacted.make("secret") }))
 * const { keys } = makeCredentials(load)
 * const [first, second] = Effect.runSync(Effect.all([keys, keys]))
 * assertEquals([first?.accessKeyId, second?.accessKeyId], ["id1", "id1"])
 * ```
 */
export const makeCredentials = (load: Effect.Effect<AwsKeys | undefined, CredentialsError>): AwsCredentials => {
  const turn = Effect.unsafeMakeSemaphore(1).withPermits(1)
  let kept: { readonly keys: AwsKeys | undefined } | undefined
  const isValid = (now: number, margin: number): boolean =>
    kept !== undefined && (kept.keys?.expires === undefined || kept.keys.expires - margin > now)
  const reload = turn(Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    // another fiber may have loaded them meanwhile
    if (isValid(now, EARLY_REFRESH)) return kept!.keys
    const loaded = yield* Effect.either(load)
    if (loaded._tag === "Left") return isValid(now, 0) ? kept!.keys : yield* Effect.fail(loaded.left)
    kept = { keys: loaded.right }
    return loaded.right
  }))
  return {
    keys: Effect.flatMap(
      Clock.currentTimeMillis,
      (now) => isValid(now, EARLY_REFRESH) ? Effect.succeed(kept!.keys) : reload,
    ),
    invalidate: Effect.sync(() => kept = undefined),
  }
}

/** Keys as a program writes them. */
export interface StaticKeys {
  /** Access key ID. */
  readonly accessKeyId: string
  /** Secret access key. */
  readonly secretAccessKey: string | Redacted.Redacted<string>
  /** Session token of temporary keys. */
  readonly sessionToken?: string | Redacted.Redacted<string>
}

const redact = (secret: string | Redacted.Redacted<string>): Redacted.Redacted<string> =>
  Redacted.isRedacted(secret) ? secret : Redacted.make(secret)

/**
 * Creates credentials from fixed keys.
 *
 * ```ts
 * import { staticCredentials } from "@tessera/array/aws"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 *
 * const { keys } = staticCredentials({ accessKeyId: "id", secretAccessKey: "secret" })
 * assertEquals(String(Effect.runSync(keys)?.secretAccessKey), "<redacted>")
 * ```
 */
export const staticCredentials = ({ accessKeyId, secretAccessKey, sessionToken }: StaticKeys): AwsCredentials => {
  const keys: AwsKeys = {
    accessKeyId,
    secretAccessKey: redact(secretAccessKey),
    ...(sessionToken === undefined ? {} : { sessionToken: redact(sessionToken) }),
  }
  return { keys: Effect.succeed(keys), invalidate: Effect.void }
}

/**
 * Credentials for public buckets: requests are not signed.
 *
 * ```ts
 * import { anonymousCredentials, s3Files } from "@tessera/array/aws"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 *
 * const storage = s3Files({ region: "us-west-2", credentials: anonymousCredentials })
 * assertEquals(await Effect.runPromise(storage.createFolder("s3://bucket/folder")), [])
 * ```
 */
export const anonymousCredentials: AwsCredentials = { keys: Effect.succeed(undefined), invalidate: Effect.void }

/**
 * A layer with fixed keys.
 *
 * ```ts
 * import { layerS3, layerStatic } from "@tessera/array/aws"
 * import { StorageService } from "@tessera/array/platform"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 * import * as Layer from "effect/Layer"
 *
 * const keys = layerStatic({ accessKeyId: "id", secretAccessKey: "secret" })
 * const layer = Layer.provide(layerS3({ region: "eu-central-1" }), keys)
 * const program = Effect.flatMap(StorageService, (storage) => storage.createFolder("s3://bucket/folder"))
 * assertEquals(await Effect.runPromise(Effect.provide(program, layer)), []) // object stores have no folders
 * ```
 */
export const layerStatic = (keys: StaticKeys): Layer.Layer<AwsCredentials> =>
  Layer.succeed(AwsCredentials, staticCredentials(keys))

/**
 * A layer for public buckets: requests are not signed.
 *
 * ```ts
 * import { AwsCredentials, layerAnonymous } from "@tessera/array/aws"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 *
 * const program = Effect.flatMap(AwsCredentials, ({ keys }) => keys)
 * assertEquals(Effect.runSync(Effect.provide(program, layerAnonymous)), undefined)
 * ```
 */
export const layerAnonymous: Layer.Layer<AwsCredentials> = Layer.succeed(AwsCredentials, anonymousCredentials)
