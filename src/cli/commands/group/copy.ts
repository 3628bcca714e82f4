/**
 * `tessera group copy`.
 */
import * as Effect from "effect/Effect"
import { redactUri } from "../../../../schema/errors/redact.ts"
import type { Codecs } from "../../../../platform/codecs/service.ts"
import { AlreadyExists } from "../../../../platform/errors.ts"
import type { EncryptionKey } from "../../../../platform/keys.ts"
import { Storage } from "../../../../platform/storage/service.ts"
import { removeOnFailure } from "../../../array/create/created_files.ts"
import { loadMetadata, type MetadataError } from "../../../array/metadata/metadata.ts"
import { ArrayNotFound } from "../../../array/open/errors.ts"
import { handleOf } from "../../../array/open/handle.ts"
import { join } from "../../../array/open/listing.ts"
import { accessOf, openArray, type OpenError } from "../../../array/open/open.ts"
import { openingOf, placeOf } from "../../../array/open/open_options.ts"
import { changeMembers, type ChangeMembersError, type NewMember } from "../../../group/change_members.ts"
import { createGroup, type CreateGroupError } from "../../../group/create_group.ts"
import { type ListOptions, ls, type ObjectEntry } from "../../../group/list_objects.ts"
import { identity } from "../../../group/member_uri.ts"
import { kindAt } from "../../../group/object_type.ts"
import { type GroupError, openGroupTile } from "../../../group/open_group.ts"
import { type PutGroupMetadataError, putMetadata } from "../../../group/put_metadata.ts"
import { copy, type CopyError, type CopyOptions } from "../../../transfer/copy/copy.ts"
import type { Request } from "../../parse/arguments.ts"
import { parseSize, sizeText } from "../../parse/byte_size.ts"
import type { Command } from "../../parse/command.ts"
import { allow, duplicates, formatVersion, json, memory, opening, quiet } from "../../parse/options.ts"
import { attemptUsage, readKey, type SettingsError, settingsOf } from "../../parse/settings.ts"
import { UsageError } from "../../parse/usage_error.ts"
import { countText, withProgress } from "../../print/progress.ts"
import { changeThenReport, type OutputError, print, say, type Terminal, warn } from "../../print/terminal.ts"
import { printable } from "../../print/text_width.ts"
import { absoluteUri, storedMember } from "./member_path.ts"

/** Errors of copying a group. */
export type CopyGroupError =
  | SettingsError
  | GroupError
  | OpenError
  | CopyError
  | MetadataError
  | CreateGroupError
  | ChangeMembersError
  | PutGroupMetadataError

/** Options of a copy. */
interface GroupCopyOptions {
  readonly listing: ListOptions
  readonly key: EncryptionKey | null | undefined
  readonly formatVersion: number | undefined
  readonly memory: number | undefined
  readonly metadata: boolean
  readonly duplicates: CopyOptions["duplicates"]
}

/** The objects copied so far. */
interface CopiedObjects {
  arrays: number
  groups: number
  cells: number
  bytes: number
  /** Members that remain references to objects of the source. */
  readonly references: Array<string>
}

const lastPart = (uri: string): string => uri.slice(uri.lastIndexOf("/") + 1)

/** Returns the path of an object in the copy: its path in the group's folder, or else the name of the member. */
const targetPath = (group: string, { uri, name }: ObjectEntry, used: ReadonlySet<string>): string => {
  const [folder, place] = [`${identity(group)}/`, identity(uri)]
  if (place.startsWith(folder)) return place.slice(folder.length)
  const base = (name ?? lastPart(place)).replace(/[^\p{L}\p{N}._-]/gu, "_").replace(/^[._]+/, "") || "member"
  let path = base
  for (let n = 2; used.has(path); n++) path = `${base}_${n}`
  return path
}

/** Copies a group and everything below it. */
const copyObjects = (
  source: string,
  target: string,
  options: GroupCopyOptions,
  copied: CopiedObjects,
): Effect.Effect<void, CopyGroupError, Storage | Codecs> => {
  const { listing, key, formatVersion, memory, metadata, duplicates } = options
  /** URIs of the copies, by the URIs of their sources */
  const targets = new Map<string, string>()

  const copyArray = (from: string, to: string) =>
    Effect.gen(function* () {
      const { allow: _, ...settings } = listing
      const array = yield* openArray(from, settings)
      // an array that allows duplicates keeps all its cells
      const { arrayType, allowsDuplicates } = array.schema
      const decides = duplicates !== undefined && arrayType === "sparse" && !allowsDuplicates
      const { cells, bytes } = yield* copy(handleOf(array), to, {
        ...(decides ? { duplicates } : {}),
        ...(key === undefined ? {} : { key }),
        ...(formatVersion === undefined ? {} : { formatVersion }),
        ...(memory === undefined ? {} : { memory }),
        metadata,
      })
      copied.arrays++
      copied.cells += cells
      copied.bytes += bytes
    })

  const copyMetadata = (from: string, to: string) =>
    Effect.gen(function* () {
      const { allow: _, ...settings } = listing
      const opening = yield* openingOf(from, settings)
      const items = yield* loadMetadata(opening.uri, opening.time, yield* accessOf(opening), openGroupTile)
      if (items.length > 0) yield* putMetadata(to, items)
    })

  const copyGroup = (from: string, to: string): Effect.Effect<void, CopyGroupError, Storage | Codecs> =>
    Effect.gen(function* () {
      targets.set(identity(from), to)
      const entries = yield* ls(from, listing)
      const used = new Set<string>()
      const members: Array<NewMember> = []
      for (const entry of entries) {
        const { uri, type, name } = entry
        const named = name === null ? {} : { name }
        if (entry.foreign === true) {
          copied.references.push(uri)
          members.push({ uri, type, ...named })
          continue
        }
        let at = targets.get(identity(uri))
        if (at === undefined) {
          const path = targetPath(from, entry, used)
          used.add(path)
          at = join(to, path)
          targets.set(identity(uri), at)
          yield* (type === "group" ? copyGroup(uri, at) : copyArray(uri, at))
        }
        members.push({ ...(yield* storedMember(to, at)), type, ...named })
      }
      // create the group's own file after its members, so that an unfinished copy is not a group
      yield* createGroup(to)
      if (metadata) yield* copyMetadata(from, to)
      if (members.length > 0) yield* changeMembers(to, { add: members })
      copied.groups++
    })

  return Effect.gen(function* () {
    const storage = yield* Storage
    if ((yield* storage.list(target)).length > 0) {
      const detail = "the target of the copy is not empty"
      return yield* Effect.fail(new AlreadyExists({ uri: target, detail, hint: { _tag: "ChooseTarget" } }))
    }
    yield* removeOnFailure(Effect.gen(function* () {
      yield* Effect.flatMap(Storage, (tracked) => tracked.createFolder(target))
      yield* copyGroup(source, yield* absoluteUri(target))
    }))
  })
}

/** Copies a group and prints a summary. */
const run = (
  request: Request,
  terminal: Terminal,
): Effect.Effect<void, CopyGroupError | OutputError, Storage | Codecs> =>
  Effect.gen(function* () {
    const [from, to] = request.operands
    const size = request.text("memory")
    const memory = size === undefined ? undefined : yield* attemptUsage(() => parseSize("memory", size))
    const keyFile = request.text("to-key-file")
    if (keyFile !== undefined && request.on("decrypt")) {
      return yield* Effect.fail(
        new UsageError({ detail: "group copy: --decrypt and --to-key-file exclude each other; omit one" }),
      )
    }
    const key = request.on("decrypt") ? null : keyFile === undefined ? undefined : yield* readKey(keyFile, terminal)
    const settings = yield* settingsOf(request, terminal)
    const [source, target] = [yield* placeOf(from), yield* placeOf(to)]
    const kind = yield* kindAt(source)
    if (kind !== "group") {
      const reason = kind === "array" ? "IsArray" : "Empty"
      return yield* Effect.fail(new ArrayNotFound({ uri: source, reason, detail: "there is no group here" }))
    }
    const copied: CopiedObjects = { arrays: 0, groups: 0, cells: 0, bytes: 0, references: [] }
    const work = copyObjects(source, target, {
      listing: { ...settings, allow: request.texts("allow") },
      key,
      formatVersion: request.integer("format-version"),
      memory,
      metadata: !request.on("no-metadata"),
      duplicates: request.text("duplicates") as CopyOptions["duplicates"],
    }, copied)
    const counted = (n: number, noun: string) => `${countText(n)} ${noun}${n === 1 ? "" : "s"}`
    const summary = () =>
      `${counted(copied.groups, "group")} and ${counted(copied.arrays, "array")}, ` +
      `${counted(copied.cells, "cell")} of ${sizeText(copied.bytes)}`
    const copyAndReport = (terminal: Terminal) =>
      changeThenReport(terminal, work, () =>
        Effect.gen(function* () {
          for (const uri of copied.references) {
            yield* warn(
              terminal,
              `tessera: warning: ${redactUri(uri)} was not copied: it is outside the group's origin`,
            )
          }
          const uri = redactUri(target)
          if (request.on("json")) {
            const { references, ...counts } = copied
            const result = { uri, ...counts, references: references.map(redactUri) }
            return yield* print(terminal, [JSON.stringify(result, null, 2), "\n"])
          }
          yield* print(terminal, [printable(uri), "\n"])
          if (!request.on("quiet")) yield* say(terminal, summary())
        }))
    yield* request.on("quiet")
      ? copyAndReport(terminal)
      : withProgress(terminal, () => ({ text: `copied ${summary()}` }), copyAndReport)
  })

/** `tessera group copy`. */
export const groupCopyCommand: Command = {
  description: "copy a group with all arrays and groups in it",
  operands: ["SOURCE", "TARGET"],
  options: {
    "format-version": { ...formatVersion, description: "set the format version of the arrays, 3 or later (22)" },
    "to-key-file": {
      value: "FILE",
      description: "encrypt the arrays with the key in this file (default: the key of the source)",
    },
    decrypt: { description: "write the arrays without encryption" },
    duplicates,
    "no-metadata": { description: "omit the metadata" },
    memory,
    allow,
    json,
    quiet,
    ...opening,
  },
  run,
}
