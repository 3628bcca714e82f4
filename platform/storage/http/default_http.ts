/**
 * Web servers as programs want them: with retries, a limit, and few requests for many ranges.
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

/** How to read from web servers. */
export interface HttpFilesOptions extends HttpOptions {
  /** Requests under way at a time. Default: 16. */
  readonly requests?: number
  /** When to ask again. Default: four times, for `Unavailable` and `Timeout`. */
  readonly retry?: RetryOptions
  /** Which ranges to read as one. Default: those less than 512 KiB apart. */
  readonly coalescing?: CoalescingOptions
}

/** Default number of concurrent requests. */
const REQUESTS = 16

/** Checks the options, with those of retries, of joined ranges and of the limit. Throws `InvalidOption`. */
const checkHttpFilesOptions = (options: HttpFilesOptions): void => {
  checkHttpOptions(options, ["requests", "retry", "coalescing"] satisfies Array<keyof HttpFilesOptions>)
  numberOption("requests", options.requests, REQUESTS, 1)
  if (options.retry !== undefined) checkRetryOptions(options.retry)
  if (options.coalescing !== undefined) checkCoalescingOptions(options.coalescing)
}

/**
 * The storage of `http://` and `https://` URIs, read-only, over `fetch`: `makeHttpStorage` with a limit, with
 * retries, and with ranges put together. {@link layerDefault} has it; make one of your own for other options. Throws
 * `InvalidOption`.
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
    const { headers, origin, timeout, requests = REQUESTS } = options
    const limited = withLimit(makeHttpStorage(makeFetchClient(), { headers, origin, timeout }), requests)
    return withCoalescing(withRetry(limited, options.retry), options.coalescing)
  })
}

/**
 * The layer of {@link httpFiles}, for programs that read from web servers only, as in a browser. Throws
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
