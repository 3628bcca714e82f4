/** Checks that the files and tasks named in the project's documents exist. */
import { describe, it } from "node:test"
import { assert, assertEquals } from "@std/assert"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"

const root = join(import.meta.dirname!, "..")
const documents = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "tests/README.md"]
const pages = readdirSync(join(root, "docs")).filter((name) => name.endsWith(".md")).map((name) => `docs/${name}`)
const tasks = JSON.parse(readFileSync(join(root, "deno.json"), "utf8")).tasks as Readonly<Record<string, string>>

const top = ["schema", "platform", "src", "tests", "bench", "bundle", "examples", ".ci"]

/** Returns the paths of the project that a document names in inline code. Folders end with a slash. */
export const pathsIn = (text: string): ReadonlyArray<string> =>
  [...text.replace(/^```[\s\S]*?^```/gm, "").matchAll(/`([^`\s*<>{}]+)`/g)].map(([, path]) => path)
    .filter((path) =>
      top.some((folder) => path.startsWith(`${folder}/`)) || /^[\w./-]+(?:\.(?:ts|py|md|json)|\/)$/.test(path)
    )
    .filter((path) => !path.startsWith("@") && !path.includes("__"))

/** Returns the relative links of a document, without anchors. */
export const linksIn = (text: string): ReadonlyArray<string> =>
  [...text.matchAll(/\]\(([^)#\s]+)[^)]*\)/g)].map(([, target]) => target).filter((link) => !/^\w+:/.test(link))

/** Returns the anchors of the headings of a document, as GitHub and VitePress form them. */
export const anchorsOf = (text: string): ReadonlyArray<string> =>
  [...text.replace(/^```[\s\S]*?^```/gm, "").matchAll(/^#+ (.+)$/gm)].map(([, heading]) =>
    heading.trim().toLowerCase().replace(/[^\p{L}\p{N}\s_-]/gu, "").replace(/\s/g, "-")
  )

/** Returns the links of a document to headings: the file, or `""` for the same, and the anchor. */
export const anchorLinksIn = (text: string): ReadonlyArray<readonly [file: string, anchor: string]> =>
  [...text.matchAll(/\]\(([^)#\s]*)#([^)\s]+)\)/g)].map(([, file, anchor]) => [file, anchor] as const)
    .filter(([file]) => !/^\w+:/.test(file))

/** Folders and files that tools create. */
const generated = ["tests/.cache/", "dist/", "data.csv", "expected.json"]

describe("documents", () => {
  for (const document of [...documents, ...pages]) {
    const text = readFileSync(join(root, document), "utf8")
    const folder = join(root, dirname(document))

    it(`${document} refers to existing files`, () => {
      const paths = pathsIn(text).filter((path) => !generated.some((prefix) => path.startsWith(prefix)))
      assert(paths.length > 0 || pages.includes(document))
      const exists = (path: string): boolean => existsSync(join(root, path)) || existsSync(join(folder, path))
      assertEquals(paths.filter((path) => !exists(path)), [])
      assertEquals(linksIn(text).filter((link) => !existsSync(join(folder, link))), [])
      const missing = anchorLinksIn(text).filter(([file, anchor]) =>
        !anchorsOf(file === "" ? text : readFileSync(join(folder, file), "utf8")).includes(anchor)
      )
      assertEquals(missing, [])
    })

    it(`${document} refers to existing tasks`, () => {
      const names = [...text.matchAll(/\bdeno(?:@[\d.]+)? task ([a-z][\w:]*)/g)].map(([, name]) => name)
      assertEquals(names.filter((name) => !Object.hasOwn(tasks, name)), [])
    })
  }

  it("are searched for paths and links", () => {
    const text = "See `src/a.ts`, `schema/`, `mod.ts`, `x.y` and [b](b.md#c), [d](https://e).\n```\n`src/no.ts`\n```\n"
    assertEquals(pathsIn(text), ["src/a.ts", "schema/", "mod.ts"])
    assertEquals(linksIn(text), ["b.md"])
  })

  it("describe a read and a write in a dozen steps each", () => {
    const text = readFileSync(join(root, "ARCHITECTURE.md"), "utf8")
    for (const section of ["A read, step by step", "A write, step by step"]) {
      const body = text.split(`## ${section}\n`)[1].split("\n## ")[0]
      const steps = body.split(/^\d+\. /m).slice(1)
      assert(steps.length >= 12, section)
      assertEquals(steps.filter((step) => pathsIn(step).length === 0).length <= 1, true, section)
    }
  })
})
