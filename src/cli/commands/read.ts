/**
 * `tessera read`.
 */
import * as Effect from "effect/Effect"
import type { Codecs } from "../../../platform/codecs/service.ts"
import type { Storage } from "../../../platform/storage/service.ts"
import type { EnumerationError } from "../../array/enumeration/enumerations.ts"
import type { OpenError } from "../../array/open/open.ts"
import { cellEncoder } from "../../query/column/cell_json.ts"
import { printedCells } from "../print/cell_encoder.ts"
import type { ReadError } from "../../query/options/read_error.ts"
import { aggregateSource } from "./aggregate.ts"
import type { Request } from "../parse/arguments.ts"
import { printPlan } from "./explain.ts"
import { attemptUsage, openRequested, type SettingsError } from "../parse/settings.ts"
import { printedSource, withReadProgress } from "./printed_source.ts"
import type { OutputError, Terminal } from "../print/terminal.ts"
import { UsageError } from "../parse/usage_error.ts"
import { printTable, writeCsv, writeJson, writeNdjson } from "../print/write_cells.ts"
import {
  clip,
  codes,
  limit,
  matching,
  memory,
  opening,
  order,
  quiet,
  range,
  raw,
  select,
  timestamps,
  where,
} from "../parse/options.ts"
import type { Command } from "../parse/command.ts"

/** Errors of reading. */
export type ReadCommandError = SettingsError | OpenError | ReadError | EnumerationError | OutputError

type Format = "table" | "json" | "ndjson" | "csv"

const formatOf = (request: Request): Format => {
  const format = request.text("format") as Format | undefined
  if (!request.on("json")) return format ?? "table"
  if (format !== undefined && format !== "json") {
    throw new UsageError({ detail: `read: --json is --format json, not ${format}` })
  }
  return "json"
}

const writers = { table: printTable, json: writeJson, ndjson: writeNdjson, csv: writeCsv } as const

/** Reads cells or aggregates and prints them. */
export const runRead = (
  request: Request,
  terminal: Terminal,
): Effect.Effect<void, ReadCommandError, Storage | Codecs> =>
  withReadProgress(request, terminal, (around, done) =>
    Effect.gen(function* () {
      const format = yield* attemptUsage(() => formatOf(request))
      const array = yield* openRequested(request, around)
      if (request.on("agg") || request.on("by")) {
        return yield* writers[format](around, yield* aggregateSource(request, array))
      }
      if (request.on("explain")) {
        return yield* printPlan(request, around, array)
      }
      // show coordinates in tables of dense arrays
      const table = format === "table"
      const source = yield* printedSource(
        request,
        array,
        { coordinates: table, labels: table, encode: request.on("raw") ? cellEncoder : printedCells },
        done,
      )
      yield* writers[format](around, source)
    }))

/** `tessera read`. */
export const readCommand: Command = {
  description: "read cells of an array",
  options: {
    select,
    range,
    where,
    matching,
    agg: {
      value: "LIST",
      repeated: true,
      description: "print aggregates instead of cells: count,sum(a),min(a),max(a),mean(a),null_count(a)",
    },
    by: {
      value: "NAMES",
      repeated: true,
      description: "group aggregates by these fields; without --agg, list the distinct groups",
      completes: "fields",
    },
    explain: { description: "print the query plan instead of cells: fragments, tiles, requests, bytes" },
    clip,
    order,
    limit,
    codes,
    raw,
    timestamps,
    format: { value: "FORMAT", choices: ["table", "json", "ndjson", "csv"], description: "set the output format" },
    json: { description: "print JSON, as --format json does" },
    memory,
    quiet,
    ...opening,
  },
  run: runRead,
}
