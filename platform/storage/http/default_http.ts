/**
 * The default storage for web servers: with retries, a concurrency limit, and coalesced ranges.
 *
 * @module
 */
import * as Layer from "effect/Layer"
import { checkHttpOptions } from "./check_options.ts"
import type { HttpOptions } from "./request.ts"
import { deferStorage } from "../lazy.ts"
import { Storage } from "../service.ts"
import { numberOption } from "../../options.ts"
import { checkCoalescingOptions, type CoalescingOptions, withCoalescing } from "../middleware/coalescing.ts"
import { withLimit } from "../middleware/limit.ts"
import { checkRetryOptions, type RetryOptions, withRetry } from "../middleware/retry.ts"

/** Options for reading from web servers. */
export interface HttpFilesOptions extends HttpOptions {
  /** Maximum number of concurrent requests. Default: 16. */
  readonly requests?: number
  /** Retry options. Default: four retries, for `Unavailable` and `Timeout`. */
  readonly retry?: RetryOptions
  /** Coalescing options. Default: ranges less than 512 KiB apart are read together. */
  readonly coalescing?: CoalescingOptions
}

/** Default maximum number of concurrent requests. */
const DEFAULT_REQUESTS = 16

/** Checks the options, including those for retries, coalescing and the limit. Throws `InvalidOption`. */
const checkHttpFilesOptions = (options: HttpFilesOptions): void => {
  checkHttpOptions(options, ["requests", "retry", "coalescing"] satisfies Array<keyof HttpFilesOptions>)
  numberOption("requests", options.requests, DEFAULT_REQUESTS, 1)
  if (options.retry !== undefined) checkRetryOptions(options.retry)
  if (options.coalescing !== undefined) checkCoalescingOptions(options.coalescing)
}

/**
 * Creates the read-only storage of `http://` and `https://` URIs, based on `fetch`: `makeHttpStorage` with a
 * concurrency limit, retries and coalesced ranges. {@link layerDefault} contains it; create your own for other options.
 * Throws `InvalidOption`.
 *
 * ```ts
 * import { httpFiles, localFiles, makeRouter } from "@tessera/array/platform"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 *
 * const https = httpFiles({
 *   headers: { authorization: "Bearer …" },
 *   origin: "https://data.example", // no other server receives the headers
 *   timeout: "5 seconds",
 *   requests: 6,
 * })
 * const storage = makeRouter({ file: localFiles, https })
 * assertEquals(Effect.runSync(storage.list("/no/such/folder")), [])
 * ```
 */
export const httpFiles = (options: HttpFilesOptions = {}): Storage => {
  checkHttpFilesOptions(options)
  return deferStorage(async () => {
    const [{ makeFetchClient }, { makeHttpStorage }] = await Promise.all([
      import("./client.ts"),
      import("./http.ts"),
    ])
    const { headers, origin, timeout, requests = DEFAULT_REQUESTS } = options
    const limited = withLimit(makeHttpStorage(makeFetchClient(), { headers, origin, timeout }), requests)
    return withCoalescing(withRetry(limited, options.retry), options.coalescing)
  })
}

/**
 * A layer with {@link httpFiles}, for programs that read only from web servers, for example in a browser. Throws
 * `InvalidOption`.
 *
 * ```ts
 * import { layerHttp, StorageService } from "@tessera/array/platform"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 *
 * const program = Effect.flatMap(StorageService, (storage) => storage.write("https://data.example/a", Uint8Array.of(1)))
 * const refused = Effect.catchTag(program, "StorageError", ({ reason }) => Effect.succeed(reason))
 * assertEquals(await Effect.runPromise(Effect.provide(refused, layerHttp({ requests: 6 }))), "Unsupported")
 * ```
 */
export const layerHttp = (options: HttpFilesOptions = {}): Layer.Layer<Storage> => {
  checkHttpFilesOptions(options)
  return Layer.sync(Storage, () => httpFiles(options))
}
