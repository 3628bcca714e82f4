/**
 * Locates the WebAssembly files of WebP for Deno, Bun and Node: next to the code of the package.
 *
 * @module
 */
import type * as Layer from "effect/Layer"
import type { Codecs } from "../service.ts"
import { layerWebpFrom } from "./codec.ts"
import { builtin } from "../../host/builtin_modules.ts"

const DECODER = "@jsquash/webp/codec/dec/webp_dec.wasm"
const ENCODER = "@jsquash/webp/codec/enc/webp_enc.wasm"

/**
 * Returns the path of a file of the package: from the import map, which this package has on Deno, else from the package
 * folders.
 */
const locate = (file: string): string => {
  try {
    // not `import.meta.resolve(file)`: publishing analyses such calls and warns of names that are not literal
    const { resolve } = import.meta
    const url = resolve(file)
    if (url.startsWith("file:")) return builtin("node:url")().fileURLToPath(url)
  } catch {
    // not in the import map
  }
  return builtin("node:module")().createRequire(import.meta.url).resolve(file)
}

const compile = async (file: string): Promise<WebAssembly.Module> => {
  const bytes = await builtin("node:fs/promises")().readFile(locate(file))
  return WebAssembly.compile(new Uint8Array(bytes))
}

/**
 * Reads and compiles the decoder of the package `@jsquash/webp` from its folder, without network access. For {@link
 * withWebp}.
 *
 * ```ts
 * import { CodecError, compileWebp, nativeCodecs, withWebp } from "@tessera/array/platform"
 * import { assertThrows } from "@std/assert"
 * import * as Effect from "effect/Effect"
 *
 * const webp = await Effect.runPromise(withWebp(nativeCodecs, compileWebp).webp)
 * assertThrows(() => webp.decode(new Uint8Array(40)), CodecError, "WebP")
 * ```
 */
export const compileWebp = (): Promise<WebAssembly.Module> => compile(DECODER)

/**
 * Reads and compiles the encoder of the package `@jsquash/webp` from its folder, without network access. For {@link
 * withWebp}.
 *
 * ```ts
 * import { compileWebp, compileWebpEncoder, nativeCodecs, withWebp } from "@tessera/array/platform"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 *
 * const codecs = withWebp(nativeCodecs, compileWebp, compileWebpEncoder)
 * const encoder = await Effect.runPromise(codecs.webpEncoder)
 * const decoder = await Effect.runPromise(codecs.webp)
 * const picture = { width: 1, height: 1, rgba: Uint8Array.of(1, 2, 3, 255) }
 * assertEquals(decoder.decode(encoder.encode(picture, "lossless")), picture)
 * ```
 */
export const compileWebpEncoder = (): Promise<WebAssembly.Module> => compile(ENCODER)

/**
 * Adds WebP to another codec layer. The modules are loaded when the first WebP tile is read or written.
 *
 * ```ts
 * import { CodecError, Codecs, layerNative, layerWebp } from "@tessera/array/platform"
 * import { assertThrows } from "@std/assert"
 * import * as Effect from "effect/Effect"
 * import * as Layer from "effect/Layer"
 *
 * const layer = Layer.provide(layerWebp, layerNative)
 * const program = Effect.flatMap(Codecs, (codecs) => codecs.webp)
 * const webp = await Effect.runPromise(Effect.provide(program, layer))
 * assertThrows(() => webp.decode(Uint8Array.of(1, 2, 3)), CodecError, "cut short")
 * ```
 */
export const layerWebp: Layer.Layer<Codecs, never, Codecs> = layerWebpFrom(compileWebp, compileWebpEncoder)
