/** Manifests of folders that contain links, and of folders with more files than a manifest supports. */
import { describe, it } from "node:test"
import { assert, assertEquals, assertMatch } from "@std/assert"
import * as Effect from "effect/Effect"
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { decodeManifest, MANIFEST_NAME } from "../../../../platform/storage/http/manifest.ts"
import { localFiles, makeMemoryStorage, publish } from "../../../../platform/mod.ts"
import type { Entry, Storage } from "../../../../platform/storage/service.ts"

const inFolder = async (body: (folder: string) => Promise<void>): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), "tessera-publish-"))
  try {
    await body(folder)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Returns the files in the manifest of a folder. */
const published = async (folder: string): Promise<ReadonlyArray<string>> => {
  await Effect.runPromise(Effect.timeout(publish(localFiles, folder), "5 seconds"))
  const manifest = decodeManifest(await Effect.runPromise(localFiles.read(join(folder, MANIFEST_NAME))))
  const walk = (path: string): ReadonlyArray<string> =>
    manifest.list(path).flatMap(({ name, kind }) => {
      const below = path === "" ? name : `${path}/${name}`
      return kind === "file" ? [below] : walk(below)
    })
  return walk("")
}

/** Returns a storage that returns these entries for each listing. */
const listing = (entries: (depth: number) => ReadonlyArray<Entry>): Storage => ({
  ...makeMemoryStorage(),
  list: (uri) => Effect.sync(() => entries(uri.split("/").length - 3)),
})

describe("publish", () => {
  it("ends if links lead to their own parent folders", () =>
    inFolder(async (folder) => {
      mkdirSync(join(folder, "array"))
      writeFileSync(join(folder, "array", "file"), "abc")
      for (const name of ["a", "b", "c"]) symlinkSync(".", join(folder, name))
      symlinkSync("..", join(folder, "array", "up"))
      assertEquals(await published(folder), ["array/file"])
    }))

  it("follows links to other folders, and stops at cycles of links", () =>
    inFolder(async (folder) => {
      for (const name of ["root", "root/x", "root/y", "other"]) mkdirSync(join(folder, name))
      for (const name of ["root/x/one", "root/y/two", "other/three"]) writeFileSync(join(folder, name), "abc")
      symlinkSync("../y", join(folder, "root/x/to-y"))
      symlinkSync("../x", join(folder, "root/y/to-x"))
      symlinkSync("../other", join(folder, "root/other"))
      symlinkSync("../root", join(folder, "other/back"))
      assertEquals(await published(join(folder, "root")), ["other/three", "x/one", "x/to-y/two", "y/to-x/one", "y/two"])
    }))

  it("rejects more files than a manifest supports, before all of them are listed", async () => {
    let listings = 0
    const name = "n".repeat(10_000)
    const many = listing((depth) => {
      listings++
      return Array.from(
        { length: 1000 },
        (_, i): Entry =>
          depth === 0 ? { name: `f${i}`, kind: "folder" } : { name: `${name}${i}`, kind: "file", size: 1 },
      )
    })
    const error = await Effect.runPromise(Effect.flip(publish(many, "mem://many")))
    assertEquals([error._tag, "reason" in error && error.reason], ["StorageError", "Unsupported"])
    assertMatch(error.message, /exceeds the maximum of 134217728 bytes/)
    assert(listings < 30, `${listings}`)
  })

  it("rejects too many folders, and does not block timers", async () => {
    let timers = 0
    const timer = setInterval(() => timers++, 10)
    const pair = ["a", "b"].map((name): Entry => ({ name, kind: "folder" }))
    const doubling = listing((depth) => depth < 24 ? pair : [])
    try {
      const error = await Effect.runPromise(Effect.flip(publish(doubling, "mem://doubling")))
      assertMatch(error.message, /more than 1048576 folders/)
    } finally {
      clearInterval(timer)
    }
    assert(timers > 10, `${timers} timers`)
  })

  it("stops when it is interrupted", async () => {
    const pair = ["a", "b"].map((name): Entry => ({ name, kind: "folder" }))
    const doubling = listing((depth) => depth < 24 ? pair : [])
    const begun = performance.now()
    const exit = await Effect.runPromiseExit(publish(doubling, "mem://doubling"), { signal: AbortSignal.timeout(50) })
    assertEquals(exit._tag, "Failure")
    assert(performance.now() - begun < 1000, `${performance.now() - begun} ms`)
  })
})
