/**
 * `tessera tree`.
 */
import { redactUri } from "../../../schema/errors/redact.ts"
import * as Effect from "effect/Effect"
import type { Codecs } from "../../../platform/codecs/service.ts"
import type { Storage } from "../../../platform/storage/service.ts"
import { withoutSlash } from "../../array/open/listing.ts"
import { type ObjectTree, tree } from "../../group/list_objects.ts"
import type { Request } from "../parse/arguments.ts"
import { allow, json, opening } from "../parse/options.ts"
import type { Command } from "../parse/command.ts"
import { entryJson, explainEmptyListing, type ListError, listOptionsOf, shownName } from "./object_entries.ts"
import { print, type Terminal } from "../print/terminal.ts"
import { cut, printable } from "../print/text_width.ts"

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
    if (objectTrees.length === 0) return yield* explainEmptyListing(request, terminal)
    yield* print(terminal, [
      cut(printable(redactUri(withoutSlash(request.uri))), terminal.columns) + "\n",
      ...branches(objectTrees, "", terminal.columns),
    ])
  })

/** `tessera tree`. */
export const treeCommand: Command = {
  description: "list arrays and groups recursively",
  options: { json, allow, ...opening },
  run: runTree,
}
