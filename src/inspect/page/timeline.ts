/**
 * Draws the timeline: when fragments and deletes were written.
 */
import type { Inspection } from "../inspection_value.ts"
import { byteCountText, px, text, utcText } from "./markup.ts"

const [WIDTH, LEFT, RIGHT, LANE] = [1000, 84, 24, 64]
const MAX_RADIUS = 18
const TICKS = 5

/** Minimum length of a time axis, in milliseconds, that shows dates without times. */
const MIN_DATE_ONLY_SPAN = 10 * 86_400_000

const circle = (x: number, y: number, r: number, style: string, title: string): string =>
  `<circle ${style} cx="${px(x)}" cy="${px(y)}" r="${px(r)}"><title>${title}</title></circle>`

/** Returns the timeline as SVG; `""` if nothing was written. `colour` is the colour of a fragment by its age. */
export const timeline = (
  { fragments, deletes }: Inspection,
  colour: (index: number) => string,
): string => {
  const times = [...fragments.flatMap(({ start, end }) => [start, end]), ...deletes]
  if (times.length === 0) return ""
  const [first, last] = times.reduce(([low, high], time) => [Math.min(low, time), Math.max(high, time)], [
    Infinity,
    -Infinity,
  ])
  const width = WIDTH - LEFT - RIGHT
  const at = (time: number): number => LEFT + (last > first ? (time - first) / (last - first) : 0.5) * width
  const largest = fragments.reduce((max, { bytes }) => Math.max(max, bytes), 1)
  const lanes = deletes.length > 0 ? ["fragments", "deletes"] : ["fragments"]
  const bottom = lanes.length * LANE
  const out = lanes.map((lane, i) =>
    `<line class="axis" x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${(i + 0.5) * LANE}" y2="${(i + 0.5) * LANE}"/>` +
    `<text class="label" x="0" y="${(i + 0.5) * LANE + 4}">${lane}</text>`
  )
  // draw large fragments first, so that they do not hide small ones
  const order = fragments.map((_, i) => i).sort((a, b) => fragments[b].bytes - fragments[a].bytes)
  for (const i of order) {
    const { name, start, end, bytes } = fragments[i]
    const radius = Math.max(3, Math.sqrt(bytes / largest) * MAX_RADIUS)
    const when = start === end ? utcText(start) : `${utcText(start)} – ${utcText(end)}`
    const title = text(`${name}: ${when}, ${byteCountText(bytes)}`)
    const style = `class="fragment" fill="${colour(i)}" fill-opacity="0.75"`
    out.push(
      end > start
        ? `<rect ${style} x="${px(at(start) - 3)}" y="${px(LANE / 2 - radius)}" width="${
          px(at(end) - at(start) + 6)
        }" height="${px(2 * radius)}" rx="3"><title>${title}</title></rect>`
        : circle(at(start), LANE / 2, radius, style, title),
    )
  }
  for (const time of deletes) {
    out.push(circle(at(time), 1.5 * LANE, 5, `class="delete"`, text(`delete: ${utcText(time)}`)))
  }
  const tickText = (time: number): string =>
    last - first > MIN_DATE_ONLY_SPAN ? utcText(time).replace(/ .*/, "") : utcText(time).replace(/\.\d+$/, "")
  const ticks = last > first ? Array.from({ length: TICKS }, (_, i) => i / (TICKS - 1)) : [0.5]
  for (const part of ticks) {
    const time = last > first ? Math.round(first + part * (last - first)) : first
    const anchor = part === 0 ? "start" : part === 1 ? "end" : "middle"
    out.push(
      `<line class="axis" x1="${px(at(time))}" x2="${px(at(time))}" y1="${bottom}" y2="${bottom + 5}"/>`,
      `<text x="${px(at(time))}" y="${bottom + 20}" text-anchor="${anchor}">${text(tickText(time))}</text>`,
    )
  }
  return `<svg viewBox="0 0 ${WIDTH} ${bottom + 26}" role="img" aria-label="timeline">${out.join("\n")}</svg>`
}
