/**
 * WebP by `@jsquash/webp` (libwebp in WebAssembly): imported, compiled and started on first use.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Codecs, type Picture, type WebpCodec, type WebpEncoder } from "../service.ts"
import { CodecError } from "../../errors.ts"
import { guarded } from "../bounds.ts"

/** The used functions of the package's modules. */
interface Decoder {
  readonly decode: (input: Uint8Array) =>
    | { readonly width: number; readonly height: number; readonly data: Uint8ClampedArray }
    | null
}
interface Encoder {
  readonly encode: (rgba: Uint8Array, width: number, height: number, options: typeof encoding) => Uint8Array | null
}
type Factory<Module> = (options: {
  noInitialRun: boolean
  instantiateWasm: (imports: WebAssembly.Imports, ready: (instance: WebAssembly.Instance) => void) => object
}) => Promise<Module>

/** Encoding options: libwebp's defaults, which the engine uses. */
const encoding = {
  quality: 75,
  target_size: 0,
  target_PSNR: 0,
  method: 4,
  sns_strength: 50,
  filter_strength: 60,
  filter_sharpness: 0,
  filter_type: 1,
  partitions: 0,
  segments: 4,
  pass: 1,
  show_compressed: 0,
  preprocessing: 0,
  autofilter: 0,
  partition_limit: 0,
  alpha_compression: 1,
  alpha_filtering: 1,
  alpha_quality: 100,
  lossless: 0,
  exact: 0,
  image_hint: 0,
  emulate_jpeg_size: 0,
  thread_level: 0,
  low_memory: 0,
  near_lossless: 100,
  use_delta_palette: 0,
  use_sharp_yuv: 0,
}

const damaged = (reason: string): CodecError => new CodecError({ codec: "webp", detail: reason })

/** Returns width times height from the header, for the three kinds of WebP file. */
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

/** Maximum number of pixels of the format: 16383 in each direction. */
const PIXELS_MAX = 16383 * 16383

/** Starts a module of the package. */
const start = <Module>(factory: unknown, module: WebAssembly.Module): Promise<Module> =>
  (factory as Factory<Module>)({
    noInitialRun: true,
    instantiateWasm: (imports, ready) => {
      const instance = new WebAssembly.Instance(module, imports)
      ready(instance)
      return instance.exports
    },
  })

type Compile = () => Promise<WebAssembly.Module>

const loadDecoder = async (compile: Compile, broken: () => void): Promise<WebpCodec> => {
  const factory = (await import("@jsquash/webp/codec/dec/webp_dec.js")).default
  const decoder = await start<Decoder>(factory, await compile())
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
          // a trap leaves the instance in an unknown state: the next call starts a new one
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

const loadEncoder = async (compile: Compile, broken: () => void): Promise<WebpEncoder> => {
  const factory = (await import("@jsquash/webp/codec/enc/webp_enc.js")).default
  const encoder = await start<Encoder>(factory, await compile())
  return {
    encode: ({ height, rgba, width }, quality) => {
      const options = quality === "lossless" ? { ...encoding, lossless: 1, exact: 1 } : { ...encoding, quality }
      const file = guarded("webp", "the encoder broke off", () => {
        try {
          return encoder.encode(rgba, width, height, options)
        } catch (error) {
          broken()
          throw error
        }
      })
      if (file === null) throw damaged(`a picture of ${width} × ${height} pixels cannot be encoded`)
      return new Uint8Array(file)
    },
  }
}

/** Loads on first use, and again after a failure. */
const once = <A>(part: string, load: (broken: () => void) => Promise<A>): Effect.Effect<A, CodecError> => {
  let loading: Promise<A> | undefined
  const forget = () => {
    loading = undefined
  }
  return Effect.tryPromise({
    try: () => (loading ??= load(forget)),
    catch: (cause) => {
      forget()
      const detail = cause instanceof Error ? ` (${cause.message})` : ""
      return new CodecError({
        codec: "webp",
        detail: `the ${part} of @jsquash/webp could not be loaded${detail}`,
        cause,
      })
    },
  })
}

/**
 * Adds WebP to `codecs`. `compile` returns the compiled decoder (`webp_dec.wasm` of the package), `compileEncoder` the
 * encoder (`webp_enc.wasm`); each is called once, on first use. On Deno, Bun and Node, `layerWebp` does all of this.
 *
 * ```ts
 * import { portableCodecs, withWebp } from "@tessera/array/platform"
 * import { assertEquals } from "@std/assert"
 *
 * // in a browser: nothing is fetched before a WebP tile is met
 * const codecs = withWebp(portableCodecs, () => WebAssembly.compileStreaming(fetch("/assets/webp_dec.wasm")))
 * assertEquals(codecs.gzip, portableCodecs.gzip)
 * ```
 */
export const withWebp = (
  codecs: Codecs,
  compile: () => Promise<WebAssembly.Module>,
  compileEncoder?: () => Promise<WebAssembly.Module>,
): Codecs => ({
  ...codecs,
  webp: once("decoder", (broken) => loadDecoder(compile, broken)),
  webpEncoder: compileEncoder === undefined
    ? codecs.webpEncoder
    : once("encoder", (broken) => loadEncoder(compileEncoder, broken)),
})

/**
 * Adds WebP to another codec layer; see {@link withWebp}.
 *
 * ```ts
 * import { CodecError, Codecs, compileWebp, layerPortable, layerWebpFrom } from "@tessera/array/platform"
 * import { assertThrows } from "@std/assert"
 * import * as Effect from "effect/Effect"
 * import * as Layer from "effect/Layer"
 *
 * const layer = Layer.provide(layerWebpFrom(compileWebp), layerPortable)
 * const program = Effect.flatMap(Codecs, (codecs) => codecs.webp)
 * const webp = await Effect.runPromise(Effect.provide(program, layer))
 * assertThrows(() => webp.decode(Uint8Array.of(1, 2, 3)), CodecError, "cut short")
 * ```
 */
export const layerWebpFrom = (
  compile: () => Promise<WebAssembly.Module>,
  compileEncoder?: () => Promise<WebAssembly.Module>,
): Layer.Layer<Codecs, never, Codecs> =>
  Layer.effect(Codecs, Effect.map(Codecs, (codecs) => withWebp(codecs, compile, compileEncoder)))
