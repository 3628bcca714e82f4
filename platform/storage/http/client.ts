/**
 * The HTTP client of the default storages: `fetch`, as every runtime and every browser has it.
 *
 * @module
 */
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as HttpClient from "@effect/platform/HttpClient"
import * as Effect from "effect/Effect"
import { MANIFEST_NAME } from "./manifest.ts"

/** Manifests and index pages change; a browser must not answer them from its cache without asking. */
const isListing = (url: string): boolean => {
  const path = url.replace(/\?.*$/s, "")
  return path.endsWith("/") || path.endsWith(`/${MANIFEST_NAME}`)
}

/** A client over `fetch`. */
export const makeFetchClient = (): HttpClient.HttpClient =>
  Effect.runSync(Effect.provide(HttpClient.HttpClient, FetchHttpClient.layer)).pipe(
    // the headers of tracing would make browsers ask for permission first
    HttpClient.withTracerPropagation(false),
    HttpClient.transform((answer, request) =>
      isListing(request.url)
        ? Effect.flatMap(
          Effect.serviceOption(FetchHttpClient.RequestInit),
          (init) =>
            Effect.provideService(answer, FetchHttpClient.RequestInit, {
              ...(init._tag === "Some" ? init.value : undefined),
              cache: "no-cache",
            }),
        )
        : answer
    ),
  )
