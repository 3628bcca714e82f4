/**
 * Draws the boxes of fragments in the domain: rows for one dimension, a map for two, parallel axes for more.
 */
import type { InspectedDimension, InspectedFragment, Inspection } from "../inspection_value.ts"
import { px, shortBound, text } from "./markup.ts"

const WIDTH = 1000
/** Maximum number of fragments that are drawn. */
export const MAX_DRAWN = 1000

/** A fragment that is drawn. */
interface Drawn {
  readonly fragment: InspectedFragment
  readonly box: ReadonlyArray<readonly [low: number, high: number]>
  readonly colour: string
}

const titleOf = (
  { name, nonEmptyDomain }: InspectedFragment,
  dimensions: ReadonlyArray<InspectedDimension>,
): string => {
  const ranges = (nonEmptyDomain ?? []).map(([low, high], d) => `${dimensions[d].name} ${low} … ${high}`)
  return `<title>${text(`${name}: ${ranges.join(", ")}`, 500)}</title>`
}

const rectangle = (x: number, y: number, width: number, height: number, colour: string, title: string): string => {
  // draw at least two pixels, so that every box is visible
  const [w, h] = [Math.max(width, 2), Math.max(height, 2)]
  return `<rect class="fragment" fill="${colour}" fill-opacity="0.45" x="${px(x)}" y="${px(y)}" width="${
    px(w)
  }" height="${px(h)}">${title}</rect>`
}

const bounds = ({ nonEmptyDomain }: InspectedDimension): readonly [string, string] => {
  const [low, high] = nonEmptyDomain ?? ["", ""]
  return [text(shortBound(low), 24), text(shortBound(high), 24)]
}

const rows = (drawn: ReadonlyArray<Drawn>, dimensions: ReadonlyArray<InspectedDimension>): string => {
  const height = Math.max(4, Math.min(18, 480 / drawn.length))
  const [low, high] = bounds(dimensions[0])
  const bottom = drawn.length * height
  const bars = drawn.map(({ fragment, box: [[from, to]], colour }, i) =>
    rectangle(from * WIDTH, i * height + 1, (to - from) * WIDTH, height - 2, colour, titleOf(fragment, dimensions))
  )
  return `<svg viewBox="-2 0 ${WIDTH + 4} ${bottom + 24}" role="img" aria-label="domain">${bars.join("\n")}` +
    `<line class="axis" x1="0" x2="${WIDTH}" y1="${bottom}" y2="${bottom}"/>` +
    `<text x="0" y="${bottom + 18}">${low}</text><text class="label" x="${WIDTH / 2}" y="${bottom + 18}" ` +
    `text-anchor="middle">${text(dimensions[0].name, 40)}</text><text x="${WIDTH}" y="${bottom + 18}" ` +
    `text-anchor="end">${high}</text></svg>`
}

/** Draws boxes of two dimensions. The first dimension runs downwards, as the rows of a matrix do. */
const map = (drawn: ReadonlyArray<Drawn>, dimensions: ReadonlyArray<InspectedDimension>): string => {
  const [left, top, side] = [150, 8, 480]
  const width = WIDTH - left - 20
  const boxes = drawn.map(({ fragment, box: [[top0, top1], [left0, left1]], colour }) =>
    rectangle(
      left + left0 * width,
      top + top0 * side,
      (left1 - left0) * width,
      (top1 - top0) * side,
      colour,
      titleOf(fragment, dimensions),
    )
  )
  const [down, across] = dimensions
  const [lowDown, highDown] = bounds(down)
  const [lowAcross, highAcross] = bounds(across)
  const middle = top + side / 2
  return `<svg viewBox="0 0 ${WIDTH} ${top + side + 26}" role="img" aria-label="domain">` +
    `<rect class="axis" fill="none" x="${left}" y="${top}" width="${width}" height="${side}"/>${boxes.join("\n")}` +
    `<text x="${left - 8}" y="${top + 10}" text-anchor="end">${lowDown}</text>` +
    `<text class="label" x="${left - 8}" y="${middle}" text-anchor="end">${text(down.name, 24)}</text>` +
    `<text x="${left - 8}" y="${top + side}" text-anchor="end">${highDown}</text>` +
    `<text x="${left}" y="${top + side + 18}">${lowAcross}</text>` +
    `<text class="label" x="${left + width / 2}" y="${top + side + 18}" text-anchor="middle">${
      text(across.name, 40)
    }</text>` +
    `<text x="${left + width}" y="${top + side + 18}" text-anchor="end">${highAcross}</text></svg>`
}

/** Draws one vertical axis per dimension. A fragment is a band through its ranges. */
const parallelAxes = (drawn: ReadonlyArray<Drawn>, dimensions: ReadonlyArray<InspectedDimension>): string => {
  const [margin, top, side] = [70, 26, 380]
  const x = (d: number): number => margin + d * (WIDTH - 2 * margin) / (dimensions.length - 1)
  const y = (position: number): number => top + (1 - position) * side
  const bands = drawn.map(({ fragment, box, colour }) => {
    const upper = box.map(([, high], d) => `${px(x(d))},${px(y(high))}`)
    const lower = box.map(([low], d) => `${px(x(d))},${px(Math.max(y(low), y(box[d][1]) + 2))}`)
    return `<polygon class="fragment" fill="${colour}" fill-opacity="0.3" points="${
      [...upper, ...lower.reverse()].join(" ")
    }">${titleOf(fragment, dimensions)}</polygon>`
  })
  const axes = dimensions.map((dimension, d) => {
    const [low, high] = bounds(dimension)
    const at = `x="${px(x(d))}" text-anchor="middle"`
    return `<line class="axis" x1="${px(x(d))}" x2="${px(x(d))}" y1="${top}" y2="${top + side}"/>` +
      `<text ${at} y="${top - 8}">${high}</text><text ${at} y="${top + side + 16}">${low}</text>` +
      `<text class="label" ${at} y="${top + side + 34}">${text(dimension.name, 24)}</text>`
  })
  return `<svg viewBox="0 0 ${WIDTH} ${top + side + 42}" role="img" aria-label="domain">${bands.join("\n")}${
    axes.join("\n")
  }</svg>`
}

/** Returns the boxes of the newest fragments as SVG; `""` if no fragment has a box. */
export const domain = ({ fragments, dimensions }: Inspection, colour: (index: number) => string): string => {
  const drawn = fragments.flatMap((fragment, i): ReadonlyArray<Drawn> =>
    fragment.box === null ? [] : [{ fragment, box: fragment.box, colour: colour(i) }]
  ).slice(-MAX_DRAWN)
  if (drawn.length === 0) return ""
  return dimensions.length === 1
    ? rows(drawn, dimensions)
    : dimensions.length === 2
    ? map(drawn, dimensions)
    : parallelAxes(drawn, dimensions)
}
