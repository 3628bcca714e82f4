/**
 * WebP by `@jsquash/webp` (libwebp in WebAssembly): imported, compiled and started when it is first asked for.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Codecs, type Picture, type WebpCodec } from "./codecs.ts"
import { CodecError } from "./errors.ts"
import { guarded } from "./exact_size.ts"

/** What of the package's module is used. */
interface Decoder {
  readonly decode: (input: Uint8Array) =>
    | { readonly width: number; readonly height: number; readonly data: Uint8ClampedArray }
    | null
}
type DecoderFactory = (options: {
  noInitialRun: boolean
  instantiateWasm: (imports: WebAssembly.Imports, ready: (instance: WebAssembly.Instance) => void) => object
}) => Promise<Decoder>

const damaged = (reason: string): CodecError => new CodecError({ codec: "webp", reason })

/** Width times height as the header says, for the three kinds of WebP file. */
const pixelsOf = (input: Uint8Array): number => {
  const text = (at: number) => String.fromCharCode(...input.subarray(at, at + 4))
  const u16 = (at: number) => input[at] | (input[at + 1] << 8)
  const u24 = (at: number) => u16(at) | (input[at + 2] << 16)
  if (input.length < 30 && !(input.length >= 25 && text(12) === "VP8L")) throw damaged("the file is cut short")
  if (text(0) !== "RIFF" || text(8) !== "WEBP") throw damaged("the bytes do not start as a WebP file does")
  switch (text(12)) {
    case "VP8 ":
      return (u16(26) & 0x3fff) * (u16(28) & 0x3fff)
    case "VP8L": {
      const bits = u16(21) + u16(23) * 65536
      return ((bits & 0x3fff) + 1) * (((bits >>> 14) & 0x3fff) + 1)
    }
    case "VP8X":
      return (u24(24) + 1) * (u24(27) + 1)
    default:
      throw damaged("the file starts with no picture")
  }
}

/** The most that the format knows: 16383 pixels each way. */
const PIXELS_MAX = 16383 * 16383

const load = async (compile: () => Promise<WebAssembly.Module>, broken: () => void): Promise<WebpCodec> => {
  const factory = (await import("@jsquash/webp/codec/dec/webp_dec.js")).default as unknown as DecoderFactory
  const module = await compile()
  const decoder = await factory({
    noInitialRun: true,
    instantiateWasm: (imports, ready) => {
      const instance = new WebAssembly.Instance(module, imports)
      ready(instance)
      return instance.exports
    },
  })
  return {
    decode: (input, pixels = PIXELS_MAX): Picture => {
      const count = guarded("webp", "the header is damaged", () => pixelsOf(input))
      if (count > Math.min(pixels, PIXELS_MAX)) {
        throw damaged(`a picture of ${count} pixels where ${pixels} at most were expected`)
      }
      const picture = guarded("webp", "the decoder broke off", () => {
        try {
          return decoder.decode(input)
        } catch (error) {
          // A trap leaves the instance in an unknown state: the next to ask gets a new one.
          broken()
          throw error
        }
      })
      if (picture === null) throw damaged("the picture is damaged or cut short")
      const { width, height, data } = picture
      if (data.length !== width * height * 4 || width * height > count) throw damaged("the picture belies its header")
      return { width, height, rgba: new Uint8Array(data.buffer as ArrayBuffer, data.byteOffset, data.length) }
    },
  }
}

/**
 * `codecs` with WebP. `compile` brings the compiled decoder (`webp_dec.wasm` of the package) and is called once, when WebP is
 * first asked for; on Deno, Bun and Node, `layerWebp` does it all.
 *
 * ```ts
 * import { portableCodecs, withWebp } from "@tessera/array/platform"
 *
 * const codecs = withWebp(portableCodecs, () => WebAssembly.compileStreaming(fetch("/assets/webp_dec.wasm")))
 * ```
 */
export const withWebp = (codecs: Codecs, compile: () => Promise<WebAssembly.Module>): Codecs => {
  let loading: Promise<WebpCodec> | undefined
  const forget = () => {
    loading = undefined
  }
  return {
    ...codecs,
    webp: Effect.tryPromise({
      try: () => (loading ??= load(compile, forget)),
      catch: (cause) => {
        forget()
        const detail = cause instanceof Error ? ` (${cause.message})` : ""
        return new CodecError({
          codec: "webp",
          reason: `the decoder of @jsquash/webp could not be loaded${detail}`,
          cause,
        })
      },
    }),
  }
}

/** Lays WebP over another codec layer; see {@link withWebp}. */
export const layerWebpFrom = (
  compile: () => Promise<WebAssembly.Module>,
): Layer.Layer<Codecs, never, Codecs> => Layer.effect(Codecs, Effect.map(Codecs, (codecs) => withWebp(codecs, compile)))
