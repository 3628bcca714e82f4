/** Runs the command line in this process: stdout, stderr and the exit code. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import {
  layerNative,
  layerWebp,
  localFiles,
  makeMemoryStorage,
  makeRouter,
  type StorageCounters,
  StorageError,
  StorageService,
  withCounters,
} from "../../platform/mod.ts"
import { runCommand } from "../../src/cli/mod.ts"

export interface CliRun {
  readonly code: number
  readonly out: string
  readonly err: string
}

export interface CliSettings {
  readonly key?: string | undefined
  readonly columns?: number
  /** Files in `mem://`. */
  readonly files?: ReadonlyMap<string, Uint8Array>
  /** Files of web servers by their full URIs. */
  readonly web?: ReadonlyMap<string, Uint8Array>
  /** Names that may not be read. */
  readonly denied?: RegExp
  readonly write?: (text: string) => Promise<void>
  /** Standard input. */
  readonly input?: string
  /** Counts the requests to the storage. */
  readonly trace?: StorageCounters
}

/** The array of the demo: 7 days × 4 stations, corrected a day later. */
export const weather: string = join(import.meta.dirname!, "../golden/demo/weather")
/** The recorded description of the array. */
export const weatherExpected = JSON.parse(
  readFileSync(join(import.meta.dirname!, "../golden/demo/expected.json"), "utf8"),
).objects.weather
export const MONDAY = 1709539200000

/** Returns text in chunks, like a pipe. */
async function* inPieces(text: string): AsyncGenerator<Uint8Array> {
  const bytes = new TextEncoder().encode(text)
  for (let at = 0; at < bytes.length; at += 1000) yield await Promise.resolve(bytes.subarray(at, at + 1000))
}

/** Runs a command. */
export const cli = async (args: ReadonlyArray<string>, settings: CliSettings = {}): Promise<CliRun> => {
  let [out, err] = ["", ""]
  const memory = makeMemoryStorage()
  for (const [path, bytes] of settings.files ?? []) Effect.runSync(memory.write(`mem://${path}`, bytes))
  const router = makeRouter({ file: localFiles, mem: memory, https: makeMemoryStorage(new Map(settings.web)) })
  const storage: StorageService = {
    ...router,
    list: (uri) =>
      settings.denied?.test(uri) === true
        ? Effect.fail(new StorageError({ op: "list", uri, reason: "Denied" }))
        : router.list(uri),
  }
  const counted = settings.trace === undefined ? storage : withCounters(storage, settings.trace)
  const layer = Layer.merge(Layer.succeed(StorageService, counted), Layer.provide(layerWebp, layerNative))
  const command = runCommand(args, {
    environment: (name) => name === "TESSERA_KEY" ? settings.key : undefined,
    columns: settings.columns ?? 80,
    write: settings.write ?? ((text) => {
      out += text
      return Promise.resolve()
    }),
    ...(settings.input === undefined ? {} : { read: () => inPieces(settings.input!) }),
    say: (line) => {
      err += line + "\n"
      return Promise.resolve()
    },
  })
  const code = await Effect.runPromise(Effect.provide(command, layer))
  return { code, out, err }
}
