/** Conversions of URIs to URLs and of links to names, and names that would lead out of a folder. */
import { assert, assertEquals, assertMatch, assertThrows } from "@std/assert"
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
} from "../../../../platform/storage/http/url.ts"
import { parseIndexPage } from "../../../../platform/storage/http/autoindex_page.ts"
import { decodeManifest, encodeManifest, MAX_MANIFEST_SIZE } from "../../../../platform/storage/http/manifest.ts"
import { compareBytewise } from "../../../../platform/storage/utf8_order.ts"
import type { Entry } from "../../../../platform/storage/service.ts"

const place = (uri: string) => httpPlace("read", uri)

describe("URLs", () => {
  it("append queries after the path, and leave escapes unchanged", () => {
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

  it("treat percent signs inside arrays as literal: format 8 writes them into names", () => {
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

  it("return their parent folders", () => {
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

  it("support every name that stays in its folder", () => {
    FastCheck.assert(
      FastCheck.property(FastCheck.string({ unit: "binary", minLength: 1, maxLength: 12 }), (name) => {
        if (!staysInFolder(name)) return
        const { base } = place(`https://host/folder/${encodeURIComponent(name.toWellFormed())}`)
        assertEquals(namesBelow("https://host/folder", base), [name.toWellFormed()])
        // unescaped, as the engine appends names to a folder
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

  it("list the direct entries of the folder only", () => {
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

  it("are parsed with any quotes and entities", () => {
    assertEquals(
      parse(
        `<A class="file"\n HREF='it%27s'>x</A><a href=plain>y</a><a title="href" href = "a&amp;b&#32;&#x63;">z</a>` +
          `<area href="no"><abbr href="no">`,
      ),
      ["a&b c", "it's", "plain"],
    )
  })

  it("are rejected without names and without the title of a listing", () => {
    assertEquals(parse("<title>Welcome</title>"), undefined)
    assertEquals(parse(""), undefined)
    assertEquals(parse(links("https://elsewhere/")), undefined)
    for (
      const title of ["<title>Index of /x/</title>", "<h1>Index of /</h1>", "<title>Directory listing for /x</title>"]
    ) {
      assertEquals(parse(title), [])
    }
  })

  it("are parsed quickly, with any content", () => {
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
  it("contain the folders from which they were created", () => {
    const name = FastCheck.string({ unit: "grapheme", minLength: 1, maxLength: 4 })
      .map((name) => name.toWellFormed()).filter(staysInFolder)
    const path = FastCheck.array(name, { minLength: 1, maxLength: 4 }).map((names) => names.join("/"))
    FastCheck.assert(
      FastCheck.property(FastCheck.dictionary(path, FastCheck.maxSafeNat(), { noNullPrototype: true }), (sizes) => {
        const { files, list } = decodeManifest(encodeManifest(Object.entries(sizes)))
        const paths = Object.keys(sizes)
        assertEquals(files.size, paths.length)
        for (const path of paths) assert(files.has(path) && !files.has(`${path}x/y`))
        const folders = new Set(
          paths.flatMap((path) => [...path.matchAll(/\//g)].map(({ index }) => path.slice(0, index))),
        )
        for (const folder of ["", ...folders]) {
          for (const { name, kind, size } of list(folder)) {
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
          const around = list(path.slice(0, Math.max(slash, 0)))
          assert(around.some(({ name }) => name === path.slice(slash + 1)))
        }
      }),
      { numRuns: 200 },
    )
  })

  /** Returns the listing of every folder, computed from the parsed JSON. */
  const model = (files: ReadonlyArray<readonly [string, number]>): Map<string, Array<Entry>> => {
    const folders = new Map<string, Map<string, Entry>>([["", new Map()]])
    for (const [path, size] of files) {
      const names = path.split("/")
      names.forEach((name, i) => {
        const around = names.slice(0, i).join("/")
        if (!folders.has(around)) folders.set(around, new Map())
        const entry: Entry = i < names.length - 1 ? { name, kind: "folder" } : { name, kind: "file", size }
        if (folders.get(around)!.get(name)?.kind !== "folder") folders.get(around)!.set(name, entry)
      })
    }
    return new Map(
      Array.from(folders, ([folder, names]) => [
        folder,
        [...names.values()].sort((a, b) => compareBytewise(a.name, b.name)),
      ]),
    )
  }
  const head = '"format":"tessera-manifest","version":1'
  const parse = (text: string) => decodeManifest(new TextEncoder().encode(text))

  it("are parsed like JSON.parse in any order, with any spaces, escapes and other keys", () => {
    // few names, so that files and folders have equal names, and names that are sorted before and after the slash
    const name = FastCheck.constantFrom(
      "a",
      "a-b",
      "a.b",
      "a0",
      "b",
      "…",
      "\u{1f600}",
      "\uff5e",
      "é",
      "a%20b",
      ".a",
      "...",
      '"',
    )
    const path = FastCheck.array(name, { minLength: 1, maxLength: 5 }).map((names) => names.join("/"))
    const space = FastCheck.constantFrom("", "", " ", "\n", "\r\n\t ")
    const size = FastCheck.oneof(FastCheck.maxSafeNat(), FastCheck.nat(9))
    const string = (text: string, how: number): string =>
      how === 0
        ? JSON.stringify(text)
        : how === 1
        ? `"${text.replace(/[^]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)}"`
        : JSON.stringify(text).replaceAll("/", "\\/")
    FastCheck.assert(
      FastCheck.property(
        FastCheck.uniqueArray(FastCheck.tuple(path, size, FastCheck.nat(2)), {
          selector: ([path]) => path,
          maxLength: 30,
        }),
        space,
        FastCheck.boolean(),
        FastCheck.boolean(),
        (entries, s, sort, more) => {
          const files = entries.map(([path, size]) => [path, size] as const)
          const lines = entries.map(([path, size, how]) => `[${s}${string(path, how)}${s},${s}${size}${s}]`)
          const list = sort ? lines.sort() : lines
          const others = more ? `"x":{"a":[1,"]}",{}],"b":null}${s},` : ""
          const text = `${s}{${others}${head}${s},"files"${s}:[${list.join(`${s},${s}`)}]${s}}${s}`
          assertEquals(JSON.parse(text).files.length, files.length)
          const manifest = parse(text)
          for (const [folder, entries] of model(files)) assertEquals(manifest.list(folder), entries)
          assertEquals(manifest.list("a/nothing"), [])
          for (const [path] of files) assert(manifest.files.has(path))
        },
      ),
      { numRuns: 1000 },
    )
  })

  it("may have keys in any order, and sizes as JSON writes numbers", () => {
    const files = '[["b",1e3],["a",1.0],["c",-0],["d",0]]'
    for (
      const text of [
        `{"files":${files},${head}}`,
        `{"version":1,"files":${files},"format":"tessera-manifest"}`,
        `\ufeff{${head},"files":${files}}`,
      ]
    ) {
      assertEquals(parse(text).list("").map(({ size }) => size), [1, 1000, 0, 0])
    }
    assertEquals(parse(`{${head},"files":[]}`).list(""), [])
  })

  it("that are hostile are rejected with the reason", () => {
    const deep = (levels: number) => `${"a/".repeat(levels - 1)}a`
    for (
      const [files, message] of [
        ['[["a",1],["a",1]]', /"a" is listed twice/],
        ['[["b",1],["a",1],["b",2]]', /"b" is listed twice/],
        ['[["b",1],["\\u0062",1]]', /"b" is listed twice/],
        ['[["a",1],["a/../b",1]]', /"a\/..\/b" leaves the folder/],
        ['[["a/b",1],["a/.",1]]', /leaves the folder/],
        ['[["a/b",1],["a/..",1]]', /leaves the folder/],
        ['[["a/b",1],["a/",1]]', /leaves the folder/],
        ['[["a/b",1],["a//b",1]]', /leaves the folder/],
        ['[["/a",1]]', /leaves the folder/],
        ['[["a\\u002f..\\u002fb",1]]', /leaves the folder/],
        ['[["a\\nb",1]]', /leaves the folder/],
        ['[["a\u007fb",1]]', /leaves the folder/],
        ['[["a/%2e%2E/b",1]]', /leaves the folder/],
        ['[["a%2f..%5cb",1]]', /leaves the folder/],
        ['[["é/../b",1]]', /leaves the folder/],
        [`[["${deep(65)}",1]]`, /nested deeper than 64/],
        [`[["${deep(64)}",1],["${deep(64)}/b",1]]`, /nested deeper than 64/],
        [`[["é${deep(65)}",1]]`, /nested deeper than 64/],
        ['[["a\nb",1]]', /JSON|control|Unterminated|leaves/i],
        ['[["a",-1]]', /expected \[path, size\]/],
        ['[["a",1.5]]', /expected \[path, size\]/],
        ['[["a",9007199254740992]]', /expected \[path, size\]/],
        ['[["a","1"]]', /expected \[path, size\]/],
        ['[["a",null]]', /expected \[path, size\]/],
        ['[["a",[]]]', /expected \[path, size\]/],
        ['[["a",1,2]]', /expected \[path, size\]/],
        ['[["a"]]', /expected \[path, size\]/],
        ["[[]]", /expected \[path, size\]/],
        ["[{}]", /expected \[path, size\]/],
        ["[1]", /expected \[path, size\]/],
        ["{}", /expected a list of/],
        ["null", /expected a list of/],
        ['[["a",01]]', /JSON/],
        ['[["a",1],]', /expected \[path, size\]/],
        ['[["a",1]', /JSON|expected/],
        ['[["a",1', /JSON|expected/],
        ['[["a"', /expected/],
        ['[["a', /JSON/],
        ['[["a\\', /JSON/],
        ['[["a\\x",1]]', /JSON|escape/i],
        ['[["a",1]]]', /JSON/],
      ] as ReadonlyArray<readonly [string, RegExp]>
    ) {
      const texts = [`{${head},"files":${files}}`, `{"files":${files},${head}}`]
      // a list of files is truncated only at the end of the text
      for (const text of message.source.includes("JSON") ? texts.slice(0, 1) : texts) {
        const error = assertThrows(() => parse(text), Error)
        assertMatch(error.message, message, text)
        assert(error.message.length < 700)
      }
    }
    for (
      const text of [
        "{",
        "{}",
        `{${head}}`,
        '{"files":[]}',
        `{${head},"files":[],"files":[]}`,
        `{${head},"x":${"[".repeat(1e6)}`,
      ]
    ) {
      assertThrows(() => parse(text), Error)
    }
    const bytes = new TextEncoder().encode(`{${head},"files":[["a\u00e9",1]]}`)
    bytes[bytes.indexOf(0xc3)] = 0xff
    assertThrows(() => decodeManifest(bytes), Error)
  })

  it("that are damaged fail with an Error or are valid", () => {
    const bytes = encodeManifest([["a/b", 1], ["a/c", 22], ["é", 333], ["x/y/z", 0]])
    FastCheck.assert(
      FastCheck.property(
        FastCheck.array(FastCheck.tuple(FastCheck.nat(bytes.length - 1), FastCheck.nat(255)), { maxLength: 4 }),
        FastCheck.nat(bytes.length),
        (changes, end) => {
          const damaged = bytes.slice(0, end < 10 ? end : undefined)
          for (const [at, byte] of changes) damaged[at] = byte
          let list: unknown
          try {
            list = decodeManifest(damaged).list("")
          } catch (error) {
            assert(error instanceof Error && error.message !== "")
            return
          }
          // JSON.parse accepts every accepted manifest
          const { files } = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(damaged))
          assertEquals(list, model(files).get(""))
        },
      ),
      { numRuns: 3000 },
    )
  })

  it("of 500,000 files are listed without a search through all of them", () => {
    const files = Array.from({ length: 500_000 }, (_, i) => {
      const name = `__${1709539200000 + i % 100}_${1709539200000 + i % 100}_${i.toString(16).padStart(32, "0")}_22`
      return [`arrays/array_${Math.floor(i / 100)}/__fragments/${name}/__fragment_metadata.tdb`, i] as const
    })
    const bytes = encodeManifest(files)
    assert(bytes.length < MAX_MANIFEST_SIZE)
    const start = Date.now()
    const manifest = decodeManifest(bytes)
    assertEquals(manifest.list("arrays").length, 5000)
    for (let i = 0; i < 5000; i++) assertEquals(manifest.list(`arrays/array_${i}/__fragments`).length, 100)
    assert(manifest.files.has(files[250_000][0]))
    const elapsed = Date.now() - start
    assert(elapsed < 60_000, `${elapsed} ms`)
    // a manifest in memory consists of its text and a few numbers for each file
    assert(manifest.bytes < 1.5 * bytes.length)
  })

  it("with long names and many siblings are parsed in linear time", () => {
    for (
      const files of [
        Array.from({ length: 1000 }, (_, i) => [`${"a".repeat(20_000)}${i}`, 1] as const),
        Array.from({ length: 200_000 }, (_, i) => [`${(i * 7919) % 200_003}`, 1] as const),
      ]
    ) {
      const text = `{${head},"files":${JSON.stringify(files)}}`
      const start = Date.now()
      assertEquals(parse(text).list("").length, files.length)
      const elapsed = Date.now() - start
      assert(elapsed < 60_000, `${elapsed} ms`)
    }
  })

  it("support names that contain the text between files", () => {
    const files = [["a],[b", 1], ['c"],["d', 2]] as const
    const { list } = decodeManifest(encodeManifest(files))
    assertEquals(list(""), [{ name: "a],[b", kind: "file", size: 1 }, { name: 'c"],["d', kind: "file", size: 2 }])
  })

  it("are parsed quickly, also if they are large", () => {
    const files = Array.from({ length: 100_000 }, (_, i) => [`__fragments/__${i}_${i}_x/a${i % 7}.tdb`, i] as const)
    const bytes = encodeManifest(files)
    const start = Date.now()
    assertEquals(decodeManifest(bytes).files.size, files.length)
    assert(Date.now() - start < 60_000)
  })
})
