/**
 * The command line to a request, by `@effect/cli`.
 */
import * as Args from "@effect/cli/Args"
import * as CliConfig from "@effect/cli/CliConfig"
import * as Descriptor from "@effect/cli/CommandDescriptor"
import * as HelpDoc from "@effect/cli/HelpDoc"
import * as Options from "@effect/cli/Options"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { type CommandName, commands, type CommandSpec, type OptionSpec } from "./commands.ts"
import { UsageError } from "./usage_error.ts"

/** A command with its options, all of them by their names; those that were not given are absent. */
export interface Request {
  readonly command: CommandName
  readonly uri: string
  readonly text: (name: string) => string | undefined
  readonly texts: (name: string) => ReadonlyArray<string>
  readonly integer: (name: string) => number | undefined
  readonly on: (name: string) => boolean
}

type Value = string | number | boolean | undefined | ReadonlyArray<string>

/** A text that is one value, or a complaint that names the option. */
const checked = (
  name: string,
  valid: (text: string) => Value,
  expected: string,
): Options.Options<Value> =>
  Options.map(
    Options.optional(
      Options.filterMap(
        Options.text(name),
        (text) => Option.fromNullable(valid(text)),
        `--${name}: give ${expected}`,
      ),
    ),
    Option.getOrUndefined,
  )

const optionOf = (name: string, spec: OptionSpec): Options.Options<Value> =>
  spec.value === undefined
    ? Options.boolean(name)
    : spec.repeated === true
    ? Options.map(Options.repeated(Options.text(name)), (list): Value => list)
    : spec.choices !== undefined
    ? checked(name, (text) => spec.choices!.includes(text) ? text : undefined, `one of ${spec.choices.join(", ")}`)
    : spec.integer === true
    ? checked(name, (text) => /^\d{1,15}$/.test(text) ? Number(text) : undefined, "a whole number, 0 or more")
    : checked(name, (text) => text, "a value")

const descriptorOf = (name: string, spec: CommandSpec): Descriptor.Command<unknown> =>
  Descriptor.make(
    name,
    Options.all(Object.fromEntries(Object.entries(spec.options).map(([n, o]) => [n, optionOf(n, o)]))),
    Args.text({ name: "URI" }),
  )

const config = CliConfig.make({ isCaseSensitive: true, autoCorrectLimit: 0 })

const oneLine = (doc: HelpDoc.HelpDoc): string =>
  // deno-lint-ignore no-control-regex
  HelpDoc.toAnsiText(doc).replace(/\x1b\[[0-9;]*m/g, "").replace(/\s+/g, " ").trim()

/** Parses arguments that are in order. */
export const parse = (args: ReadonlyArray<string>): Effect.Effect<Request, UsageError> => {
  const command = args[0] as CommandName
  const parsed = Descriptor.parse(descriptorOf(command, commands[command]), args, config) as unknown as Effect.Effect<
    { readonly _tag: string; readonly value: { readonly options: Record<string, Value>; readonly args: string } },
    { readonly error: HelpDoc.HelpDoc }
  >
  return parsed.pipe(
    Effect.mapError(({ error }) => new UsageError({ reason: `${command}: ${oneLine(error)}` })),
    Effect.map(({ value: { options, args: uri } }) => ({
      command,
      uri,
      text: (name) => options[name] as string | undefined,
      texts: (name) => (options[name] ?? []) as ReadonlyArray<string>,
      integer: (name) => options[name] as number | undefined,
      on: (name) => options[name] === true,
    })),
  )
}
