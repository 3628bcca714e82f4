/**
 * All filters by name.
 *
 * @module
 */
import type { Filter, FilterType } from "../../schema/filter.ts"
import { bitWidthReduction } from "./bit_width_reduction.ts"
import { bitshuffle } from "./bitshuffle.ts"
import { byteshuffle } from "./byteshuffle.ts"
import { checksum } from "./checksum.ts"
import { compression } from "./compression.ts"
import { delta } from "./delta.ts"
import { doubleDelta } from "./double_delta.ts"
import { aes256Gcm } from "./encryption.ts"
import { positiveDelta } from "./positive_delta.ts"
import { rle } from "./rle.ts"
import { scaleFloat } from "./scale_float.ts"
import { damaged, type FilterOf, passedOn, Refusal, type Transform } from "./transform.ts"
import { webp } from "./webp.ts"
import { xor } from "./xor.ts"

const noop: Transform<FilterOf<"noop">> = { reverse: (_, chunk) => chunk, forward: (_, parts) => passedOn(parts) }

const foldedOnly = "it can only be the first filter of a field of var-sized ASCII or UTF-8 strings"

/** The engines refuse a dictionary on anything but folded strings, so none was ever written. */
const dictionary: Transform<FilterOf<"dictionary">> = {
  reverse: () => {
    throw damaged(foldedOnly)
  },
  forward: () => {
    throw new Refusal(foldedOnly)
  },
}

const transforms: { readonly [K in FilterType]: Transform<FilterOf<K>> } = {
  noop,
  gzip: compression,
  zstd: compression,
  lz4: compression,
  bzip2: compression,
  rle,
  double_delta: doubleDelta,
  delta,
  bit_width_reduction: bitWidthReduction,
  positive_delta: positiveDelta,
  bitshuffle,
  byteshuffle,
  aes_256_gcm: aes256Gcm,
  checksum_md5: checksum,
  checksum_sha256: checksum,
  dictionary,
  scale_float: scaleFloat,
  xor,
  webp,
}

/** The transform of a filter. */
export const transformOf = (filter: Filter): Transform<Filter> => transforms[filter.type] as Transform<Filter>
