/**
 * `tessera read --explain`: prints the query plan.
 */
import * as Effect from "effect/Effect"
import type { Codecs } from "../../../platform/codecs/service.ts"
import type { Storage } from "../../../platform/storage/service.ts"
import type { OpenedArray } from "../../array/open/open.ts"
import { type ColumnSize, explainDense, explainSparse, type Explanation } from "../../query/query_plan.ts"
import type { ReadError } from "../../query/options/read_error.ts"
import type { Request } from "../parse/arguments.ts"
import { sizeText } from "../parse/byte_size.ts"
import { countText } from "../print/progress.ts"
import { queryOf } from "../parse/query.ts"
import { type OutputError, print, type Terminal } from "../print/terminal.ts"
import { textTable } from "../print/text_table.ts"
import { printable } from "../print/text_width.ts"
import type { UsageError } from "../parse/usage_error.ts"

/** Formats a size, with the exact number of bytes if the size is rounded. */
const exactSize = (bytes: number): string => `${sizeText(bytes)}${bytes < 1024 ? "" : ` (${countText(bytes)})`}`

const columnSize = ({ values, offsets, validity }: ColumnSize): number => values + offsets + validity

/** Formats a plan as text: its fragments, then its cost. */
function* planText(plan: Explanation, width: number): Generator<string> {
  const { fragments, fields, cells, sorts, deduplicates, requests, bytes, sizes } = plan
  const counts = ["tiles", "in ranges", "ruled out", "read"]
  yield* textTable(
    [...counts, "fragment"],
    fragments.map(({ name, tiles, inRanges, ruledOut, read }) => [
      ...[tiles, inRanges, ruledOut, read].map(countText),
      printable(name),
    ]),
    width,
    counts,
  )
  const lines: ReadonlyArray<readonly [string, string]> = [
    ["fields", fields.map(printable).join(", ")],
    ["cells", `${countText(cells)} in the tiles to read`],
    [
      "work",
      [...(deduplicates ? ["newest cell of each place"] : []), ...(sorts ? ["sorting"] : [])].join(", ") || "none",
    ],
    ["requests", `at most ${countText(requests)} pieces of files`],
    ["bytes", `at most ${exactSize(bytes)}`],
    ["result", `at most ${exactSize(Object.values(sizes).reduce((sum, size) => sum + columnSize(size), 0))}`],
    ...Object.entries(sizes).map(([name, size]) => ["", `${printable(name)} ${sizeText(columnSize(size))}`] as const),
  ]
  yield "\n"
  for (const [title, text] of lines) yield `${title.padEnd(10)}${text}\n`
}

/** Formats a plan as JSON. */
const planJson = ({ fragments, ...plan }: Explanation): unknown => ({
  fragments: fragments.map(({ inRanges, ruledOut, ...item }) => ({
    ...item,
    in_ranges: inRanges,
    ruled_out: ruledOut,
  })),
  ...plan,
})

/** Prints the plan of a read. */
export const printPlan = (
  request: Request,
  terminal: Terminal,
  array: OpenedArray,
): Effect.Effect<void, UsageError | ReadError | OutputError, Storage | Codecs> =>
  Effect.gen(function* () {
    const query = yield* queryOf(request, array)
    const plan = yield* (array.schema.arrayType === "dense" ? explainDense : explainSparse)(array, query)
    yield* print(
      terminal,
      request.on("json") ? [JSON.stringify(planJson(plan), null, 2), "\n"] : planText(plan, terminal.columns),
    )
  })
