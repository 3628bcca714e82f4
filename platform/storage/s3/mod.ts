/**
 * Amazon S3 and compatible stores: Cloudflare R2, MinIO, Ceph, versitygw.
 *
 * `layerDefault` opens `s3://bucket/array` with the keys, the region and the endpoint of the environment. This module has
 * the parts for everything else:
 *
 * - **Storage** – {@link layerS3} and {@link s3Files} with options; {@link makeS3Storage} without retries and limits
 * - **Credentials** – {@link AwsCredentials} is the tag; {@link layerStatic}, {@link layerEnv} and {@link layerAnonymous}
 *   provide it, {@link makeCredentials} wraps any other source
 *
 * ```ts
 * import { layerS3, layerStatic } from "@tessera/array/aws"
 * import { StorageService } from "@tessera/array/platform"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 * import * as Layer from "effect/Layer"
 *
 * const keys = layerStatic({ accessKeyId: "minioadmin", secretAccessKey: "minioadmin" })
 * const layer = Layer.provide(layerS3({ endpoint: "http://127.0.0.1:9000" }), keys)
 * const program = Effect.map(StorageService, (storage) => typeof storage.read)
 * assertEquals(Effect.runSync(Effect.provide(program, layer)), "function")
 * ```
 *
 * @module
 */
export {
  anonymousCredentials,
  AwsCredentials,
  type AwsKeys,
  CredentialsError,
  layerAnonymous,
  layerStatic,
  makeCredentials,
  staticCredentials,
  type StaticKeys,
} from "./credentials.ts"
export { layerS3, s3Files, type S3FilesOptions } from "./default_s3.ts"
export { envCredentials, type Environment, layerEnv, s3OptionsFromEnv } from "./environment.ts"
export type { S3Encryption, S3Options } from "./options.ts"
export { makeS3Storage } from "./s3.ts"
