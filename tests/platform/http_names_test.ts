/** From URIs to URLs, and from links to names: what may leave a folder, and what may not. */
import { assert, assertEquals } from "@std/assert"
import * as FastCheck from "effect/FastCheck"
import { describe, it } from "node:test"
import {
  fileUrl,
  folderUrl,
  httpPlace,
  namesBelow,
  objectOf,
  parentOf,
  staysInFolder,
} from "../../platform/http_url.ts"
import { parseIndexPage } from "../../platform/index_page.ts"
import { decodeManifest, encodeManifest } from "../../platform/manifest.ts"

const place = (uri: string) => httpPlace("read", uri)

describe("URLs", () => {
  it("keep queries behind the path, and escapes as they stand", () => {
    for (
      const [uri, file, folder] of [
        ["http://host/a/b", "http://host/a/b", "http://host/a/b/"],
        ["https://host/a/b///", "https://host/a/b", "https://host/a/b/"],
        ["HTTP://Host:80/a", "http://host/a", "http://host/a/"],
        ["https://host", "https://host", "https://host/"],
        ["https://host/", "https://host", "https://host/"],
        ["https://host/a?x=1&y=%2F", "https://host/a?x=1&y=%2F", "https://host/a/?x=1&y=%2F"],
        ["https://host/a/?x=1/__schema/s", "https://host/a/__schema/s?x=1", "https://host/a/__schema/s/?x=1"],
        ["https://host?x=1/a", "https://host/a?x=1", "https://host/a/?x=1"],
        ["https://host/a?/b", "https://host/a/b", "https://host/a/b/"],
        ["https://host/a?x=1/b?c", "https://host/a/b%3Fc?x=1", "https://host/a/b%3Fc/?x=1"],
        ["https://host/my%20array/é 1", "https://host/my%20array/%C3%A9%201", "https://host/my%20array/%C3%A9%201/"],
        ["https://host/100%/a#b", "https://host/100%25/a%23b", "https://host/100%25/a%23b/"],
        ["https://host/a\\..\\b", "https://host/a%5C..%5Cb", "https://host/a%5C..%5Cb/"],
        ["https://host/a\t/.\n./b", "https://host/a%09/.%0A./b", "https://host/a%09/.%0A./b/"],
      ]
    ) {
      assertEquals([uri, fileUrl(place(uri))], [uri, file])
      assertEquals([uri, folderUrl(place(uri))], [uri, folder])
    }
  })

  it("take percent signs inside of arrays for what they are: format 8 writes them into names", () => {
    const uuid = "0123456789abcdef0123456789abcdef"
    for (
      const [uri, url] of [
        [`https://host/my%20a/__1_1_${uuid}_8/a%20b.tdb`, `https://host/my%20a/__1_1_${uuid}_8/a%2520b.tdb`],
        ["https://host/a%20b/__schema/c%20d", "https://host/a%20b/__schema/c%2520d"],
        ["https://host/__data/a%20b", "https://host/__data/a%20b"],
        ["https://host/__schemata/a%20b", "https://host/__schemata/a%20b"],
      ]
    ) {
      assertEquals(fileUrl(place(uri)), url)
    }
  })

  it("know what is around them", () => {
    assertEquals(objectOf("https://host/a/__schema/__enumerations"), "https://host/a")
    assertEquals(objectOf("https://host/a/__1_1_0123/x"), "https://host/a")
    assertEquals(objectOf("https://host/__data/a"), "https://host/__data/a")
    assertEquals(parentOf("https://host/a/b"), "https://host/a")
    assertEquals(parentOf("https://host/a"), "https://host")
    assertEquals(parentOf("https://host"), undefined)
    assertEquals(namesBelow("https://host", "https://host/a/b%20c"), ["a", "b c"])
    assertEquals(namesBelow("https://host/a", "https://host/ab"), undefined)
    assertEquals(namesBelow("https://host/a", "https://host/a/%ff"), undefined)
  })

  it("hold any name that stays in its folder", () => {
    FastCheck.assert(
      FastCheck.property(FastCheck.string({ unit: "binary", minLength: 1, maxLength: 12 }), (name) => {
        if (!staysInFolder(name)) return
        const { base } = place(`https://host/folder/${encodeURIComponent(name.toWellFormed())}`)
        assertEquals(namesBelow("https://host/folder", base), [name.toWellFormed()])
        // raw, as the engine puts names behind a folder
        assert(place(`https://host/folder/${name}`).base.startsWith("https://host/folder"))
      }),
      { numRuns: 1000 },
    )
    for (const name of ["", ".", "..", "a/b", "a\\b", "a\0", "%2e%2E", ".%2e", "a%2f..%2fb", "..%5c", "\t"]) {
      assert(!staysInFolder(name), JSON.stringify(name))
    }
    for (const name of ["a", "...", ".a", "a..b", "%", "a%20b", "a%2fb", "__schema"]) assert(staysInFolder(name), name)
  })
})

describe("index pages", () => {
  const base = "https://host/my%20data/array"
  const parse = (page: string) =>
    parseIndexPage(page, base)?.map(({ name, kind }) => kind === "folder" ? `${name}/` : name)
  const links = (...hrefs: ReadonlyArray<string>) => hrefs.map((href) => `<a href="${href}">x</a>`).join("\n")

  it("show what is directly in the folder, and nothing else", () => {
    assertEquals(
      parse(links("a", "b/", "./c", "/my%20data/array/d", "https://host/my%20data/array/e/", "f#g", "h?i")),
      [
        "a",
        "b/",
        "c",
        "d",
        "e/",
        "f",
        "h",
      ],
    )
    const outside = [
      "../",
      "..",
      "/",
      "/etc/passwd",
      "../array2/a",
      "https://elsewhere/my%20data/array/a",
      "//elsewhere/my%20data/array/a",
      "http://host/my%20data/array/a",
      "?C=N;O=D",
      "#top",
      "",
      "./",
      "a/b",
      "a/b/",
      "a//",
      "x/../../b",
      "%2e%2e/",
      "%2e%2e%2fa",
      "a%2fb",
      "a%5c..",
      "%00",
      "%ff",
      "%",
      "javascript:alert(1)",
      "mailto:a@b",
      "data:text/html,a",
      "http://[",
    ]
    for (const href of outside) assertEquals(parse(links("ok", href)), ["ok"], href)
  })

  it("are read whatever quotes and entities they use", () => {
    assertEquals(
      parse(
        `<A class="file"\n HREF='it%27s'>x</A><a href=plain>y</a><a title="href" href = "a&amp;b&#32;&#x63;">z</a>` +
          `<area href="no"><abbr href="no">`,
      ),
      ["a&b c", "it's", "plain"],
    )
  })

  it("are none without names and without a title that says so", () => {
    assertEquals(parse("<title>Welcome</title>"), undefined)
    assertEquals(parse(""), undefined)
    assertEquals(parse(links("https://elsewhere/")), undefined)
    for (
      const title of ["<title>Index of /x/</title>", "<h1>Index of /</h1>", "<title>Directory listing for /x</title>"]
    ) {
      assertEquals(parse(title), [])
    }
  })

  it("do not hold anybody up, whatever they hold", () => {
    const start = Date.now()
    for (
      const piece of [
        "<a ",
        "<a href",
        '<a href="',
        "&#",
        "<title>",
        "<a \n",
        "<a href='a' ",
        "<h1 ",
        "<a href='",
        "<h1>index ",
      ]
    ) {
      parse(piece.repeat(200_000 / piece.length))
    }
    assert(Date.now() - start < 5000)
    FastCheck.assert(
      FastCheck.property(
        FastCheck.array(
          FastCheck.constantFrom("<a ", "href=", '"', "'", "../", "%2e", "a", "/", ">", "&amp;", "?", "\\"),
        ),
        (parts) => {
          for (const name of parse(parts.join("")) ?? []) assert(staysInFolder(name.replace(/\/$/, "")), name)
        },
      ),
      { numRuns: 2000 },
    )
  })
})

describe("manifests", () => {
  it("give back the folders that they were made of", () => {
    const name = FastCheck.string({ unit: "grapheme", minLength: 1, maxLength: 4 })
      .map((name) => name.toWellFormed()).filter(staysInFolder)
    const path = FastCheck.array(name, { minLength: 1, maxLength: 4 }).map((names) => names.join("/"))
    FastCheck.assert(
      FastCheck.property(FastCheck.dictionary(path, FastCheck.maxSafeNat(), { noNullPrototype: true }), (sizes) => {
        const { folders, files } = decodeManifest(encodeManifest(Object.entries(sizes)))
        assertEquals(files, new Set(Object.keys(sizes)))
        const paths = Object.keys(sizes)
        for (const [folder, entries] of folders) {
          for (const { name, kind, size } of entries) {
            const at = folder === "" ? name : `${folder}/${name}`
            const isFolder = paths.some((path) => path.startsWith(`${at}/`))
            assertEquals(
              { kind, size },
              isFolder ? { kind: "folder", size: undefined } : { kind: "file", size: sizes[at] },
            )
          }
        }
        for (const path of paths) {
          const slash = path.lastIndexOf("/")
          const around = folders.get(path.slice(0, Math.max(slash, 0)))
          assert(around?.some(({ name }) => name === path.slice(slash + 1)))
        }
      }),
      { numRuns: 200 },
    )
  })

  it("are read fast, even large ones", () => {
    const files = Array.from({ length: 100_000 }, (_, i) => [`__fragments/__${i}_${i}_x/a${i % 7}.tdb`, i] as const)
    const bytes = encodeManifest(files)
    const start = Date.now()
    assertEquals(decodeManifest(bytes).files.size, files.length)
    assert(Date.now() - start < 10_000)
  })
})
