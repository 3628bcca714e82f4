/**
 * `deno task stores [--only NAME] [--full]`: starts real object-store servers, and runs the storage suite and the interop
 * with the real engine on them, in Deno and Bun. Installs each server on first use, and stops it at the end. `--full`
 * includes the servers that take minutes to install.
 */
import { spawnSync } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import process from "node:process"
import { AwsV4Signer } from "aws4fetch"
import { runtimes } from "../interop/processes.ts"
import { ENGINE, ensureVenv } from "../interop/venv.ts"
import { type Counts, countsOf } from "../support/summary.ts"
import { type ServerName, startServer, stopServer } from "./servers.ts"

const root = join(import.meta.dirname!, "..", "..")
const only = process.argv.includes("--only") ? process.argv[process.argv.indexOf("--only") + 1] : ""
const servers: ReadonlyArray<ServerName> = process.argv.includes("--full") ? ["versitygw", "minio"] : ["versitygw"]
const BUCKET = "tessera-tests"
const [deno, bun] = runtimes()
const denoTest = [...deno.command.slice(0, -2), "test", "-A", "--no-check"]
const bunTest = [...bun.command, "test", "--timeout", "120000"]

const makeBucket = async (settings: Readonly<Record<string, string>>): Promise<void> => {
  const signer = new AwsV4Signer({
    method: "PUT",
    url: `${settings.S3_ENDPOINT}/${BUCKET}`,
    accessKeyId: settings.S3_ACCESS_KEY,
    secretAccessKey: settings.S3_SECRET_KEY,
    service: "s3",
    region: settings.S3_REGION,
  })
  const { method, url, headers } = await signer.sign()
  const { status } = await fetch(url, { method, headers })
  if (status !== 200) throw new Error(`the server responded to the creation of a bucket with status ${status}`)
}

const total = { passed: 0, failed: 0, skipped: 0 }
const add = (name: string, { passed, failed, skipped }: Counts): void => {
  total.passed += passed
  total.failed += failed
  total.skipped += skipped
  console.log(`${failed === 0 ? "ok    " : "FAILED"} ${name}: ${passed} passed, ${failed} failed`)
}

/** Runs a command with settings, and adds the counts of its output. */
const runCounted = (
  name: string,
  runner: "deno" | "bun" | "plain",
  command: ReadonlyArray<string>,
  env: Readonly<Record<string, string>>,
): void => {
  if (!name.includes(only)) return
  const result = spawnSync(command[0], command.slice(1), {
    cwd: root,
    encoding: "utf8",
    env: { ...process.env, ...env, NO_COLOR: "1" },
    maxBuffer: 1 << 28,
  })
  const output = result.stdout + result.stderr
  const counts = countsOf(runner, output, result.status ?? 1)
  if (counts.failed > 0) console.log(output)
  add(name, counts)
}

const engine = ensureVenv(join(root, "tests", ".cache"), ENGINE)
if ("python" in engine) {
  const folder = mkdtempSync(join(tmpdir(), "tessera-stores-"))
  const script = [engine.python, "tests/stores/interop.py", folder, "{}", ...deno.command, "src/cli/main.ts"]
  runCounted("local files, interop (Deno)", "plain", script, {})
  rmSync(folder, { recursive: true })
}
for (const server of servers) {
  try {
    const settings = startServer(server)
    await makeBucket(settings)
    const env = {
      AWS_ACCESS_KEY_ID: settings.S3_ACCESS_KEY,
      AWS_SECRET_ACCESS_KEY: settings.S3_SECRET_KEY,
      AWS_REGION: settings.S3_REGION,
      AWS_ENDPOINT_URL_S3: settings.S3_ENDPOINT,
      TESSERA_S3_SERVER: server,
      TESSERA_S3_BUCKET: BUCKET,
    }
    if (!("python" in engine)) throw new Error(engine.reason)
    const config = JSON.stringify({
      "vfs.s3.endpoint_override": settings.S3_ENDPOINT.replace("http://", ""),
      "vfs.s3.scheme": "http",
      "vfs.s3.use_virtual_addressing": "false",
      "vfs.s3.region": settings.S3_REGION,
      "vfs.s3.aws_access_key_id": settings.S3_ACCESS_KEY,
      "vfs.s3.aws_secret_access_key": settings.S3_SECRET_KEY,
    })
    for (const { name, command } of [deno, bun]) {
      const folder = `s3://${BUCKET}/interop-${name}`
      const script = [engine.python, "tests/stores/interop.py", folder, config, ...command, "src/cli/main.ts"]
      runCounted(`${server}, interop (${name})`, "plain", script, env)
    }
    runCounted(`${server}, Deno`, "deno", [...denoTest, "tests/stores/s3_suite.ts"], env)
    runCounted(`${server}, Bun`, "bun", [...bunTest, "./tests/stores/s3_suite.ts"], env)
  } catch (error) {
    add(server, { passed: 0, failed: 1, skipped: 0, died: true })
    console.log(error)
  } finally {
    stopServer(server)
  }
}
console.log(`${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`)
process.exitCode = total.failed === 0 ? 0 : 1
