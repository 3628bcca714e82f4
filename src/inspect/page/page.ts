/**
 * The page of an inspection.
 */
import type { Json } from "../../array/describe/describe.ts"
import type { FieldSizes } from "../field_sizes.ts"
import type { Inspection } from "../inspection_value.ts"
import { domain, MAX_DRAWN } from "./domain.ts"
import { boundsText, byteCountText, groupedCount, px, table, text, utcText } from "./markup.ts"
import { style } from "./style.ts"
import { timeline } from "./timeline.ts"

/** Maximum number of fragments in the table. */
const MAX_ROWS = 500

const section = (title: string, content: string): string => `<section><h2>${title}</h2>${content}</section>`

const fact = (value: string, name: string): string => `<div><b>${value}</b><span>${name}</span></div>`

/** Returns the colour of each fragment: newer fragments have stronger colours. */
const ageColours = (count: number) => (index: number): string => {
  const share = count < 2 ? 100 : Math.round(100 * index / (count - 1))
  return `color-mix(in srgb, var(--new) ${share}%, var(--old))`
}

const filtersText = (filters: Json): string => {
  const list = Array.isArray(filters) ? filters : (filters as { readonly filters: ReadonlyArray<Json> }).filters
  const shown = list.map((filter) => {
    const { type, ...options } = filter as Readonly<Record<string, Json>>
    const settings = Object.entries(options).map(([name, value]) => `${name} ${value}`).join(", ")
    return settings === "" ? String(type) : `${type} (${settings})`
  })
  return shown.length === 0 ? "none" : text(shown.join(", "))
}

const ratioText = ({ stored, unfiltered }: Pick<FieldSizes, "stored" | "unfiltered">): string =>
  stored === 0 ? "–" : `${(unfiltered / stored).toFixed(2)} ×`

const schemaTables = ({ schema, dimensions }: Inspection): string => {
  const fields = (name: "dimensions" | "attributes") => schema[name] as ReadonlyArray<Readonly<Record<string, Json>>>
  const range = (bounds: readonly [string, string] | null): string => bounds === null ? "any" : boundsText(bounds)
  const show = (value: Json | undefined): string => value === null || value === undefined ? "" : text(String(value))
  return table(
    ["dimension", "type", "domain", "written", "tile", "filters"],
    fields("dimensions").map(({ name, type, tile_extent, filters }, d) => [
      text(String(name)),
      show(type),
      range(dimensions[d].domain),
      dimensions[d].nonEmptyDomain === null ? "nothing" : range(dimensions[d].nonEmptyDomain),
      show(tile_extent),
      filtersText(filters),
    ]),
    [4],
  ) + table(
    ["attribute", "type", "values per cell", "nullable", "enumeration", "filters"],
    fields("attributes").map(({ name, type, cell_val_num, nullable, enumeration, filters }) => [
      text(String(name)),
      show(type),
      show(cell_val_num),
      nullable === true ? "yes" : "no",
      show(enumeration),
      filtersText(filters),
    ]),
  ) +
    `<p class="soft">${schema.cell_order} cells, ${schema.tile_order} tiles${
      schema.array_type === "sparse"
        ? `, capacity ${text(String(schema.capacity))}, duplicates ${
          schema.allows_dups === true ? "allowed" : "not allowed"
        }`
        : ""
    }</p>`
}

/** Returns a small bar chart of the tile sizes of a field. */
const histogram = ({ tileSizes }: FieldSizes): string => {
  if (tileSizes.length === 0) return ""
  const [first, last] = [tileSizes[0].upTo, tileSizes[tileSizes.length - 1].upTo].map(Math.log2)
  const largest = tileSizes.reduce((max, { tiles }) => Math.max(max, tiles), 1)
  const bars = tileSizes.map(({ upTo, tiles }) => {
    const height = Math.max(1.5, 26 * tiles / largest)
    return `<rect class="bar" x="${px(9 * (Math.log2(upTo) - first))}" y="${px(28 - height)}" width="7" height="${
      px(height)
    }"><title>${text(`${groupedCount(tiles)} tiles of up to ${byteCountText(upTo)}`)}</title></rect>`
  })
  const width = 9 * (last - first + 1)
  const range = first === last ? byteCountText(2 ** last) : `${byteCountText(2 ** first)} – ${byteCountText(2 ** last)}`
  return `<svg style="width:${width}px;height:28px" viewBox="0 0 ${width} 28" role="img" aria-label="tile sizes">${
    bars.join("")
  }</svg><span class="soft">${range}</span>`
}

const fieldTable = (fields: ReadonlyArray<FieldSizes>): string => {
  const largest = fields.reduce((max, { unfiltered, stored }) => Math.max(max, unfiltered, stored), 1)
  const bar = ({ stored, unfiltered }: FieldSizes): string =>
    `<svg style="width:220px;height:14px" viewBox="0 0 220 14" role="img" aria-label="sizes">` +
    `<rect class="back" width="${px(220 * unfiltered / largest)}" height="14" rx="2"/>` +
    `<rect class="bar" y="3" width="${px(Math.max(1, 220 * stored / largest))}" height="8" rx="2"/></svg>`
  return table(
    ["field", "filters", "stored", "before filters", "ratio", "stored / before filters", "tiles", "tile sizes"],
    fields.map((field) => [
      `${text(field.name)} <span class="soft">${field.kind === "cells" ? "" : field.kind}</span>`,
      filtersText(field.filters),
      byteCountText(field.stored),
      byteCountText(field.unfiltered),
      ratioText(field),
      bar(field),
      groupedCount(field.tiles),
      histogram(field),
    ]),
    [2, 3, 4, 6],
  )
}

const fragmentTable = ({ fragments, dimensions }: Inspection): string => {
  const shown = fragments.slice(-MAX_ROWS)
  const rest = fragments.length - shown.length
  return table(
    ["written", "kind", "version", "cells", "tiles", "size", ...dimensions.map(({ name }) => text(name, 40)), "name"],
    shown.map((fragment) => [
      text(
        fragment.start === fragment.end
          ? utcText(fragment.start)
          : `${utcText(fragment.start)} – ${utcText(fragment.end)}`,
      ),
      fragment.dense ? "dense" : "sparse",
      String(fragment.version),
      groupedCount(fragment.cells),
      groupedCount(fragment.tiles),
      byteCountText(fragment.bytes),
      ...dimensions.map((_, d) => fragment.nonEmptyDomain === null ? "" : boundsText(fragment.nonEmptyDomain[d], 60)),
      `<code>${text(fragment.name)}</code>`,
    ]),
    [2, 3, 4, 5],
  ) + (rest > 0 ? `<p class="soft">${groupedCount(rest)} older fragments are not shown.</p>` : "")
}

const adviceList = ({ advice, uri }: Inspection): string =>
  advice.length === 0
    ? "<p>Nothing to do: the array has no fragments to combine and no replaced files.</p>"
    : `<ul>${
      advice.map(({ text: sentence, command }) => {
        const [name, ...options] = command.split(" ")
        return `<li>${text(sentence)}<br><code>tessera ${
          text([name, JSON.stringify(uri), ...options].join(" "), 2000)
        }</code></li>`
      }).join("")
    }</ul>`

/** Returns the page as HTML. */
export const inspectionHtml = (inspection: Inspection): string => {
  const { uri, arrayType, schema, fragments, fields, time, deletes } = inspection
  const sum = (values: ReadonlyArray<number>): number => values.reduce((total, value) => total + value, 0)
  const cells = sum(fragments.map((fragment) => fragment.cells))
  const sizes = {
    stored: sum(fields.map(({ stored }) => stored)),
    unfiltered: sum(fields.map(({ unfiltered }) => unfiltered)),
  }
  const colour = ageColours(fragments.length)
  const legend = `<p class="soft">Colour: oldest <span class="legend"></span> newest. `
  const drawnOf = fragments.length > MAX_DRAWN ? `The newest ${groupedCount(MAX_DRAWN)} fragments are drawn.` : ""
  const name = uri.split("/").filter((part) => part !== "").at(-1) ?? uri
  const when = time.end === null
    ? "current state"
    : time.start > 0
    ? `${utcText(time.start)} – ${utcText(time.end)}`
    : `as of ${utcText(time.end)}`
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${text(name)} – TileDB array</title>
<style>${style}</style>
</head>
<body>
<main>
<h1>${text(name)}</h1>
<p class="soft">${text(uri, 2000)} · ${arrayType} array, format version ${schema.version} · ${text(when)}</p>
<div class="facts">
${fact(groupedCount(cells), fragments.some(({ dense }) => dense) ? "cells in whole tiles" : "stored cells")}
${fact(groupedCount(fragments.length), fragments.length === 1 ? "fragment" : "fragments")}
${fact(byteCountText(sum(fragments.map(({ bytes }) => bytes))), "in fragments")}
${fact(ratioText(sizes), "compression ratio")}
${deletes.length > 0 ? fact(groupedCount(deletes.length), deletes.length === 1 ? "delete" : "deletes") : ""}
</div>
${section("Schema", schemaTables(inspection))}
${
    fragments.length + deletes.length === 0 ? section("Fragments", "<p>Nothing was written at this time.</p>") : [
      section(
        "Timeline",
        timeline(inspection, colour) + `${legend}The area of a fragment shows its size; times are in UTC.</p>`,
      ),
      section("Fragments in the domain", domain(inspection, colour) + `${legend}${drawnOf}</p>`),
      section("Fields", fieldTable(fields)),
      section("Fragments", fragmentTable(inspection)),
    ].join("\n")
  }
${section("Maintenance", adviceList(inspection))}
</main>
</body>
</html>
`
}
