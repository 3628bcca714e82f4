/**
 * Group details: the files in `__group`, which list the members of a group.
 *
 * @module
 */
import {
  bool,
  type Codec,
  codec,
  type Field,
  field,
  layoutVersion,
  list,
  literal,
  struct,
  u64,
  utf8,
} from "./binary/mod.ts"
import * as Schema from "effect/Schema"

/** An array or a group inside a group. */
export interface GroupMember {
  /** The version of the layout; version 2 supports deletion. */
  readonly version: 1 | 2
  /** Whether the member is a group or an array. */
  readonly type: "group" | "array"
  /** Whether `uri` is relative to the group. */
  readonly relative: boolean
  /** The URI as stored in the group: check a relative one with `checkInnerPath` before use. */
  readonly uri: string
  /** The name; `null` for an unnamed member, which is identified by its URI. */
  readonly name: string | null
  /** Whether the member was removed. */
  readonly deleted: boolean
}

/** The contents of one file: all members (version 1), or added and removed members (2: replay the files in order). */
export interface GroupDetails {
  /** The version of the layout. */
  readonly version: 1 | 2
  /** The members, including removed ones. */
  readonly members: ReadonlyArray<GroupMember>
}

const nameBytes = utf8(u64)

const OptionalName: Field<string | null> = field({
  schema: () => Schema.NullOr(Schema.String) as unknown as Schema.Schema<string | null>,
  minBytes: 1,
  get: (c) => bool.get(c, undefined) ? nameBytes.get(c, undefined) : null,
  put: (s, a) => {
    bool.put(s, a !== null, undefined)
    if (a !== null) nameBytes.put(s, a, undefined)
  },
  fit: (a, v) => a === null ? null : nameBytes.fit(a, v, undefined),
})

const Deleted: Field<boolean> = field({
  schema: () => bool.schema,
  minBytes: 0,
  get: (c, self: GroupMember) => self.version >= 2 && bool.get(c, undefined),
  put: (s, a, self: GroupMember) => {
    if (self.version >= 2) bool.put(s, a, undefined)
  },
  fit: (a, _, self: GroupMember) => self.version >= 2 && a,
})

/**
 * The codec of a member. Format: `group.md`, "Group Member".
 *
 * ```ts
 * import { decode, encode, GroupMember } from "@tessera/array/schema"
 * import { assertEquals } from "@std/assert"
 *
 * const member: GroupMember = { version: 2, type: "array", relative: true, uri: "a", name: "first", deleted: false }
 * assertEquals(decode(GroupMember, encode(GroupMember, member, 22), 22, "mem://g"), member)
 * ```
 */
export const GroupMember: Codec<GroupMember> = struct({
  version: layoutVersion([1, 2], "group member"),
  type: literal({ group: 1, array: 2 }, "object type"),
  relative: bool,
  uri: utf8(u64),
  name: OptionalName,
  deleted: Deleted,
})

/**
 * The codec of an unfiltered file of group details. The layout depends on the versions in it, not on the format
 * version. Format: `group.md`.
 *
 * ```ts
 * import { decode, encode, GroupDetails, GroupMember } from "@tessera/array/schema"
 * import { assertEquals } from "@std/assert"
 *
 * const removed: GroupMember = { version: 2, type: "array", relative: true, uri: "a", name: "first", deleted: true }
 * const bytes = encode(GroupDetails, { version: 2, members: [removed] }, 22)
 * assertEquals(decode(GroupDetails, bytes, 22, "mem://g/__group/__1_1_0_2").members[0].deleted, true)
 * ```
 */
export const GroupDetails: Codec<GroupDetails> = codec<GroupDetails>(struct({
  version: layoutVersion([1, 2], "group"),
  members: list(u64, GroupMember),
}))
