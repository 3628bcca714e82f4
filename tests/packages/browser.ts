/** Opens a page in headless Chromium and returns what the page sends to its server. */
import { spawn } from "node:child_process"
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { extname, join } from "node:path"
import process from "node:process"

/** The command that runs Chromium; `undefined` if it is missing. */
export const chromium: string | undefined = [
  process.env.CHROMIUM ?? "",
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
].find((command) => command !== "" && existsSync(command))

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".wasm": "application/wasm",
}

/** Maximum time until the page sends its result, in milliseconds. */
const MAX_PAGE_TIME = 120_000

/** Serves a folder, opens its `index.html`, and returns the JSON that the page sends to `/result`. */
export const resultOfPage = async (folder: string, command: string): Promise<unknown> => {
  let settle: (text: string) => void
  const result = new Promise<string>((resolve) => settle = resolve)
  const requests: Array<string> = []
  const server = createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url!, "http://page").pathname)
    requests.push(path)
    if (request.method === "POST") {
      let body = ""
      request.setEncoding("utf8").on("data", (text) => body += text).on("end", () => {
        response.end()
        settle(body)
      })
      return
    }
    const file = join(folder, path === "/" ? "index.html" : path)
    const isFile = !path.includes("..") && statSync(file, { throwIfNoEntry: false })?.isFile() === true
    response.writeHead(isFile ? 200 : 404, { "content-type": TYPES[extname(file)] ?? "text/plain" })
    response.end(isFile ? readFileSync(file) : "not found")
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  const profile = mkdtempSync(join(tmpdir(), "tessera-chromium-"))
  const flags = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", `--user-data-dir=${profile}`]
  const child = spawn(command, [...flags, "--enable-logging=stderr", url], { stdio: ["ignore", "ignore", "pipe"] })
  let log = ""
  child.stderr.setEncoding("utf8").on("data", (text) => log += text)
  const closed = new Promise<void>((resolve) => child.on("close", () => resolve()))
  let timer: ReturnType<typeof setTimeout> | undefined
  try {
    const failed = (reason: string): Error =>
      new Error(
        `${reason}; requests: ${requests.join(" ")}\n${
          log.split("\n").filter((l) => l.includes("CONSOLE")).join("\n")
        }`,
      )
    return JSON.parse(
      await Promise.race([
        result,
        closed.then(() => Promise.reject(failed("the browser ended"))),
        new Promise<never>((_, reject) => {
          timer = setTimeout(() => reject(failed("the page sent no result")), MAX_PAGE_TIME)
        }),
      ]),
    )
  } finally {
    clearTimeout(timer)
    child.kill("SIGKILL")
    await closed
    server.close()
    server.closeAllConnections()
    rmSync(profile, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })
  }
}
