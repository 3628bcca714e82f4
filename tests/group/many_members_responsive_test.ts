/** Timers fire while groups of 50,000 members are changed and opened. */
import { describe, it } from "node:test"
import { assertEquals } from "@std/assert"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { type Codecs, Group, layerMemory, layerNative, type StorageService } from "../../mod.ts"
import { assertResponsive } from "../support/event_loop.ts"

const memory = Effect.runSync(Effect.scoped(Layer.build(layerMemory)))
const layer = Layer.merge(Layer.succeedContext(memory), layerNative)
const run = <A>(program: Effect.Effect<A, unknown, StorageService | Codecs>): Promise<A> =>
  Effect.runPromise(Effect.provide(program, layer) as Effect.Effect<A>)

const COUNT = 50_000
const members = (type: Group.ObjectKind | undefined): ReadonlyArray<Group.NewMember> =>
  Array.from({ length: COUNT }, (_, i) => ({ uri: `m${i}`, relative: true, name: `m${i}`, type }))

let groups = 0
const fresh = async (): Promise<string> => {
  const uri = `mem://group${groups++}`
  await run(Group.create(uri))
  return uri
}

describe("a group of 50,000 members", () => {
  it("is filled while timers fire", async () => {
    const uris = [await fresh(), await fresh(), await fresh()]
    await assertResponsive(() => run(Group.add(uris.pop()!, members("array"))))
  })

  it("is opened and listed while timers fire", async () => {
    const uri = await fresh()
    await run(Group.add(uri, members("array")))
    await assertResponsive(async () => assertEquals((await run(Group.open(uri))).members.length, COUNT))
    await assertResponsive(async () => assertEquals((await run(Group.ls(uri))).length, COUNT))
    await assertResponsive(async () => assertEquals((await run(Group.tree(uri))).length, COUNT))
    await assertResponsive(async () => assertEquals(await run(Stream.runCount(Group.walk(uri))), COUNT))
  })

  it("loses members while timers fire", async () => {
    const uris = [await fresh(), await fresh(), await fresh()]
    for (const uri of uris) await run(Group.add(uri, members("array")))
    let uri = ""
    const removed = Array.from({ length: COUNT - 1 }, (_, i) => `m${i + 1}`)
    await assertResponsive(() => run(Group.remove(uri = uris.pop()!, removed)))
    assertEquals((await run(Group.open(uri))).members.map(({ name }) => name), ["m0"])
  })
})
