/**
 * The zstd encoder of `@bokuweb/zstd-wasm` (libzstd in WebAssembly), for runtimes without an encoder: browsers, and
 * Node before 22.15. It supports compression levels. It does not decode: its decoder allocates the declared size of a
 * frame.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { CodecError } from "../../errors.ts"
import { guarded } from "../bounds.ts"
import { Codecs } from "../service.ts"

/** The used functions of the package. Only its build for browsers accepts the address of the file. */
interface ZstdPackage {
  readonly compress: (input: Uint8Array, level: number) => Uint8Array
  readonly init: (url?: string) => Promise<void>
}

/** Longer inputs use the portable encoder: the package does not check whether its memory suffices. */
const MAX_INPUT = 1 << 28

const DEFAULT_LEVEL = 3
const MAX_LEVEL = 22
const MIN_LEVEL = -7

/**
 * Returns `codecs` with the zstd encoder of `@bokuweb/zstd-wasm`. `url` is the address of its `zstd.wasm`, for browsers whose
 * bundler does not copy the file; Deno, Bun and Node read it from the package.
 *
 * ```ts
 * import { portableCodecs, withZstdEncoder } from "@tessera/array/platform"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 *
 * const { zstd } = await Effect.runPromise(withZstdEncoder(portableCodecs))
 * const packed = zstd.compress(new Uint8Array(1000), 19)
 * assertEquals(zstd.decompress(packed, 1000), new Uint8Array(1000))
 * ```
 */
export const withZstdEncoder = (codecs: Codecs, url?: string): Effect.Effect<Codecs, CodecError> =>
  Effect.tryPromise({
    try: async () => {
      const { compress, init }: ZstdPackage = await import("@bokuweb/zstd-wasm")
      await init(url)
      return compress
    },
    catch: (cause) =>
      new CodecError({
        codec: "zstd",
        reason: "Missing",
        detail: "the encoder of @bokuweb/zstd-wasm could not be loaded",
        cause,
      }),
  }).pipe(
    Effect.map((compress): Codecs => ({
      ...codecs,
      zstd: {
        decompress: codecs.zstd.decompress,
        compress: (input, level) => {
          if (input.length > MAX_INPUT) return codecs.zstd.compress(input, level)
          const libzstdLevel = level === -1 || level < MIN_LEVEL ? DEFAULT_LEVEL : Math.min(level, MAX_LEVEL)
          return guarded("zstd", "cannot compress", () => compress(input, libzstdLevel))
        },
      },
    })),
  )

/**
 * Adds the zstd encoder of `@bokuweb/zstd-wasm` to another codec layer; see {@link withZstdEncoder}.
 *
 * ```ts
 * import { Codecs, layerPortable, layerZstdEncoder } from "@tessera/array/platform"
 * import { assert } from "@std/assert"
 * import * as Effect from "effect/Effect"
 * import * as Layer from "effect/Layer"
 *
 * const layer = Layer.provide(layerZstdEncoder, layerPortable)
 * const program = Effect.map(Codecs, ({ zstd }) => zstd.compress(new Uint8Array(1000), 9).length)
 * assert(await Effect.runPromise(Effect.provide(program, layer)) < 50)
 * ```
 */
export const layerZstdEncoder: Layer.Layer<Codecs, CodecError, Codecs> = Layer.effect(
  Codecs,
  Effect.flatMap(Codecs, (codecs) => withZstdEncoder(codecs)),
)
