import { describe, it } from "node:test"
import { assertEquals } from "@std/assert"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { selection } from "./pack.ts"
import { pack, unpack } from "./pack_format.ts"

const inFolder = (use: (folder: string) => void): void => {
  const folder = mkdtempSync(join(tmpdir(), "tessera-pack-"))
  try {
    use(folder)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

describe("packing", () => {
  it("unpacks the same files, including empty ones and unusual names", () =>
    inFolder((folder) => {
      const files: Record<string, Uint8Array> = {
        "a/x/__1_1/a0.tdb": Uint8Array.of(0, 255, 10),
        "a/x/ok.wrt": new Uint8Array(0),
        "a/größe %2F.tdb": Uint8Array.of(1),
        "b/y": Uint8Array.from({ length: 70000 }, (_, i) => i * 7),
      }
      mkdirSync(join(folder, "in/a/x/__1_1"), { recursive: true })
      mkdirSync(join(folder, "in/b"))
      for (const [path, bytes] of Object.entries(files)) writeFileSync(join(folder, "in", path), bytes)
      const packed = pack(join(folder, "in"), ["a", "b"])
      unpack(packed, join(folder, "out"))
      for (const [path, bytes] of Object.entries(files)) {
        assertEquals(Uint8Array.from(readFileSync(join(folder, "out", path))), bytes, path)
      }
      assertEquals(Uint8Array.from(pack(join(folder, "out"), ["a", "b"])), Uint8Array.from(packed))
    }))

  it("selects the existing cases of each version", () =>
    inFolder((folder) => {
      for (let v = 1; v <= 10; v++) {
        for (const name of ["dense_empty", "sparse_1d", "unheard_of", ...(v === 8 ? ["dense_big_chunks"] : [])]) {
          mkdirSync(join(folder, `v${v}`, name), { recursive: true })
        }
      }
      mkdirSync(join(folder, "upstream", "old"), { recursive: true })
      const chosen = selection(folder)
      assertEquals([...chosen.keys()], [...Array.from({ length: 10 }, (_, i) => `v${i + 1}`), "upstream"])
      assertEquals(chosen.get("v1"), ["dense_empty", "sparse_1d"])
      assertEquals(chosen.get("v8")!.includes("dense_big_chunks"), true)
      assertEquals(chosen.get("upstream"), ["old"])
      const turns = [...chosen.values()].filter((names) => names.includes("sparse_1d")).length
      assertEquals(turns >= 4 && turns <= 6, true)
    }))
})
