/**
 * Compressed streams of other programs: the engine (libtiledb 2.30.0, one chunk of an attribute), Python's bz2,
 * libwebp.
 */
import { Buffer } from "node:buffer"

const base64 = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, "base64"))

/** The content of every stream in {@link codecVectors}. */
export const codecText: Uint8Array = Uint8Array.from([
  ...new TextEncoder().encode("TileDB stores tiles of cells; tiles of cells are stored by TileDB. ".repeat(4)),
  ...Array.from({ length: 256 }, (_, i) => i),
  ...new Uint8Array(300),
])

/** {@link codecText}, compressed by the engine. */
export const codecVectors: Readonly<Record<"gzip" | "zstd" | "lz4" | "bzip2", Uint8Array>> = {
  gzip: base64(
    "eJwLycxJdXFSKC7JL0otVigB8ooV8tMUklNzcoqt0fgKiUWpEJUpCkmVCiFgrXpQehgYwcDIxMzCysbOwcnFzcPLxy8gKCQs" +
      "IiomLiEpJS0jKyevoKikrKKqpq6hqaWto6unb2BoZGxiamZuYWllbWNrZ+/g6OTs4urm7uHp5e3j6+cfEBgUHBIaFh4RGRUd" +
      "ExsXn5CYlJySmpaekZmVnZObl19QWFRcUlpWXlFZVV1TW1ff0NjU3NLa1t7R2dXd09vXP2HipMlTpk6bPmPmrNlz5s6bv2Dh" +
      "osVLli5bvmLlqtVr1q5bv2Hjps1btm7bvmPnrt179u7bf+DgocNHjh47fuLkqdNnzp47f+HipctXrl67fuPmrdt37t67/+Dh" +
      "o8dPnj57/uLlq9dv3r57/+Hjp89fvn77/uPnr99//v77zzAKiAYA/mLdHQ==",
  ),
  zstd: base64(
    "KLUv/WA4AgUKAIQSVGlsZURCIHN0b3JlcyB0aWxlcyBvZiBjZWxsczsgYXJlZCBieSAuAAECAwQFBgcICQoLDA0ODxAREhMU" +
      "FRYXGBkaGxwdHh8gISIjJCUmJygpKissLS4vMDEyMzQ1Njc4OTo7PD0+P0BBQkNERUZHSElKS0xNTk9QUVJTVFVWV1hZWltc" +
      "XV5fYGFiY2RlZmdoaWprbG1ub3BxcnN0dXZ3eHl6e3x9fn+AgYKDhIWGh4iJiouMjY6PkJGSk5SVlpeYmZqbnJ2en6ChoqOk" +
      "paanqKmqq6ytrq+wsbKztLW2t7i5uru8vb6/wMHCw8TFxsfIycrLzM3Oz9DR0tPU1dbX2Nna29zd3t/g4eLj5OXm5+jp6uvs" +
      "7e7v8PHy8/T19vf4+fr7/P3+/wAHAAEouDo6I9DgOWAlX6+GbmogTTed",
  ),
  lz4: base64(
    "+w5UaWxlREIgc3RvcmVzIHRpbGVzIG9mIGNlbGxzOxAAQiBhcmUqAFJkIGJ5IDsAEy4IAAIZAA9DAKr/9AABAgMEBQYHCAkK" +
      "CwwNDg8QERITFBUWFxgZGhscHR4fICEiIyQlJicoKSorLC0uLzAxMjM0NTY3ODk6Ozw9Pj9AQUJDREVGR0hJSktMTU5PUFFS" +
      "U1RVVldYWVpbXF1eX2BhYmNkZWZnaGlqa2xtbm9wcXJzdHV2d3h5ent8fX5/gIGCg4SFhoeIiYqLjI2Oj5CRkpOUlZaXmJma" +
      "m5ydnp+goaKjpKWmp6ipqqusra6vsLGys7S1tre4ubq7vL2+v8DBwsPExcbHyMnKy8zNzs/Q0dLT1NXW19jZ2tvc3d7f4OHi" +
      "4+Tl5ufo6err7O3u7/Dx8vP09fb3+Pn6+/z9/v8AAAADAP8SUAAAAAAA",
  ),
  bzip2: base64(
    "QlpoMTFBWSZTWW9Ny4gAAFT/////////////////////////////////////////////sAEwIQAAAAAAAAAAAAAAAAAAAAAA" +
      "mATAAAAAAAAAAAAAACYAAmAAlU1EGhPQTRmoaYmmgMTamJoGgMgbUNBkGRoYRp6QNGnpDIABoAZBowQBoAYTTQ0BppoAGIxG" +
      "g0AABoASYACYAAmAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAH6/yYHBCS8vsDCoYmNkrCllZmdorLTWq21NaquV2vNlf" +
      "bW5vsCuwoSjQXBEAtATALQvQPYJwsrk5ulodVdpdlbu8Wp5ZwtbVbLbbre9XC43K53S6tgPba+Xa73i8rAH1rsYCxevd8vr9" +
      "fr/gMC/wGCweEwsC8pOiAgsNh4PEYnFQkLDQ+LxikIhAY1ADgC1cEUAgH1OAnAThFgL6zIZFUBGARWTQAMIGUZEgi2YDKqAF" +
      "K5pBMBGKAYwSQCgBoQA9JAxZbL5hUEbAx2ZzWbzmdz2f0Gh0Wj0mlj9Np9RqdVq5CRkpOUlZaXmJmam5ydnp+goaKjpKWmp6" +
      "ipqqusra6vsLGys7S1tre4ubq7vL2+v8DBwsPExcbHyMnKy8zNzs/Q0dLT1NXW19jZ2tvc3d7f4OHi4+T/cvNz9HT1dfZ293" +
      "f4ePl5//09fb3+NH5+fr7/P0XckU4UJBvTcuIA==",
  ),
}

/** Streams without content. */
export const empties: Readonly<Record<"gzip" | "zstd" | "lz4" | "bzip2", Uint8Array>> = {
  gzip: base64("eJwDAAAAAAE="),
  zstd: base64("KLUv/SAAAQAA"),
  lz4: base64("AA=="),
  bzip2: base64("QlpoORdyRThQkAAAAAA="),
}

/** A forged frame: the table that encodes its Huffman weights has a single symbol of zero bits. */
export const forgedZstd: Uint8Array = base64("KLUv/SAIlQAAgoADBfADAACAAQEBAQEBAQEA")

/**
 * The lengths of the runs of 0, 1, 2 … in {@link bzip2Runs}: values around 4 and 4 + 255, where the run-length encoding
 * of bzip2 changes.
 */
export const runLengths: ReadonlyArray<number> = [1, 3, 4, 5, 8, 9, 254, 255, 256, 258, 259, 260, 263, 264, 600]
export const bzip2Runs: Uint8Array = base64(
  "QlpoOTFBWSZTWbovgroAAABCAP//AQAAGCAAVEanpAG1AGJqIGaaJTw7C+bls2jsCV6BpYO5PKCQWyKMRBouSIDoiA6ILLzB" +
    "tpJRrN2+LuSKcKEhdF8FdA==",
)

/** 250,000 bytes, `(i % 7) ^ (i / 40000)`, in three blocks. */
export const bzip2Blocks: Uint8Array = base64(
  "QlpoMTFBWSZTWYyFHy0AAABAAH+AMADYBDAghgQFKpmhM6iRTiiKYiRTyJFORVIOKIptEimUSKdURTWIkU0iRTlRFMRIp5Ei" +
    "m0SKdRIppEinVEU3tEinqiKfmKCskymsm5RGpgAhemAAP8AYAFwEMCCGBAUqm0E9KIpspFMRIptEim4qkGIkUzOUkU0URTRS" +
    "KdokU7SRTRRFPvIkU4URTuIkU5KIp0pFORVIPIkU/MUFZJlNZy+Y3jwAsrsAAf4AgAJAhgQFKkeptTZ4iRTJIpqJFMnNJFMX" +
    "SRTESKdJFPJzESKaSKaiRTi3ESKYuyRT1KKYiRT8XckU4UJCXo1GhA==",
)

/** A lossless image of 13 × 7 pixels with alpha; byte `i` of its pixels is `i * i * 7 + (i >> 3) * 13`. */
export const webpLossless: Uint8Array = base64(
  "UklGRpAAAABXRUJQVlA4TIQAAAAvDIABEM0oBBAABU1E/+NNRPQ/DIpq26be801ABoV0MFJCBjLoIQMZjJSw1u3wCLONdIZ1uFW6H0G2DcVdinus4aim" +
    "bSv6eg6P4jUJzDHkEUMxRDEzFEM4ZAMUhdUf/tMT7EDhZ26iBcolbcI/iPXeTnXvaHUdWDlV8azKeEZFPK0UrAA=",
)

/** The same image, lossy: an extended file with an alpha chunk. */
export const webpLossy: Uint8Array = base64(
  "UklGRvIAAABXRUJQVlA4WAoAAAAQAAAADAAABgAAQUxQSDIAAAAJGYUAAqCgieh/DMWwrVBGKaT2dtkk81ZBPI1+BBETQDBJU23H+CLUfDCpeRBopZa3" +
    "A1ZQOCCaAAAAkAIAnQEqDQAHAAKAQiWwAnQynL2FCIAJQ/Nv0YAA/b7BpzEY0L1skeVlXF392wsZlMX8dF5IvO/fOD2UNm3WDoc9mvkU09ZuwPPjkLZx" +
    "lDdwLqzfGLvrDd1C5+fj/7DUspeBiwxl/8fxUju+6f2n8bBfPv/9PC4BT9/U34BbP6/jigJvLBn/DN3rJJkvTp5djvZ//BlP9QAAAA==",
)
