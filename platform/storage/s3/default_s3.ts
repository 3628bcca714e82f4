/**
 * The default storage for S3: with retries, a concurrency limit, and coalesced ranges.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { numberOption } from "../../options.ts"
import { deferStorage } from "../lazy.ts"
import { checkCoalescingOptions, type CoalescingOptions, withCoalescing } from "../middleware/coalescing.ts"
import { withLimit } from "../middleware/limit.ts"
import { checkRetryOptions, type RetryOptions, withRetry } from "../middleware/retry.ts"
import { Storage } from "../service.ts"
import { AwsCredentials } from "./credentials.ts"
import { s3OptionsFromEnv } from "./environment.ts"
import { checkS3Options, type S3Options } from "./options.ts"

/** Options of S3 storage with retries, a concurrency limit and coalesced ranges. */
export interface S3FilesOptions extends S3Options {
  /** Maximum number of concurrent requests. Default: 32. */
  readonly requests?: number
  /** Retry options. Default: four retries, for `Unavailable` and `Timeout`. */
  readonly retry?: RetryOptions
  /** Coalescing options. Default: ranges less than 512 KiB apart are read together. */
  readonly coalescing?: CoalescingOptions
}

/** Default maximum number of concurrent requests. */
const DEFAULT_REQUESTS = 32

const checkS3FilesOptions = (options: S3FilesOptions): void => {
  checkS3Options(options, ["requests", "retry", "coalescing"] satisfies Array<keyof S3FilesOptions>)
  numberOption("requests", options.requests, DEFAULT_REQUESTS, 1)
  if (options.retry !== undefined) checkRetryOptions(options.retry)
  if (options.coalescing !== undefined) checkCoalescingOptions(options.coalescing)
}

/**
 * Creates the storage of `s3://` URIs, based on `fetch`: `makeS3Storage` with a concurrency limit, retries and coalesced
 * ranges. Options that are missing come from the environment: region, endpoint, keys ({@link s3OptionsFromEnv}, {@link
 * envCredentials}), read on first use. `layerDefault` contains it; create your own for other options. Throws
 * `InvalidOption`.
 *
 * ```ts
 * import { s3Files, staticCredentials } from "@tessera/array/aws"
 * import { localFiles, makeRouter } from "@tessera/array/platform"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 *
 * const s3 = s3Files({
 *   region: "eu-central-1",
 *   credentials: staticCredentials({ accessKeyId: "id", secretAccessKey: "secret" }),
 *   requests: 64,
 * })
 * const storage = makeRouter({ file: localFiles, s3 })
 * assertEquals(Effect.runSync(storage.list("/no/such/folder")), [])
 * ```
 */
export const s3Files = (options: S3FilesOptions = {}): Storage => {
  checkS3FilesOptions(options)
  return deferStorage(async () => {
    const [{ makeFetchClient }, { makeS3Storage }] = await Promise.all([
      import("../http/client.ts"),
      import("./s3.ts"),
    ])
    const { requests = DEFAULT_REQUESTS, retry, coalescing, ...others } = options
    const storage = makeS3Storage(makeFetchClient(), { ...s3OptionsFromEnv(), ...others })
    return withCoalescing(withRetry(withLimit(storage, requests), retry), coalescing)
  })
}

/**
 * A layer with {@link s3Files}, for programs that use only S3, with the credentials of the layer below. Throws
 * `InvalidOption`.
 *
 * ```ts
 * import { layerAnonymous, layerS3 } from "@tessera/array/aws"
 * import { StorageService } from "@tessera/array/platform"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 * import * as Layer from "effect/Layer"
 *
 * const layer = Layer.provide(layerS3({ region: "us-west-2" }), layerAnonymous)
 * const program = Effect.flatMap(StorageService, (storage) => storage.removeFolder("s3://bucket/folder"))
 * assertEquals(await Effect.runPromise(Effect.provide(program, layer)), undefined) // object stores have no folders
 * ```
 */
export const layerS3 = (
  options: Omit<S3FilesOptions, "credentials"> = {},
): Layer.Layer<Storage, never, AwsCredentials> => {
  checkS3FilesOptions(options)
  return Layer.effect(Storage, Effect.map(AwsCredentials, (credentials) => s3Files({ ...options, credentials })))
}
