/**
 * Options of S3 storage, and their validation.
 *
 * @module
 */
import type * as Duration from "effect/Duration"
import * as Redacted from "effect/Redacted"
import { invalidOption } from "../../errors.ts"
import { checkOptionNames, checkType, durationOption, numberOption, wordOption } from "../../options.ts"
import type { AwsCredentials } from "./credentials.ts"

/** Encryption by the server. */
export interface S3Encryption {
  /**
   * `AES256`: with keys of S3; `aws:kms` or `aws:kms:dsse`: with a key of the key management service; `customer`: with
   * the program's own key.
   */
  readonly type: "AES256" | "aws:kms" | "aws:kms:dsse" | "customer"
  /** ID or ARN of the KMS key. Default: the bucket's key. */
  readonly kmsKeyId?: string
  /** Whether KMS uses a key of the bucket, which reduces its requests. Default: as the bucket is configured. */
  readonly bucketKey?: boolean
  /** The program's own key of 32 bytes, in base64. Required with `customer`, and sent with every request. */
  readonly customerKey?: string | Redacted.Redacted<string>
}

/** Options of S3 storage. */
export interface S3Options {
  /**
   * Region of the buckets. Default: `us-east-1`. Buckets in other regions are found by the response of the server, which
   * takes a second request for each bucket.
   */
  readonly region?: string
  /** URL of an S3-compatible server, such as `http://127.0.0.1:9000`. Default: Amazon S3. */
  readonly endpoint?: string
  /**
   * Whether the bucket is part of the path (`https://host/bucket/key`) instead of the host name. Default: `true` for an
   * `endpoint` and for buckets with dots in their names.
   */
  readonly pathStyle?: boolean
  /** Whether requests use the endpoints of Amazon S3 for IPv4 and IPv6. Default: `false`. */
  readonly dualStack?: boolean
  /** The keys that sign requests. Default: those of the environment. */
  readonly credentials?: AwsCredentials
  /** Whether the owner of the keys pays for requests to buckets of others. Default: `false`. */
  readonly requesterPays?: boolean
  /** Encryption of new objects. Default: as the bucket is configured. */
  readonly encryption?: S3Encryption
  /** Storage class of new objects, such as `STANDARD_IA`. Default: as the bucket is configured. */
  readonly storageClass?: string
  /** Canned access control list of new objects, such as `bucket-owner-full-control`. Default: none. */
  readonly acl?: string
  /**
   * Whether the server stores a SHA-256 checksum with each new object. Every request contains the hash of its body, with
   * or without this option. Default: `false`.
   */
  readonly checksums?: boolean
  /**
   * Whether the server supports `If-None-Match`, as Amazon S3, R2, MinIO, Ceph and versitygw do. Without it, a new file
   * replaces one that another writer creates concurrently. Default: `true`.
   */
  readonly conditionalWrites?: boolean
  /** Size of the parts of large files in bytes, 5 MiB to 5 GiB. Default: 16 MiB. A file has up to 10,000 parts. */
  readonly partSize?: number
  /** Maximum number of parts of one file that are uploaded concurrently. Default: 4. */
  readonly parts?: number
  /** Time limit for the start of a response, and for each 8 MiB of a body. Default: 30 seconds. */
  readonly timeout?: Duration.DurationInput
}

const OPTIONS: ReadonlyArray<string> = [
  "region",
  "endpoint",
  "pathStyle",
  "dualStack",
  "credentials",
  "requesterPays",
  "encryption",
  "storageClass",
  "acl",
  "checksums",
  "conditionalWrites",
  "partSize",
  "parts",
  "timeout",
] satisfies Array<keyof S3Options>

const MIN_PART_SIZE = 5 << 20
const MAX_PART_SIZE = 5 * 2 ** 30

/** Default size of a part, in bytes. */
export const DEFAULT_PART_SIZE: number = 16 << 20

/** Default maximum number of concurrent parts. */
export const DEFAULT_PARTS = 4

const checkText = (option: string, value: unknown, pattern: RegExp, expected: string): void => {
  if (value === undefined || (typeof value === "string" && pattern.test(value))) return
  throw invalidOption("", option, `expected ${expected}`)
}

/** Checks the URL of a server; errors do not contain it, since a URL can contain a password. */
const checkEndpoint = (endpoint: unknown): void => {
  if (endpoint === undefined) return
  const expected = "expected a URL of a server without query and user name, such as http://127.0.0.1:9000"
  try {
    const { protocol, username, password, search, hash } = new URL(endpoint as string)
    const isPlain = username === "" && password === "" && search === "" && hash === ""
    if ((protocol === "http:" || protocol === "https:") && isPlain) return
  } catch {
    // fails below
  }
  throw invalidOption("", "endpoint", expected)
}

/** Returns the program's own key; errors do not contain it. */
export const customerKeyOf = ({ customerKey }: S3Encryption): string | undefined =>
  customerKey === undefined ? undefined : Redacted.isRedacted(customerKey) ? Redacted.value(customerKey) : customerKey

const checkEncryption = (encryption: S3Encryption | undefined): void => {
  if (encryption === undefined) return
  checkOptionNames(
    encryption,
    ["type", "kmsKeyId", "bucketKey", "customerKey"] satisfies Array<keyof S3Encryption>,
    "encryption",
  )
  wordOption("encryption.type", encryption.type, ["AES256", "aws:kms", "aws:kms:dsse", "customer"])
  const key = customerKeyOf(encryption)
  if ((encryption.type === "customer") !== (key !== undefined)) {
    throw invalidOption("", "encryption.customerKey", "required with the type customer, and only with it")
  }
  if (key !== undefined && !/^[A-Za-z0-9+/]{43}=$/.test(key)) {
    throw invalidOption("", "encryption.customerKey", "expected a key of 32 bytes in base64")
  }
  checkText("encryption.kmsKeyId", encryption.kmsKeyId, /^[\x21-\x7e]{1,2048}$/, "an ID or ARN of a KMS key")
  checkType("encryption.bucketKey", encryption.bucketKey, "boolean")
}

/** Checks the options; `more` contains the names of options that the caller checks. Throws `InvalidOption`. */
export const checkS3Options = (options: S3Options, more: ReadonlyArray<string> = []): void => {
  checkOptionNames(options, [...OPTIONS, ...more])
  checkText("region", options.region, /^[a-z0-9][a-z0-9-]{0,62}$/, "a region, such as eu-central-1")
  checkEndpoint(options.endpoint)
  for (const option of ["pathStyle", "dualStack", "requesterPays", "checksums", "conditionalWrites"] as const) {
    checkType(option, options[option], "boolean")
  }
  checkText("storageClass", options.storageClass, /^[A-Z0-9_-]{1,64}$/, "a storage class, such as STANDARD_IA")
  checkText("acl", options.acl, /^[a-z-]{1,64}$/, "a canned access control list, such as bucket-owner-full-control")
  checkEncryption(options.encryption)
  const size = numberOption("partSize", options.partSize, DEFAULT_PART_SIZE, MIN_PART_SIZE)
  if (!Number.isSafeInteger(size) || size > MAX_PART_SIZE) {
    throw invalidOption("", "partSize", "expected a whole number of bytes from 5 MiB to 5 GiB")
  }
  numberOption("parts", options.parts, DEFAULT_PARTS, 1)
  durationOption("timeout", options.timeout, 0)
}
