/**
 * A local registry that replaces jsr.io and npm.jsr.io: accepts one `deno publish`, serves the package that it uploads,
 * and serves the npm form of the package.
 */
import { spawn, spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { createServer, type IncomingMessage } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import process from "node:process"

/** A running registry. */
export interface Registry {
  /** The value of the variable `JSR_URL`, and of the registry of the scope `@jsr` in npm and Bun. */
  readonly url: string
  /** Stops the registry and removes its files. */
  readonly stop: () => void
}

const bodyOf = async (request: IncomingMessage): Promise<Uint8Array> => {
  const parts: Array<Uint8Array> = []
  for await (const part of request) parts.push(part)
  return Buffer.concat(parts)
}

const filesIn = (folder: string, prefix = ""): ReadonlyArray<string> =>
  readdirSync(join(folder, prefix), { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? filesIn(folder, `${prefix}/${entry.name}`) : [`${prefix}/${entry.name}`]
  )

/** The parts of a `package.json` that are converted. */
interface PackageJson {
  readonly version: string
  readonly exports: Readonly<Record<string, unknown>>
  readonly dependencies: Readonly<Record<string, string>>
  readonly peerDependencies: Readonly<Record<string, string>>
}

/**
 * Converts the tarball of `deno task package` to the form of npm.jsr.io: another name, no peers and no commands. The
 * modules are those that `deno pack` transpiles, as JSR transpiles them. Returns the converted `package.json`.
 */
const convertTarball = (tarball: string, folder: string, npmName: string): Record<string, unknown> => {
  mkdirSync(folder)
  spawnSync("tar", ["xzf", tarball], { cwd: folder })
  const file = join(folder, "package", "package.json")
  const made: PackageJson = JSON.parse(readFileSync(file, "utf8"))
  const exports = Object.fromEntries(Object.entries(made.exports).filter(([name]) => name !== "./package.json"))
  const dependencies = { ...made.dependencies, ...made.peerDependencies }
  const converted = { name: npmName, version: made.version, type: "module", exports, dependencies, _jsr_revision: 11 }
  writeFileSync(file, JSON.stringify(converted))
  spawnSync("tar", ["czf", "npm.tgz", "package"], { cwd: folder })
  return converted
}

/**
 * Starts the registry and publishes the package in `root` to it. `deno` is the command that runs Deno; `tarball` is the
 * package that `deno task package` wrote, for npm.
 */
export const startRegistry = async (
  root: string,
  deno: ReadonlyArray<string>,
  tarball: string,
): Promise<Registry> => {
  const folder = mkdtempSync(join(tmpdir(), "tessera-jsr-"))
  const { name, version, exports } = JSON.parse(readFileSync(join(root, "deno.json"), "utf8"))
  const scope = name.slice(1).split("/")[0]
  const json = (value: unknown) => ({ type: "application/json", body: JSON.stringify(value) })
  const task = { id: "00000000-0000-0000-0000-000000000000", status: "success", error: null }

  const metaOfVersion = () => {
    const manifest = Object.fromEntries(
      filesIn(folder).filter((file) => file !== "/upload.tgz").map((file) => {
        const bytes = readFileSync(join(folder, file))
        return [file, { size: bytes.length, checksum: `sha256-${createHash("sha256").update(bytes).digest("hex")}` }]
      }),
    )
    return { manifest, exports }
  }

  const npmFolder = mkdtempSync(join(tmpdir(), "tessera-npm-"))
  const npmName = `@jsr/${name.slice(1).replace("/", "__")}`
  const npmTarballPath = `/~/11/${npmName}/${version}.tgz`
  const npmPackage = convertTarball(tarball, join(npmFolder, "npm"), npmName)
  const npmTarball = readFileSync(join(npmFolder, "npm", "npm.tgz"))

  /** Returns the metadata document in npm's format. */
  const packument = (origin: string) => {
    const integrity = `sha512-${createHash("sha512").update(npmTarball).digest("base64")}`
    const dist = { tarball: `${origin}${npmTarballPath}`, integrity }
    return {
      name: npmName,
      "dist-tags": { latest: version },
      versions: { [version]: { ...npmPackage, dist } },
      time: {},
    }
  }

  const answer = async (request: IncomingMessage) => {
    const isPublished = existsSync(join(folder, "upload.tgz"))
    const path = decodeURIComponent(new URL(request.url!, "http://registry").pathname)
    if (path === `/${npmName}`) return json(packument(`http://${request.headers.host}`))
    if (path === npmTarballPath) return { type: "application/octet-stream", body: npmTarball }
    if (request.method === "POST" && path.endsWith(`/versions/${version}`)) {
      writeFileSync(join(folder, "upload.tgz"), await bodyOf(request))
      spawnSync("tar", ["xzf", "upload.tgz"], { cwd: folder })
      return json(task)
    }
    if (path.startsWith("/api/publish_status/")) return json(task)
    if (!isPublished && (path.includes(`/versions/${version}`) || !path.startsWith("/api/"))) return undefined
    if (path.startsWith("/api/")) return json({ scope, name: name.split("/")[1], githubRepository: null })
    if (path === `/${name}/meta.json`) {
      return json({ scope, name: name.split("/")[1], latest: version, versions: { [version]: {} } })
    }
    if (path === `/${name}/${version}_meta.json`) return json(metaOfVersion())
    const prefix = `/${name}/${version}/`
    if (!path.startsWith(prefix) || path.includes("..")) return undefined
    const file = join(folder, path.slice(prefix.length))
    if (!statSync(file, { throwIfNoEntry: false })?.isFile()) return undefined
    return { type: file.endsWith(".ts") ? "text/typescript" : "text/plain", body: readFileSync(file) }
  }

  const server = createServer((request, response) => {
    answer(request).then((reply) => {
      response.writeHead(reply === undefined ? 404 : 200, { "content-type": reply?.type ?? "text/plain" })
      response.end(reply?.body ?? "not found")
    }, (error) => {
      response.writeHead(500)
      response.end(String(error))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  const stop = (): void => {
    server.close()
    server.closeAllConnections()
    rmSync(folder, { recursive: true })
    rmSync(npmFolder, { recursive: true })
  }

  const flags = ["publish", "--token", "none", "--allow-dirty", "--no-provenance", "--no-check"]
  const child = spawn(deno[0], [...deno.slice(1), ...flags], { cwd: root, env: { ...process.env, JSR_URL: url } })
  let output = ""
  child.stdout.on("data", (text) => output += text)
  child.stderr.on("data", (text) => output += text)
  const code = await new Promise((resolve) => child.on("close", resolve))
  if (code === 0) return { url, stop }
  stop()
  throw new Error(`deno publish: ${output}`)
}
