/**
 * The HTTP client of the default storages, based on `fetch`, which every runtime and browser has.
 *
 * @module
 */
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as HttpClient from "@effect/platform/HttpClient"
import * as Effect from "effect/Effect"
import { MANIFEST_NAME } from "./manifest.ts"

/** Whether a URL is a manifest or an index page: these change, so a browser must revalidate cached copies. */
const isListing = (url: string): boolean => {
  const path = url.replace(/\?.*$/s, "")
  return path.endsWith("/") || path.endsWith(`/${MANIFEST_NAME}`)
}

/** Creates a client based on `fetch`. */
export const makeFetchClient = (): HttpClient.HttpClient =>
  Effect.runSync(Effect.provide(HttpClient.HttpClient, FetchHttpClient.layer)).pipe(
    // tracing headers would make browsers send a preflight request
    HttpClient.withTracerPropagation(false),
    HttpClient.transform((response, request) =>
      isListing(request.url)
        ? Effect.flatMap(
          Effect.serviceOption(FetchHttpClient.RequestInit),
          (init) =>
            Effect.provideService(response, FetchHttpClient.RequestInit, {
              ...(init._tag === "Some" ? init.value : undefined),
              cache: "no-cache",
            }),
        )
        : response
    ),
  )
