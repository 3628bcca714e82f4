/**
 * Shows the progress of long commands: a bar on a terminal, occasional lines elsewhere, and nothing for short commands.
 * Standard output is reserved for data.
 */
import { messageText } from "../../../schema/errors/message_text.ts"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { say, type Terminal } from "./terminal.ts"
import { cut } from "./text_width.ts"

/** Progress of the work. */
export interface Status {
  /** Description of the progress so far. */
  readonly text: string
  /** Finished share, from 0 to 1, if known. */
  readonly part?: number
}

/** Minimum duration of work that shows progress. */
const MIN_WORK_MS = 2000
/** Interval between updates of the bar. */
const DRAW_INTERVAL_MS = 200
/** Interval between lines if there is no bar. */
const LINE_INTERVAL_MS = 5000

/** Number of yields before the timer is loaded: short work ends before, and loading the timer takes Deno 5 ms. */
const YIELDS_BEFORE_TIMER = 40

const BAR_WIDTH = 20
const EIGHTHS = " ▏▎▍▌▋▊▉"
/** Control sequence that returns to the start of the line and erases it. */
const ERASE = "\r\x1b[K"

/** Draws a bar of 20 characters. */
const barOf = (part: number): string => {
  const eighths = Math.round(Math.min(Math.max(part, 0), 1) * BAR_WIDTH * 8)
  const full = "█".repeat(eighths >> 3)
  return (eighths % 8 === 0 ? full : full + EIGHTHS[eighths % 8]).padEnd(BAR_WIDTH)
}

/** Formats a duration. */
const secondsText = (ms: number): string => {
  const seconds = Math.round(ms / 1000)
  if (seconds < 60) return `${seconds} s`
  const minutes = Math.floor(seconds / 60)
  return minutes < 60 ? `${minutes} min ${seconds % 60} s` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}

/** Formats a status as a line. */
export const progressLine = ({ text: raw, part }: Status, elapsed: number, bar: boolean): string => {
  const text = messageText(raw)
  if (part === undefined) return `${text}, ${secondsText(elapsed)}`
  const percent = `${Math.floor(Math.min(part, 1) * 100)} %`
  // the beginning does not allow an estimate
  const remaining = part >= 0.02 && part < 1 ? `, ${secondsText(elapsed / part - elapsed)} left` : ""
  return `${bar ? `▕${barOf(part)}▏ ` : ""}${percent}, ${text}, ${secondsText(elapsed)}${remaining}`
}

/** Formats a count with separators: 1,234,567. */
export const countText = (count: number): string => String(count).replace(/\B(?=(\d{3})+$)/g, ",")

/**
 * Runs work and shows its progress. The work writes to the terminal passed to it, so that the bar is erased before
 * output. As soon as data is written to the same terminal, no bar is shown.
 */
export const withProgress = <A, E, R>(
  terminal: Terminal,
  status: () => Status,
  work: (terminal: Terminal) => Effect.Effect<A, E, R>,
): Effect.Effect<A, E, R> =>
  Effect.gen(function* () {
    const { drawing } = terminal
    const started = yield* Clock.currentTimeMillis
    const line = (bar: boolean) =>
      Effect.map(Clock.currentTimeMillis, (now) => progressLine(status(), now - started, bar))
    const steps = Effect.repeatN(Effect.yieldNow(), YIELDS_BEFORE_TIMER)
    if (drawing === undefined) {
      const tick = Effect.delay(Effect.flatMap(line(false), (text) => say(terminal, text)), LINE_INTERVAL_MS)
      const fiber = yield* Effect.fork(Effect.zipRight(steps, Effect.forever(tick)))
      return yield* Effect.ensuring(work(terminal), Fiber.interrupt(fiber))
    }

    let [shown, over] = [false, false]
    const draw = (text: string): Promise<void> => drawing.draw(text).catch(() => {})
    const erase = async (): Promise<void> => {
      if (!shown) return
      shown = false
      await draw(ERASE)
    }
    const tick = Effect.flatMap(line(true), (text) =>
      Effect.promise(async () => {
        if (over) return
        shown = true
        // leave the last column free: some terminals wrap after it
        await draw(ERASE + cut(text, drawing.columns - 1))
      }))
    const ticks = Effect.delay(Effect.forever(Effect.zipLeft(tick, Effect.sleep(DRAW_INTERVAL_MS))), MIN_WORK_MS)
    const fiber = yield* Effect.fork(Effect.zipRight(steps, ticks))
    const around: Terminal = {
      ...terminal,
      write: async (text) => {
        if (drawing.shared) {
          over = true
          await erase()
        }
        return terminal.write(text)
      },
      say: async (text) => {
        await erase()
        return terminal.say(text)
      },
      warn: async (text) => {
        await erase()
        return (terminal.warn ?? terminal.say)(text)
      },
    }
    return yield* Effect.ensuring(
      work(around),
      Effect.zipRight(
        Fiber.interrupt(fiber),
        Effect.promise(() => {
          over = true
          return erase()
        }),
      ),
    )
  })
