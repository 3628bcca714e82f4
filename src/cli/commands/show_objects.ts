/**
 * `tessera ls` and `tessera tree`.
 */
import { redactText, redactUri } from "../../../schema/errors/redact.ts"
import * as Effect from "effect/Effect"
import type { Codecs } from "../../../platform/codecs/service.ts"
import type { Storage } from "../../../platform/storage/service.ts"
import { withoutSlash } from "../../array/open/listing.ts"
import { type ListOptions, ls, type ObjectEntry, type ObjectTree, tree } from "../../group/list_objects.ts"
import { kindAt } from "../../group/object_type.ts"
import type { GroupError } from "../../group/open_group.ts"
import { type SettingsError, settingsOf } from "../parse/settings.ts"
import type { Request } from "../parse/arguments.ts"
import { type OutputError, print, say, type Terminal } from "../print/terminal.ts"
import { textTable } from "../print/text_table.ts"
import { cut, printable } from "../print/text_width.ts"

/** What listing can fail with. */
export type ListError = SettingsError | GroupError | OutputError

const withoutPath = (uri: string): string => uri.slice(uri.lastIndexOf("/") + 1)

/** The name of an object; for members without one the last part of their URI. */
const shownName = ({ name, uri }: { readonly name: string | null; readonly uri: string }): string =>
  printable(name === null ? withoutPath(redactUri(uri)) : redactText(name))

/** An object as it is printed: its URI without credentials. */
const entryJson = ({ uri, type, name, foreign }: ObjectEntry) => ({
  uri: redactUri(uri),
  type,
  name: name === null ? null : redactText(name),
  foreign,
})

const sayNothing = (request: Request, terminal: Terminal): Effect.Effect<void, GroupError, Storage> =>
  Effect.flatMap(kindAt(withoutSlash(request.uri)), (kind) =>
    say(
      terminal,
      kind === "array"
        ? `this is an array; see tessera schema ${request.uri}`
        : kind === "group"
        ? "the group has no members"
        : "there are no arrays or groups in this folder",
    ))

const listOptionsOf = (request: Request, terminal: Terminal): Effect.Effect<ListOptions, SettingsError, Storage> =>
  Effect.map(settingsOf(request, terminal), (options) => ({ ...options, allow: request.texts("allow") }))

/** Lists what is directly in a folder or group. */
export const runLs = (request: Request, terminal: Terminal): Effect.Effect<void, ListError, Storage | Codecs> =>
  Effect.gen(function* () {
    const options = yield* listOptionsOf(request, terminal)
    const objectEntries = yield* ls(request.uri, options)
    if (request.on("json")) {
      return yield* print(terminal, [JSON.stringify(objectEntries.map(entryJson), null, 2), "\n"])
    }
    if (objectEntries.length === 0) return yield* sayNothing(request, terminal)
    yield* print(
      terminal,
      textTable(
        ["type", "name", "uri"],
        objectEntries.map((entry) => [entry.type, shownName(entry), printable(redactUri(entry.uri))]),
        terminal.columns,
      ),
    )
  })

const notes = {
  seen: " (shown above)",
  missing: " (not there)",
  locked: " (encrypted, the key does not open it)",
  unreachable: " (cannot be listed)",
  foreign: " (not opened: outside the group's origin)",
  limit: " (not opened: too many groups)",
} as const

function* branches(children: ReadonlyArray<ObjectTree>, indent: string, width: number): Generator<string> {
  for (let i = 0; i < children.length; i++) {
    const child = children[i]
    const last = i === children.length - 1
    const note = child.cut === undefined ? "" : notes[child.cut]
    yield cut(`${indent}${last ? "└── " : "├── "}${shownName(child)}  ${child.type}${note}`, width) + "\n"
    yield* branches(child.children, indent + (last ? "    " : "│   "), width)
  }
}

const plain = (node: ObjectTree): unknown => ({
  ...entryJson(node),
  cut: node.cut,
  children: node.children.map(plain),
})

/** Lists everything below a folder or group. */
export const runTree = (request: Request, terminal: Terminal): Effect.Effect<void, ListError, Storage | Codecs> =>
  Effect.gen(function* () {
    const options = yield* listOptionsOf(request, terminal)
    const objectTrees = yield* tree(request.uri, options)
    if (request.on("json")) return yield* print(terminal, [JSON.stringify(objectTrees.map(plain), null, 2), "\n"])
    if (objectTrees.length === 0) return yield* sayNothing(request, terminal)
    yield* print(terminal, [
      cut(printable(redactUri(withoutSlash(request.uri))), terminal.columns) + "\n",
      ...branches(objectTrees, "", terminal.columns),
    ])
  })
