/**
 * Where Deno, Bun and Node find the WebP decoder: beside the code of its package.
 *
 * @module
 */
import type * as Layer from "effect/Layer"
import { readFile } from "node:fs/promises"
import { createRequire } from "node:module"
import { fileURLToPath } from "node:url"
import type { Codecs } from "./codecs.ts"
import { layerWebpFrom } from "./codecs_webp.ts"

const WASM = "@jsquash/webp/codec/dec/webp_dec.wasm"

/** The path of the decoder; import maps first, as this package's own is one on Deno. */
const locate = (): string => {
  try {
    const url = import.meta.resolve(WASM)
    if (url.startsWith("file:")) return fileURLToPath(url)
  } catch {
    // The map does not know it; the package folders may.
  }
  return createRequire(import.meta.url).resolve(WASM)
}

/** Reads and compiles the decoder, without fetching anything. */
export const compileWebp = async (): Promise<WebAssembly.Module> => {
  const bytes = await readFile(locate())
  return WebAssembly.compile(new Uint8Array(bytes))
}

/**
 * Lays WebP over another codec layer. Nothing of it is loaded before a WebP tile is met.
 *
 * ```ts
 * import { layerNative, layerWebp } from "@tessera/array/platform"
 * import * as Layer from "effect/Layer"
 *
 * const layer = Layer.provide(layerWebp, layerNative)
 * ```
 */
export const layerWebp: Layer.Layer<Codecs, never, Codecs> = layerWebpFrom(compileWebp)
