/**
 * Completes the names of fields: opens the array on the command line.
 */
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import type { Codecs } from "../../../platform/codecs/service.ts"
import type { Storage } from "../../../platform/storage/service.ts"
import type { ArraySchema } from "../../../schema/array/array_schema.ts"
import { openRequested } from "../parse/settings.ts"
import { commandIn, type CommandSpecs, type CompletedNames, operandsOf } from "../parse/specs.ts"
import { argumentTokens } from "../parse/tokens.ts"
import type { Terminal } from "../print/terminal.ts"

/** Maximum time for opening the array. */
const OPEN_TIMEOUT = "2 seconds"

/** Operands that name an array. */
const ARRAY_OPERANDS = ["URI", "SOURCE"]

/** Names that no shell requires to be quoted. */
const UNQUOTED_NAME = /^[\p{L}\p{N}_.@%+-]+$/u

/** Candidates for the last word, and whether a value follows them without a space. */
export interface CompletedWords {
  readonly words: ReadonlyArray<string>
  readonly isOpen: boolean
}

/** Returns the names of a kind in a schema. */
const namesOf = ({ dimensions, attributes, dimensionLabels }: ArraySchema, kind: CompletedNames) =>
  ({
    attributes,
    condition: [...dimensions, ...attributes],
    dimensions: [...dimensions, ...dimensionLabels],
    fields: [...dimensions, ...attributes],
  })[kind].map(({ name }) => name).filter((name) => UNQUOTED_NAME.test(name))

/** Completes the last name of a list. */
const completeList = (names: ReadonlyArray<string>, value: string): ReadonlyArray<string> => {
  const prefix = value.slice(0, value.lastIndexOf(",") + 1)
  const used = new Set(prefix.split(","))
  return names.filter((name) => !used.has(name)).map((name) => prefix + name)
}

/**
 * Returns the names of fields that complete the last word; `undefined` if the word is not the value of an option for
 * names. Returns no names if the array cannot be opened.
 */
export const completeNames = (
  commands: CommandSpecs,
  args: ReadonlyArray<string>,
  terminal: Terminal,
): Effect.Effect<CompletedWords | undefined, never, Storage | Codecs> =>
  Effect.gen(function* () {
    const named = commandIn(commands, args)
    if (named === undefined || named.rest.length === 0) return undefined
    const { spec: { options }, spec, name: command } = named
    const before = named.rest.slice(0, -1)
    const last = named.rest[named.rest.length - 1]
    const takesValue = (name: string): boolean => Object.hasOwn(options, name) && options[name].value !== undefined
    const tokens = [...argumentTokens(before, takesValue)]
    // the last option has no value yet
    const open = tokens[tokens.length - 1]
    const joined = /^--([^=]+)=(.*)$/s.exec(last)
    const [option, value] = joined !== null
      ? [joined[1], joined[2]]
      : [open?.kind === "option" && open.value === undefined && takesValue(open.name) ? open.name : "", last]
    const kind = Object.hasOwn(options, option) ? options[option].completes : undefined
    if (kind === undefined) return undefined
    const operands = tokens.flatMap((token) => token.kind === "positional" ? [token.value] : [])
    const uri = operands[operandsOf(spec).findIndex((operand) => ARRAY_OPERANDS.includes(operand))]
    const isOpen = kind === "dimensions"
    if (uri === undefined) return { words: [], isOpen }
    const text = (name: string): string | undefined =>
      tokens.flatMap((token) => token.kind === "option" && token.name === name ? [token.value] : [])[0]
    const request = { command, uri, operands, text, texts: () => [], integer: () => undefined, on: () => false }
    const silent = { ...terminal, say: () => Promise.resolve(), warn: () => Promise.resolve() }
    const array = yield* openRequested(request, silent).pipe(
      Effect.timeout(OPEN_TIMEOUT),
      Logger.withMinimumLogLevel(LogLevel.None),
      Effect.catchAllCause(() => Effect.succeed(undefined)),
    )
    if (array === undefined) return { words: [], isOpen }
    const names = namesOf(array.schema, kind)
    const prefix = joined === null ? "" : `--${option}=`
    const all = kind === "dimensions"
      ? names.map((name) => `${name}=`)
      : kind === "condition"
      ? names
      : completeList(names, value)
    return { words: all.filter((word) => word.startsWith(value)).map((word) => prefix + word), isOpen }
  })
