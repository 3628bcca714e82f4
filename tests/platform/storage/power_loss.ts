/**
 * A process of power_loss_test.ts, with its own mounts: writes into a file system in an image file. After each step it
 * reads a copy of the image file, which is the state of a disk after a power failure at this point. Prints the commits.
 */
import * as Effect from "effect/Effect"
import { execFileSync } from "node:child_process"
import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import process from "node:process"
import { makeLocalStorage } from "../../../platform/storage/local/local.ts"

const [folder, system, durability] = process.argv.slice(-3)
const at = (name: string): string => join(folder, name)
const run = (command: string, ...args: ReadonlyArray<string>): void => {
  execFileSync(command, args, { stdio: ["ignore", "ignore", "inherit"] })
}

const storage = makeLocalStorage({ durability: durability as "synced" })
const FILES = ["a0.tdb", "a1.tdb"]
const content = (i: number): Uint8Array => new Uint8Array(200_000).fill(i + 1)
const array = (mount: string): string => join(at(mount), "array")
const fragmentIn = (mount: string, i: number): string => join(array(mount), "__fragments", `__${i}_${i}_0a_22`)

const writeData = (i: number): void =>
  Effect.runSync(Effect.scoped(Effect.gen(function* () {
    const fragment = fragmentIn("disk", i)
    yield* storage.createFolder(fragment)
    for (const name of FILES) {
      const file = yield* storage.openWrite(join(fragment, name))
      yield* file.write(content(i))
      yield* file.finish
    }
    yield* storage.write(join(fragment, "metadata"), content(i))
  })))

const commit = (i: number): void => {
  Effect.runSync(storage.create(join(array("disk"), "__commits", `${i}.wrt`), new Uint8Array(0)))
  Effect.runSync(storage.create(join(array("disk"), "__meta", String(i)), content(i)))
}

/** Returns the number of commits after a loss of power, and the number of those without their data. */
const afterLoss = (): { commits: number; broken: number } => {
  run("cp", "--sparse=always", at("image"), at("copy"))
  run("mount", "-t", system, "-o", "loop", at("copy"), at("after"))
  try {
    const isWhole = (file: string, i: number): boolean => {
      if (!existsSync(file)) return false
      const bytes = readFileSync(file)
      return bytes.length === content(i).length && bytes.every((byte) => byte === i + 1)
    }
    const namesIn = (name: string): ReadonlyArray<string> => {
      const path = join(array("after"), name)
      return existsSync(path) ? readdirSync(path) : []
    }
    const commits = namesIn("__commits").map((name) => Number.parseInt(name))
    const broken = commits.filter((i) =>
      ![...FILES, "metadata"].every((name) => isWhole(join(fragmentIn("after", i), name), i))
    )
    const meta = namesIn("__meta").filter((name) => !isWhole(join(array("after"), "__meta", name), Number(name)))
    return { commits: commits.length + namesIn("__meta").length, broken: broken.length + meta.length }
  } finally {
    run("umount", at("after"))
  }
}

for (const name of ["disk", "after"]) mkdirSync(at(name))
run("truncate", "-s", "32M", at("image"))
run(`mkfs.${system}`, "-q", "-F", at("image"))
run("mount", "-t", system, "-o", "loop", at("image"), at("disk"))
console.log("mounted")
const losses: Array<{ commits: number; broken: number }> = []
try {
  for (let i = 0; i < 3; i++) {
    writeData(i)
    losses.push(afterLoss())
    commit(i)
    losses.push(afterLoss())
  }
} finally {
  run("umount", at("disk"))
}
console.log(JSON.stringify(losses))
