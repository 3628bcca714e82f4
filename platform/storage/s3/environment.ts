/**
 * AWS settings from environment variables.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { AwsCredentials, type AwsKeys, CredentialsError, makeCredentials } from "./credentials.ts"
import type { S3Options } from "./options.ts"

/** Environment variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>

interface Runtime {
  readonly process?: { readonly env?: Environment }
}

/** Returns a variable of the process; `undefined` if it is empty, missing, or the runtime has no permission to read it. */
const processVariable = (name: string): string | undefined => {
  try {
    return (globalThis as Runtime).process?.env?.[name] || undefined
  } catch {
    return undefined
  }
}

const reader = (environment: Environment | undefined) => (name: string): string | undefined =>
  environment === undefined ? processVariable(name) : environment[name] || undefined

const isOn = (text: string | undefined): boolean => text === "1" || text?.toLowerCase() === "true"

/**
 * Creates credentials from `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY` and `AWS_SESSION_TOKEN`; with
 * `AWS_SKIP_SIGNATURE=true`, requests are anonymous. The variables are read on first use, by default those of the
 * process. Fails with {@link CredentialsError} if they are not set.
 *
 * ```ts
 * import { envCredentials } from "@tessera/array/aws"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 *
 * const { keys } = envCredentials({ AWS_ACCESS_KEY_ID: "id", AWS_SECRET_ACCESS_KEY: "secret" })
 * assertEquals(Effect.runSync(keys)?.accessKeyId, "id")
 * ```
 */
export const envCredentials = (environment?: Environment): AwsCredentials =>
  makeCredentials(Effect.suspend(() => {
    const variable = reader(environment)
    if (isOn(variable("AWS_SKIP_SIGNATURE"))) return Effect.succeed(undefined)
    const id = variable("AWS_ACCESS_KEY_ID")
    const secret = variable("AWS_SECRET_ACCESS_KEY")
    const token = variable("AWS_SESSION_TOKEN")
    const fail = (detail: string) => Effect.fail(new CredentialsError({ source: "the environment", detail }))
    if (id === undefined && secret === undefined) {
      return fail(
        "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_SKIP_SIGNATURE=true for public buckets",
      )
    }
    if (id === undefined) return fail("AWS_SECRET_ACCESS_KEY is set, but AWS_ACCESS_KEY_ID is not")
    if (secret === undefined) return fail("AWS_ACCESS_KEY_ID is set, but AWS_SECRET_ACCESS_KEY is not")
    return Effect.succeed<AwsKeys>({
      accessKeyId: id,
      secretAccessKey: Redacted.make(secret),
      ...(token === undefined ? {} : { sessionToken: Redacted.make(token) }),
    })
  }))

/**
 * A layer with {@link envCredentials}.
 *
 * ```ts
 * import { AwsCredentials, layerEnv } from "@tessera/array/aws"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 *
 * const program = Effect.flatMap(AwsCredentials, ({ keys }) => keys)
 * assertEquals(Effect.runSync(Effect.provide(program, layerEnv({ AWS_SKIP_SIGNATURE: "true" }))), undefined)
 * ```
 */
export const layerEnv = (environment?: Environment): Layer.Layer<AwsCredentials> =>
  Layer.sync(AwsCredentials, () => envCredentials(environment))

/**
 * Returns the options that the environment contains: `AWS_REGION` or `AWS_DEFAULT_REGION`, `AWS_ENDPOINT_URL_S3` or
 * `AWS_ENDPOINT_URL`, and `AWS_REQUEST_PAYER`. The variables are by default those of the process.
 *
 * ```ts
 * import { s3OptionsFromEnv } from "@tessera/array/aws"
 * import { assertEquals } from "@std/assert"
 *
 * assertEquals(s3OptionsFromEnv({ AWS_REGION: "eu-central-1" }), { region: "eu-central-1" })
 * ```
 */
export const s3OptionsFromEnv = (environment?: Environment): S3Options => {
  const variable = reader(environment)
  const region = variable("AWS_REGION") ?? variable("AWS_DEFAULT_REGION")
  const endpoint = variable("AWS_ENDPOINT_URL_S3") ?? variable("AWS_ENDPOINT_URL")
  return {
    ...(region === undefined ? {} : { region }),
    ...(endpoint === undefined ? {} : { endpoint }),
    ...(variable("AWS_REQUEST_PAYER")?.toLowerCase() === "requester" ? { requesterPays: true } : {}),
  }
}
