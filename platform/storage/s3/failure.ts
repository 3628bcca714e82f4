/**
 * Maps error responses of S3 to storage errors.
 *
 * @module
 */
import { StorageError, type StorageOp, type StorageReason } from "../../errors.ts"
import { retryAfterOf } from "../http/errors.ts"
import { parseXml, textOf } from "./xml.ts"

/** An error code of S3: its reason, and advice. */
interface KnownCode {
  readonly reason: StorageReason
  readonly advice?: string
}

const transient: KnownCode = { reason: "Unavailable" }
const expired: KnownCode = { reason: "Denied", advice: "the session token has expired; load new credentials" }
const unknownKey: KnownCode = { reason: "Denied", advice: "check the access key ID (AWS_ACCESS_KEY_ID)" }

const codes: Readonly<Record<string, KnownCode>> = {
  AccessDenied: { reason: "Denied", advice: "the policy of the bucket or of the user does not allow this request" },
  AllAccessDisabled: { reason: "Denied", advice: "the bucket or the account is disabled" },
  AuthorizationHeaderMalformed: { reason: "Denied", advice: "check the region" },
  InvalidAccessKeyId: unknownKey,
  // versitygw and R2
  XAdminUserNotFound: unknownKey,
  Unauthorized: unknownKey,
  SignatureDoesNotMatch: { reason: "Denied", advice: "check the secret access key (AWS_SECRET_ACCESS_KEY)" },
  ExpiredToken: expired,
  TokenRefreshRequired: expired,
  InvalidToken: { reason: "Denied", advice: "check the session token (AWS_SESSION_TOKEN)" },
  RequestTimeTooSkewed: { reason: "Denied", advice: "the clock of this computer is wrong" },
  InvalidObjectState: { reason: "Denied", advice: "the object is archived; restore it first" },
  ObjectLocked: { reason: "Denied", advice: "the object is locked; wait until its retention ends" },
  NoSuchBucket: { reason: "Unknown", advice: "the bucket does not exist; check its name, the endpoint and the region" },
  PermanentRedirect: { reason: "Unknown", advice: "the bucket is in another region; set the region" },
  KeyTooLongError: { reason: "BadName" },
  InvalidBucketName: { reason: "BadName", advice: "the name of the bucket is invalid" },
  EntityTooLarge: { reason: "Full", advice: "the file is larger than the server accepts" },
  QuotaExceeded: { reason: "Full" },
  XMinioStorageFull: { reason: "Full" },
  ObjectParentIsFile: { reason: "Occupied" },
  ExistingObjectIsDirectory: { reason: "Occupied" },
  NotImplemented: { reason: "Unsupported", advice: "the server does not support this request" },
  MethodNotAllowed: { reason: "Unsupported", advice: "the server does not support this request; check the endpoint" },
  RequestTimeout: { reason: "Timeout" },
  SlowDown: transient,
  ServiceUnavailable: transient,
  InternalError: transient,
  OperationAborted: transient,
  ConditionalRequestConflict: transient,
  BadDigest: transient,
  XAmzContentSHA256Mismatch: transient,
  IncompleteBody: transient,
}

const reasonOfStatus = (status: number): StorageReason =>
  status === 401 || status === 403
    ? "Denied"
    : status === 408 || status === 504
    ? "Timeout"
    : status === 425 || status === 429 || (status >= 500 && status !== 501 && status !== 505 && status !== 507)
    ? "Unavailable"
    : status === 507
    ? "Full"
    : status === 405 || status === 501
    ? "Unsupported"
    : "Unknown"

/** An error response of S3; the cause of a {@link StorageError}. */
export class S3Failure extends Error {
  override readonly name: string = "S3Failure"
  /** HTTP status. */
  readonly status: number
  /** Error code, such as `AccessDenied`; `undefined` for a response without a code. */
  readonly code: string | undefined
  /** Minimum delay before a retry that the server requests, in milliseconds. */
  readonly retryAfter: number | undefined

  constructor(status: number, code: string | undefined, retryAfter?: number) {
    const advice = code === undefined ? undefined : codes[code]?.advice
    super(
      `the server responded with status ${status}` + (code === undefined ? "" : `, ${code}`) +
        (advice === undefined ? "" : `: ${advice}`),
    )
    this.status = status
    this.code = code
    this.retryAfter = retryAfter
  }
}

/** The parts of an error document that are used. The server's message is not: it could repeat the request. */
export interface ErrorDocument {
  readonly code: string | undefined
  readonly region: string | undefined
}

/** Reads an error document; returns no fields for anything else. */
export const readErrorDocument = (bytes: Uint8Array): ErrorDocument => {
  const element = parseXml(bytes)
  const code = element?.name === "Error" ? textOf(element, "Code") : undefined
  const region = element?.name === "Error" ? textOf(element, "Region") : undefined
  return {
    code: code !== undefined && /^[A-Za-z0-9.]{1,64}$/.test(code) ? code : undefined,
    region: region !== undefined && isRegion(region) ? region : undefined,
  }
}

/** Whether a text is the name of a region. */
export const isRegion = (text: string): boolean => /^[a-z0-9][a-z0-9-]{0,62}$/.test(text)

/** Returns the error for a response. */
export const s3Failure = (
  op: StorageOp,
  uri: string,
  status: number,
  code: string | undefined,
  retryAfter?: string,
): StorageError =>
  new StorageError({
    op,
    uri,
    reason: (code !== undefined && Object.hasOwn(codes, code) ? codes[code].reason : undefined) ??
      reasonOfStatus(status),
    cause: new S3Failure(status, code, retryAfterOf(retryAfter, Date.now())),
  })

/** Returns the error code that caused a storage error; `undefined` for other causes. */
export const s3CodeOf = (error: unknown): string | undefined =>
  error instanceof StorageError && error.cause instanceof S3Failure ? error.cause.code : undefined
