/**
 * `deno task site [FOLDER]`: builds the site of the documents, by default in `dist/site`: all pages of `docs/` with
 * VitePress, and the API reference with `deno doc`. Dead links and warnings fail the build. Needs the npm registry.
 */
import { spawnSync } from "node:child_process"
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join, resolve } from "node:path"
import process from "node:process"

const root = join(import.meta.dirname!, "..")
const VITEPRESS = "1.6.4"
/** The modules of the API reference. */
const MODULES = ["mod.ts", "platform/mod.ts", "schema/mod.ts", "src/cli/mod.ts", "platform/storage/s3/mod.ts"]
/** The pages in the order of the sidebar. */
const GROUPS: Readonly<Record<string, ReadonlyArray<string>>> = {
  Tasks: [
    "install",
    "reading",
    "queries",
    "streams",
    "writing",
    "metadata-and-groups",
    "time-travel",
    "history",
    "maintenance",
    "object-stores",
    "web",
    "observability",
    "command-line",
    "errors",
  ],
  Guides: ["from-tiledb-py", "from-zarrita", "effect", "faq", "limitations"],
}

const run = (command: string, args: ReadonlyArray<string>, cwd: string): string => {
  const env = { ...process.env, NO_COLOR: "1" }
  const { status, stdout, stderr, error } = spawnSync(command, args, { cwd, env, encoding: "utf8", maxBuffer: 1 << 28 })
  if (status !== 0) throw new Error(`${command} ${args.join(" ")}: ${error?.message ?? `${stdout}${stderr}`.trim()}`)
  return stderr
}

const titleOf = (page: string): string => /^# (.+)$/m.exec(readFileSync(join(root, "docs", `${page}.md`), "utf8"))![1]

const configuration = (): string => {
  const sidebar = Object.entries(GROUPS).map(([text, pages]) => ({
    text,
    items: pages.map((page) => ({ text: titleOf(page), link: `/${page}` })),
  }))
  const nav = [{ text: "Guide", link: "/install" }, { text: "API", link: "/api/index.html", target: "_self" }]
  const site = {
    title: "tessera",
    description: "TileDB's array engine in TypeScript",
    cleanUrls: false,
    themeConfig: { nav, sidebar, search: { provider: "local" }, outline: [2, 3] },
  }
  return `export default ${JSON.stringify(site, undefined, 2)}\n`
}

/** Returns the links of the pages in a folder whose targets do not exist in the site. */
export const deadLinks = (site: string): ReadonlyArray<string> =>
  (readdirSync(site, { recursive: true }) as ReadonlyArray<string>).filter((file) => file.endsWith(".html")).flatMap(
    (file) =>
      [...readFileSync(join(site, file), "utf8").matchAll(/<a\b[^>]*?\shref="([^"]*)"/g)]
        .map(([, link]) => link.replaceAll("&#x2F;", "/").replaceAll("&amp;", "&").replace(/[#?].*$/, ""))
        .filter((link) => link !== "" && !/^[a-z]+:/.test(link))
        .filter((link) => {
          const path = link.startsWith("/") ? join(site, link) : join(site, dirname(file), link)
          return !existsSync(decodeURI(path.endsWith("/") ? `${path}index.html` : path))
        })
        .map((link) => `${file}: ${link}`),
  )

if (import.meta.main) {
  const output = resolve(process.argv[2] ?? join(root, "dist", "site"))
  const folder = mkdtempSync(join(tmpdir(), "tessera-site-"))
  try {
    const pages = readdirSync(join(root, "docs")).filter((name) => name.endsWith(".md")).map((name) =>
      name.slice(0, -3)
    )
    const missing = pages.filter((page) => page !== "index" && !Object.values(GROUPS).flat().includes(page))
    if (missing.length > 0) throw new Error(`the sidebar lacks ${missing.join(", ")}`)
    writeFileSync(
      join(folder, "package.json"),
      JSON.stringify({ private: true, type: "module", devDependencies: { vitepress: VITEPRESS } }),
    )
    cpSync(join(root, "docs"), join(folder, "docs"), { recursive: true })
    mkdirSync(join(folder, "docs", ".vitepress"))
    writeFileSync(join(folder, "docs", ".vitepress", "config.mjs"), configuration())
    run("npm", ["install", "--no-audit", "--no-fund"], folder)
    // this build fails if a link between pages is dead
    run("npx", ["vitepress", "build", "docs", "--outDir", output], folder)
    const api = ["doc", "--html", "--name=tessera", `--output=${join(output, "api")}`, ...MODULES]
    const warnings = run(process.execPath, api, root).split("\n").filter((line) => /warning|error/i.test(line))
    const dead = deadLinks(output)
    for (const line of [...warnings, ...dead.map((link) => `dead link: ${link}`)]) console.log(line)
    console.log(output)
    console.log(`${pages.length} passed, ${warnings.length + dead.length} failed, 0 skipped`)
    process.exitCode = warnings.length + dead.length === 0 ? 0 : 1
  } finally {
    rmSync(folder, { recursive: true })
  }
}
