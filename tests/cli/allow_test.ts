/** `--allow`: the members that groups on web servers are followed to. */
import { describe, it } from "node:test"
import { assertEquals, assertStringIncludes } from "@std/assert"
import { details, member, uuid } from "../group/group_files.ts"
import { cli } from "./run_cli.ts"

const group = (uri: string, ...members: ReadonlyArray<string>): ReadonlyArray<readonly [string, Uint8Array]> => [
  [`${uri}/__tiledb_group.tdb`, new Uint8Array(0)],
  [
    `${uri}/__group/__1_1_${uuid(1)}_2`,
    details(2, members.map((to) => member(to, { relative: false, name: to.replace(/.*\//, "") }))),
  ],
]

const g = "https://a.example/g"
const web = new Map([
  ...group(g, "https://b.example/other", "mem://mine", "https://a.example/own"),
  ...group("https://a.example/own"),
  ...group("https://b.example/other", "https://a.example/back"),
])
const files = new Map(group("mine").map(([path, bytes]) => [path, bytes]))
const run = (...args: ReadonlyArray<string>) => cli(args, { web, files })

describe("--allow", () => {
  it("sets the members that tree follows", async () => {
    assertEquals((await run("tree", g)).out.split("\n"), [
      "https://a.example/g",
      "├── mine  group (not opened: outside the group's origin)",
      "├── other  group (not opened: outside the group's origin)",
      "└── own  group",
      "",
    ])
    assertEquals((await run("tree", g, "--allow", "https://b.example", "--allow", "mem:")).out.split("\n"), [
      "https://a.example/g",
      "├── mine  group",
      "├── other  group",
      "│   └── back  group (not opened: outside the group's origin)",
      "└── own  group",
      "",
    ])
  })

  it("prints members that were not followed in JSON", async () => {
    const tree = JSON.parse((await run("tree", g, "--json")).out)
    assertEquals(tree.map((node: Record<string, unknown>) => [node.name, node.cut]), [
      ["mine", "foreign"],
      ["other", "foreign"],
      ["own", undefined],
    ])
    const list = JSON.parse((await run("ls", g, "--json", "--allow", "mem:")).out)
    assertEquals(list.map((entry: Record<string, unknown>) => [entry.name, entry.foreign]), [
      ["mine", undefined],
      ["other", true],
      ["own", undefined],
    ])
    assertStringIncludes((await run("ls", g)).out, "https://b.example/other")
  })

  it("accepts origins and schemes only", async () => {
    const { code, err } = await run("tree", g, "--allow", "b.example")
    assertEquals(code, 2)
    assertStringIncludes(err, 'allow: "b.example" is not an origin or a scheme')
    assertStringIncludes((await run("tree", "--help")).out, "--allow ORIGIN")
    assertEquals((await run("schema", g, "--allow", "mem:")).code, 2)
  })
})
