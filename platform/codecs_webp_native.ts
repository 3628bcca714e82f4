/**
 * Where Deno, Bun and Node find WebP: beside the code of its package.
 *
 * @module
 */
import type * as Layer from "effect/Layer"
import type { Codecs } from "./codecs.ts"
import { layerWebpFrom } from "./codecs_webp.ts"

const DECODER = "@jsquash/webp/codec/dec/webp_dec.wasm"
const ENCODER = "@jsquash/webp/codec/enc/webp_enc.wasm"

// Node's modules are imported when they are needed: they take longer to load than a small array to read.

/** The path of a file of the package; import maps first, as this package's own is one on Deno. */
const locate = async (file: string): Promise<string> => {
  const { fileURLToPath } = await import("node:url")
  try {
    const url = import.meta.resolve(file)
    if (url.startsWith("file:")) return fileURLToPath(url)
  } catch {
    // The map does not know it; the package folders may.
  }
  const { createRequire } = await import("node:module")
  return createRequire(import.meta.url).resolve(file)
}

const compile = async (file: string): Promise<WebAssembly.Module> => {
  const { readFile } = await import("node:fs/promises")
  const bytes = await readFile(await locate(file))
  return WebAssembly.compile(new Uint8Array(bytes))
}

/** Reads and compiles the decoder, without fetching anything. */
export const compileWebp = (): Promise<WebAssembly.Module> => compile(DECODER)

/** Reads and compiles the encoder, without fetching anything. */
export const compileWebpEncoder = (): Promise<WebAssembly.Module> => compile(ENCODER)

/**
 * Lays WebP over another codec layer. Nothing of it is loaded before a WebP tile is met, or one is to be written.
 *
 * ```ts
 * import { layerNative, layerWebp } from "@tessera/array/platform"
 * import * as Layer from "effect/Layer"
 *
 * const layer = Layer.provide(layerWebp, layerNative)
 * ```
 */
export const layerWebp: Layer.Layer<Codecs, never, Codecs> = layerWebpFrom(compileWebp, compileWebpEncoder)
