/** Failed writes of the local storage: a typed error with the reason, and no remaining files. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert"
import * as Effect from "effect/Effect"
import { spawnSync } from "node:child_process"
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import process from "node:process"
import { describe, it } from "node:test"
import { fileURLToPath } from "node:url"
import { StorageError } from "../../../platform/errors.ts"
import { storageFailure } from "../../../platform/storage/errno.ts"
import { localFiles } from "../../../platform/storage/local/local.ts"

const inFolder = async (body: (folder: string) => Promise<void> | void): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), "tessera-failures-"))
  try {
    await body(folder)
  } finally {
    chmodSync(folder, 0o700)
    rmSync(folder, { recursive: true, force: true })
  }
}

const quoted = (words: ReadonlyArray<string>): string => words.map((word) => `'${word}'`).join(" ")

/** Returns the command of the process that fills a disk. */
const filling = (folder: string): string => {
  const script = fileURLToPath(new URL("full_disk.ts", import.meta.url))
  return quoted([process.execPath, ...("Deno" in globalThis ? ["run", "-A", script] : [script]), folder])
}

const shell = (command: ReadonlyArray<string>) =>
  spawnSync(command[0], command.slice(1), {
    encoding: "utf8",
    cwd: fileURLToPath(new URL("../../..", import.meta.url)),
  })

const assertFull = (output: string): void => {
  const { made, attempts, after, old } = JSON.parse(output) as {
    made: string
    attempts: ReadonlyArray<{ name: string; tag: string; reason: string; files: ReadonlyArray<string> }>
    after: string
    old: ReadonlyArray<number>
  }
  assertEquals(made, "Right")
  for (const { name, tag, reason, files } of attempts) {
    assertEquals([tag, reason], ["StorageError", "Full"], name)
    assertEquals(files, ["old"], name)
  }
  assertEquals(attempts.length, 8)
  assertEquals(after, "Right")
  assertEquals(old, [1, 2, 3])
}

/** Returns a command with its own mount, which does not require root; `undefined` if mounting is not allowed. */
const mounted = (folder: string, options: string, command: string): string | undefined => {
  const mount = `mount -t tmpfs -o ${options} none ${quoted([folder])}`
  if (shell(["unshare", "-rm", "sh", "-c", mount]).status !== 0) return undefined
  const { status, stdout, stderr } = shell(["unshare", "-rm", "sh", "-c", `${mount} && ${command}`])
  assertEquals(status, 0, stderr)
  return stdout
}

/** Returns every way to write below a URI. */
const writesTo = (uri: string) => ({
  write: localFiles.write(uri, Uint8Array.of(1)),
  create: localFiles.create(uri, Uint8Array.of(1)),
  "create empty": localFiles.create(uri, new Uint8Array(0)),
  openWrite: Effect.scoped(localFiles.openWrite(uri)),
  createFolder: localFiles.createFolder(uri),
})

const reasonsOf = (uri: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(writesTo(uri)).map(([name, call]) => {
      const ended = Effect.runSync(Effect.either(call as Effect.Effect<unknown, unknown>))
      if (ended._tag === "Right") return [name, "done"]
      assert(ended.left instanceof StorageError, `${name}: ${String(ended.left)}`)
      assertStringIncludes(ended.left.message, uri)
      return [name, ended.left.reason]
    }),
  )

const allAre = (reason: string): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.keys(writesTo("x")).map((name) => [name, reason]))

describe("local files that cannot be written", () => {
  it("on a full disk: Full, if a disk of one megabyte can be mounted", () =>
    inFolder((folder) => {
      const output = mounted(folder, "size=1m", filling(folder))
      if (output === undefined) {
        console.log("no tmpfs can be mounted here; files of limited size simulate a full disk")
      } else assertFull(output)
    }))

  it("above the file size limit of the process: Full", () =>
    inFolder((folder) => {
      const { stdout, stderr, status } = shell(["sh", "-c", `trap '' XFSZ; ulimit -f 2048; exec ${filling(folder)}`])
      assertEquals(status, 0, stderr)
      assertFull(stdout)
    }))

  it("without permission: Denied", () =>
    inFolder((folder) => {
      writeFileSync(join(folder, "old"), "abc")
      chmodSync(folder, 0o500)
      // root may write to read-only folders
      const denied = process.getuid?.() !== 0
      if (denied) assertEquals(reasonsOf(join(folder, "file")), allAre("Denied"))
      if (denied) assertEquals(reasonsOf(join(folder, "folder", "file")), allAre("Denied"))
      for (const code of ["EACCES", "EPERM", "EROFS"]) {
        assertEquals(storageFailure("write", "x")({ code }).reason, "Denied")
      }
      assertEquals(readdirSync(folder), ["old"])
    }))

  it("on a read-only disk: Denied, if one can be mounted", () =>
    inFolder((folder) => {
      const output = mounted(folder, "ro", filling(folder))
      if (output === undefined) return console.log("no tmpfs can be mounted here")
      const { attempts } = JSON.parse(output) as {
        attempts: ReadonlyArray<{ reason: string; files: ReadonlyArray<string> }>
      }
      for (const { reason, files } of attempts) assertEquals([reason, files], ["Denied", []])
    }))

  it("above the quota: Full", () => {
    const denos = new Error("Disk quota exceeded (os error 122)")
    assertEquals(storageFailure("write", "x")(denos).reason, "Full")
    for (const code of ["EDQUOT", "ENOSPC", "EFBIG"]) {
      assertEquals(storageFailure("write", "x")({ code }).reason, "Full")
    }
  })

  it("because a file has the name of a folder, or a folder that of a file: Occupied", () =>
    inFolder((folder) => {
      writeFileSync(join(folder, "file"), "abc")
      mkdirSync(join(folder, "folder"))
      writeFileSync(join(folder, "folder", "inner"), "abc")
      for (const below of ["file/below", "file/two/below", "file/__meta/below"]) {
        assertEquals(reasonsOf(join(folder, below)), allAre("Occupied"))
      }
      assertEquals(Effect.runSync(Effect.flip(localFiles.createFolder(join(folder, "file")))).reason, "Occupied")
      const over = writesTo(join(folder, "folder"))
      assertEquals(Effect.runSync(Effect.flip(over.write)).reason, "Occupied")
      assertEquals(Effect.runSync(Effect.flip(over.openWrite)).reason, "Occupied")
      assertEquals(Effect.runSync(Effect.flip(over.create))._tag, "AlreadyExists")
      assertEquals(Effect.runSync(Effect.flip(over["create empty"]))._tag, "AlreadyExists")
      assertEquals(readdirSync(folder, { recursive: true }).sort(), ["file", "folder", join("folder", "inner")])
      assertEquals(readFileSync(join(folder, "file"), "utf8"), "abc")
    }))

  it("because names are too long: BadName", () =>
    inFolder((folder) => {
      assertEquals(reasonsOf(join(folder, "x".repeat(300))), allAre("BadName"))
      assertEquals(reasonsOf(join(folder, "x".repeat(300), "file")), allAre("BadName"))
      assertEquals(readdirSync(folder), [])
    }))
})
