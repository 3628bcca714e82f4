/**
 * All filters by name.
 *
 * @module
 */
import type { Filter, FilterType } from "../../../schema/array/filter.ts"
import { bitWidthReduction } from "../filters/bit_width_reduction.ts"
import { bitshuffle } from "../filters/bitshuffle.ts"
import { byteshuffle } from "../filters/byteshuffle.ts"
import { checksum } from "../filters/checksum.ts"
import { compression } from "../filters/compression.ts"
import { delta } from "../filters/delta.ts"
import { doubleDelta } from "../filters/double_delta.ts"
import { aes256Gcm } from "../filters/encryption.ts"
import { positiveDelta } from "../filters/positive_delta.ts"
import { rle } from "../filters/rle.ts"
import { scaleFloat } from "../filters/scale_float.ts"
import { damaged, type FilterOf, passedOn, Refusal, type Transform } from "../part/transform.ts"
import { webp } from "../filters/webp.ts"
import { xor } from "../filters/xor.ts"

const noop: Transform<FilterOf<"noop">> = { reverse: (_, chunk) => chunk, forward: (_, parts) => passedOn(parts) }

const foldedOnly = "the filter must be the first one of a field of var-sized ASCII or UTF-8 strings"

/** Engines reject a dictionary on anything but folded strings, so that no such tile exists. */
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

/** Returns the transform of a filter. */
export const transformOf = (filter: Filter): Transform<Filter> => transforms[filter.type] as Transform<Filter>
